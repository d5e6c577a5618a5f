//! Playing a file under our rules.

use std::fmt;

use super::layout::{OUR_RULES, RULES, VARIANT};
use super::{Entry, Layout, Leaving, Pgn4, Token, UnknownStart, WrittenMove, comment_value};
use crate::setup::line_of;
use crate::{
    Army, ArmySet, ArmyState, Effect, Effects, Game, HowOut, Move, MoveError, Piece, Position, Role, Setup, Square,
};

/// What a player, a clock or a roaming army does (rules, section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// A move of the army to move.
    Move(Move),
    /// A player resigns, in or out of turn.
    Resign(Army),
    /// A player loses on time, in or out of turn.
    TimeOut(Army),
}

/// An action with what a file says about it (rules, section 10).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// What happened.
    pub action: Action,
    /// The time left on the player's clock, in milliseconds: `clock=`.
    pub clock_ms: Option<u64>,
    /// When, as the file has it, RFC 3339 by custom: `date=`. One word.
    pub date: Option<String>,
}

impl From<Action> for Recorded {
    fn from(action: Action) -> Recorded {
        Recorded { action, clock_ms: None, date: None }
    }
}

/// A file played as far as our rules go (rules, section 10).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The position before the first move, in our layout.
    pub start: Position,
    /// What was played, in our layout.
    pub actions: Vec<Recorded>,
    /// The game after the last of them.
    pub game: Game,
    /// Where and why the replay stopped before the end of the file.
    pub stop: Option<Stop>,
    /// Names of the extra keys of `StartFen4` that are not known: they are not in the start position.
    pub unknown_keys: Vec<String>,
}

/// The first thing of a file that our rules (sections 4 to 6) do not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// How many moves were made before it.
    pub ply: usize,
    /// What it is.
    pub departure: Departure,
    /// The move, mark or word as the file has it, in our layout; `start` or `Variant` when nothing could be played.
    pub token: String,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ply {}, {}: {}", self.ply, self.token, self.departure)
    }
}

/// What a file has and our rules (sections 4 to 6) do not.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Departure {
    /// The file is of another variant than free-for-all: its header `Variant`.
    Variant(String),
    /// The start position is not one of ours.
    Start(UnknownStart),
    /// A word that is no move and no mark.
    Unknown,
    /// A pawn captured in passing.
    EnPassant,
    /// The army of a player who left has a king that walks and pieces that stand still.
    WalkingKing,
    /// The army of a player who left stands still.
    StandsStill,
    /// A pawn became something other than a queen, or stayed a pawn on line 8.
    Promotion,
    /// A check, mate or stalemate that our rules do not see, or more of them than our rules see.
    UnseenMark,
    /// A capture where nothing stands, or of another piece than stands there.
    OtherCapture,
    /// A move that is not legal here.
    Illegal,
    /// A short form that fits several legal moves.
    Ambiguous,
    /// The game is over by our rules.
    Over,
    /// The player who leaves is not playing.
    NotPlaying,
}

impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Departure::Variant(variant) => write!(f, "{variant} is another game than the free-for-all played here"),
            Departure::Start(start) => start.fmt(f),
            Departure::Unknown => f.write_str("neither a move nor a mark"),
            Departure::EnPassant => f.write_str("there is no en passant here"),
            Departure::WalkingKing => f.write_str("the whole army of a player who left roams here, not its king"),
            Departure::StandsStill => f.write_str("the army of a player who left roams here"),
            Departure::Promotion => f.write_str("a pawn becomes a queen and nothing else here"),
            Departure::UnseenMark => f.write_str("not so many armies are checked, mated or stalemated here"),
            Departure::OtherCapture => f.write_str("no such piece is captured here"),
            Departure::Illegal => f.write_str("not a legal move here"),
            Departure::Ambiguous => f.write_str("more than one legal move fits"),
            Departure::Over => f.write_str("the game is over by our rules"),
            Departure::NotPlaying => f.write_str("the player who leaves is not playing"),
        }
    }
}

/// A file played from one of the starts it can mean.
pub(super) struct Attempt {
    pub(super) setup: Setup,
    replay: Replay,
    /// How many entries were played.
    pub(super) entries: usize,
}

/// A replay that does not begin.
fn stopped(departure: Departure, token: &str) -> Replay {
    let stop = Stop { ply: 0, departure, token: token.to_owned() };
    let (start, game) = (Position::start(), Game::start());
    Replay { start, actions: Vec::new(), game, stop: Some(stop), unknown_keys: Vec::new() }
}

impl Pgn4 {
    /// Plays the main line under our rules (rules, sections 4 to 6), mirrored first if the file is clockwise, to its end
    /// or to the first thing our rules do not have.
    ///
    /// What a move says besides itself must be true: an `x` and the letter behind it, and as many `+`, `#` and `S` as
    /// there are. A check, mate, stalemate or capture may go without saying, and a promoted queen is `Q` or `D`. `+` may
    /// stand for any army that is in check or mated afterwards, whoever gives the check.
    #[must_use]
    pub fn replay(&self) -> Replay {
        let is_ours = |variant: &&str| matches!(variant.trim().to_ascii_uppercase().as_str(), "" | "FFA");
        let variant = self.header(VARIANT).filter(|variant| !is_ours(variant));
        if let Some(variant) = variant
            && self.header(RULES) != Some(OUR_RULES)
        {
            return stopped(Departure::Variant(variant.to_owned()), VARIANT);
        }
        match self.replay_in(self.layout(), self.is_ours()) {
            Ok(attempt) => attempt.replay,
            Err(start) => stopped(Departure::Start(start), "start"),
        }
    }

    /// How many entries can be played if the file has this layout, by whatever rules: marks are not judged, and an army
    /// whose player left may move or not.
    pub(super) fn reach(&self, layout: Layout) -> usize {
        let Ok(starts) = self.starts(layout) else { return 0 };
        let moves = self.moves_in_ours(layout);
        let positions = starts.setups.iter().filter_map(|setup| setup.position().ok());
        positions.map(|position| reach_from(position, &moves)).max().unwrap_or(0)
    }

    /// Plays the file as one of this layout and, if `ours`, of our rules. Of several starts it can mean, the one that
    /// explains more of it.
    pub(super) fn replay_in(&self, layout: Layout, ours: bool) -> Result<Attempt, UnknownStart> {
        let starts = self.starts(layout)?;
        let moves = self.moves_in_ours(layout);
        let mut best: Option<Attempt> = None;
        for setup in starts.setups {
            let position = setup.position().map_err(|error| UnknownStart(error.to_string()))?;
            let (mut replay, entries) = replay_from(position, &self.intro, &moves, ours);
            if best.as_ref().is_none_or(|best| entries > best.entries) {
                replay.unknown_keys.clone_from(&starts.unknown_keys);
                best = Some(Attempt { setup, replay, entries });
            }
        }
        best.ok_or_else(|| UnknownStart("none".to_owned()))
    }
}

fn reach_from(mut position: Position, moves: &[Entry]) -> usize {
    let mut left = ArmySet::EMPTY;
    for (entries, Entry { token, .. }) in moves.iter().enumerate() {
        let Some(written) = &token.mv else {
            if token.leaving.is_some() {
                left.insert(position.turn);
            }
            continue;
        };
        let first = position.turn;
        let mv = loop {
            let army = position.turn;
            if position.in_play.contains(army) {
                match position.resolve(written) {
                    Ok(mv) => break mv,
                    Err(_) if !left.contains(army) => return entries,
                    Err(_) => {}
                }
            }
            position.turn = army.next();
            if position.turn == first {
                return entries;
            }
        };
        let army = position.turn;
        if token.leaving.is_some() {
            left.insert(army);
        }
        position.play_unchecked(mv);
    }
    moves.len()
}

fn replay_from(start: Position, intro: &[String], moves: &[Entry], ours: bool) -> (Replay, usize) {
    let game = Game::from(start.clone());
    let mut play = Play { game, actions: Vec::new(), ply: 0, ours, left: false, unmarked: Marks::default() };
    let mut entries = 0;
    let mut stop = play.comments(intro).err().map(|departure| (departure, String::new()));
    if stop.is_none() {
        stop = moves.iter().find_map(|entry| {
            let departure = play.entry(entry).err();
            entries += usize::from(departure.is_none());
            Some((departure?, entry.token.to_string()))
        });
    }
    let stop = stop.map(|(departure, token)| Stop { ply: play.ply, departure, token });
    (Replay { start, actions: play.actions, game: play.game, stop, unknown_keys: Vec::new() }, entries)
}

/// How many armies went out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Marks {
    /// Mated, or without their king: `#`.
    mates: u8,
    /// Stalemated: `S`.
    stalemates: u8,
}

impl Marks {
    fn of(effects: &Effects) -> Marks {
        let mut marks = Marks::default();
        for effect in effects {
            match effect {
                Effect::ArmyOut { how: HowOut::Stalemated, .. } => marks.stalemates += 1,
                Effect::ArmyOut { .. } => marks.mates += 1,
                _ => {}
            }
        }
        marks
    }

    /// What is left of them without those that a file marks. None if it marks more.
    fn without(self, token: &Token) -> Option<Marks> {
        let mates = self.mates.checked_sub(token.mates)?;
        Some(Marks { mates, stalemates: self.stalemates.checked_sub(token.stalemates)? })
    }

    fn with(self, others: Marks) -> Marks {
        Marks { mates: self.mates + others.mates, stalemates: self.stalemates + others.stalemates }
    }
}

struct Play {
    game: Game,
    actions: Vec<Recorded>,
    ply: usize,
    ours: bool,
    /// In a file of other rules, whether somebody has left: what comes then is not ours.
    left: bool,
    /// Armies that went out in this replay, and that the file has not marked yet.
    unmarked: Marks,
}

impl Play {
    fn entry(&mut self, entry: &Entry) -> Result<(), Departure> {
        let token = &entry.token;
        let Some(written) = &token.mv else { return self.mark(entry) };
        if let WrittenMove::Unknown(_) = written {
            return Err(Departure::Unknown);
        }
        if self.game.over().is_some() {
            return Err(Departure::Over);
        }
        let army = self.game.turn();
        if let Some(leaving) = token.leaving
            && self.game.army_state(army) == ArmyState::Playing
        {
            self.leave(army, leaving, &[])?;
            if !self.ours {
                return Err(Departure::WalkingKing);
            }
        }
        if self.left {
            return Err(Departure::StandsStill);
        }
        let mv = self.game.resolve(written).map_err(|error| self.departure(written, error))?;
        let written_so = matches!(written, WrittenMove::Piece { promotion: Some(_), .. });
        if mv.is_promotion() && !written_so && !self.ours {
            return Err(Departure::Promotion);
        }
        if !self.captures_so(written, mv) {
            return Err(match self.departure(written, MoveError::Illegal) {
                Departure::EnPassant => Departure::EnPassant,
                _ => Departure::OtherCapture,
            });
        }
        let mut after = self.game.position().clone();
        let marks = Marks::of(&after.play(mv).map_err(|_| Departure::Illegal)?);
        let unmarked = marks.without(token).ok_or(Departure::UnseenMark)?;
        let checked = after.in_check().iter().filter(|&other| other != army).count();
        if usize::from(token.checks) > checked + usize::from(marks.mates) {
            return Err(Departure::UnseenMark);
        }
        self.game.play(mv).map_err(|_| Departure::Illegal)?;
        self.unmarked = self.unmarked.with(unmarked);
        self.ply += 1;
        self.record(Action::Move(mv), &entry.comments);
        self.comments(&entry.comments)
    }

    /// An entry without a move. Marks in the place of an army's move are of what an earlier move did to it.
    fn mark(&mut self, entry: &Entry) -> Result<(), Departure> {
        let token = &entry.token;
        if let Some(leaving) = token.leaving {
            let named = entry.comments.iter().find_map(|comment| comment_value(comment, "seat")?.parse().ok());
            let army = named.unwrap_or(self.game.turn());
            self.leave(army, leaving, &entry.comments)?;
        }
        if usize::from(token.checks) > self.game.in_check().len() {
            return Err(Departure::UnseenMark);
        }
        self.unmarked = self.unmarked.without(token).ok_or(Departure::UnseenMark)?;
        if token.leaving.is_some() { Ok(()) } else { self.comments(&entry.comments) }
    }

    fn leave(&mut self, army: Army, leaving: Leaving, comments: &[String]) -> Result<(), Departure> {
        if self.game.over().is_some() {
            return Err(Departure::Over);
        }
        let (left, action) = match leaving {
            Leaving::Resigned => (self.game.resign(army), Action::Resign(army)),
            Leaving::TimedOut => (self.game.time_out(army), Action::TimeOut(army)),
        };
        left.map_err(|_| Departure::NotPlaying)?;
        self.left = !self.ours;
        self.record(action, comments);
        Ok(())
    }

    /// Players who left at this moment: `{ resigned=yellow clock=5000 }`.
    fn comments(&mut self, comments: &[String]) -> Result<(), Departure> {
        for comment in comments {
            for (key, leaving) in [("resigned", Leaving::Resigned), ("timed_out", Leaving::TimedOut)] {
                if let Some(army) = comment_value(comment, key).and_then(|name| name.parse().ok()) {
                    self.leave(army, leaving, std::slice::from_ref(comment))?;
                }
            }
        }
        Ok(())
    }

    fn record(&mut self, action: Action, comments: &[String]) {
        // What a comment says of somebody who left is not about the move.
        let is_about = |comment: &&String| {
            !matches!(action, Action::Move(_))
                || (comment_value(comment, "resigned").is_none() && comment_value(comment, "timed_out").is_none())
        };
        let value = |key| comments.iter().filter(is_about).find_map(|comment| comment_value(comment, key));
        let clock_ms = value("clock").and_then(|clock| clock.parse().ok());
        let date = value("date").map(str::to_owned);
        self.actions.push(Recorded { action, clock_ms, date });
    }

    /// Whether what a move is written to capture stands where it goes.
    fn captures_so(&self, written: &WrittenMove, mv: Move) -> bool {
        let &WrittenMove::Piece { captures: true, captured, .. } = written else { return true };
        self.game.piece_at(mv.to()).is_some_and(|piece| {
            captured.is_none_or(|letter| letter == piece.role.letter() || (letter == 'D' && piece.promoted))
        })
    }

    fn departure(&self, mv: &WrittenMove, error: MoveError) -> Departure {
        let &WrittenMove::Piece { piece, file, rank, captures, to, promotion, .. } = mv else {
            return Departure::Illegal;
        };
        if error == MoveError::Ambiguous {
            return Departure::Ambiguous;
        }
        let army = self.game.turn();
        let pawn = Piece { army, role: Role::Pawn, promoted: false };
        let fits = |from: Square| {
            piece.is_none()
                && file.is_none_or(|file| file == from.file())
                && rank.is_none_or(|rank| rank == from.rank())
        };
        // A pawn that stands so that it could capture on the square, if something stood there.
        let attacks = |from: Square| {
            from.file().abs_diff(to.file()) == 1
                && from.rank().abs_diff(to.rank()) == 1
                && line_of(army, to) == line_of(army, from) + 1
        };
        let pawns = || self.game.pieces().filter(|&(from, piece)| piece == pawn && fits(from));
        if captures && self.game.piece_at(to).is_none() && pawns().any(|(from, _)| attacks(from)) {
            Departure::EnPassant
        } else if promotion.is_some() && pawns().next().is_some() {
            Departure::Promotion
        } else {
            Departure::Illegal
        }
    }
}
