//! Pieces on squares, kept in three forms at once so that each question has a quick answer.
//!
//! `cells` answers what stands on a square, `lines` where a slider is stopped, `squares` with `roles` where an army's
//! pieces are. See `docs/decisions/board-representation.md` for the figures behind this.

use crate::castling;
use crate::lines::Lines;
use crate::role::kind;
use crate::square::is_on_board;
use crate::{Army, Move, Piece, Square};

/// The most pieces an army can have (rules, section 10).
pub(crate) const SLOTS: usize = 16;

/// What stands where. At most 16 pieces an army.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    /// The kind on each square, walls around.
    pub(crate) cells: [u8; 256],
    /// Which squares are taken, along each line.
    pub(crate) lines: Lines,
    /// Where each army's piece number 0 to 15 stands. Stale for captured pieces.
    pub(crate) squares: [[u8; SLOTS]; 4],
    /// Which of an army's numbers are pieces of each role still on the board.
    pub(crate) roles: [[u16; 8]; 4],
    /// Where the king stands, 0 without one. Of several, which only an army that is out can have, the one on the lowest
    /// square.
    pub(crate) kings: [u8; 4],
}

/// What [`Board::undo`] needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undo {
    /// The kind that was captured, or `EMPTY`.
    pub(crate) captured: u8,
    captured_slot: u8,
    slot: u8,
}

const EMPTY_CELLS: [u8; 256] = {
    let mut cells = [kind::WALL; 256];
    let mut index = 0;
    while index < 256 {
        if is_on_board((index & 15) as u8, (index >> 4) as u8) {
            cells[index] = kind::EMPTY;
        }
        index += 1;
    }
    cells
};

/// The slot whose square is `square`, among the slots that hold a piece.
#[inline(always)]
fn slot_of(squares: &[u8; SLOTS], alive: u16, square: u8) -> u8 {
    let mut found = 0_u16;
    for (slot, &at) in squares.iter().enumerate() {
        found |= u16::from(at == square) << slot;
    }
    ((found & alive) | 1 << 15).trailing_zeros() as u8
}

impl Board {
    pub(crate) fn empty() -> Board {
        Board { cells: EMPTY_CELLS, lines: Lines::new(), squares: [[0; SLOTS]; 4], roles: [[0; 8]; 4], kings: [0; 4] }
    }

    /// Puts a piece on an empty square. False if the army has 16 already.
    pub(crate) fn put(&mut self, square: Square, piece: Piece) -> bool {
        debug_assert_eq!(self.cells[square.0 as usize], kind::EMPTY);
        let army = piece.army.index();
        let alive = self.alive(piece.army);
        let slot = alive.trailing_ones() as usize;
        if slot >= SLOTS {
            return false;
        }
        let kind = piece.kind();
        self.cells[square.0 as usize] = kind;
        self.lines.toggle(square.0);
        self.squares[army][slot] = square.0;
        self.roles[army][(kind & 7) as usize] |= 1 << slot;
        if kind & 7 == kind::KING {
            self.find_king(army);
        }
        true
    }

    pub(crate) fn piece_at(&self, square: Square) -> Option<Piece> {
        Piece::from_kind(self.cells[square.0 as usize])
    }

    /// The slots of an army's pieces on the board.
    #[inline(always)]
    pub(crate) fn alive(&self, army: Army) -> u16 {
        self.roles[army.index()].iter().fold(0, |all, &slots| all | slots)
    }

    /// The slot of the piece of some kind that stands on a square.
    #[inline(always)]
    pub(crate) fn slot_at(&self, kind: u8, square: u8) -> u8 {
        let army = (kind >> 3 & 3) as usize;
        slot_of(&self.squares[army], self.roles[army][(kind & 7) as usize], square)
    }

    /// The slot of the piece that a move moves: the move's own, unless that comes from an equal position in which the
    /// pieces have other numbers.
    #[inline(always)]
    pub(crate) fn mover(&self, side: usize, kind: u8, mv: Move) -> u8 {
        let (from, slot) = (mv.from().0, mv.slot());
        let is_there = self.squares[side][slot as usize] == from;
        let is_such = self.roles[side][(kind & 7) as usize] >> slot & 1 == 1;
        if is_there & is_such { slot } else { self.slot_at(kind, from) }
    }

    /// Sets `kings` by the slots.
    #[cold]
    fn find_king(&mut self, army: usize) {
        let squares = self.squares[army].iter().enumerate();
        let kings = squares.filter(|&(slot, _)| self.roles[army][kind::KING as usize] >> slot & 1 == 1);
        self.kings[army] = kings.map(|(_, &square)| square).min().unwrap_or(0);
    }

    /// Whether an army has nothing but its king.
    pub(crate) fn is_bare(&self, army: Army) -> bool {
        let roles = &self.roles[army.index()];
        self.alive(army) == roles[kind::KING as usize]
    }

    /// Whether cells, lines, slots and kings tell the same story.
    pub(crate) fn is_consistent(&self) -> bool {
        let mut lines = Lines::new();
        let mut pieces = 0;
        let mut kings = [0; 4];
        for (square, piece) in Square::all().filter_map(|square| Some((square, self.piece_at(square)?))) {
            let kind = piece.kind();
            let slot = self.slot_at(kind, square.0);
            let army = piece.army.index();
            lines.toggle(square.0);
            pieces += 1;
            let listed = self.squares[army][slot as usize] == square.0
                && self.roles[army][(kind & 7) as usize] >> slot & 1 == 1
                && self.alive(piece.army).count_ones() <= SLOTS as u32;
            if !listed {
                return false;
            }
            if kind & 7 == kind::KING && kings[army] == 0 {
                kings[army] = square.0;
            }
        }
        let listed: u32 = self.roles.iter().flatten().map(|slots| slots.count_ones()).sum();
        listed == pieces && lines == self.lines && kings == self.kings
    }

    /// Moves a piece, and what else moves with it: a captured piece, a castling rook, a promotion.
    #[inline(always)]
    pub(crate) fn make(&mut self, army: Army, mv: Move) -> Undo {
        let (from, to) = (mv.from().0, mv.to().0);
        let side = army.index();
        let mut moved = self.cells[from as usize];
        let slot = self.mover(side, moved, mv);
        let captured = self.cells[to as usize];
        let mut undo = Undo { captured, captured_slot: 0, slot };
        self.lines.toggle(from);
        if captured == kind::EMPTY {
            self.lines.toggle(to);
        } else {
            let other = (captured >> 3 & 3) as usize;
            undo.captured_slot = self.slot_at(captured, to);
            self.roles[other][(captured & 7) as usize] &= !(1 << undo.captured_slot);
            if captured & 7 == kind::KING {
                self.find_king(other);
            }
        }
        if mv.is_promotion() {
            self.roles[side][kind::PAWN as usize] ^= 1 << slot;
            self.roles[side][kind::PROMOTED as usize] ^= 1 << slot;
            moved = moved - kind::PAWN + kind::PROMOTED;
        }
        self.cells[from as usize] = kind::EMPTY;
        self.cells[to as usize] = moved;
        self.squares[side][slot as usize] = to;
        if moved & 7 == kind::KING {
            self.kings[side] = to;
            if mv.is_castling() {
                let (rook_from, rook_to) = castling::rook_move(army, from, to);
                self.shift_rook(army, rook_from, rook_to);
            }
        }
        undo
    }

    /// Takes back [`Board::make`].
    #[inline(always)]
    pub(crate) fn undo(&mut self, army: Army, mv: Move, undo: Undo) {
        let (from, to, slot) = (mv.from().0, mv.to().0, undo.slot);
        let side = army.index();
        let mut moved = self.cells[to as usize];
        self.lines.toggle(from);
        if undo.captured == kind::EMPTY {
            self.lines.toggle(to);
        } else {
            let other = (undo.captured >> 3 & 3) as usize;
            self.roles[other][(undo.captured & 7) as usize] |= 1 << undo.captured_slot;
            if undo.captured & 7 == kind::KING {
                self.find_king(other);
            }
        }
        if mv.is_promotion() {
            self.roles[side][kind::PAWN as usize] ^= 1 << slot;
            self.roles[side][kind::PROMOTED as usize] ^= 1 << slot;
            moved = moved - kind::PROMOTED + kind::PAWN;
        }
        self.cells[to as usize] = undo.captured;
        self.cells[from as usize] = moved;
        self.squares[side][slot as usize] = from;
        if moved & 7 == kind::KING {
            self.kings[side] = from;
            if mv.is_castling() {
                let (rook_from, rook_to) = castling::rook_move(army, from, to);
                self.shift_rook(army, rook_to, rook_from);
            }
        }
    }

    #[cold]
    fn shift_rook(&mut self, army: Army, from: u8, to: u8) {
        let side = army.index();
        let slot = self.slot_at(self.cells[from as usize], from);
        self.lines.toggle(from);
        self.lines.toggle(to);
        self.cells[to as usize] = self.cells[from as usize];
        self.cells[from as usize] = kind::EMPTY;
        self.squares[side][slot as usize] = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;

    /// What a move did is taken back, with several kings of an army that is out too.
    #[test]
    fn taking_back_restores_the_board() {
        let kings =
            "R-0,0,0,1-0,0,0,0-0,0,0,0-0,0,0,0-0-14/6,yK,7/14/14/14/14/13,bK/14/14/14/14/3,rR,3,dgK,dgK,5/7,rK,6/14";
        let (game, _) = Game::from_fen4(kings).unwrap_or_else(|error| panic!("{error}"));
        let mut captured = 0;
        for position in [game.position().clone(), crate::Position::start()] {
            for mv in position.legal_moves() {
                let mut board = position.board.clone();
                let undo = board.make(position.turn, mv);
                assert!(board.is_consistent(), "{mv}");
                captured += u32::from(undo.captured != kind::EMPTY);
                board.undo(position.turn, mv, undo);
                assert!(board.is_consistent(), "{mv}");
                assert_eq!((board.cells, board.kings), (position.board.cells, position.board.kings), "{mv}");
            }
        }
        assert_eq!(captured, 3);
    }
}
