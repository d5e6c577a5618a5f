//! A move and a list of moves.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use crate::Square;

/// A move of the army to move: from one square to another. Castling is the king's move (rules, section 10).
///
/// Two moves are equal when their squares are. Moves come from [`Position::legal_moves`](crate::Position::legal_moves)
/// and the parsers; within one position, and any equal to it, the two squares say everything. A move of another position
/// may promote or castle where this one does not: [`play`](crate::Position::play) goes by the squares alone.
#[derive(Clone, Copy)]
pub struct Move(
    // from: bits 0 to 7, to: 8 to 15, promotion: 20, castling: 21; 16 to 19 the slot that the piece has in its army, but in
    // an equal position it may have another
    u32,
);

const PROMOTION: u32 = 1 << 20;
const CASTLING: u32 = 1 << 21;

impl Move {
    #[inline(always)]
    pub(crate) const fn plain(from: u8, to: u8, slot: u8) -> Move {
        Move(from as u32 | (to as u32) << 8 | (slot as u32) << 16)
    }

    #[inline(always)]
    pub(crate) const fn promoting(self, promotes: bool) -> Move {
        Move(self.0 | if promotes { PROMOTION } else { 0 })
    }

    #[inline(always)]
    pub(crate) const fn castling(self) -> Move {
        Move(self.0 | CASTLING)
    }

    /// Where the piece stands.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Square {
        Square(self.0 as u8)
    }

    /// Where it goes; for castling, where the king goes.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Square {
        Square((self.0 >> 8) as u8)
    }

    /// Whether a pawn becomes a queen (rules, section 4).
    #[inline]
    #[must_use]
    pub const fn is_promotion(self) -> bool {
        self.0 & PROMOTION != 0
    }

    /// Whether a rook goes with the king (rules, section 4).
    #[inline]
    #[must_use]
    pub const fn is_castling(self) -> bool {
        self.0 & CASTLING != 0
    }

    #[inline(always)]
    pub(crate) const fn slot(self) -> u8 {
        (self.0 >> 16 & 15) as u8
    }
}

impl PartialEq for Move {
    fn eq(&self, other: &Move) -> bool {
        self.0 as u16 == other.0 as u16
    }
}

impl Eq for Move {}

impl Hash for Move {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0 as u16).hash(state);
    }
}

/// `h2-h4`, as interfaces write it.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from(), self.to())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// More than any army of sixteen has: fifteen queens reach at most 46 squares each, a king eight and two castlings.
const MOST_MOVES: usize = 15 * 46 + 10;

/// A slider's moves are written so many at a time, needed or not: cheaper than asking after each.
const CHUNK: usize = 8;

/// Legal moves of one army (rules, section 4), in no particular order, without an allocation. Behaves as a slice, and is
/// compared as one: in order.
///
/// Filling one list again and again (see [`Position::write_legal_moves`](crate::Position::write_legal_moves)) is
/// cheaper than making new ones, as it is about 2.8 kB.
#[derive(Clone)]
pub struct MoveList {
    len: usize,
    // What follows the first `len` has no meaning.
    moves: [Move; MOST_MOVES + CHUNK],
}

impl MoveList {
    /// An empty list.
    #[inline]
    #[must_use]
    pub const fn new() -> MoveList {
        MoveList { len: 0, moves: [Move(0); MOST_MOVES + CHUNK] }
    }

    /// Removes every move.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(crate) fn push_if(&mut self, wanted: bool, mv: Move) {
        if let Some(place) = self.moves.get_mut(self.len) {
            *place = mv;
            self.len += usize::from(wanted);
        }
    }

    /// Adds the moves of a slider to `count` squares in one direction.
    #[inline(always)]
    pub(crate) fn push_run(&mut self, from: u8, slot: u8, step: u8, count: u8) {
        let end = self.len + usize::from(count);
        let mut to = from;
        loop {
            let Some(chunk) = self.moves.get_mut(self.len..self.len + CHUNK) else { return };
            for place in chunk {
                to = to.wrapping_add(step);
                *place = Move::plain(from, to, slot);
            }
            self.len += CHUNK;
            if self.len >= end {
                break;
            }
        }
        self.len = end;
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        self.moves.get(..self.len).unwrap_or(&[])
    }
}

impl PartialEq for MoveList {
    fn eq(&self, other: &MoveList) -> bool {
        **self == **other
    }
}

impl Eq for MoveList {}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = MoveListIter;

    fn into_iter(self) -> MoveListIter {
        MoveListIter { list: self, next: 0 }
    }
}

/// The moves of a list (rules, section 4), by value.
#[derive(Clone, Debug)]
pub struct MoveListIter {
    list: MoveList,
    next: usize,
}

impl Iterator for MoveListIter {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let mv = self.list.get(self.next).copied()?;
        self.next += 1;
        Some(mv)
    }
}

/// Why a text is no move of this position (rules, sections 4 and 10).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveError {
    /// The text is not of a form that moves are written in.
    Malformed,
    /// The text is a move, but not one that the army to move can make here.
    Illegal,
    /// A short form that fits more than one legal move.
    Ambiguous,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MoveError::Malformed => "a move is written from-to, such as h2-h4, or O-O, O-O-O",
            MoveError::Illegal => "the army to move cannot make this move",
            MoveError::Ambiguous => "more than one legal move fits",
        })
    }
}

impl std::error::Error for MoveError {}

/// A move that is not legal in this position, or a move after the end (rules, section 4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IllegalMove;

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the army to move cannot make this move")
    }
}

impl std::error::Error for IllegalMove {}

/// A resignation or time loss of an army that is not playing, or after the end (rules, sections 4 and 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotPlaying;

impl fmt::Display for NotPlaying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this army is not playing, or the game is over")
    }
}

impl std::error::Error for NotPlaying {}
