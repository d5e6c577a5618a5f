//! Logs of games for tests.

use proto::types::v1::event::{Aborted, Created, Left, Moved, Over, Rated, Seated, Started, What};
use proto::types::v1::{
    AbortReason, ArmyState, Counters, EndReason, Event, Player, Seat, Settings, Standing, Visibility,
};
use proto::{CommandId, EventId, GameId, PlayerId};
use timekeeping::UnixMs;

use super::Record;

/// A log in the making: rated, public, `3+2`, one second between events.
#[derive(Debug, Clone)]
pub(crate) struct Tale {
    pub(crate) game: GameId,
    pub(crate) events: Vec<Event>,
    pub(crate) at_ms: UnixMs,
}

pub(crate) fn player(id: PlayerId) -> Player {
    Player { id: id.to_string(), name: format!("p-{id:.4}"), guest: true, rating: 1500.0, provisional: true }
}

fn seated(players: &[PlayerId]) -> Vec<Seated> {
    let seats = Seat::ALL.into_iter().zip(players);
    seats.map(|(seat, id)| Seated { seat: seat.into(), player: Some(player(*id)) }).collect()
}

impl Tale {
    pub(crate) fn begin(at_ms: UnixMs, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings {
            rated: true,
            visibility: Visibility::Public.into(),
            time_control: "3+2".to_owned(),
            ..Settings::default()
        };
        change(&mut settings);
        let tale = Self { game: GameId::new(), events: Vec::new(), at_ms };
        tale.then(What::Created(Created { settings: Some(settings) }))
    }

    /// Appends anything.
    pub(crate) fn then(mut self, what: What) -> Self {
        self.at_ms += 1000;
        self.events.push(Event {
            v: self.events.len() as u64 + 1,
            id: EventId::new().to_string(),
            previous_id: self.events.last().map(|event| event.id.clone()).unwrap_or_default(),
            command_id: CommandId::new().to_string(),
            schema: 1,
            at_unix_ms: self.at_ms,
            after: Some(Counters {
                points: vec![40, 30, 20, 10],
                armies: vec![ArmyState::Playing.into(); 4],
                remaining_ms: vec![1000, 2000, 3000, 4000],
                ..Counters::default()
            }),
            what: Some(what),
        });
        self
    }

    pub(crate) fn sit(self, seat: Seat, id: PlayerId) -> Self {
        self.then(What::Seated(Seated { seat: seat.into(), player: Some(player(id)) }))
    }

    pub(crate) fn leave(self, seat: Seat, id: PlayerId) -> Self {
        self.then(What::Left(Left { seat: seat.into(), player: Some(player(id)) }))
    }

    pub(crate) fn start(self, players: &[PlayerId]) -> Self {
        self.then(What::Started(Started { fen4: String::new(), seats: seated(players) }))
    }

    pub(crate) fn moved(self, seat: Seat, mv: &str) -> Self {
        self.then(What::Moved(Moved {
            seat: seat.into(),
            r#move: mv.to_owned(),
            san: mv.to_owned(),
            ..Moved::default()
        }))
    }

    /// Seats in the order of their places.
    pub(crate) fn over(self, by_place: [Seat; 4]) -> Self {
        let standing =
            (1..).zip(by_place).map(|(place, seat)| Standing { seat: seat.into(), place, result: 50 - place });
        let over = Over { reason: EndReason::LastPlayer.into(), standing: standing.collect() };
        self.then(What::Over(over))
    }

    pub(crate) fn rated(self) -> Self {
        self.then(What::Rated(Rated { changes: Vec::new() }))
    }

    pub(crate) fn aborted(self, reason: AbortReason, seat: Seat) -> Self {
        self.then(What::Aborted(Aborted { reason: reason.into(), seat: seat.into() }))
    }

    /// A rated game of four, winner first, two moves long.
    pub(crate) fn whole(at_ms: UnixMs, by_place: [PlayerId; 4]) -> Self {
        Self::begin(at_ms, |_| {}).start(&by_place).moved(Seat::Red, "h2-h4").moved(Seat::Blue, "m7-k7").over(Seat::ALL)
    }

    pub(crate) fn record(&self) -> Record {
        Record::read(self.game, self.events.clone()).expect("the tale is whole")
    }
}
