//! A position with the history that repetition needs.

use std::ops::Deref;

use crate::{Army, Effects, Fen4Error, IllegalMove, Move, NotPlaying, Position, Setup};

/// The most positions that can repeat one another: with the 200th move that takes nothing, the fifty-move end comes
/// (rules, section 6).
const LONGEST_HISTORY: usize = 201;

/// How often a position must occur to end the game.
const REPETITIONS: usize = 3;

/// A game: a [`Position`], whose methods it has, and the keys of the positions since the last move that cannot be
/// taken back (rules, sections 5 and 6), 8 bytes each and at most 201.
///
/// Two are equal when their positions are and those histories too. FEN4 holds no history, so what is read back equals the
/// game only where the position is its first occurrence.
///
/// ```
/// use rules::{Army, Game};
/// let mut game = Game::start();
/// let mv = game.parse_move("h2-h4")?;
/// game.play(mv).unwrap();
/// game.resign(Army::Yellow).unwrap();
/// assert_eq!(game.turn(), Army::Blue);
/// assert!(game.army_state(Army::Yellow).is_roaming());
/// # Ok::<(), rules::MoveError>(())
/// ```
#[derive(PartialEq, Eq, Debug)]
pub struct Game {
    position: Position,
    history: Vec<u64>,
}

impl Clone for Game {
    fn clone(&self) -> Game {
        let mut history = Vec::with_capacity(LONGEST_HISTORY);
        history.extend_from_slice(&self.history);
        Game { position: self.position.clone(), history }
    }

    fn clone_from(&mut self, source: &Game) {
        self.position.clone_from(&source.position);
        self.history.clear();
        self.history.extend_from_slice(&source.history);
    }
}

impl Deref for Game {
    type Target = Position;

    #[inline]
    fn deref(&self) -> &Position {
        &self.position
    }
}

impl From<Position> for Game {
    /// A game that begins with this position: its first occurrence.
    fn from(position: Position) -> Game {
        let mut history = Vec::with_capacity(LONGEST_HISTORY);
        history.push(position.key());
        Game { position, history }
    }
}

impl Game {
    /// A game from the start position (rules, section 2).
    #[must_use]
    pub fn start() -> Game {
        Position::start().into()
    }

    /// A game from a position in FEN4 (rules, section 10), with the names of the extra keys that are not known: they
    /// do not enter the position.
    ///
    /// # Errors
    /// Refuses what section 10 refuses, naming the field and, where there is one, the square.
    pub fn from_fen4(fen4: &str) -> Result<(Game, Vec<String>), Fen4Error> {
        let (setup, unknown) = Setup::from_fen4(fen4)?;
        Ok((setup.position()?.into(), unknown))
    }

    /// The position without its history.
    #[inline]
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Plays a move of the army to move: section 5 of the rules, whole.
    ///
    /// # Errors
    /// Refuses, and changes nothing, when the move is not legal or the game is over.
    #[inline]
    pub fn play(&mut self, mv: Move) -> Result<Effects, IllegalMove> {
        let mv = self.position.legal(mv)?;
        Ok(self.play_unchecked(mv))
    }

    /// Plays a move that [`legal_moves`](Position::legal_moves) of this position or an equal one gave: section 5 of the
    /// rules, whole. Any other move leaves a position without meaning (but never a crash).
    #[inline]
    pub fn play_unchecked(&mut self, mv: Move) -> Effects {
        let mut effects = Effects::new();
        self.position.move_and_pass(mv, &mut effects);
        if self.position.halfmove == 0 {
            // Nothing from before a capture, a pawn move or a change of state can come again.
            self.history.clear();
        }
        let repeated = self.position.over.is_none() && self.enter();
        self.position.finish(repeated, &mut effects);
        effects
    }

    /// Enters the position in the count; true when it has now occurred often enough to end the game.
    #[inline]
    fn enter(&mut self) -> bool {
        let key = self.position.key();
        // Since the history began nobody went out, so an army's turn comes again after as many moves as there are armies.
        let round = self.position.in_play.len();
        let before = self.history.rchunks_exact(round).filter(|chunk| chunk[0] == key).count();
        self.history.push(key);
        before + 1 >= REPETITIONS
    }

    /// An army's player gives up, at any moment: the army roams from now on, the result is frozen (rules, section 5).
    ///
    /// # Errors
    /// Refuses an army that is not playing, and everything after the end.
    pub fn resign(&mut self, army: Army) -> Result<Effects, NotPlaying> {
        let effects = self.position.resign(army)?;
        self.history.clear();
        Ok(effects)
    }

    /// An army's player ran out of time: the same as [`resign`](Game::resign), under another name.
    ///
    /// # Errors
    /// Refuses an army that is not playing, and everything after the end.
    pub fn time_out(&mut self, army: Army) -> Result<Effects, NotPlaying> {
        let effects = self.position.time_out(army)?;
        self.history.clear();
        Ok(effects)
    }
}
