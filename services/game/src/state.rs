//! A game as its facts have made it. Derived from the log, cached by version, thrown away freely.

use live::Head;
use proto::game::v1::DeadlineKind;
use proto::types::v1::{Event, GameStatus};
use proto::{GameId, PlayerId};
use rules::{Army, ArmyState, EndReason};
use timekeeping::{Clocks, TurnKind};

use crate::fact::{AbortReason, Counters, Fact, Moved, Plan, Player, RatingChange, Settings, Unreadable, fact};

/// How long a game may wait for players.
pub(crate) const WAITING_MS: i64 = 3_600_000;

/// A move that was made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Played {
    pub army: Army,
    pub from_to: String,
    pub san: String,
}

/// How a game ended, first place first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    pub reason: EndReason,
    pub standing: Vec<(Army, u32)>,
}

/// What a game is waiting for, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    pub kind: DeadlineKind,
    pub at: i64,
}

/// A game after some number of facts.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub id: GameId,
    /// Where the log ends; none before the first event.
    pub head: Option<Head>,
    pub last_at: i64,
    pub created: i64,
    pub settings: Settings,
    pub status: GameStatus,
    pub seats: [Option<Player>; 4],
    /// Who sat here and left while the game was waiting.
    pub left: Vec<PlayerId>,
    pub position: rules::Game,
    pub clocks: Clocks,
    pub moves: Vec<Played>,
    /// Who has made a move of their own choice.
    pub moved: [bool; 4],
    /// Outages that the running turn has been credited with.
    pub credited: Vec<String>,
    pub outcome: Option<Outcome>,
    pub changes: Vec<RatingChange>,
    pub aborted: Option<AbortReason>,
}

impl State {
    /// A game whose settings are known and to which nothing has happened yet. The start position must have been
    /// checked; a broken one gives the start position of the rules.
    pub(crate) fn new(id: GameId, settings: Settings, now: i64) -> Self {
        Self {
            id,
            head: None,
            last_at: now,
            created: now,
            status: GameStatus::Waiting,
            seats: [const { None }; 4],
            left: Vec::new(),
            position: start(&settings),
            clocks: Clocks::new(settings.control),
            settings,
            moves: Vec::new(),
            moved: [false; 4],
            credited: Vec::new(),
            outcome: None,
            changes: Vec::new(),
            aborted: None,
        }
    }

    /// The game that a whole log tells of.
    ///
    /// # Errors
    /// If an event cannot be read or the log does not begin at its beginning.
    pub(crate) fn replay(id: GameId, events: &[Event]) -> Result<Self, Unreadable> {
        let empty = Unreadable { v: 0, what: "missing" };
        let first = events.first().ok_or_else(|| empty.clone())?;
        let Fact::Created(settings) = fact(first)? else {
            return Err(Unreadable { v: first.v, what: "not the first" });
        };
        let mut state = Self::new(id, settings, first.at_unix_ms);
        for event in events {
            state.absorb(event)?;
        }
        Ok(state)
    }

    /// Follows one stored event.
    pub(crate) fn absorb(&mut self, event: &Event) -> Result<(), Unreadable> {
        if !event.follows(self.version(), self.head.map(|head| head.event)) {
            return Err(Unreadable { v: event.v, what: "out of order" });
        }
        let id = event.id.parse().map_err(|_| Unreadable { v: event.v, what: "without an id" })?;
        self.apply(&fact(event)?, event.at_unix_ms);
        self.head = Some(Head { version: event.v, event: id });
        Ok(())
    }

    /// Follows one fact. Facts come from `decide` and so always fit; one that did not would change nothing.
    pub(crate) fn apply(&mut self, fact: &Fact, at: i64) {
        self.last_at = at;
        match fact {
            Fact::Created(_) | Fact::ArmyOut { .. } => {}
            Fact::Seated { army, player } => self.seats[army.index()] = Some(player.clone()),
            Fact::Left { army, player } => {
                self.seats[army.index()] = None;
                self.left.push(player.id);
            }
            Fact::Started { .. } => {
                self.status = GameStatus::Running;
                self.begin_turn(at);
            }
            Fact::Moved(moved) => self.apply_move(moved, at),
            Fact::Resigned(army) => {
                let _ = self.position.resign(*army);
                self.roam(*army, at);
            }
            Fact::TimedOut(army) => {
                let _ = self.position.time_out(*army);
                self.roam(*army, at);
                self.clocks.exhaust(army.index());
            }
            Fact::ClockAdjusted { credit_ms, outage, .. } => {
                self.clocks.credit(*credit_ms);
                self.credited.push(outage.clone());
            }
            Fact::Over { reason, standing } => {
                self.status = GameStatus::Over;
                self.outcome = Some(Outcome { reason: *reason, standing: standing.clone() });
            }
            Fact::Rated(changes) => self.changes.clone_from(changes),
            Fact::Aborted { reason, .. } => {
                self.status = GameStatus::Aborted;
                self.aborted = Some(*reason);
                self.clocks.end(at, false);
            }
        }
    }

    fn apply_move(&mut self, moved: &Moved, at: i64) {
        if let Ok(mv) = self.position.parse_move(&moved.from_to) {
            let _ = self.position.play(mv);
        }
        self.moves.push(Played { army: moved.army, from_to: moved.from_to.clone(), san: moved.san.clone() });
        self.clocks.end(at, !moved.by_roaming);
        self.moved[moved.army.index()] |= !moved.by_roaming;
        self.begin_turn(at);
    }

    /// An army's player is gone. If it is to move, its clock stops and its first random move is due.
    fn roam(&mut self, army: Army, at: i64) {
        if self.clocks.turn_seat() == Some(army.index()) || self.position.over().is_some() {
            self.clocks.end(at, false);
            self.begin_turn(at);
        }
    }

    fn begin_turn(&mut self, at: i64) {
        self.credited.clear();
        if self.position.over().is_some() {
            return;
        }
        let army = self.position.turn();
        let kind = match self.position.army_state(army) {
            ArmyState::Playing if self.moved[army.index()] => TurnKind::Own,
            ArmyState::Playing => TurnKind::First { allowed_ms: self.settings.first_move_ms },
            _ => TurnKind::Roaming { pause_ms: self.settings.roaming_delay_ms },
        };
        self.clocks.begin(army.index(), at, kind);
    }

    /// Version of the last event; 0 before the first.
    pub(crate) fn version(&self) -> u64 {
        self.head.map_or(0, |head| head.version)
    }

    /// Number of moves made so far.
    pub(crate) fn ply(&self) -> u32 {
        u32::try_from(self.moves.len()).unwrap_or(u32::MAX)
    }

    /// The army to move, while the game runs.
    pub(crate) fn turn(&self) -> Option<Army> {
        (self.status == GameStatus::Running).then(|| self.position.turn())
    }

    /// What happens next by itself.
    pub(crate) fn due(&self) -> Option<Due> {
        match self.status {
            GameStatus::Waiting => Some(Due { kind: DeadlineKind::WaitingExpired, at: self.created + WAITING_MS }),
            GameStatus::Running => {
                let kind = match self.clocks.turn_kind()? {
                    TurnKind::Own => DeadlineKind::Flag,
                    TurnKind::First { .. } => DeadlineKind::FirstMove,
                    TurnKind::Roaming { .. } => DeadlineKind::RoamingMove,
                };
                Some(Due { kind, at: self.clocks.deadline()? })
            }
            _ => None,
        }
    }

    /// The counters as of now.
    pub(crate) fn counters(&self) -> Counters {
        let running = self.status == GameStatus::Running;
        Counters {
            ply: self.ply(),
            turn: self.turn(),
            points: Army::ALL.map(|army| self.position.points(army)),
            armies: Army::ALL.map(|army| self.position.army_state(army)),
            remaining_ms: [0, 1, 2, 3].map(|seat| self.clocks.remaining_ms(seat)),
            deadline: self.clocks.deadline().filter(|_| running),
            runs_from: self.clocks.runs_from().filter(|_| running),
        }
    }

    /// The army that a player has here.
    pub(crate) fn army_of(&self, player: PlayerId) -> Option<Army> {
        let sits = |army: &Army| self.seats[army.index()].as_ref().is_some_and(|seated| seated.id == player);
        Army::ALL.into_iter().find(sits)
    }

    /// Everyone who sits here.
    pub(crate) fn players(&self) -> impl Iterator<Item = (Army, &Player)> {
        Army::ALL.into_iter().zip(&self.seats).filter_map(|(army, seat)| Some((army, seat.as_ref()?)))
    }

    /// Seats that are free for this player.
    pub(crate) fn open_to(&self, player: PlayerId) -> impl Iterator<Item = Army> {
        Army::ALL.into_iter().filter(move |army| {
            self.seats[army.index()].is_none()
                && match self.settings.plans[army.index()] {
                    Plan::Open => true,
                    Plan::Reserved(who) => who == player,
                    Plan::Empty => false,
                }
        })
    }

    /// Whether every seat that exists has its player.
    pub(crate) fn is_full(&self) -> bool {
        self.settings.plans.iter().zip(&self.seats).all(|(plan, seat)| *plan == Plan::Empty || seat.is_some())
    }

    /// Whether somebody may know of this game at all.
    pub(crate) fn visible_to(&self, viewer: Option<PlayerId>) -> bool {
        self.settings.visibility == crate::fact::Visibility::Public
            || viewer.is_some_and(|viewer| {
                self.army_of(viewer).is_some()
                    || self.settings.maker == Some(viewer)
                    || self.settings.plans.contains(&Plan::Reserved(viewer))
            })
    }

    /// Whether the log can still grow.
    pub(crate) fn is_complete(&self) -> bool {
        match self.status {
            GameStatus::Aborted => true,
            GameStatus::Over => !self.settings.rated || !self.changes.is_empty(),
            _ => false,
        }
    }
}

fn start(settings: &Settings) -> rules::Game {
    let given = settings.start_fen4.as_deref().and_then(|fen4| rules::Game::from_fen4(fen4).ok());
    given.map_or_else(rules::Game::start, |(game, _)| game)
}
