//! Where records and ratings are kept. Every implementation passes the same conformance suite.

#[cfg(test)]
mod analytics;
#[cfg(test)]
mod conformance;
mod postgres;
mod recording;
mod row;
mod sqlite;

use async_trait::async_trait;
use proto::types::v1::{AbortReason, ArmyState, EndReason, Event, GameStatus, Player, Seat, Visibility};
use proto::{GameId, PlayerId, TicketId};
use ratings::Standing;
use timekeeping::{Class, TimeControl, UnixMs};

pub use postgres::PostgresStore;
pub use sqlite::SqliteStore;

use crate::record::{Change, Record};

/// Results, ratings, records.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Records a game and, if it changes ratings, rates it, in one transaction. A game counts once: later calls
    /// answer the changes of the first and at most replace the log by a longer one.
    async fn record(&self, record: &Record, now: UnixMs) -> Result<Recorded, StoreError>;

    /// The log of a recorded game.
    async fn log(&self, game: GameId) -> Result<Option<Vec<Event>>, StoreError>;

    /// The numbers of these players in one class or all; those without a rated game are left out.
    async fn ratings(&self, players: &[PlayerId], class: Option<Class>) -> Result<Vec<Rated>, StoreError>;

    /// A player's changes in one class or all, newest first, from before an entry's number on.
    async fn history(
        &self,
        player: PlayerId,
        class: Option<Class>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<HistoryEntry>, StoreError>;

    /// Best first, equals by id, from after a player on.
    async fn leaderboard(
        &self,
        class: Class,
        include_provisional: bool,
        after: Option<(f64, PlayerId)>,
        limit: u32,
    ) -> Result<Vec<Rated>, StoreError>;

    /// Recorded games that the viewer may see, newest first.
    async fn records(&self, query: &RecordQuery) -> Result<Vec<Summary>, StoreError>;

    /// When games were aborted through a player, newest first.
    async fn aborts(&self, player: PlayerId, since: UnixMs) -> Result<Vec<UnixMs>, StoreError>;

    /// Keeps a closed ticket; the first report of a ticket stays.
    async fn keep_ticket(&self, ticket: &ClosedTicket) -> Result<(), StoreError>;

    /// The rated games of a class in the order of their numbers, from after a number on.
    async fn rated_games(&self, class: Class, after: u64, limit: u32) -> Result<Vec<RatedGame>, StoreError>;
}

/// Why a store did not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The game is recorded with another event at this version.
    #[error("the recorded log has another event at v {v}")]
    Contradiction {
        /// Where the logs part.
        v: u64,
    },
    /// The database failed or did not answer.
    #[error("database: {0}")]
    Database(#[from] sqlx::Error),
    /// The database holds something that this service never writes.
    #[error("corrupt row: {0}")]
    Corrupt(&'static str),
}

/// What became of a report. The changes are in seat order, empty if the game is not rated or not over.
#[derive(Debug, Clone, PartialEq)]
pub enum Recorded {
    /// It was the first.
    New(Vec<Change>),
    /// The game was recorded with a shorter log.
    Longer(Vec<Change>),
    /// The game was recorded with this log or a longer one.
    Known(Vec<Change>),
}

impl Recorded {
    /// What the game did to ratings.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        match self {
            Self::New(changes) | Self::Longer(changes) | Self::Known(changes) => changes,
        }
    }
}

/// A player's numbers in one class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rated {
    /// Who.
    pub player: PlayerId,
    /// In which class.
    pub class: Class,
    /// The numbers.
    pub standing: Standing,
}

/// One change of one rating.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    /// Grows with every change of anybody.
    pub number: i64,
    /// Number of the game in its class.
    pub sequence: u64,
    /// Which game.
    pub game: GameId,
    /// Its class.
    pub class: Class,
    /// 1 to 4.
    pub place: u32,
    /// The numbers before.
    pub before: Standing,
    /// The rating after.
    pub after: f64,
    /// When the game ended.
    pub at_ms: UnixMs,
}

/// Which recorded games are asked for.
#[derive(Debug, Clone)]
pub struct RecordQuery {
    /// Games of this player only.
    pub player: Option<PlayerId>,
    /// Who asks; private games are for their players.
    pub viewer: Option<PlayerId>,
    /// `Over` or `Aborted` only.
    pub status: Option<GameStatus>,
    /// Older than this one only.
    pub before: Option<(UnixMs, GameId)>,
    /// How many at most.
    pub limit: u32,
}

impl RecordQuery {
    /// The status asked for, as stored.
    fn status_word(&self) -> Option<&'static str> {
        match self.status {
            Some(GameStatus::Over) => Some("over"),
            Some(GameStatus::Aborted) => Some("aborted"),
            _ => None,
        }
    }
}

/// A recorded game in short.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Which game.
    pub game: GameId,
    /// Over, or aborted.
    pub ending: Result<EndReason, AbortReason>,
    /// Whether it was to count.
    pub rated: bool,
    /// Who may see it.
    pub visibility: Visibility,
    /// Its time control.
    pub time_control: TimeControl,
    /// Moves made.
    pub plies: u32,
    /// When play began, if it did.
    pub started_ms: Option<UnixMs>,
    /// When it ended.
    pub ended_ms: UnixMs,
    /// Seats with players, in turn order.
    pub seats: Vec<SummarySeat>,
}

/// A player's part in a recorded game.
#[derive(Debug, Clone, PartialEq)]
pub struct SummarySeat {
    /// Where.
    pub seat: Seat,
    /// Who, as seen then.
    pub player: Player,
    /// What the army scored.
    pub points: u32,
    /// What counts.
    pub result: u32,
    /// None in an aborted game.
    pub place: Option<u32>,
    /// None if play never began.
    pub army: Option<ArmyState>,
    /// Before and after, if the game changed ratings.
    pub rating: Option<(f64, f64)>,
}

/// A ticket that is matched or cancelled.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedTicket {
    /// Which ticket.
    pub ticket: TicketId,
    /// Whose.
    pub player: PlayerId,
    /// For which games.
    pub time_control: TimeControl,
    /// Rated ones or not.
    pub rated: bool,
    /// The player's rating when it was opened.
    pub rating: f64,
    /// When it was opened.
    pub opened_ms: UnixMs,
    /// When it closed.
    pub closed_ms: UnixMs,
    /// How it closed.
    pub outcome: Outcome,
}

/// How a ticket closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It led to this game.
    Matched(GameId),
    /// The player cancelled.
    Cancelled,
    /// Nobody asked after it.
    Expired,
    /// The player was in too many games by then.
    TooManyGames,
}

impl Outcome {
    /// The game it led to.
    #[must_use]
    pub const fn game(self) -> Option<GameId> {
        match self {
            Self::Matched(game) => Some(game),
            Self::Cancelled | Self::Expired | Self::TooManyGames => None,
        }
    }

    /// As stored and on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Matched(_) => "matched",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::TooManyGames => "too_many_games",
        }
    }
}

/// What of a rated game enters the ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatedGame {
    /// Its number in its class.
    pub sequence: u64,
    /// Winner first.
    pub by_place: [PlayerId; 4],
}
