//! Whether one given move is legal, without generating the others.

use crate::attacks::{FORWARD, KING_STEPS, KNIGHT_STEPS, PAWN_CAPTURES, breaks_pin, kinds_of};
use crate::board::Board;
use crate::generator::{Finder, can_enter, castlings, eighth_line, second_line};
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
        let is_king = mover & 7 == kind::KING;
        if is_king && !KING_STEPS.contains(&to.wrapping_sub(from)) {
            return self.castling(army, from, to).ok_or(IllegalMove);
        }
        if !reaches(board, army, from, to) {
            return Err(IllegalMove);
        }
        // Anything but a pinned piece, a king or an answer to a check leaves the king as safe as it was.
        let king = board.kings[army.index()];
        let exposes = if is_king || self.checks.contains(army) || board.cells[to as usize] & 7 == kind::KING {
            board.exposes_king(army, from, to, self.in_play)
        } else {
            are_aligned(king, from) && breaks_pin(board, king, from, to, kinds_of(self.in_play.without(army)))
        };
        if exposes {
            return Err(IllegalMove);
        }
        let promotes = mover & 7 == kind::PAWN && eighth_line(army, to);
        Ok(Move::plain(from, to, board.mover(army.index(), mover, mv)).promoting(promotes))
    }

    #[cold]
    fn castling(&self, army: Army, king: u8, to: u8) -> Option<Move> {
        let mut finder = Finder { to, found: None };
        if !self.checks.contains(army) {
            let hostile = kinds_of(self.in_play.without(army));
            castlings(&self.board, army, king, hostile, self.rights, &mut finder);
        }
        finder.found
    }
}

/// Whether a piece gets from one square to another, castling and checks aside.
#[inline]
fn reaches(board: &Board, army: Army, from: u8, to: u8) -> bool {
    let enemies = kinds_of(ArmySet(15).without(army));
    let target = board.cells[to as usize];
    let captures = enemies >> (target & 31) & 1 == 1;
    let step = to.wrapping_sub(from);
    let role = board.cells[from as usize] & 7;
    if role == kind::PAWN {
        let forward = FORWARD[army.index()];
        let ahead = board.cells[from.wrapping_add(forward) as usize] == kind::EMPTY;
        let one = step == forward && ahead;
        let two = step == forward.wrapping_mul(2) && ahead && target == kind::EMPTY && second_line(army, from);
        return one || two || (captures && PAWN_CAPTURES[army.index()].contains(&step));
    }
    let moves_so = match role {
        kind::KNIGHT => KNIGHT_STEPS.contains(&step),
        kind::KING => KING_STEPS.contains(&step),
        _ => slides(board, role, from, to, captures),
    };
    moves_so && can_enter(target, enemies)
}

/// All lines at once: most of them are wrong, but telling which costs more.
#[inline(always)]
fn slides(board: &Board, role: u8, from: u8, to: u8, captures: bool) -> bool {
    let along = |line: Line| {
        let (up, down) = board.lines.free(line, from);
        let (start, end) = (line.place(from), line.place(to));
        let free = if end > start { up } else { down };
        line.joins(from, to) & (end.abs_diff(start) <= free + u8::from(captures))
    };
    (role != kind::BISHOP) & (along(Line::Rank) | along(Line::File))
        | (role != kind::ROOK) & (along(Line::Rising) | along(Line::Falling))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, Square};

    /// Every pair of squares is judged as the list of moves has it.
    fn compare(position: &Position) {
        let moves = position.legal_moves();
        for (from, to) in Square::all().flat_map(|from| Square::all().map(move |to| (from, to))) {
            let mv = Move::plain(from.0, to.0, 0);
            let bits = |mv: Move| (mv, mv.slot(), mv.is_promotion(), mv.is_castling());
            let judged = position.legal(mv).ok().map(bits);
            let listed = moves.iter().find(|&&listed| listed == mv).copied().map(bits);
            assert_eq!(judged, listed, "{mv} in {}", position.fen4());
        }
    }

    #[test]
    fn judging_one_move_agrees_with_the_list() {
        let starts = include_str!("../tests/vectors/perft.jsonl").lines().map(|line| {
            let vector: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}"));
            let fen4 = vector["fen4"].as_str().unwrap_or_default();
            Game::from_fen4(fen4).unwrap_or_else(|error| panic!("{fen4}: {error}")).0
        });
        let mut seed = 1_u64;
        for mut game in starts {
            for ply in 0..200 {
                if ply % 8 == 0 || !game.in_check().is_empty() {
                    compare(&game);
                }
                let moves = game.legal_moves();
                if moves.is_empty() {
                    break;
                }
                seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                game.play_unchecked(moves[(seed >> 33) as usize % moves.len()]);
            }
        }
    }
}
