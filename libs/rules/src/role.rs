//! Kinds of pieces and what capturing them scores (rules, sections 1 and 5).

use crate::Army;

/// What a piece is (rules, sections 1 and 4), with the points its capture scores while its army is playing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Role {
    /// Moves in its army's forward direction; becomes a queen on line 8.
    Pawn = 0,
    /// Worth 3.
    Knight = 1,
    /// Worth 5.
    Bishop = 2,
    /// Worth 5.
    Rook = 3,
    /// Worth 9, or 1 when promoted.
    Queen = 4,
    /// Worth 20, also while its army is roaming.
    King = 5,
}

impl Role {
    /// All six.
    pub const ALL: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

    /// The capital letter of the notations (rules, section 10): `P N B R Q K`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Role::Pawn => 'P',
            Role::Knight => 'N',
            Role::Bishop => 'B',
            Role::Rook => 'R',
            Role::Queen => 'Q',
            Role::King => 'K',
        }
    }

    /// The role of a capital letter.
    #[must_use]
    pub const fn from_letter(letter: char) -> Option<Role> {
        match letter {
            'P' => Some(Role::Pawn),
            'N' => Some(Role::Knight),
            'B' => Some(Role::Bishop),
            'R' => Some(Role::Rook),
            'Q' => Some(Role::Queen),
            'K' => Some(Role::King),
            _ => None,
        }
    }

    /// The name in lower case, such as `knight`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::Pawn => "pawn",
            Role::Knight => "knight",
            Role::Bishop => "bishop",
            Role::Rook => "rook",
            Role::Queen => "queen",
            Role::King => "king",
        }
    }
}

/// A piece on the board (rules, sections 2 and 4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    /// Whose it is, also after that army went out.
    pub army: Army,
    /// What it is.
    pub role: Role,
    /// A queen that was a pawn: full strength, worth 1 when lost. Always false for other roles.
    pub promoted: bool,
}

/// A cell of the board: `army * 8 + role`, with 6 for a promoted queen. Five bits, so that a set of kinds is a `u32`.
/// No piece has role 7: those two values are the empty square and everything off the board.
pub(crate) mod kind {
    pub(crate) const PAWN: u8 = 0;
    pub(crate) const KNIGHT: u8 = 1;
    pub(crate) const BISHOP: u8 = 2;
    pub(crate) const ROOK: u8 = 3;
    pub(crate) const QUEEN: u8 = 4;
    pub(crate) const KING: u8 = 5;
    pub(crate) const PROMOTED: u8 = 6;
    pub(crate) const EMPTY: u8 = 7;
    pub(crate) const WALL: u8 = 15;

    /// Every kind of one role, as a set.
    pub(crate) const fn of_role(role: u8) -> u32 {
        0x0101_0101 << role
    }
}

impl Piece {
    #[inline]
    pub(crate) const fn from_kind(kind: u8) -> Option<Piece> {
        let (role, promoted) = match kind & 7 {
            kind::PAWN => (Role::Pawn, false),
            kind::KNIGHT => (Role::Knight, false),
            kind::BISHOP => (Role::Bishop, false),
            kind::ROOK => (Role::Rook, false),
            kind::QUEEN => (Role::Queen, false),
            kind::KING => (Role::King, false),
            kind::PROMOTED => (Role::Queen, true),
            _ => return None,
        };
        Some(Piece { army: Army::from_index((kind >> 3) as usize), role, promoted })
    }

    #[inline]
    pub(crate) const fn kind(self) -> u8 {
        let role = if self.promoted { kind::PROMOTED } else { self.role as u8 };
        (self.army as u8) << 3 | role
    }

    /// Points for capturing it while its army is playing; a king's 20 are not counted here (rules, section 5, step 2).
    #[must_use]
    pub const fn value(self) -> u32 {
        match (self.role, self.promoted) {
            (Role::Pawn, _) | (Role::Queen, true) => 1,
            (Role::Knight, _) => 3,
            (Role::Bishop | Role::Rook, _) => 5,
            (Role::Queen, false) => 9,
            (Role::King, _) => 0,
        }
    }
}

/// Points, 20: for a mate, for the king of an army in play, for a stalemate (to the stalemated) and for each roaming king
/// when one playing army is left (rules, sections 1, 5 and 6).
pub const KING_POINTS: u32 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_read_back() {
        for army in Army::ALL {
            for role in Role::ALL {
                let piece = Piece { army, role, promoted: false };
                assert_eq!(Piece::from_kind(piece.kind()), Some(piece));
                assert_eq!(Role::from_letter(role.letter()), Some(role));
            }
            let promoted = Piece { army, role: Role::Queen, promoted: true };
            assert_eq!(Piece::from_kind(promoted.kind()), Some(promoted));
            assert_eq!(promoted.value(), 1);
        }
        assert_eq!(Piece::from_kind(kind::EMPTY), None);
        assert_eq!(Piece::from_kind(kind::WALL), None);
    }
}
