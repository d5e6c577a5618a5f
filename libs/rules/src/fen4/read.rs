//! Reading FEN4.

use super::{Fen4Error, Field, Problem, extra};
use crate::setup::HIGHEST_NUMBER;
use crate::square::is_on_board;
use crate::{Army, Piece, Role, Setup, Square};

impl Setup {
    /// Reads a FEN4 as it stands, legal or not, with the names of extra keys that are not known. White space is
    /// ignored; corners may be written as counted empties or as `x`.
    ///
    /// # Errors
    /// Refuses what does not parse, numbers above 9999, pieces on corners and `d` on pieces of armies in play.
    pub fn from_fen4(fen4: &str) -> Result<(Setup, Vec<String>), Fen4Error> {
        let text: String = fen4.chars().filter(|c| !c.is_whitespace()).collect();
        let mut rest = text.as_str();
        let mut field = |field| {
            let (value, after) = rest.split_once('-').ok_or(Fen4Error::new(field, Problem::Missing))?;
            rest = after;
            Ok(value)
        };
        let mut setup = Setup::empty();
        setup.turn = turn(field(Field::Turn)?)?;
        setup.out = flags(Field::Dead, field(Field::Dead)?)?;
        setup.castle_short = flags(Field::CastleShort, field(Field::CastleShort)?)?;
        setup.castle_long = flags(Field::CastleLong, field(Field::CastleLong)?)?;
        setup.points = points(field(Field::Points)?)?;
        setup.halfmove = number(field(Field::Halfmove)?).map_err(|problem| Fen4Error::new(Field::Halfmove, problem))?;
        let mut unknown = Vec::new();
        if rest.starts_with('{') {
            let (inside, after) = extra::split_braces(rest)
                .and_then(|(inside, after)| Some((inside, after.strip_prefix('-')?)))
                .ok_or(Fen4Error::new(Field::Extra, Problem::Expected("{...} and a dash")))?;
            unknown = extra::read(inside, &mut setup)?;
            rest = after;
        }
        board(rest, &mut setup)?;
        Ok((setup, unknown))
    }
}

fn turn(text: &str) -> Result<Army, Fen4Error> {
    match text {
        "R" => Ok(Army::Red),
        "B" => Ok(Army::Blue),
        "Y" => Ok(Army::Yellow),
        "G" => Ok(Army::Green),
        _ => Err(Fen4Error::new(Field::Turn, Problem::Expected("R, B, Y or G"))),
    }
}

/// Exactly four parts between commas.
pub(super) fn four(text: &str) -> Option<[&str; 4]> {
    let mut parts = text.split(',');
    let four = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
    parts.next().is_none().then_some(four)
}

fn flags(field: Field, text: &str) -> Result<[bool; 4], Fen4Error> {
    let refusal = Fen4Error::new(field, Problem::Expected("four of 0 and 1"));
    let mut flags = [false; 4];
    for (flag, word) in flags.iter_mut().zip(four(text).ok_or(refusal)?) {
        *flag = match word {
            "0" => false,
            "1" => true,
            _ => return Err(refusal),
        };
    }
    Ok(flags)
}

fn points(text: &str) -> Result<[u32; 4], Fen4Error> {
    let words = four(text).ok_or(Fen4Error::new(Field::Points, Problem::Expected("four numbers")))?;
    let mut points = [0; 4];
    for (points, word) in points.iter_mut().zip(words) {
        *points = number(word).map_err(|problem| Fen4Error::new(Field::Points, problem))?;
    }
    Ok(points)
}

/// 0 to 9999, digits only.
pub(super) fn number(text: &str) -> Result<u32, Problem> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Problem::Expected("a number"));
    }
    // A text of digits that is no u32 is a number beyond it.
    text.parse().ok().filter(|&number| number <= HIGHEST_NUMBER).ok_or(Problem::NumberTooBig)
}

fn board(text: &str, setup: &mut Setup) -> Result<(), Fen4Error> {
    let mut rank = 14;
    for line in text.split('/') {
        if rank == 0 {
            return Err(Fen4Error::new(Field::Board, Problem::Expected("14 ranks")));
        }
        board_rank(line, rank, setup)?;
        rank -= 1;
    }
    if rank != 0 {
        return Err(Fen4Error::new(Field::Board, Problem::Expected("14 ranks")));
    }
    Ok(())
}

fn board_rank(line: &str, rank: u8, setup: &mut Setup) -> Result<(), Fen4Error> {
    let mut file = 1_u8;
    for word in line.split(',') {
        let refuse = move |problem| Err(Fen4Error::new(Field::Board, problem).at_coordinate(file, rank));
        if file > 14 {
            return Err(Fen4Error::new(Field::Board, Problem::Expected("14 squares a rank")).at_coordinate(14, rank));
        }
        if matches!(word, "x" | "X") {
            if is_on_board(file, rank) {
                return refuse(Problem::NotACorner);
            }
            file += 1;
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            match number(word) {
                Ok(count @ 1..=14) => file += count as u8,
                Ok(_) => return refuse(Problem::Expected("1 to 14 empty squares")),
                Err(problem) => return refuse(problem),
            }
            if file > 15 {
                return refuse(Problem::Expected("14 squares a rank"));
            }
        } else {
            let Some((piece, marked_out)) = piece(word) else {
                return refuse(Problem::Expected("a number, a piece or x"));
            };
            let Some(square) = Square::new(file, rank) else {
                return refuse(Problem::OnCorner);
            };
            if marked_out && !setup.out[piece.army.index()] {
                return refuse(Problem::MarkedOut(piece.army));
            }
            setup.put(square, Some(piece));
            file += 1;
        }
    }
    if file == 15 {
        Ok(())
    } else {
        Err(Fen4Error::new(Field::Board, Problem::Expected("14 squares a rank")).at_coordinate(file, rank))
    }
}

/// `rP`, `rD`, `drP`.
fn piece(word: &str) -> Option<(Piece, bool)> {
    let (letters, marked_out) = match word.strip_prefix('d') {
        Some(letters) => (letters, true),
        None => (word, false),
    };
    let &[army @ (b'r' | b'b' | b'y' | b'g'), role] = letters.as_bytes() else { return None };
    let army = Army::from_letter(char::from(army))?;
    let piece = match role {
        b'D' => Piece { army, role: Role::Queen, promoted: true },
        _ => Piece { army, role: Role::from_letter(char::from(role))?, promoted: false },
    };
    Some((piece, marked_out))
}
