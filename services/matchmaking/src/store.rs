//! Where tickets are kept. Every change is conditional on what is stored, so replicas need not know of each other.
//! Every implementation passes the same conformance suite.

#[cfg(test)]
mod conformance;
mod redis;
mod sqlite;
mod word;

use async_trait::async_trait;
use proto::{GameId, PlayerId, TicketId};
use timekeeping::UnixMs;

pub(crate) use redis::RedisStore;
pub(crate) use sqlite::SqliteStore;

use crate::forming::Waiting;
use crate::ticket::{CancelReason, Four, Pool, Ticket};

/// Tickets, and the fours formed of them.
#[async_trait]
pub(crate) trait Store: Send + Sync + 'static {
    /// Whether it answers.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Adds a waiting ticket, unless its id is known or its player has an open one.
    async fn open(&self, ticket: &Ticket) -> Result<Opening, StoreError>;

    async fn ticket(&self, id: TicketId) -> Result<Option<Ticket>, StoreError>;

    /// The player's open ticket.
    async fn open_ticket(&self, player: PlayerId) -> Result<Option<Ticket>, StoreError>;

    /// The player's newest ticket, open or not.
    async fn newest(&self, player: PlayerId) -> Result<Option<Ticket>, StoreError>;

    /// Cancels a waiting ticket of this player. Races with [`Store::form`] to one answer.
    async fn cancel(&self, id: TicketId, player: PlayerId, now: UnixMs) -> Result<Cancelling, StoreError>;

    /// Notes that somebody asked after an open ticket.
    async fn asked(&self, id: TicketId, now: UnixMs) -> Result<(), StoreError>;

    /// Pools with waiting tickets that somebody asked after since then.
    async fn pools(&self, asked_since: UnixMs) -> Result<Vec<PoolState>, StoreError>;

    /// The waiting tickets of a pool that somebody asked after since then and that are not held back, oldest first.
    async fn waiting(&self, pool: Pool, asked_since: UnixMs, now: UnixMs) -> Result<Vec<Waiting>, StoreError>;

    /// When the oldest waiting ticket of a pool, asked after since then, was opened.
    async fn oldest(&self, pool: Pool, asked_since: UnixMs) -> Result<Option<UnixMs>, StoreError>;

    /// Binds four waiting tickets to a game to be made, and claims the four; false, and nothing changes, if not all
    /// four still wait.
    async fn form(&self, four: &Four) -> Result<bool, StoreError>;

    /// Claims the fours whose game is not known to be made and that nobody claims any more, oldest first. At most
    /// one caller gets a four.
    async fn claim(&self, now: UnixMs, until: UnixMs) -> Result<Vec<Four>, StoreError>;

    /// Shortens the caller's claim on a four.
    async fn release(&self, four: &Four, until: UnixMs) -> Result<(), StoreError>;

    /// The game exists: its tickets are matched. False if that was known, or the four was dissolved.
    async fn complete(&self, game: GameId, now: UnixMs) -> Result<bool, StoreError>;

    /// The game will never be made: those of its tickets wait again, held back for a while, that are not among the
    /// cancelled. False if the four is complete or dissolved already, or the caller's claim has passed to another.
    async fn dissolve(&self, four: &Four, dissolving: &Dissolving) -> Result<bool, StoreError>;

    /// Cancels the waiting tickets nobody asked after since then; answers whose they were.
    async fn expire(&self, asked_before: UnixMs, now: UnixMs) -> Result<Vec<PlayerId>, StoreError>;

    /// Closed tickets that were not reported yet, oldest first.
    async fn unreported(&self, limit: u32) -> Result<Vec<Ticket>, StoreError>;

    async fn reported(&self, id: TicketId) -> Result<(), StoreError>;

    /// Forgets tickets, and their fours, that were reported and closed before then.
    async fn forget(&self, closed_before: UnixMs) -> Result<(), StoreError>;
}

/// Why a store did not do it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("database: {0}")]
    Database(#[from] sqlx::Error),
    #[error("Redis: {0}")]
    Redis(#[from] redis_link::Failure),
    #[error("corrupt: {0}")]
    Corrupt(&'static str),
}

/// What became of a ticket to be opened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Opening {
    Opened,
    /// The id is known; this is the ticket as it stands.
    Known(Ticket),
    /// The player has this open ticket already.
    AlreadyWaiting(TicketId),
}

/// What became of a ticket to be cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cancelling {
    Cancelled,
    /// It was cancelled before.
    Already,
    /// It is bound to this game.
    Matched(GameId),
    /// There is none, or it is another player's.
    Unknown,
}

/// What becomes of the tickets of a four that gets no game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dissolving {
    /// These are cancelled for the reason.
    pub(crate) cancelled: Vec<TicketId>,
    pub(crate) reason: CancelReason,
    pub(crate) now: UnixMs,
    /// The others take part in no new four before then.
    pub(crate) hold_until: UnixMs,
}

/// How many wait in a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PoolState {
    pub(crate) pool: Pool,
    pub(crate) waiting: u32,
    pub(crate) oldest_ms: UnixMs,
}
