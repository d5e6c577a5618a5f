//! What players try, and what follows.

use std::sync::Arc;

use live::Outage;
use proto::types::v1::{Event, GameStatus, Visibility};
use proto::{Code, CommandId, GameId};
use rules::{Army, ArmyState, EndReason};

use super::{Command, Creation, Dice, create, decide};
use crate::fact::{AbortReason, Counters, Fact, Player, events};
use crate::state::State;

mod any_order;
mod playing;
mod seating;
mod time;

/// Dice that always show the same side.
struct Loaded(usize);

impl Dice for Loaded {
    fn roll(&self, sides: usize) -> usize {
        self.0 % sides
    }
}

/// A game under test: commands one after the other, every decision checked against what a replay of its events says.
struct Bench {
    state: Arc<State>,
    events: Vec<Event>,
    now: i64,
    outages: Vec<Outage>,
}

fn player(n: u8) -> Player {
    let id = format!("00000000-0000-7000-8000-0000000000{n:02}").parse().unwrap();
    Player { id, name: format!("player{n}"), guest: true, rating: 1500.0, provisional: true }
}

fn creation(control: &str) -> Creation {
    Creation {
        id: GameId::new(),
        rated: false,
        visibility: Visibility::Private,
        control: control.parse().unwrap(),
        first_move_ms: 30_000,
        roaming_delay_ms: 700,
        start_fen4: None,
        invite_code: Some("code".to_owned()),
        maker: Some(player(0).id),
        seated: vec![(Army::Red, player(0))],
        plans: None,
        rematch_of: None,
        make_until: None,
    }
}

impl Bench {
    fn new(creation: Creation) -> Self {
        let id = creation.id;
        let decision = create(creation, 1_000_000).unwrap();
        let mut bench =
            Self { state: Arc::new(decision.state), events: Vec::new(), now: 1_000_000, outages: Vec::new() };
        bench.keep(&decision.facts);
        assert_eq!(bench.state.id, id);
        bench
    }

    /// Four players, Red to make the first move.
    fn started(control: &str) -> Self {
        let mut bench = Self::new(creation(control));
        for n in 1..4 {
            bench.take(n, Some(Army::ALL[usize::from(n)])).unwrap();
        }
        assert_eq!(bench.state.status, GameStatus::Running);
        bench
    }

    /// All four have made a first move, Red is to move on its own clock.
    fn after_first_moves(control: &str) -> Self {
        let mut bench = Self::started(control);
        for (n, text) in ["d2-d3", "m4-l4", "k13-k12", "b11-c11"].into_iter().enumerate() {
            bench.play(n as u8, text).unwrap();
        }
        bench
    }

    fn from_fen4(fen4: &str) -> Self {
        let position = rules::Game::from_fen4(fen4).unwrap().0;
        let mut seated = Vec::new();
        for (n, army) in Army::ALL.into_iter().enumerate() {
            if position.army_state(army) == ArmyState::Playing {
                seated.push((army, player(n as u8)));
            }
        }
        Self::new(Creation { start_fen4: Some(fen4.to_owned()), seated, ..creation("3+2") })
    }

    fn keep(&mut self, facts: &[(Fact, Counters)]) -> Vec<Fact> {
        let state = Arc::make_mut(&mut self.state);
        let (new, head) = events(facts, state.head, CommandId::new(), state.last_at);
        state.head = head;
        self.events.extend(new);
        let replayed = State::replay(self.state.id, &self.events).unwrap();
        assert_eq!(replayed.counters(), self.state.counters(), "a replay of the log gives another game");
        assert_eq!(replayed.position.fen4(), self.state.position.fen4());
        assert_eq!(replayed.due(), self.state.due());
        if let Some((_, last)) = facts.last() {
            assert_eq!(*last, self.state.counters(), "the last event does not show the game as it is");
        }
        facts.iter().map(|(fact, _)| fact.clone()).collect()
    }

    /// What the command led to, and its answer's code.
    fn tell(&mut self, command: &Command) -> (Vec<Fact>, Result<(), Code>) {
        let decision = decide(&self.state, command, self.now, &self.outages, &Loaded(0));
        self.state = Arc::new(decision.state);
        let facts = self.keep(&decision.facts);
        (facts, decision.answer.map_err(|refusal| refusal.code))
    }

    fn expect_refused(&mut self, command: &Command, code: Code) {
        let before = self.events.len();
        assert_eq!(self.tell(command).1, Err(code), "{command:?}");
        assert_eq!(self.events.len(), before, "a refusal changed something: {command:?}");
    }

    fn take(&mut self, n: u8, seat: Option<Army>) -> Result<(), Code> {
        self.tell(&Command::TakeSeat { player: player(n), seat, invite_code: "code".to_owned() }).1
    }

    fn move_command(&self, n: u8, text: &str) -> Command {
        Command::Move { player: player(n).id, ply: self.state.ply(), text: text.to_owned() }
    }

    fn play(&mut self, n: u8, text: &str) -> Result<(), Code> {
        let command = self.move_command(n, text);
        self.tell(&command).1
    }

    fn resign(&mut self, n: u8) -> (Vec<Fact>, Result<(), Code>) {
        self.tell(&Command::Resign { player: player(n).id })
    }

    fn settle(&mut self) -> Vec<Fact> {
        self.tell(&Command::Settle).0
    }

    fn wait_until_due(&mut self) -> Vec<Fact> {
        self.now = self.state.due().unwrap().at;
        self.settle()
    }
}
