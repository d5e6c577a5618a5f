//! Why a FEN4 or a setup is refused.

use std::fmt;

use crate::square::write_coordinate;
use crate::{Army, Square};

/// A field of a FEN4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// The side to move.
    Turn,
    /// Who is out.
    Dead,
    /// Castling toward the rook two squares away.
    CastleShort,
    /// Castling toward the rook three squares away.
    CastleLong,
    /// The armies' points.
    Points,
    /// The fifty-move count.
    Halfmove,
    /// The braces with the extra keys.
    Extra,
    /// The key `resigned` in them.
    Resigned,
    /// The key `flagged` in them.
    Flagged,
    /// The key `stalemated` in them.
    Stalemated,
    /// The key `frozen` in them.
    Frozen,
    /// The pieces.
    Board,
}

impl Field {
    /// The name that section 10 of the rules gives it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Field::Turn => "turn",
            Field::Dead => "dead",
            Field::CastleShort => "castleShort",
            Field::CastleLong => "castleLong",
            Field::Points => "points",
            Field::Halfmove => "halfmove",
            Field::Extra => "extra",
            Field::Resigned => "resigned",
            Field::Flagged => "flagged",
            Field::Stalemated => "stalemated",
            Field::Frozen => "frozen",
            Field::Board => "board",
        }
    }
}

/// What is wrong with a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The field is not there.
    Missing,
    /// The text is not what the field holds.
    Expected(&'static str),
    /// A number above 9999.
    NumberTooBig,
    /// The key was given before.
    GivenTwice,
    /// A corner mark on a square of the board.
    NotACorner,
    /// A piece on a corner.
    OnCorner,
    /// A `d` on a piece of an army in play.
    MarkedOut(Army),
    /// A pawn on its line 1, or on line 8 or beyond.
    PawnOutOfPlace(Army),
    /// An army in play without a king.
    NoKing(Army),
    /// An army in play with more than one king.
    SecondKing(Army),
    /// More than 16 pieces of one army.
    TooManyPieces(Army),
    /// The side to move is out.
    TurnIsOut(Army),
    /// The side to move has no legal move and the game is not over.
    NoMove(Army),
    /// Two of resigned, flagged and out.
    TwoStates(Army),
    /// Stalemated, but not out.
    NotOut(Army),
    /// A frozen result of an army that is playing.
    FrozenButPlaying(Army),
    /// A frozen result above the points.
    FrozenAbovePoints(Army),
    /// A castling right while the king is not on a centre square of its back line.
    KingMoved(Army),
    /// A castling right without the rook on its start square.
    RookMoved(Army),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Missing => f.write_str("the field is missing"),
            Problem::Expected(what) => write!(f, "expected {what}"),
            Problem::NumberTooBig => f.write_str("a number is above 9999"),
            Problem::GivenTwice => f.write_str("the key is given twice"),
            Problem::NotACorner => f.write_str("x stands for a corner square, and this is none"),
            Problem::OnCorner => f.write_str("a piece stands on a corner"),
            Problem::MarkedOut(army) => write!(f, "a piece of {army} is marked d, but {army} is in play"),
            Problem::PawnOutOfPlace(army) => write!(f, "a pawn of {army} stands on its line 1, or on line 8 or beyond"),
            Problem::NoKing(army) => write!(f, "{army} is in play without a king"),
            Problem::SecondKing(army) => write!(f, "{army} is in play with more than one king"),
            Problem::TooManyPieces(army) => write!(f, "{army} has more than 16 pieces"),
            Problem::TurnIsOut(army) => write!(f, "{army} is to move, but out"),
            Problem::NoMove(army) => write!(f, "{army} is to move, but has no legal move"),
            Problem::TwoStates(army) => write!(f, "{army} is more than one of resigned, flagged and out"),
            Problem::NotOut(army) => write!(f, "{army} is stalemated, but not out"),
            Problem::FrozenButPlaying(army) => write!(f, "{army} is playing, but its result is frozen"),
            Problem::FrozenAbovePoints(army) => write!(f, "the frozen result of {army} is above its points"),
            Problem::KingMoved(army) => write!(f, "{army} may castle, but its king is not on a start square"),
            Problem::RookMoved(army) => write!(f, "{army} may castle, but its rook is not on its start square"),
        }
    }
}

/// Why a FEN4 or a [`Setup`](crate::Setup) is no legal position. Displays the field, the square if there is one, and
/// the reason: `board, d8: a pawn of red stands on its line 1, or on line 8 or beyond`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fen4Error {
    field: Field,
    /// File and rank, 1 to 14; corners too.
    coordinate: Option<(u8, u8)>,
    problem: Problem,
}

impl Fen4Error {
    pub(crate) fn new(field: Field, problem: Problem) -> Fen4Error {
        Fen4Error { field, coordinate: None, problem }
    }

    pub(crate) fn at(self, square: Option<Square>) -> Fen4Error {
        Fen4Error { coordinate: square.map(|square| (square.file(), square.rank())), ..self }
    }

    /// File and rank of any coordinate, corners too; beyond the board there is nothing to name.
    pub(crate) fn at_coordinate(self, file: u8, rank: u8) -> Fen4Error {
        let inside = (1..=14).contains(&file) && (1..=14).contains(&rank);
        Fen4Error { coordinate: inside.then_some((file, rank)), ..self }
    }

    /// The field that is wrong.
    #[must_use]
    pub const fn field(&self) -> Field {
        self.field
    }

    /// The name of the square that is wrong, if one is; a corner's name is possible.
    #[must_use]
    pub fn square(&self) -> Option<String> {
        let (file, rank) = self.coordinate?;
        let mut name = String::new();
        write_coordinate(&mut name, file, rank).ok()?;
        Some(name)
    }

    /// What is wrong with it.
    #[must_use]
    pub const fn problem(&self) -> Problem {
        self.problem
    }
}

impl fmt::Display for Fen4Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.field.as_str())?;
        if let Some((file, rank)) = self.coordinate {
            f.write_str(", ")?;
            write_coordinate(f, file, rank)?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for Fen4Error {}
