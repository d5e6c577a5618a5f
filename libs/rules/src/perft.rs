//! Counting sequences of moves, to check and to time the generator.

use crate::board::Board;
use crate::castling::Rights;
use crate::generator::{Counter, generate};
use crate::role::kind;
use crate::{Army, ArmySet, MoveList, Position};

/// A list of moves is kept a level.
const DEEPEST: u32 = 255;

/// What happens inside the tree of [`perft`] (rules, sections 4 to 6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Perft {
    /// Section 5 of the rules at every move; a finished game (section 6) has no moves. Repetition is not counted.
    Full,
    /// Nobody goes out: no mate, no stalemate, no end. A captured king just leaves the board. Every leaf is made.
    Moves,
    /// As [`Perft::Moves`], but the moves of the last ply are counted without being made.
    Bulk,
}

/// The number of sequences of `depth` legal moves (rules, section 4), a node a sequence; none from a position that is
/// over. A depth above 255, which nobody can wait for, counts as 255.
///
/// ```
/// use rules::{Perft, Position, perft};
/// assert_eq!(perft(&Position::start(), 3, Perft::Full), 7800);
/// assert_eq!(perft(&Position::start(), 3, Perft::Bulk), 7800);
/// ```
#[must_use]
pub fn perft(position: &Position, depth: u32, what: Perft) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut lists = vec![MoveList::new(); depth.min(DEEPEST) as usize];
    if what == Perft::Full {
        return full(position, &mut lists);
    }
    if position.over.is_some() {
        return 0;
    }
    let mut tree = Tree { board: position.board.clone(), in_play: position.in_play };
    if what == Perft::Bulk {
        tree.count::<true>(position.turn, position.rights, &mut lists)
    } else {
        tree.count::<false>(position.turn, position.rights, &mut lists)
    }
}

fn full(position: &Position, lists: &mut [MoveList]) -> u64 {
    let Some((moves, deeper)) = lists.split_first_mut() else { return 1 };
    position.write_legal_moves(moves);
    let mut leaves = 0;
    for &mv in &*moves {
        let mut after = position.clone();
        after.play_unchecked(mv);
        leaves += full(&after, deeper);
    }
    leaves
}

struct Tree {
    board: Board,
    in_play: ArmySet,
}

impl Tree {
    fn count<const BULK: bool>(&mut self, army: Army, rights: Rights, lists: &mut [MoveList]) -> u64 {
        let Some((moves, deeper)) = lists.split_first_mut() else { return 1 };
        if BULK && deeper.is_empty() {
            let mut counter = Counter(0);
            generate(&self.board, army, self.in_play, rights, &mut counter);
            return counter.0;
        }
        moves.clear();
        generate(&self.board, army, self.in_play, rights, moves);
        let mut next = army.next();
        while !self.in_play.contains(next) {
            next = next.next();
        }
        let mut leaves = 0;
        for &mv in &*moves {
            let undo = self.board.make(army, mv);
            let mut rights = rights;
            rights.touch(mv.from().0, mv.to().0);
            if self.board.cells[mv.to().0 as usize] & 7 == kind::KING {
                rights.lose_all(army);
            }
            leaves += self.count::<BULK>(next, rights, deeper);
            self.board.undo(army, mv, undo);
        }
        leaves
    }
}
