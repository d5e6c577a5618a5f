//! A legal position and what moves do to it (rules, sections 4 to 7).

use crate::board::{Board, Undo};
use crate::castling::{self, Rights};
use crate::generator::{Any, generate, has_free_piece, has_king_step};
use crate::hash;
use crate::lines::are_aligned;
use crate::role::{KING_POINTS, kind};
use crate::setup::MOST_POINTS;
use crate::{Army, ArmySet, ArmyState, Effect, Effects, EndReason, HowOut, IllegalMove, Move, MoveList, NotPlaying};
use crate::{Piece, Square, standing};

/// A position that can be played from: pieces, side to move, states, points, rights and counts, without the history
/// that repetition needs. [`Game`](crate::Game) adds that.
///
/// Made by [`Setup::position`](crate::Setup::position), which refuses what section 10 of the rules refuses, and by
/// moves. It owns no heap memory and is under 640 bytes.
///
/// Two are equal when everything that can be asked of them is, but for the order of
/// [`legal_moves`](Position::legal_moves), however they were reached.
///
/// ```
/// use rules::{Army, Position};
/// let mut position = Position::start();
/// assert_eq!(position.legal_moves().len(), 20);
/// let mv = position.parse_move("h2-h4")?;
/// position.play(mv).unwrap();
/// assert_eq!(position.turn(), Army::Blue);
/// # Ok::<(), rules::MoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Position {
    pub(crate) board: Board,
    pub(crate) pieces_key: u64,
    pub(crate) points: [u32; 4],
    pub(crate) frozen: [Option<u32>; 4],
    pub(crate) halfmove: u32,
    pub(crate) states: [ArmyState; 4],
    pub(crate) turn: Army,
    pub(crate) rights: Rights,
    pub(crate) in_play: ArmySet,
    pub(crate) playing: ArmySet,
    pub(crate) checks: ArmySet,
    pub(crate) over: Option<EndReason>,
}

/// By meaning: how the board numbers its pieces says nothing, and sets, checks and key follow from the rest.
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.board.cells == other.board.cells
            && self.turn == other.turn
            && self.states == other.states
            && self.rights == other.rights
            && self.points == other.points
            && self.frozen == other.frozen
            && self.halfmove == other.halfmove
            && self.over == other.over
    }
}

impl Eq for Position {}

impl Position {
    /// The start position (rules, section 2). Never panics.
    #[must_use]
    pub fn start() -> Position {
        crate::Setup::start().position().expect("the start position is legal")
    }

    /// The army to move (rules, section 5). After an end by last player the army that moved last; unchanged by resignations.
    #[inline]
    #[must_use]
    pub const fn turn(&self) -> Army {
        self.turn
    }

    /// What an army is doing (rules, section 3).
    #[inline]
    #[must_use]
    pub const fn army_state(&self, army: Army) -> ArmyState {
        self.states[army.index()]
    }

    /// The armies that are playing or roaming (rules, section 3).
    #[inline]
    #[must_use]
    pub const fn in_play(&self) -> ArmySet {
        self.in_play
    }

    /// What an army has scored, roaming or not (rules, section 7): 9999 at most, where a game played from a position
    /// with that many stays.
    #[inline]
    #[must_use]
    pub const fn points(&self, army: Army) -> u32 {
        self.points[army.index()]
    }

    /// What counts for an army's player (rules, section 7): the points, or the frozen value once the player resigned or lost on time.
    #[inline]
    #[must_use]
    pub fn result(&self, army: Army) -> u32 {
        self.frozen[army.index()].unwrap_or(self.points[army.index()])
    }

    /// All four armies by result, first place first (rules, section 7).
    #[must_use]
    pub fn standing(&self) -> [Army; 4] {
        standing(Army::ALL.map(|army| self.result(army)))
    }

    /// Why the game is over, if it is (rules, section 6).
    #[inline]
    #[must_use]
    pub const fn over(&self) -> Option<EndReason> {
        self.over
    }

    /// Single moves since the last capture, pawn move or change of an army's state (rules, section 6).
    #[inline]
    #[must_use]
    pub const fn halfmove(&self) -> u32 {
        self.halfmove
    }

    /// What stands on a square.
    #[inline]
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board.piece_at(square)
    }

    /// The pieces on the board, out armies' too, rank 1 first.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        Square::all().filter_map(|square| Some((square, self.piece_at(square)?)))
    }

    /// Where the king of an army stands, unless it has none: it was captured, or the army was out without one when the
    /// position was read. An army that is out may have been read with several (rules, section 10): then the first of
    /// [`pieces`](Position::pieces).
    #[must_use]
    pub fn king(&self, army: Army) -> Option<Square> {
        let king = self.board.kings[army.index()];
        (king != 0).then_some(Square(king))
    }

    /// The armies in play whose king another army in play attacks (rules, section 4).
    #[inline]
    #[must_use]
    pub const fn in_check(&self) -> ArmySet {
        self.checks
    }

    /// The same, searched for.
    pub(crate) fn find_checks(&self) -> ArmySet {
        self.in_play.iter().filter(|&army| self.is_in_check(army)).collect()
    }

    /// Whether a move between two squares, or of this piece, can have given check to an army that was in none.
    #[inline(always)]
    fn may_check(&self, army: Army, mv: Move) -> bool {
        let king = self.board.kings[army.index()];
        let (from, to) = (mv.from().0, mv.to().0);
        let is_knight = self.board.cells[to as usize] & 7 == kind::KNIGHT;
        is_knight | mv.is_castling() | are_aligned(king, from) | are_aligned(king, to)
    }

    #[inline]
    fn is_in_check(&self, army: Army) -> bool {
        self.board.king_is_attacked_by(army, self.in_play.without(army))
    }

    /// The legal moves of the army to move, each once and in no particular order, which equal positions need not share;
    /// none when the game is over (rules, section 4).
    #[inline]
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.write_legal_moves(&mut moves);
        moves
    }

    /// The same as [`legal_moves`](Position::legal_moves), into a list that is cleared first.
    #[inline]
    pub fn write_legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        if self.over.is_none() {
            generate(&self.board, self.turn, self.in_play, self.rights, moves);
        }
    }

    pub(crate) fn can_move(&self, army: Army) -> bool {
        if has_king_step(&self.board, army, self.in_play) {
            return true;
        }
        let mut any = Any(false);
        generate(&self.board, army, self.in_play, self.rights, &mut any);
        any.0
    }

    /// A number that is equal for equal positions in the sense of repetition (rules, section 6): pieces, side to move,
    /// armies' states, castling rights, so that they have the same legal moves unless one of them is over. Different positions have different keys but for one chance in 2^64.
    #[inline]
    #[must_use]
    pub fn key(&self) -> u64 {
        let mut packed = u64::from(self.rights.0) << 2 | self.turn as u64;
        for state in self.states {
            packed = packed << 3 | state as u64;
        }
        self.pieces_key ^ hash::state_key(packed)
    }

    /// The key computed from nothing but the board, for tests of the running one.
    #[doc(hidden)]
    #[must_use]
    pub fn recomputed_key(&self) -> u64 {
        self.key() ^ self.pieces_key ^ hash::pieces_key(&self.board.cells)
    }

    /// Whether the forms the position keeps its pieces and states in agree with each other, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        let set =
            |holds: fn(ArmyState) -> bool| Army::ALL.into_iter().filter(move |&army| holds(self.army_state(army)));
        self.board.is_consistent()
            && self.key() == self.recomputed_key()
            && self.in_play == set(ArmyState::is_in_play).collect()
            && self.playing == set(|state| state == ArmyState::Playing).collect()
            && self.checks == self.find_checks()
            && self.in_play.contains(self.turn)
            && self.in_play.iter().all(|army| self.king(army).is_some())
    }

    /// Plays a move of the army to move: section 5 of the rules, all but the repetition count.
    ///
    /// # Errors
    /// Refuses, and changes nothing, when the move is not legal or the game is over.
    pub fn play(&mut self, mv: Move) -> Result<Effects, IllegalMove> {
        let mv = self.legal(mv)?;
        Ok(self.play_unchecked(mv))
    }

    /// Plays a move that [`legal_moves`](Position::legal_moves) of this position or an equal one gave: section 5 of the
    /// rules, all but the repetition count. Any other move leaves a position without meaning (but never a crash).
    #[inline]
    pub fn play_unchecked(&mut self, mv: Move) -> Effects {
        let mut effects = Effects::new();
        self.move_and_pass(mv, &mut effects);
        self.finish(false, &mut effects);
        effects
    }

    /// Steps 1 to 5 of section 5.
    #[inline]
    pub(crate) fn move_and_pass(&mut self, mv: Move, effects: &mut Effects) {
        let army = self.turn;
        let undo = self.move_piece(army, mv);
        self.halfmove += 1;
        if undo.captured != kind::EMPTY || mv.is_promotion() || self.moved_a_pawn(mv) {
            self.halfmove = 0;
        }
        let captured = Piece::from_kind(undo.captured);
        let points = captured.map_or(0, |piece| if self.playing.contains(piece.army) { piece.value() } else { 0 });
        let points = self.award(army, points);
        effects.push(Effect::Moved {
            army,
            mv,
            captured,
            points,
            promoted: mv.is_promotion(),
            castled: mv.is_castling().then(|| castling::side_of(army, mv.from(), mv.to())),
            checks: ArmySet::EMPTY,
        });
        if let Some(Piece { army: owner, role: crate::Role::King, .. }) = captured
            && self.in_play.contains(owner)
        {
            self.put_out(owner, HowOut::KingCaptured, army, effects);
        }

        // The mover is not in check after a legal move, and whoever goes out only takes checks away.
        let mut checks = ArmySet::EMPTY;
        let mut mated = ArmySet::EMPTY;
        for other in self.in_play.without(army) {
            if (self.checks.contains(other) || self.may_check(other, mv)) && self.is_in_check(other) {
                checks.insert(other);
                if !self.can_move(other) {
                    mated.insert(other);
                }
            }
        }
        for other in mated {
            self.put_out(other, HowOut::Checkmated, army, effects);
        }
        self.pass(army, checks, effects);
        let all_stay = effects.len() == 1;
        self.checks = if all_stay { checks } else { self.find_checks() };
        effects.set_checks(self.checks);
    }

    /// Steps 4 and 5 of section 5. An army that is in check, and was not mated for it, has a move.
    #[inline]
    fn pass(&mut self, army: Army, checks: ArmySet, effects: &mut Effects) {
        if self.end_if_last_player(effects) {
            return;
        }
        let mut next = army.next();
        loop {
            if self.in_play.contains(next) {
                if checks.contains(next) || has_free_piece(&self.board, next) || self.can_move(next) {
                    break;
                }
                self.put_out(next, HowOut::Stalemated, next, effects);
                if self.end_if_last_player(effects) {
                    return;
                }
            }
            next = next.next();
        }
        self.turn = next;
    }

    /// The ends without a last player (section 6).
    #[inline]
    pub(crate) fn finish(&mut self, repeated: bool, effects: &mut Effects) {
        if self.over.is_none() {
            self.over = if repeated { Some(EndReason::Repetition) } else { self.end_on_points() };
            if let Some(reason) = self.over {
                effects.push(Effect::Over { reason, last: None, bonus: 0 });
            }
        }
    }

    /// Fifty moves or bare kings.
    pub(crate) fn end_on_points(&self) -> Option<EndReason> {
        if self.halfmove as usize >= 50 * self.in_play.len() {
            Some(EndReason::FiftyMoves)
        } else if self.in_play.iter().all(|army| self.board.is_bare(army)) {
            Some(EndReason::BareKings)
        } else {
            None
        }
    }

    /// Step 1, with the key and the castling rights.
    #[inline]
    fn move_piece(&mut self, army: Army, mv: Move) -> Undo {
        let (from, to) = (mv.from().0, mv.to().0);
        let before = self.board.cells[from as usize];
        let undo = self.board.make(army, mv);
        let after = self.board.cells[to as usize];
        self.pieces_key ^= hash::piece_key(before, from) ^ hash::piece_key(after, to);
        if undo.captured != kind::EMPTY {
            self.pieces_key ^= hash::piece_key(undo.captured, to);
        }
        if mv.is_castling() {
            let (rook_from, rook_to) = castling::rook_move(army, from, to);
            let rook = self.board.cells[rook_to as usize];
            self.pieces_key ^= hash::piece_key(rook, rook_from) ^ hash::piece_key(rook, rook_to);
        }
        self.rights.touch(from, to);
        if after & 7 == kind::KING {
            self.rights.lose_all(army);
        }
        undo
    }

    #[inline]
    fn moved_a_pawn(&self, mv: Move) -> bool {
        self.board.cells[mv.to().0 as usize] & 7 == kind::PAWN
    }

    fn put_out(&mut self, army: Army, how: HowOut, by: Army, effects: &mut Effects) {
        self.states[army.index()] = how.state();
        self.in_play.remove(army);
        self.playing.remove(army);
        self.rights.lose_all(army);
        self.halfmove = 0;
        let points = self.award(by, KING_POINTS);
        effects.push(Effect::ArmyOut { army, how, by, points });
    }

    /// Adds points, as far as [`MOST_POINTS`] allow, and returns how many it added.
    #[inline]
    fn award(&mut self, army: Army, points: u32) -> u32 {
        let points = points.min(MOST_POINTS - self.points[army.index()]);
        self.points[army.index()] += points;
        points
    }

    /// Step 4.
    fn end_if_last_player(&mut self, effects: &mut Effects) -> bool {
        if self.playing.len() > 1 {
            return false;
        }
        let last = self.playing.into_iter().next();
        let roaming = self.in_play.len() - self.playing.len();
        let bonus = last.map_or(0, |last| self.award(last, KING_POINTS * roaming as u32));
        self.over = Some(EndReason::LastPlayer);
        effects.push(Effect::Over { reason: EndReason::LastPlayer, last, bonus });
        true
    }

    /// An army's player gives up, at any moment: the army roams from now on, the result is frozen (rules, section 5).
    ///
    /// # Errors
    /// Refuses an army that is not playing, and everything after the end.
    pub fn resign(&mut self, army: Army) -> Result<Effects, NotPlaying> {
        self.roam(army, ArmyState::Resigned)
    }

    /// An army's player ran out of time: the same as [`resign`](Position::resign), under another name.
    ///
    /// # Errors
    /// Refuses an army that is not playing, and everything after the end.
    pub fn time_out(&mut self, army: Army) -> Result<Effects, NotPlaying> {
        self.roam(army, ArmyState::TimedOut)
    }

    fn roam(&mut self, army: Army, state: ArmyState) -> Result<Effects, NotPlaying> {
        if self.over.is_some() || !self.playing.contains(army) {
            return Err(NotPlaying);
        }
        let result = self.points[army.index()];
        self.states[army.index()] = state;
        self.playing.remove(army);
        self.frozen[army.index()] = Some(result);
        self.halfmove = 0;
        let mut effects = Effects::new();
        effects.push(Effect::Roaming { army, state, result });
        self.end_if_last_player(&mut effects);
        Ok(effects)
    }
}
