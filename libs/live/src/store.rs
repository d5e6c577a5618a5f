use std::sync::Arc;

use async_trait::async_trait;
use proto::game::v1::{DeadlineKind, Passing};
use proto::types::v1::{Event, GameStatus, Visibility};
use proto::{CommandId, EventId, GameId, PlayerId, Shard};
use tokio::sync::{broadcast, watch};

/// Milliseconds since 1970-01-01T00:00:00Z, by the store's clock.
type UnixMs = i64;

/// Why a store did not answer.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// It cannot be reached or did not finish; whether a write happened is unknown.
    #[error("the live store is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// What it holds cannot be read by this build, for instance events of a newer schema.
    #[error("the live store holds something unreadable: {0}")]
    Unreadable(String),
}

/// Where a log ends. Version and id together name one branch of history: a writer that cached events which a
/// failover lost cannot append to what replaced them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Version of the last event.
    pub version: u64,
    /// Id of the last event.
    pub event: EventId,
}

/// The moment at which a game must be woken if nothing happens before. A game has at most one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// The game.
    pub game: GameId,
    /// What for.
    pub kind: DeadlineKind,
    /// The ply it was set at; a wake-up for another ply is stale.
    pub ply: u32,
    /// When.
    pub due: UnixMs,
}

/// What is known of a game without reading its log; written with each append, so never behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projection {
    /// Waiting, running, over or aborted.
    pub status: GameStatus,
    /// Whether the public list shows it.
    pub visibility: Visibility,
    /// How others find it while it waits; none for games from tickets.
    pub invite_code: Option<String>,
    /// Who sits there.
    pub players: Vec<PlayerId>,
    /// When it was made.
    pub created: UnixMs,
}

/// One atomic step of a game.
#[derive(Debug, Clone)]
pub struct Append {
    /// The game.
    pub game: GameId,
    /// The head that the events follow; none for a new game.
    pub expected: Option<Head>,
    /// The command that caused the events.
    pub command: CommandId,
    /// At least one event, versions without a gap.
    pub events: Vec<Event>,
    /// Replaces the game's deadline.
    pub deadline: Option<Deadline>,
    /// Replaces what is known of the game.
    pub projection: Projection,
    /// Puts the game, as of these events, into the outbox.
    pub report: bool,
}

/// What became of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// Stored; readers have been told.
    Done,
    /// The log ends elsewhere (or the game exists already); nothing changed.
    Conflict,
}

/// Part of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// Where the whole log ends.
    pub head: Head,
    /// Events after the asked version.
    pub events: Vec<Event>,
}

/// News of a game, told after it was stored.
#[derive(Debug, Clone)]
pub struct Wakeup {
    /// The game.
    pub game: GameId,
    /// What there is to know.
    pub kind: WakeupKind,
}

/// The news itself.
#[derive(Debug, Clone)]
pub enum WakeupKind {
    /// What one command caused, whole.
    Events(Arc<Vec<Event>>),
    /// News that is not stored.
    Passing(Passing),
}

/// A span in which no replica kept the heartbeat: nobody's time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// Each is credited once a game, by this id.
    pub id: String,
    /// The last beat before.
    pub from: UnixMs,
    /// The first beat after.
    pub to: UnixMs,
}

/// A finished or aborted game that the rating service has yet to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxEntry {
    /// The game.
    pub game: GameId,
    /// The version up to which it must be reported.
    pub version: u64,
    /// How often it was tried in vain, as those who tried have counted.
    pub attempts: u32,
}

/// What replicas share out among themselves, shard by shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LeaseKind {
    /// Waiting for deadlines.
    Deadlines,
    /// Draining the outbox.
    Outbox,
}

impl LeaseKind {
    /// The word in keys and rows.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deadlines => "deadlines",
            Self::Outbox => "outbox",
        }
    }
}

/// Who has a shard, and until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The shard.
    pub shard: Shard,
    /// A replica's name.
    pub holder: String,
    /// When it lapses unless renewed.
    pub until: UnixMs,
}

/// The home of live games. Every implementation passes one conformance suite.
#[async_trait]
pub trait LiveStore: Send + Sync + 'static {
    /// The store's time; all replicas agree on it.
    fn now(&self) -> UnixMs;

    /// Whether [`LiveStore::now`] can be believed; a replica for which it cannot is not ready.
    async fn ready(&self) -> Result<(), LiveError> {
        Ok(())
    }

    /// Events after a version, and where the log ends; none if there is no such game here.
    ///
    /// # Errors
    /// As all of these: [`LiveError`].
    async fn load(&self, game: GameId, after: u64) -> Result<Option<Log>, LiveError>;

    /// Stores one step whole or not at all, then tells readers. After an error nobody knows which:
    /// [`LiveStore::caused_by`] tells.
    async fn append(&self, append: Append) -> Result<Appended, LiveError>;

    /// The last version that a command caused, if it was stored.
    async fn caused_by(&self, game: GameId, command: CommandId) -> Result<Option<u64>, LiveError>;

    /// Where the logs of these games end; games that are not here, or not to be reached now, are left out.
    async fn heads(&self, games: &[GameId]) -> Result<Vec<(GameId, Head)>, LiveError>;

    /// News of all games from now on. A receiver that lags has to read the logs.
    fn wakeups(&self) -> broadcast::Receiver<Wakeup>;

    /// Changes whenever news may have been missed, for instance after a subscription was made anew: whoever follows
    /// games then reads the logs. The default is a store that never misses any.
    fn interruptions(&self) -> watch::Receiver<u64> {
        watch::channel(0).1
    }

    /// Tells readers something that is not stored.
    async fn tell(&self, game: GameId, news: Passing) -> Result<(), LiveError>;

    /// Deadlines of these shards that are due at `now`, soonest first.
    async fn due(&self, shards: &[Shard], now: UnixMs, limit: u32) -> Result<Vec<Deadline>, LiveError>;

    /// The next deadlines of all shards, soonest first.
    async fn deadlines(&self, limit: u32) -> Result<Vec<Deadline>, LiveError>;

    /// Takes or renews this holder's fair share of the shards and returns it. Live holders share evenly; a dead
    /// one's shards are free once its leases lapse.
    async fn lease(&self, kind: LeaseKind, holder: &str, until: UnixMs) -> Result<Vec<Shard>, LiveError>;

    /// Gives all leases of a holder back.
    async fn release(&self, kind: LeaseKind, holder: &str) -> Result<(), LiveError>;

    /// Leases that have not lapsed.
    async fn leases(&self, kind: LeaseKind) -> Result<Vec<Lease>, LiveError>;

    /// Outbox entries of these shards that should be tried at `now`.
    async fn outbox(&self, shards: &[Shard], now: UnixMs, limit: u32) -> Result<Vec<OutboxEntry>, LiveError>;

    /// The entry's version has been taken; from `retire` on the game may leave the store if that was all of it.
    async fn reported(&self, entry: &OutboxEntry, retire: UnixMs) -> Result<(), LiveError>;

    /// The entry failed and has now been tried so often in vain: try again at `retry`, or never (parked) if none.
    async fn report_failed(&self, entry: &OutboxEntry, attempts: u32, retry: Option<UnixMs>) -> Result<(), LiveError>;

    /// How many entries wait and how many are parked.
    async fn outbox_size(&self) -> Result<(u64, u64), LiveError>;

    /// Keeps the heartbeat. The beat after a gap of more than `gap_ms` makes an outage of it. Returns the longest that this
    /// store has learned of since it last returned one, whoever made it.
    async fn beat(&self, gap_ms: i64) -> Result<Option<Outage>, LiveError>;

    /// When this store last beat in this shard; 0 if it has not. A shard that cannot be reached is not beaten with the
    /// others.
    fn beaten(&self, shard: Shard) -> UnixMs;

    /// The last beat, if there was one.
    async fn last_beat(&self) -> Result<Option<UnixMs>, LiveError>;

    /// Outages that ended after `since`, oldest first.
    async fn outages(&self, shard: Shard, since: UnixMs) -> Result<Vec<Outage>, LiveError>;

    /// The waiting game with this invite code.
    async fn invited(&self, code: &str) -> Result<Option<GameId>, LiveError>;

    /// Public games of a status, newest first, made before (`created`, id) if given.
    async fn public_games(
        &self,
        status: GameStatus,
        before: Option<(UnixMs, GameId)>,
        limit: u32,
    ) -> Result<Vec<(UnixMs, GameId)>, LiveError>;

    /// A player's waiting and running games, newest first.
    async fn games_of(&self, player: PlayerId) -> Result<Vec<(GameId, GameStatus)>, LiveError>;

    /// All running games.
    async fn running(&self) -> Result<Vec<GameId>, LiveError>;

    /// Removes games whose time to retire came before `now`; returns how many.
    async fn retire(&self, now: UnixMs) -> Result<u64, LiveError>;
}
