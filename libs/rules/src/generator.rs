//! Legal moves (rules, section 4): the quick way for armies in no trouble, a careful one for pins and checks.

use crate::attacks::{FORWARD, KING, KING_STEPS, KNIGHT_STEPS, PAWN_CAPTURES, Threats, is_attacked, kinds_of};
use crate::board::Board;
use crate::castling::{End, Rights, rook_start, step_toward};
use crate::lines::{Line, are_aligned};
use crate::role::kind;
use crate::{Army, ArmySet, Move, MoveList, zone};

/// Where generated moves go: a list, a counter, or nowhere once one is found.
pub(crate) trait Sink {
    /// One move, if it is wanted.
    fn add_if(&mut self, wanted: bool, mv: Move);

    /// A slider's moves to `count` squares in one direction.
    #[inline(always)]
    fn add_run(&mut self, from: u8, slot: u8, step: u8, count: u8) {
        let mut to = from;
        for _ in 0..count {
            to = to.wrapping_add(step);
            self.add_if(true, Move::plain(from, to, slot));
        }
    }

    /// Whether more moves are of no interest.
    #[inline(always)]
    fn is_full(&self) -> bool {
        false
    }
}

impl Sink for MoveList {
    #[inline(always)]
    fn add_if(&mut self, wanted: bool, mv: Move) {
        self.push_if(wanted, mv);
    }

    #[inline(always)]
    fn add_run(&mut self, from: u8, slot: u8, step: u8, count: u8) {
        self.push_run(from, slot, step, count);
    }
}

/// Counts moves without looking at them.
pub(crate) struct Counter(pub(crate) u64);

impl Sink for Counter {
    #[inline(always)]
    fn add_if(&mut self, wanted: bool, _: Move) {
        self.0 += u64::from(wanted);
    }

    #[inline(always)]
    fn add_run(&mut self, _: u8, _: u8, _: u8, count: u8) {
        self.0 += u64::from(count);
    }
}

/// Finds out whether there is a move at all.
pub(crate) struct Any(pub(crate) bool);

impl Sink for Any {
    #[inline(always)]
    fn add_if(&mut self, wanted: bool, _: Move) {
        self.0 |= wanted;
    }

    #[inline(always)]
    fn add_run(&mut self, _: u8, _: u8, _: u8, count: u8) {
        self.0 |= count > 0;
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.0
    }
}

/// Lets only legal moves of pinned pieces, or of an army in check, through.
struct Careful<'a, S> {
    sink: &'a mut S,
    board: &'a Board,
    army: Army,
    in_play: ArmySet,
    king: u8,
    threats: &'a Threats,
}

impl<S: Sink> Sink for Careful<'_, S> {
    fn add_if(&mut self, wanted: bool, mv: Move) {
        if !wanted {
            return;
        }
        let to = mv.to().0;
        let captured = self.board.cells[to as usize];
        let pinned = self.threats.pinned >> mv.slot() & 1 == 1;
        let legal = if captures_king(captured, self.army, self.in_play) {
            // Pins and checks of the army that loses its king do not count.
            !self.board.exposes_king(self.army, mv.from().0, to, self.in_play)
        } else if self.threats.checkers > 0 {
            self.threats.checkers == 1 && !pinned && self.threats.answers.contains(to)
        } else {
            !pinned || self.threats.pins[mv.slot() as usize].joins(self.king, to)
        };
        self.sink.add_if(legal, mv);
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }
}

/// Whether a captured kind is the king of another army in play.
#[inline(always)]
pub(crate) fn captures_king(captured: u8, army: Army, in_play: ArmySet) -> bool {
    (KING & kinds_of(in_play.without(army))) >> (captured & 31) & 1 == 1
}

/// Finds the move to one square.
pub(crate) struct Finder {
    pub(crate) to: u8,
    pub(crate) found: Option<Move>,
}

impl Sink for Finder {
    #[inline(always)]
    fn add_if(&mut self, wanted: bool, mv: Move) {
        if wanted && mv.to().0 == self.to {
            self.found = Some(mv);
        }
    }
}

/// Every slot of an army.
const ALL_SLOTS: u16 = u16::MAX;

/// Every legal move of an army, were it its turn.
#[inline(always)]
pub(crate) fn generate<S: Sink>(board: &Board, army: Army, in_play: ArmySet, rights: Rights, sink: &mut S) {
    let hostile = kinds_of(in_play.without(army));
    let king = board.kings[army.index()];
    if king == 0 {
        pieces(board, army, ALL_SLOTS, sink);
        return;
    }
    let threats = Threats::to(board, army, king, hostile);
    if threats.checkers > 0 {
        // The king first: where any move will do, it has one most of the time.
        king_moves(board, army, in_play, king, true, sink);
        if !sink.is_full() {
            carefully(board, army, in_play, king, &threats, ALL_SLOTS, sink);
        }
        return;
    }
    pieces(board, army, !threats.pinned, sink);
    if threats.pinned != 0 {
        carefully(board, army, in_play, king, &threats, threats.pinned, sink);
    }
    king_moves(board, army, in_play, king, false, sink);
    if rights.has_any(army) {
        castlings(board, army, king, hostile, rights, sink);
    }
}

/// A quick yes to whether an army that is not in check can move: a piece that stands on no line with its king, so that
/// it is not pinned, has a step to make. No means nothing.
#[inline]
pub(crate) fn has_free_piece(board: &Board, army: Army) -> bool {
    let side = army.index();
    let king = board.kings[side];
    let enemy = kinds_of(ArmySet(15).without(army));
    let is_free = |slot: u8| !are_aligned(king, board.squares[side][slot as usize]);
    let can_step = |slot: u8, steps: &[u8]| {
        let from = board.squares[side][slot as usize];
        steps.iter().any(|&step| can_enter(board.cells[from.wrapping_add(step) as usize], enemy))
    };
    let roles = &board.roles[side];
    let queens = roles[kind::QUEEN as usize] | roles[kind::PROMOTED as usize];
    bits(roles[kind::PAWN as usize]).any(|slot| {
        let ahead = board.squares[side][slot as usize].wrapping_add(FORWARD[side]);
        board.cells[ahead as usize] == kind::EMPTY && is_free(slot)
    }) || bits(roles[kind::KNIGHT as usize]).any(|slot| is_free(slot) && can_step(slot, &KNIGHT_STEPS))
        || bits(queens).any(|slot| is_free(slot) && can_step(slot, &KING_STEPS))
        || bits(roles[kind::ROOK as usize]).any(|slot| is_free(slot) && can_step(slot, &[1, 16, 240, 255]))
        || bits(roles[kind::BISHOP as usize]).any(|slot| is_free(slot) && can_step(slot, &[15, 17, 239, 241]))
}

/// A quick yes to whether an army's king can step away, from check too. No means nothing.
#[inline]
pub(crate) fn has_king_step(board: &Board, army: Army, in_play: ArmySet) -> bool {
    let hostile = kinds_of(in_play.without(army));
    let enemy = kinds_of(ArmySet(15).without(army));
    let king = board.kings[army.index()];
    let mut lines = board.lines;
    lines.toggle(king);
    KING_STEPS.iter().any(|&step| {
        let to = king.wrapping_add(step);
        can_enter(board.cells[to as usize], enemy) && !is_attacked(&board.cells, &lines, to, hostile)
    })
}

/// Moves of some pieces that need a second look each.
#[cold]
fn carefully<S: Sink>(
    board: &Board,
    army: Army,
    in_play: ArmySet,
    king: u8,
    threats: &Threats,
    slots: u16,
    sink: &mut S,
) {
    pieces(board, army, slots, &mut Careful { sink, board, army, in_play, king, threats });
}

/// The moves of every piece but the king, as if nothing could attack the king. `slots` says which pieces.
#[inline(always)]
fn pieces<S: Sink>(board: &Board, army: Army, slots: u16, sink: &mut S) {
    let side = army.index();
    let enemy = kinds_of(ArmySet(15).without(army));
    let roles = &board.roles[side];
    let squares = &board.squares[side];

    pawns(board, army, roles[kind::PAWN as usize] & slots, enemy, sink);
    if sink.is_full() {
        return;
    }
    for slot in bits(roles[kind::KNIGHT as usize] & slots) {
        let from = squares[slot as usize];
        for &step in &KNIGHT_STEPS {
            let to = from.wrapping_add(step);
            sink.add_if(can_enter(board.cells[to as usize], enemy), Move::plain(from, to, slot));
        }
    }
    if sink.is_full() {
        return;
    }
    let queens = roles[kind::QUEEN as usize] | roles[kind::PROMOTED as usize];
    for slot in bits((roles[kind::BISHOP as usize] | queens) & slots) {
        slide(board, Line::Rising, squares[slot as usize], slot, enemy, sink);
        slide(board, Line::Falling, squares[slot as usize], slot, enemy, sink);
    }
    for slot in bits((roles[kind::ROOK as usize] | queens) & slots) {
        slide(board, Line::Rank, squares[slot as usize], slot, enemy, sink);
        slide(board, Line::File, squares[slot as usize], slot, enemy, sink);
    }
}

/// The positions of a mask's bits, each below 16.
#[inline(always)]
fn bits(mut mask: u16) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let slot = mask.trailing_zeros() as u8;
        mask &= mask - 1;
        Some(slot & 15)
    })
}

/// Whether a piece other than a pawn may go to a square of this kind.
#[inline(always)]
pub(crate) fn can_enter(cell: u8, enemy: u32) -> bool {
    (enemy | 1 << kind::EMPTY) >> (cell & 31) & 1 == 1
}

#[inline(always)]
fn slide<S: Sink>(board: &Board, line: Line, from: u8, slot: u8, enemy: u32, sink: &mut S) {
    let (up, down) = board.lines.free(line, from);
    let mut run = |free: u8, step: u8| {
        let blocker = board.cells[from.wrapping_add(step.wrapping_mul(free + 1)) as usize];
        let capture = (enemy >> (blocker & 31) & 1) as u8;
        sink.add_run(from, slot, step, free + capture);
    };
    run(up, line.step());
    run(down, line.step().wrapping_neg());
}

/// Which part of a square's index tells an army's line, and what it is on line 2 and on line 8.
const LINE_MASK: [u8; 4] = [0xF0, 0x0F, 0xF0, 0x0F];
const SECOND_LINE: [u8; 4] = [0x20, 0x0D, 0xD0, 0x02];
const EIGHTH_LINE: [u8; 4] = [0x80, 0x07, 0x70, 0x08];

#[inline(always)]
pub(crate) const fn second_line(army: Army, square: u8) -> bool {
    square & LINE_MASK[army as usize] == SECOND_LINE[army as usize]
}

#[inline(always)]
pub(crate) const fn eighth_line(army: Army, square: u8) -> bool {
    square & LINE_MASK[army as usize] == EIGHTH_LINE[army as usize]
}

#[inline(always)]
fn pawns<S: Sink>(board: &Board, army: Army, slots: u16, enemy: u32, sink: &mut S) {
    let side = army.index();
    let forward = FORWARD[side];
    for slot in bits(slots) {
        let from = board.squares[side][slot as usize];
        let ahead = from.wrapping_add(forward);
        let free = board.cells[ahead as usize] == kind::EMPTY;
        sink.add_if(free, Move::plain(from, ahead, slot).promoting(eighth_line(army, ahead)));
        let double = ahead.wrapping_add(forward);
        let both_free = free && second_line(army, from) && board.cells[double as usize] == kind::EMPTY;
        sink.add_if(both_free, Move::plain(from, double, slot));
        for &step in &PAWN_CAPTURES[side] {
            let to = from.wrapping_add(step);
            let captures = enemy >> (board.cells[to as usize] & 31) & 1 == 1;
            sink.add_if(captures, Move::plain(from, to, slot).promoting(eighth_line(army, to)));
        }
    }
}

#[inline(always)]
fn king_moves<S: Sink>(board: &Board, army: Army, in_play: ArmySet, king: u8, in_check: bool, sink: &mut S) {
    if sink.is_full() {
        return;
    }
    let enemy = kinds_of(ArmySet(15).without(army));
    let slot = board.roles[army.index()][kind::KING as usize].trailing_zeros() as u8 & 15;
    let mut lines = board.lines;
    if in_check {
        // A slider that gives check looks through the square the king leaves.
        lines.toggle(king);
    }
    let (mut open, mut kings) = (0, 0);
    for (&step, &bit) in KING_STEPS.iter().zip(&zone::STEPS) {
        let cell = board.cells[king.wrapping_add(step) as usize];
        open |= if can_enter(cell, enemy) { bit } else { 0 };
        kings |= if captures_king(cell, army, in_play) { bit } else { 0 };
    }
    if open == 0 {
        return;
    }
    let mut safe = open & !zone::attacked(board, &lines, king, in_play.without(army));
    if kings != 0 {
        // An army that loses its king attacks no more.
        for (&step, &bit) in KING_STEPS.iter().zip(&zone::STEPS) {
            let to = king.wrapping_add(step);
            if kings & bit != 0 && !board.exposes_king(army, king, to, in_play) {
                safe |= bit;
            }
        }
    }
    for (&step, &bit) in KING_STEPS.iter().zip(&zone::STEPS) {
        sink.add_if(safe & bit != 0, Move::plain(king, king.wrapping_add(step), slot));
    }
}

pub(crate) fn castlings<S: Sink>(board: &Board, army: Army, king: u8, hostile: u32, rights: Rights, sink: &mut S) {
    let slot = board.roles[army.index()][kind::KING as usize].trailing_zeros() as u8 & 15;
    for end in End::BOTH {
        if !rights.has(army, end) {
            continue;
        }
        let step = step_toward(army, end);
        let rook = rook_start(army, end);
        let mut square = king.wrapping_add(step);
        while board.cells[square as usize] == kind::EMPTY {
            square = square.wrapping_add(step);
        }
        let crossed = king.wrapping_add(step);
        let landing = crossed.wrapping_add(step);
        if square == rook
            && !is_attacked(&board.cells, &board.lines, crossed, hostile)
            && !is_attacked(&board.cells, &board.lines, landing, hostile)
        {
            sink.add_if(true, Move::plain(king, landing, slot).castling());
        }
    }
}
