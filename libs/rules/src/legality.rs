//! Whether one given move is legal, without generating the others.

use crate::attacks::{FORWARD, KING_STEPS, KNIGHT_STEPS, PAWN_CAPTURES, is_attacked, kinds_of};
use crate::board::Board;
use crate::generator::{Finder, can_enter, captures_king, eighth_line, generate, second_line};
use crate::lines::{Line, are_aligned};
use crate::role::kind;
use crate::{Army, ArmySet, IllegalMove, Move, Position};

impl Position {
    /// The legal move with the squares of `mv`, which may come from another position.
    #[inline]
    pub(crate) fn legal(&self, mv: Move) -> Result<Move, IllegalMove> {
        let (army, from, to) = (self.turn, mv.from().0, mv.to().0);
        let board = &self.board;
        let mover = board.cells[from as usize];
        if self.over.is_some() || mover == kind::EMPTY || mover >> 3 != army as u8 {
            return Err(IllegalMove);
        }
        let slot = board.slot_at(army, from);
        let king = board.kings[army.index()];
        let is_king = mover & 7 == kind::KING;
        let castles = is_king && !KING_STEPS.contains(&to.wrapping_sub(from));
        if castles || self.checks.contains(army) || (!is_king && are_aligned(king, from)) {
            // A rook, a check or a pin have a say.
            let mut finder = Finder { to, found: None };
            generate(board, army, self.in_play, self.rights, 1 << slot, &mut finder);
            return finder.found.ok_or(IllegalMove);
        }
        let legal = if is_king { self.king_may_go(army, to) } else { reaches(board, army, from, to) };
        let promotes = mover & 7 == kind::PAWN && eighth_line(army, to);
        if legal { Ok(Move::plain(from, to, slot).promoting(promotes)) } else { Err(IllegalMove) }
    }

    /// A step of a king that is not in check.
    #[inline]
    fn king_may_go(&self, army: Army, to: u8) -> bool {
        let cell = self.board.cells[to as usize];
        let mut attackers = self.in_play.without(army);
        if captures_king(cell, army, self.in_play) {
            attackers.remove(Army::from_index((cell >> 3) as usize));
        }
        can_enter(cell, enemies(army)) && !is_attacked(&self.board.cells, &self.board.lines, to, kinds_of(attackers))
    }
}

const fn enemies(army: Army) -> u32 {
    kinds_of(ArmySet(15).without(army))
}

/// Whether a piece other than a king gets from one square to another, checks aside.
#[inline]
fn reaches(board: &Board, army: Army, from: u8, to: u8) -> bool {
    let target = board.cells[to as usize];
    let captures = enemies(army) >> (target & 31) & 1 == 1;
    let step = to.wrapping_sub(from);
    match board.cells[from as usize] & 7 {
        kind::PAWN => {
            let forward = FORWARD[army.index()];
            let ahead = board.cells[from.wrapping_add(forward) as usize] == kind::EMPTY;
            let one = step == forward && ahead;
            let two = step == forward.wrapping_mul(2) && ahead && target == kind::EMPTY && second_line(army, from);
            one || two || (captures && PAWN_CAPTURES[army.index()].contains(&step))
        }
        kind::KNIGHT => KNIGHT_STEPS.contains(&step) && can_enter(target, enemies(army)),
        kind::BISHOP => slides(board, &[Line::Rising, Line::Falling], from, to, captures),
        kind::ROOK => slides(board, &[Line::Rank, Line::File], from, to, captures),
        _ => slides(board, &Line::ALL, from, to, captures),
    }
}

#[inline]
fn slides(board: &Board, lines: &[Line], from: u8, to: u8, captures: bool) -> bool {
    lines.iter().filter(|line| line.joins(from, to)).any(|&line| {
        let (up, down) = board.lines.free(line, from);
        let free = if line.place(to) > line.place(from) { up } else { down };
        let distance = line.place(to).abs_diff(line.place(from));
        distance <= free || (captures && distance == free + 1)
    })
}
