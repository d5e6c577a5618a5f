//! One move or mark as a file has it.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::str::FromStr;

use crate::{CastlingSide, Square};

/// How a player left, as files mark it (rules, section 10).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaving {
    /// `R`
    Resigned,
    /// `T`
    TimedOut,
}

/// A move with its marks, or marks alone (rules, section 10): `Qh4xNe1=D+#`, `R`, `S`, `R#`, `Kg14-f14T`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Token {
    /// The move, unless only marks stand in its place.
    pub mv: Option<WrittenMove>,
    /// How many `+`: kings in check.
    pub checks: u8,
    /// How many `#`: armies mated or left without their king.
    pub mates: u8,
    /// `R` or `T`.
    pub leaving: Option<Leaving>,
    /// How many `S`: armies stalemated.
    pub stalemates: u8,
}

/// A move as written (rules, section 10). Letters of pieces are kept as they are: other variants have other pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WrittenMove {
    /// `O-O` or `O-O-O`; read with zeros and small letters as well.
    Castling(CastlingSide),
    /// `--`, no move at all, which some files have where a player passes.
    Pass,
    /// A word in the place of a move that nobody here understands, as it stands in the file.
    Unknown(String),
    /// Any other move, in the long or the short form.
    Piece {
        /// The letter of the piece; none for a pawn.
        piece: Option<char>,
        /// The file it comes from, 1 to 14; the short form has it only when needed. Other numbers fit no move.
        file: Option<u8>,
        /// The rank it comes from, 1 to 14; the short form has it only when needed. Other numbers fit no move.
        rank: Option<u8>,
        /// Whether an `x` stands there.
        captures: bool,
        /// The letter of the captured piece; none for a pawn and in the short form.
        captured: Option<char>,
        /// Where it goes.
        to: Square,
        /// The letter after `=`.
        promotion: Option<char>,
    },
}

/// A text that is no move and no mark (rules, section 10).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnreadableToken;

impl fmt::Display for UnreadableToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("neither a move nor R, T, S or #")
    }
}

impl std::error::Error for UnreadableToken {}

impl FromStr for Token {
    type Err = UnreadableToken;

    /// Reads a move with its marks, or marks alone. `!` and `?` among the marks are passed over.
    fn from_str(text: &str) -> Result<Token, UnreadableToken> {
        Token::read(text).map(|(token, _)| token)
    }
}

impl Token {
    /// Reads a move with its marks, or marks alone, and the `!` and `?` among them.
    pub(super) fn read(text: &str) -> Result<(Token, String), UnreadableToken> {
        let text = in_plain_letters(text);
        let mut token = Token::default();
        let mut signs = String::new();
        if token.read_marks(&text, &mut signs) && token != Token::default() {
            return Ok((token, signs));
        }
        signs.clear();
        let (mv, rest) = read_move(&text).ok_or(UnreadableToken)?;
        token = Token { mv: Some(mv), ..Token::default() };
        if token.read_marks(rest, &mut signs) { Ok((token, signs)) } else { Err(UnreadableToken) }
    }

    pub(super) fn unknown(word: String) -> Token {
        Token { mv: Some(WrittenMove::Unknown(word)), ..Token::default() }
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self.mv, Some(WrittenMove::Unknown(_)))
    }

    /// Reads marks to the end of a text; false if anything else stands there.
    fn read_marks(&mut self, text: &str, signs: &mut String) -> bool {
        for mark in text.chars() {
            match mark {
                '+' => self.checks = self.checks.saturating_add(1),
                '#' => self.mates = self.mates.saturating_add(1),
                'S' => self.stalemates = self.stalemates.saturating_add(1),
                'R' if self.leaving.is_none() => self.leaving = Some(Leaving::Resigned),
                'T' if self.leaving.is_none() => self.leaving = Some(Leaving::TimedOut),
                '!' | '?' => signs.push(mark),
                _ => return false,
            }
        }
        true
    }
}

/// Letters that nobody sees: marks of byte order and of direction, joiners, soft hyphens.
pub(super) fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{FEFF}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}' | '\u{AD}')
}

/// A word without invisible letters, and with a plain dash and `x` for those of typesetters.
fn in_plain_letters(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let visible = word.chars().filter(|&letter| !is_invisible(letter));
    let plain = visible.map(|letter| match letter {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{D7}' => 'x',
        _ => letter,
    });
    Cow::Owned(plain.collect())
}

/// A letter that can be a piece's: capital, or of another script.
fn is_piece_letter(letter: char) -> bool {
    letter.is_ascii_uppercase() || (!letter.is_ascii() && letter.is_alphabetic())
}

/// What is left of a text while it is read.
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    fn peek(&self) -> Option<char> {
        self.0.chars().next()
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        let letter = self.peek().filter(|&letter| wanted(letter))?;
        self.0 = &self.0[letter.len_utf8()..];
        Some(letter)
    }

    fn file(&mut self) -> Option<u8> {
        self.take(|letter| ('a'..='n').contains(&letter)).map(|letter| letter as u8 - b'a' + 1)
    }

    /// One or two digits, 1 to 14.
    fn rank(&mut self) -> Option<u8> {
        let first = self.take(|digit| ('1'..='9').contains(&digit))? as u8 - b'0';
        if first == 1
            && let Some(second) = self.take(|digit| ('0'..='4').contains(&digit))
        {
            return Some(10 + second as u8 - b'0');
        }
        Some(first)
    }
}

/// Castling at the start of a text, with big or small letters or zeros, and what follows it.
pub(crate) fn read_castling(text: &str) -> Option<(CastlingSide, &str)> {
    let king = text.strip_prefix(['O', 'o', '0'])?;
    let short = king.strip_prefix('-')?.strip_prefix(['O', 'o', '0'])?;
    match short.strip_prefix('-') {
        Some(long) => Some((CastlingSide::Long, long.strip_prefix(['O', 'o', '0'])?)),
        None => Some((CastlingSide::Short, short)),
    }
}

/// A move at the start of a text, and what follows it.
fn read_move(text: &str) -> Option<(WrittenMove, &str)> {
    if let Some((side, rest)) = read_castling(text) {
        return Some((WrittenMove::Castling(side), rest));
    }
    if let Some(rest) = text.strip_prefix("--") {
        return Some((WrittenMove::Pass, rest));
    }
    let mut cursor = Cursor(text);
    let piece = cursor.take(is_piece_letter);
    let (mut file, mut rank) = (cursor.file(), cursor.rank());
    let separator = cursor.take(|letter| letter == '-' || letter == 'x');
    let captures = separator == Some('x');
    let captured = if captures { cursor.take(is_piece_letter) } else { None };
    let to = match cursor.file() {
        Some(to_file) => Square::new(to_file, cursor.rank()?)?,
        // What looked like the start was the destination: `Nf3`.
        None if separator.is_none() => Square::new(file.take()?, rank.take()?)?,
        None => return None,
    };
    if separator == Some('-') && (file.is_none() || rank.is_none()) {
        return None;
    }
    let promotion = match cursor.take(|letter| letter == '=') {
        Some(_) => Some(cursor.take(|letter| is_piece_letter(letter) || letter.is_ascii_lowercase())?),
        // Letters that are no marks.
        None => cursor.take(|letter| matches!(letter, 'Q' | 'D')),
    };
    let promotion = promotion.map(|letter| letter.to_ascii_uppercase());
    Some((WrittenMove::Piece { piece, file, rank, captures, captured, to, promotion }, cursor.0))
}

impl fmt::Display for WrittenMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &WrittenMove::Piece { piece, file, rank, captures, captured, to, promotion } = self else {
            return f.write_str(match self {
                WrittenMove::Castling(CastlingSide::Long) => "O-O-O",
                WrittenMove::Pass => "--",
                WrittenMove::Unknown(word) => word,
                _ => "O-O",
            });
        };
        if let Some(piece) = piece {
            f.write_char(piece)?;
        }
        if let Some(file) = file {
            // A file beyond the board has no letter.
            f.write_char(if (1..=14).contains(&file) { char::from(b'a' + file - 1) } else { '?' })?;
        }
        if let Some(rank) = rank {
            write!(f, "{rank}")?;
        }
        if captures {
            f.write_char('x')?;
        } else if file.is_some() && rank.is_some() {
            f.write_char('-')?;
        }
        if let Some(captured) = captured {
            f.write_char(captured)?;
        }
        write!(f, "{to}")?;
        match promotion {
            Some(letter) => write!(f, "={letter}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(mv) = &self.mv {
            write!(f, "{mv}")?;
        }
        let leaving = match self.leaving {
            Some(Leaving::Resigned) => "R",
            Some(Leaving::TimedOut) => "T",
            None => "",
        };
        // Alone, the leaving comes first, as in `R#`; after a move it comes last.
        if self.mv.is_none() {
            f.write_str(leaving)?;
        }
        for (mark, count) in [("+", self.checks), ("#", self.mates)] {
            for _ in 0..count {
                f.write_str(mark)?;
            }
        }
        if self.mv.is_some() {
            f.write_str(leaving)?;
        }
        for _ in 0..self.stalemates {
            f.write_char('S')?;
        }
        Ok(())
    }
}

impl WrittenMove {
    /// The same move with files a and n exchanged.
    #[must_use]
    pub fn mirrored(mut self) -> WrittenMove {
        if let WrittenMove::Piece { file, to, .. } = &mut self {
            *file = file.map(|file| 15_u8.checked_sub(file).unwrap_or(file));
            *to = to.mirrored();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_real_files_read_and_print() {
        for text in [
            "h2-h4",
            "Qh6xm6+",
            "Qd9-g6#",
            "k10xj11",
            "c11xd12=D",
            "g11-h11=D+",
            "Qh11-f11+#",
            "Qe14-e12++#",
            "O-O",
            "O-O-O",
            "R",
            "T",
            "S",
            "#",
            "R#",
            "T#",
            "Kg14-f14R",
            "Ke14-d14T",
            "δi3-i4",
            "Yk6xδi4+",
            "Gk8xGe2+",
            "h7-g8=E+",
            "Nf3",
            "hxg4",
            "Nbd2",
            "R4a5",
            "R11a4",
            "NbxBd5",
            "Qxd5=D##",
            "e7-e8=R",
            "e7-e8=RR",
            "n11-n10S",
            "Nxf3",
        ] {
            let token: Token = text.parse().unwrap_or_else(|_| panic!("{text}"));
            assert_eq!(token.to_string(), text);
        }
    }

    #[test]
    fn annotations_are_left_out_and_a_full_origin_gets_its_dash() {
        assert_eq!("Nb4d5".parse::<Token>().map(|token| token.to_string()), Ok("Nb4-d5".to_owned()));
        assert_eq!("0-0-0+".parse::<Token>().map(|token| token.to_string()), Ok("O-O-O+".to_owned()));
        assert_eq!("h2-h4!?".parse::<Token>().map(|token| token.to_string()), Ok("h2-h4".to_owned()));
    }

    #[test]
    fn other_spellings_mean_the_same() {
        for (text, meant) in [
            ("o-o", "O-O"),
            ("0-0", "O-O"),
            ("O-o-0#", "O-O-O#"),
            ("O\u{2013}O", "O-O"),
            ("h7-h8=q", "h7-h8=Q"),
            ("h7-h8Q+", "h7-h8=Q+"),
            ("h2\u{2013}h4", "h2-h4"),
            ("Nj1\u{2014}i3\u{200B}", "Nj1-i3"),
            ("Qh4\u{D7}Ne1", "Qh4xNe1"),
            ("\u{FEFF}h2-\u{200B}h4", "h2-h4"),
            ("\u{2013}\u{2013}", "--"),
        ] {
            assert_eq!(text.parse::<Token>().map(|token| token.to_string()), Ok(meant.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_move_made_by_hand_prints_and_mirrors_whatever_it_holds() {
        let to = Square::new(8, 4).unwrap();
        for number in [0, 15, 16, 200, 255] {
            let [file, rank] = [Some(number); 2];
            let mv =
                WrittenMove::Piece { piece: None, file, rank, captures: true, captured: None, to, promotion: None };
            assert_eq!(mv.to_string(), format!("?{number}xh4"));
            assert!(mv.clone().mirrored().to_string().ends_with("xg4"));
            assert_eq!(mv.clone().mirrored().mirrored(), mv);
            assert_eq!(crate::Position::start().resolve(&mv), Err(crate::MoveError::Illegal));
        }
    }

    #[test]
    fn other_words_are_no_tokens() {
        for text in
            ["", "!", "RT", "h2-", "-h2", "h2-h15", "h2-a1", "hello", "h-h4", "2-h4", "h2-h4=", "O-O-", "Nf", "-", "!?"]
        {
            assert_eq!(text.parse::<Token>(), Err(UnreadableToken), "{text}");
        }
    }
}
