//! Playing a file under our rules.

use std::fmt;

use super::{Entry, Layout, Leaving, Pgn4, Token, UnknownStart, WrittenMove, comment_value};
use crate::{Army, ArmyState, Game, Move, MoveError, Position, Role, Setup};

/// What a player, a clock or a roaming army does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// A move of the army to move.
    Move(Move),
    /// A player resigns, in or out of turn.
    Resign(Army),
    /// A player loses on time, in or out of turn.
    TimeOut(Army),
}

/// An action with what a file says about it.
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

/// A file played as far as our rules go.
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
}

/// The first thing of a file that our rules do not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// How many moves were made before it.
    pub ply: usize,
    /// What it is.
    pub departure: Departure,
    /// The move or mark as the file has it, in our layout.
    pub token: String,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ply {}, {}: {}", self.ply, self.token, self.departure)
    }
}

/// What a file has and our rules do not.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Departure {
    /// The start position is not one of ours.
    Start(UnknownStart),
    /// A pawn captured in passing.
    EnPassant,
    /// The army of a player who left has a king that walks and pieces that stand still.
    WalkingKing,
    /// The army of a player who left stands still.
    StandsStill,
    /// A pawn became something other than a queen, or stayed a pawn on line 8.
    Promotion,
    /// A mate or stalemate that our rules do not see.
    UnseenMark,
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
            Departure::Start(start) => start.fmt(f),
            Departure::EnPassant => f.write_str("there is no en passant here"),
            Departure::WalkingKing => f.write_str("the whole army of a player who left roams here, not its king"),
            Departure::StandsStill => f.write_str("the army of a player who left roams here"),
            Departure::Promotion => f.write_str("a pawn becomes a queen and nothing else here"),
            Departure::UnseenMark => f.write_str("nobody is mated or stalemated here"),
            Departure::Illegal => f.write_str("not a legal move here"),
            Departure::Ambiguous => f.write_str("more than one legal move fits"),
            Departure::Over => f.write_str("the game is over by our rules"),
            Departure::NotPlaying => f.write_str("the player who leaves is not playing"),
        }
    }
}

impl Pgn4 {
    /// Plays the main line under our rules, mirrored first if the file is clockwise, to its end or to the first thing
    /// our rules do not have.
    #[must_use]
    pub fn replay(&self) -> Replay {
        let layout = self.layout();
        let file = self.in_layout(Layout::Anticlockwise);
        let stopped_at_start = |start| Replay {
            start: Position::start(),
            actions: Vec::new(),
            game: Game::start(),
            stop: Some(Stop { ply: 0, departure: Departure::Start(start), token: "start".to_owned() }),
        };
        let setups = match file.starts(layout) {
            Ok(setups) => setups,
            Err(start) => return stopped_at_start(start),
        };
        let play = |setup: &Setup| match setup.position() {
            Ok(position) => file.replay_from(position, self.is_ours()),
            Err(error) => stopped_at_start(UnknownStart(error.to_string())),
        };
        let mut replays = setups.iter().map(play);
        let first = replays.next().unwrap_or_else(|| stopped_at_start(UnknownStart("none".to_owned())));
        // Of several starts a file can mean, the one that explains more of it.
        replays.fold(first, |best, next| if next.actions.len() > best.actions.len() { next } else { best })
    }

    fn replay_from(&self, start: Position, ours: bool) -> Replay {
        let game = Game::from(start.clone());
        let mut play = Play { game, actions: Vec::new(), ply: 0, ours, left: None };
        let mut stop = play.comments(&self.intro).err().map(|departure| (departure, Token::default()));
        if stop.is_none() {
            stop = self.moves.iter().find_map(|entry| Some((play.entry(entry).err()?, entry.token)));
        }
        let stop = stop.map(|(departure, token)| Stop { ply: play.ply, departure, token: token.to_string() });
        Replay { start, actions: play.actions, game: play.game, stop }
    }
}

struct Play {
    game: Game,
    actions: Vec<Recorded>,
    ply: usize,
    ours: bool,
    /// In a file of other rules, whether somebody has left: what comes then is not ours.
    left: Option<Leaving>,
}

impl Play {
    fn entry(&mut self, entry: &Entry) -> Result<(), Departure> {
        let token = entry.token;
        let Some(written) = token.mv else { return self.mark(entry) };
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
        if self.left.is_some() {
            return Err(Departure::StandsStill);
        }
        let mv = self.game.resolve(&written).map_err(|error| self.departure(&written, error))?;
        let written_so = matches!(written, WrittenMove::Piece { promotion: Some(_), .. });
        if mv.is_promotion() && !written_so && !self.ours {
            return Err(Departure::Promotion);
        }
        self.game.play(mv).map_err(|_| Departure::Illegal)?;
        self.ply += 1;
        self.record(Action::Move(mv), &entry.comments);
        self.comments(&entry.comments)
    }

    /// An entry without a move.
    fn mark(&mut self, entry: &Entry) -> Result<(), Departure> {
        if let Some(leaving) = entry.token.leaving {
            let named = entry.comments.iter().find_map(|comment| comment_value(comment, "seat")?.parse().ok());
            let army = named.unwrap_or(self.game.turn());
            return self.leave(army, leaving, &entry.comments);
        }
        let wanted = if entry.token.stalemates > 0 { ArmyState::Stalemated } else { ArmyState::Checkmated };
        if Army::ALL.iter().any(|&army| self.game.army_state(army) == wanted) {
            self.comments(&entry.comments)
        } else {
            Err(Departure::UnseenMark)
        }
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
        if !self.ours {
            self.left = Some(leaving);
        }
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

    fn departure(&self, mv: &WrittenMove, error: MoveError) -> Departure {
        let &WrittenMove::Piece { file, rank, captures, to, promotion, .. } = mv else { return Departure::Illegal };
        if error == MoveError::Ambiguous {
            return Departure::Ambiguous;
        }
        let from = file.zip(rank).and_then(|(file, rank)| crate::Square::new(file, rank));
        let is_pawn = from
            .and_then(|from| self.game.piece_at(from))
            .is_some_and(|piece| piece.role == Role::Pawn && piece.army == self.game.turn());
        if is_pawn && captures && self.game.piece_at(to).is_none() {
            Departure::EnPassant
        } else if is_pawn && promotion.is_some() {
            Departure::Promotion
        } else {
            Departure::Illegal
        }
    }
}
