//! How a report becomes a record, whatever the database: the steps are the database's, their order and what they
//! mean stand here.

use async_trait::async_trait;
use prost::Message as _;
use proto::types::v1::{Event, EventLog, Seat};
use proto::{GameId, PlayerId};
use ratings::Standing;
use timekeeping::{Class, UnixMs};

use super::{Recorded, StoreError};
use crate::record::{Change, Ending, Record};
use crate::word::Word as _;

/// What one transaction does. Nothing of it is seen before the transaction ends well.
#[async_trait]
pub(super) trait Books: Send {
    /// The stored log of a game; nobody else changes it before this transaction ends.
    async fn log(&mut self, game: GameId) -> Result<Option<Vec<u8>>, StoreError>;

    async fn replace_log(&mut self, record: &Record) -> Result<(), StoreError>;

    /// What a recorded game did to ratings, in seat order.
    async fn changes(&mut self, game: GameId) -> Result<Vec<Change>, StoreError>;

    /// The numbers of four players; nobody else changes them before this transaction ends.
    async fn standings(&mut self, class: Class, players: [PlayerId; 4]) -> Result<[Standing; 4], StoreError>;

    /// The number after the last one given in a class. The next is given after this transaction has ended; if it
    /// ends badly, it is the same one.
    async fn next_sequence(&mut self, class: Class) -> Result<i64, StoreError>;

    /// Writes the game with its seats, moves and log.
    async fn insert(&mut self, new: &Entry<'_>) -> Result<(), StoreError>;

    /// Writes what a rated game did: the history, and the players' numbers.
    async fn apply(&mut self, new: &Entry<'_>, sequence: i64) -> Result<(), StoreError>;
}

/// A game to be written.
pub(super) struct Entry<'a> {
    pub(super) record: &'a Record,
    /// None if it changes no rating; then there are no changes either.
    pub(super) sequence: Option<i64>,
    pub(super) changes: Vec<Change>,
    pub(super) now: UnixMs,
}

impl Entry<'_> {
    pub(super) fn class(&self) -> Class {
        self.record.time_control.class()
    }

    pub(super) fn change(&self, seat: Seat) -> Option<&Change> {
        self.changes.iter().find(|change| change.seat == seat)
    }

    /// The place of whom a change is about.
    pub(super) fn place(&self, change: &Change) -> Option<u32> {
        Seat::ALL.into_iter().zip(&self.record.seats).find(|(seat, _)| *seat == change.seat)?.1.place
    }
}

/// The words of a game's ending, and who caused it.
pub(super) struct EndingWords {
    pub(super) status: &'static str,
    pub(super) end_reason: Option<&'static str>,
    pub(super) abort_reason: Option<&'static str>,
    pub(super) culprit: Option<PlayerId>,
}

impl From<Ending> for EndingWords {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Over(reason) => {
                Self { status: "over", end_reason: reason.word(), abort_reason: None, culprit: None }
            }
            Ending::Aborted { reason, culprit } => {
                Self { status: "aborted", end_reason: None, abort_reason: reason.word(), culprit }
            }
        }
    }
}

/// Records and rates a game inside a transaction, once. If the answer is `Known`, nothing was written.
pub(super) async fn record(books: &mut dyn Books, record: &Record, now: UnixMs) -> Result<Recorded, StoreError> {
    if let Some(stored) = books.log(record.game).await? {
        let stored = decode(&stored)?;
        if let Some(v) = record.contradiction(&stored) {
            return Err(StoreError::Contradiction { v });
        }
        let changes = books.changes(record.game).await?;
        if record.events.len() <= stored.len() {
            return Ok(Recorded::Known(changes));
        }
        books.replace_log(record).await?;
        return Ok(Recorded::Longer(changes));
    }
    let class = record.time_control.class();
    let (sequence, changes) = match record.players_by_place() {
        None => (None, Vec::new()),
        Some(players) => {
            let changes = rate(record, players, books.standings(class, players).await?);
            // Numbered with the players held: of two games of one player the first rated has the lower number.
            (Some(books.next_sequence(class).await?), changes)
        }
    };
    let new = Entry { record, sequence, changes, now };
    books.insert(&new).await?;
    if let Some(sequence) = sequence {
        books.apply(&new, sequence).await?;
    }
    Ok(Recorded::New(new.changes))
}

/// All four from the numbers before the game; answered in seat order.
fn rate(record: &Record, by_place: [PlayerId; 4], before: [Standing; 4]) -> Vec<Change> {
    let after = ratings::rate(before);
    let seats = Seat::ALL.into_iter().zip(&record.seats);
    seats
        .filter_map(|(seat, of)| {
            let (player, _) = of.player.as_ref()?;
            let place = by_place.iter().position(|placed| placed == player)?;
            Some(Change { seat, player: *player, before: before[place], after: after[place] })
        })
        .collect()
}

/// How many events the log of a game has.
pub(super) fn length(record: &Record) -> i64 {
    i64::try_from(record.events.len()).unwrap_or(i64::MAX)
}

/// The log of a game as it is stored.
pub(super) fn encode(record: &Record) -> Vec<u8> {
    EventLog { events: record.events.clone() }.encode_to_vec()
}

/// Reads a stored log.
pub(super) fn decode(log: &[u8]) -> Result<Vec<Event>, StoreError> {
    Ok(EventLog::decode(log).map_err(|_| StoreError::Corrupt("log"))?.events)
}
