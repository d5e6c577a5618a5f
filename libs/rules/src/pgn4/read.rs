//! Reading files. What a file has and nobody here understands is kept where it stands and spoils nothing around it.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use super::text::{begins_like_a_header, comment, header_start, header_value, is_space, visible};
use super::token::is_invisible;
use super::{Ending, Entry, Header, Pgn4, Round, Sign, Token, Variation};

/// Variations may be nested so deep. The parentheses of deeper ones are words that nobody understands: nobody writes
/// them, and they would exhaust the stack.
pub(super) const DEEPEST: usize = 32;

/// A text that is no PGN4 (rules, section 10), with the line that shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pgn4Error {
    /// The line of the text, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: String,
}

impl fmt::Display for Pgn4Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for Pgn4Error {}

impl FromStr for Pgn4 {
    type Err = Pgn4Error;

    /// Reads a text of one game, as [`Pgn4::read_all`] reads it; an empty text is a game without anything.
    fn from_str(text: &str) -> Result<Pgn4, Pgn4Error> {
        let mut reader = Reader::new(text);
        let game = reader.game().unwrap_or_default();
        let second = reader.at;
        if reader.game().is_some() {
            reader.at = second;
            return Err(reader.error("a second game begins here"));
        }
        reader.refuse_nonsense(std::slice::from_ref(&game))?;
        Ok(game)
    }
}

impl Pgn4 {
    /// Reads a text of any number of games, one after the other. A result in the main line ends a game, and so do
    /// headers after its moves, or headers after an empty line that say again what it has said.
    ///
    /// Words that cannot be understood are kept as [`WrittenMove::Unknown`](super::WrittenMove::Unknown), odd brackets
    /// and the lines of `;` and `%` as comments. What is not closed ends where the next game begins.
    ///
    /// # Errors
    /// Refuses a text of which nothing at all can be understood.
    pub fn read_all(text: &str) -> Result<Vec<Pgn4>, Pgn4Error> {
        let mut reader = Reader::new(text);
        let mut games = Vec::new();
        while let Some(game) = reader.game() {
            games.push(game);
        }
        reader.refuse_nonsense(&games)?;
        Ok(games)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// No header's value that begins before this place ends: one was looked through up to here.
    no_end_before: usize,
    /// A round's number between a result and the moves of another game.
    round: Option<Round>,
}

/// A line of moves that is not finished yet.
#[derive(Default)]
struct Open {
    line: Variation,
    round: Option<Round>,
}

impl Open {
    fn comment(&mut self, text: &str) {
        let line = &mut self.line;
        line.moves.last_mut().map_or(&mut line.intro, |entry| &mut entry.comments).push(comment(text));
    }

    fn annotate(&mut self, sign: Sign) {
        if let Some(entry) = self.line.moves.last_mut() {
            entry.annotations.push(sign);
        }
    }

    fn push(&mut self, token: Token, annotations: Vec<Sign>) {
        let round = self.round.take();
        self.line.moves.push(Entry { round, token, annotations, comments: Vec::new(), variations: Vec::new() });
    }
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        let mut reader = Reader { text, at: 0, no_end_before: 0, round: None };
        reader.skip_space();
        reader
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, problem: &str) -> Pgn4Error {
        let line = self.text[..self.at].bytes().filter(|&byte| byte == b'\n').count() + 1;
        Pgn4Error { line, problem: problem.to_owned() }
    }

    /// Unless there is a header, a comment, a move or a mark.
    fn refuse_nonsense(&mut self, games: &[Pgn4]) -> Result<(), Pgn4Error> {
        let is_odd = |entry: &Entry| entry.token.is_unknown() && entry.comments.is_empty();
        let is_nonsense =
            |game: &Pgn4| game.headers.is_empty() && game.intro.is_empty() && game.moves.iter().all(is_odd);
        if games.iter().all(|game| game.moves.is_empty()) || !games.iter().all(is_nonsense) {
            return Ok(());
        }
        self.at = 0;
        self.skip_space();
        Err(self.error("neither headers nor moves"))
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(is_space).len();
    }

    /// The next game that holds more than a result, if there is one.
    fn game(&mut self) -> Option<Pgn4> {
        while !self.rest().is_empty() {
            let game = self.any_game();
            if !(game.headers.is_empty() && game.intro.is_empty() && game.moves.is_empty()) {
                return Some(game);
            }
        }
        None
    }

    /// Headers, then moves up to a result, the headers of another game or the end.
    fn any_game(&mut self) -> Pgn4 {
        let mut headers = Vec::new();
        let mut names = HashSet::new();
        let mut headers_end = self.at;
        let mut lines = vec![Open { line: Variation::default(), round: self.round.take() }];
        loop {
            self.skip_space();
            let rest = self.rest();
            let depth = lines.len();
            let (Some(first), Some(open)) = (rest.chars().next(), lines.last_mut()) else { break };
            match first {
                '[' => match header_start(rest) {
                    Some((name, value)) => {
                        let begun = depth > 1 || open.line.ending.is_some() || !open.line.moves.is_empty();
                        let again = has_empty_line(&self.text[headers_end..self.at]) && names.contains(name);
                        if begun || again {
                            break;
                        }
                        names.insert(name);
                        headers.push(Header { name: name.to_owned(), value: self.header(value) });
                        headers_end = self.at;
                    }
                    None => {
                        let line = line_of(rest);
                        let bracket = line.find(']').map_or(line, |end| &line[..=end]);
                        open.comment(bracket);
                        self.at += bracket.len();
                    }
                },
                '{' => self.comment(open),
                ';' | '%' => {
                    let line = line_of(rest);
                    open.comment(&line[1..]);
                    self.at += line.len();
                }
                '(' if depth <= DEEPEST && !open.line.moves.is_empty() => {
                    lines.push(Open::default());
                    self.at += 1;
                }
                ')' if depth > 1 => {
                    close(&mut lines);
                    self.at += 1;
                }
                '.' | '…' => {
                    self.at += rest.len() - rest.trim_start_matches(is_dot).len();
                    if let Some(round) = &mut open.round {
                        round.late = true;
                    }
                }
                _ if self.word(open, depth == 1) => {}
                _ => break,
            }
        }
        while lines.len() > 1 {
            close(&mut lines);
        }
        let Variation { intro, moves, ending } = lines.pop().unwrap_or_default().line;
        Pgn4 { headers, intro, moves, ending }
    }

    /// A round's number, a result, a sign, a move, a mark or what nobody understands. False, and nothing read, if it
    /// belongs to another game: a result was there before it.
    fn word(&mut self, open: &mut Open, is_main: bool) -> bool {
        let (word, length) = read_word(self.rest());
        let ended = is_main && open.line.ending.is_some();
        match word {
            Word::Sign(sign) if !open.line.moves.is_empty() => open.annotate(sign),
            Word::Round(number) => open.round = Some(Round { number, late: false }),
            Word::Result(result) if ended => {
                if open.line.ending != Some(result) {
                    open.comment(result.as_str());
                }
            }
            _ if ended => {
                self.round = open.round;
                return false;
            }
            Word::Result(result) => open.line.ending = Some(result),
            Word::Sign(sign) => open.push(Token::unknown(sign.to_string()), Vec::new()),
            Word::Move(token, annotations) => open.push(token, annotations),
        }
        self.at += length;
        true
    }

    /// A comment that does not end by itself ends where the next header begins.
    fn comment(&mut self, open: &mut Open) {
        let inside = &self.rest()[1..];
        let mut end = 0;
        let closed = loop {
            let Some(found) = inside[end..].find(['}', '\n', '\r']) else {
                end = inside.len();
                break false;
            };
            end += found;
            if inside[end..].starts_with('}') {
                break true;
            }
            end += 1;
            if begins_like_a_header(&inside[end..]) {
                break false;
            }
        };
        looked(end);
        open.comment(&inside[..end]);
        self.at += 1 + end + usize::from(closed);
    }

    /// A header's value, which begins a text: it ends at a quote that a bracket follows, so that names may hold quotes.
    /// A value that does not end so is the rest of its line.
    fn header(&mut self, text: &str) -> String {
        let begin = self.text.len() - text.len();
        if begin >= self.no_end_before {
            match closed_value(text) {
                Ok((value, length)) => {
                    self.at = begin + length;
                    return header_value(&value);
                }
                Err(looked_through) => self.no_end_before = begin + looked_through + 1,
            }
        }
        let line = line_of(text);
        self.at = begin + line.len();
        header_value(line.trim_end().trim_end_matches([']', '"']))
    }
}

/// The value that a text begins with, up to its quote and bracket, and how long it is with them; or how far there is
/// neither: up to the next header or to the end. The place where one looks does not depend on where one began, as no
/// backslash stands before a value.
fn closed_value(text: &str) -> Result<(String, usize), usize> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        let after = &text[at + letter.len_utf8()..];
        looked(1);
        match letter {
            // A name that ends with a backslash.
            '\\' if closes_a_line(after) => value.push('\\'),
            '\\' if after.starts_with(['"', '\\']) => value.extend(letters.next().map(|(_, next)| next)),
            '"' => match after.trim_start().strip_prefix(']') {
                Some(after) => return Ok((value, text.len() - after.len())),
                None => value.push('"'),
            },
            '\n' | '\r' if begins_like_a_header(after) => return Err(at),
            _ => value.push(letter),
        }
    }
    Err(text.len())
}

/// The last line of moves becomes a variation of the one before it.
fn close(lines: &mut Vec<Open>) {
    let closed = lines.pop().unwrap_or_default();
    if let Some(entry) = lines.last_mut().and_then(|open| open.line.moves.last_mut()) {
        entry.variations.push(closed.line);
    }
}

pub(super) fn ends_a_word(letter: char) -> bool {
    letter.is_whitespace() || "{}()[];".contains(letter)
}

pub(super) fn is_dot(letter: char) -> bool {
    matches!(letter, '.' | '…')
}

fn line_of(text: &str) -> &str {
    let line = text.find(['\n', '\r']).map_or(text, |end| &text[..end]);
    looked(line.len());
    line
}

/// Counts the bytes that were looked through to find an end, for the test of it.
#[cfg_attr(not(test), inline(always))]
fn looked(bytes: usize) {
    #[cfg(test)]
    tests::LOOKED.with(|looked| looked.set(looked.get() + bytes));
    #[cfg(not(test))]
    let _ = bytes;
}

fn has_empty_line(text: &str) -> bool {
    let count = |letter| text.matches(letter).count();
    count('\n').max(count('\r')) > 1
}

/// `"]` at the end of a line.
fn closes_a_line(text: &str) -> bool {
    let blank = [' ', '\t'];
    let after = text.strip_prefix('"').and_then(|text| text.trim_start_matches(blank).strip_prefix(']'));
    after.is_some_and(|after| {
        let after = after.trim_start_matches(blank);
        after.is_empty() || after.starts_with(['\n', '\r'])
    })
}

/// What stands between spaces and brackets.
pub(super) enum Word {
    Round(u32),
    Result(Ending),
    /// What is said of the move before it.
    Sign(Sign),
    /// A move or mark, or what nobody understands, and the signs written to it.
    Move(Token, Vec<Sign>),
}

/// The word that a text begins with, and how long it is: never 0.
pub(super) fn read_word(text: &str) -> (Word, usize) {
    let end = text.find(|letter| ends_a_word(letter) || is_dot(letter)).unwrap_or(text.len());
    looked(end);
    let word = visible(&text[..end]);
    if let Some(result) = Ending::read(&word) {
        return (Word::Result(result), end);
    }
    if let Ok(sign) = word.parse() {
        return (Word::Sign(sign), end);
    }
    if word.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(number) = word.parse()
    {
        // The dot belongs to the number; more of them say that the round starts late.
        return (Word::Round(number), end + usize::from(text[end..].starts_with('.')));
    }
    if let Ok((token, signs)) = Token::read(&word) {
        return (Word::Move(token, signs.parse().into_iter().collect()), end);
    }
    odd_word(text)
}

/// A word with dots in it, or one that nobody understands: up to space, a bracket or the dots between moves.
fn odd_word(text: &str) -> (Word, usize) {
    let mut word = String::new();
    let mut length = 0;
    for letter in text.chars() {
        if ends_a_word(letter) || letter == '…' || (letter == '.' && word.ends_with('.')) {
            break;
        }
        length += letter.len_utf8();
        word.extend(Some(letter).filter(|&letter| !is_invisible(letter)));
    }
    looked(length);
    if word.ends_with('.') {
        word.pop();
    }
    if let Ok(sign) = word.parse() {
        return (Word::Sign(sign), length);
    }
    if let Some(Ok((token, signs))) = word.strip_suffix("e.p").or(word.strip_suffix("ep")).map(Token::read) {
        return (Word::Move(token, signs.parse().into_iter().chain([Sign::EN_PASSANT]).collect()), length);
    }
    if word.is_empty() {
        // A bracket that closes nothing.
        word.extend(text.chars().next());
        length = word.len();
    }
    (Word::Move(Token::unknown(word), Vec::new()), length)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        pub(super) static LOOKED: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn no_byte_is_looked_at_again_and_again() {
        for part in [
            "x [A \"\n",
            "x [A \"\r",
            "x [A \" \\\"\r\n",
            "[A \"\nx ",
            "[A \"",
            "[A \"\\",
            "[A \"\\\"]",
            "[A",
            "[[",
            "{\n",
            "h2-h4 {\n",
            "{ x\n[A \"b\"]\n",
            "h2-h4 {\n[A \"b\"]\n",
            "h2-h4 {\r[A \"\n",
            "h2-h4 {\n[A \"b\n",
            "h2-h4 (",
            "h2-h4 (\n[A \"b\"]\n",
            "h2-h4 1-0 (",
            "(",
            ";",
            "x ;\n[A \"",
            "+",
            "h2-h4 +!",
            "zz.",
            "zz..",
            "h2.",
            "9",
            "9.",
            "1-0 9 ",
            "* zz",
            "\u{200b}",
            "e.p",
        ] {
            for end in ["", "\n[B \"c\"]\n", "\n[B \"c", "}", ")", "\"]"] {
                let text = part.repeat(2000) + end;
                LOOKED.set(0);
                let _ = Pgn4::read_all(&text);
                assert!(LOOKED.get() <= 4 * text.len(), "{part:?} {end:?}: {} for {}", LOOKED.get(), text.len());
            }
        }
    }
}
