//! Live state in Redis 7 or newer: one server, a master that Sentinels name, or a cluster, as its URL says. All keys, and
//! what puts things right when they go wrong, are in the decision record docs/decisions/live-state-in-redis.md, which
//! rustdoc shows here.
#![cfg_attr(doc, doc = include_str!("../../../docs/decisions/live-state-in-redis.md"))]

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use proto::game::v1::Passing;
use proto::types::v1::GameStatus;
use proto::{CommandId, GameId, PlayerId, Shard};
use redis_link::{Clock, Failure, OpenError, Unsure, slot};
use tokio::sync::{broadcast, watch};
use tokio_util::task::AbortOnDropHandle;

use crate::store::{
    Append, Appended, Deadline, Head, Lease, LeaseKind, LiveError, LiveStore, Log, Outage, OutboxEntry, Wakeup,
};
use beats::Beats;
use link::Link;
use news::News;

mod beats;
mod index;
mod keys;
mod link;
mod log;
mod news;
mod script;
mod shards;
mod upkeep;

/// A replica whose idea of the store's time may be further off is not ready.
const UNSURE_MS: i64 = 50;
/// How long a start waits for news of every shard.
const START: Duration = Duration::from_secs(5);

/// Live state in Redis, for any number of processes.
pub struct RedisLiveStore {
    link: Arc<Link>,
    clock: Arc<Clock>,
    news: Arc<News>,
    beats: Beats,
    _tasks: Vec<AbortOnDropHandle<()>>,
}

impl From<Unsure> for LiveError {
    fn from(unsure: Unsure) -> Self {
        Self::Unavailable(Box::new(unsure))
    }
}

fn unreadable(what: &str) -> LiveError {
    LiveError::Unreadable(what.to_owned())
}

impl RedisLiveStore {
    /// Opens the store, and returns once the store's time is known and news of every shard comes in.
    ///
    /// # Errors
    /// If the URL is wrong, the servers do not answer, or one of them may not hold live state: too old, not of the kind
    /// the URL says, with a `maxmemory-policy` that throws games away, or, unless the URL says `durability=relaxed`,
    /// with a log that is not on disk before a move is answered.
    pub async fn connect(url: &str) -> Result<Self, OpenError> {
        let link = redis_link::Link::new(url, script::all())?;
        let link = Arc::new(Link(Arc::new(link)));
        // The first shard's server keeps the platform's time.
        let clock = Arc::new(Clock::new(slot("{s0}")));
        meet(&link, &clock).await?;
        let news = Arc::new(News::new(Arc::clone(&link)));
        let tasks = vec![
            AbortOnDropHandle::new(tokio::spawn(Arc::clone(&news).run())),
            AbortOnDropHandle::new(tokio::spawn(Arc::clone(&clock).keep(Arc::clone(&link.0)))),
            AbortOnDropHandle::new(tokio::spawn(upkeep::keep_index(Arc::clone(&link), Arc::clone(&clock)))),
        ];
        if tokio::time::timeout(START, news.complete()).await.is_err() {
            return Err(OpenError::Away("some shards' wake-ups cannot be heard".into()));
        }
        Ok(Self { link, clock, news, beats: Beats::new(), _tasks: tasks })
    }
}

/// Finds the servers, looks at each, and learns the time.
async fn meet(link: &Link, clock: &Clock) -> Result<(), Failure> {
    link.ask_directions().await?;
    for node in link.owners() {
        link.greet(&node).await?;
    }
    clock.sample(link).await
}

#[async_trait]
impl LiveStore for RedisLiveStore {
    fn now(&self) -> i64 {
        self.clock.now()
    }

    async fn ready(&self) -> Result<(), LiveError> {
        Ok(self.clock.sure(UNSURE_MS)?)
    }

    #[tracing::instrument(name = "live.load", skip_all, fields(game.id = %game))]
    async fn load(&self, game: GameId, after: u64) -> Result<Option<Log>, LiveError> {
        log::load(&self.link, game, after).await
    }

    #[tracing::instrument(name = "live.append", skip_all, fields(game.id = %append.game))]
    async fn append(&self, append: Append) -> Result<Appended, LiveError> {
        log::append(&self.link, &append, self.now()).await
    }

    async fn caused_by(&self, game: GameId, command: CommandId) -> Result<Option<u64>, LiveError> {
        log::caused_by(&self.link, game, command).await
    }

    async fn heads(&self, games: &[GameId]) -> Result<Vec<(GameId, Head)>, LiveError> {
        log::heads(&self.link, games).await
    }

    fn wakeups(&self) -> broadcast::Receiver<Wakeup> {
        self.news.wakeups()
    }

    fn interruptions(&self) -> watch::Receiver<u64> {
        self.news.interruptions()
    }

    async fn tell(&self, game: GameId, news: Passing) -> Result<(), LiveError> {
        news::tell(&self.link, game, &news).await
    }

    async fn due(&self, shards: &[Shard], now: i64, limit: u32) -> Result<Vec<Deadline>, LiveError> {
        shards::due(&self.link, shards, now, limit).await
    }

    async fn deadlines(&self, limit: u32) -> Result<Vec<Deadline>, LiveError> {
        shards::deadlines(&self.link, limit).await
    }

    async fn lease(&self, kind: LeaseKind, holder: &str, until: i64) -> Result<Vec<Shard>, LiveError> {
        shards::lease(&self.link, kind, holder, until, self.now()).await
    }

    async fn release(&self, kind: LeaseKind, holder: &str) -> Result<(), LiveError> {
        shards::release(&self.link, kind, holder).await
    }

    async fn leases(&self, kind: LeaseKind) -> Result<Vec<Lease>, LiveError> {
        shards::leases(&self.link, kind, self.now()).await
    }

    async fn outbox(&self, shards: &[Shard], now: i64, limit: u32) -> Result<Vec<OutboxEntry>, LiveError> {
        shards::outbox(&self.link, shards, now, limit).await
    }

    async fn reported(&self, entry: &OutboxEntry, retire: i64) -> Result<(), LiveError> {
        shards::reported(&self.link, entry, retire).await
    }

    async fn report_failed(&self, entry: &OutboxEntry, attempts: u32, retry: Option<i64>) -> Result<(), LiveError> {
        shards::report_failed(&self.link, entry, attempts, retry).await
    }

    async fn outbox_size(&self) -> Result<(u64, u64), LiveError> {
        shards::outbox_size(&self.link).await
    }

    /// Refuses while the store's time is unsure: a wrong beat would make an outage where there was none.
    async fn beat(&self, gap_ms: i64) -> Result<Option<Outage>, LiveError> {
        if self.clock.sure(UNSURE_MS).is_err() {
            self.clock.sample(&self.link).await?;
            self.clock.sure(UNSURE_MS)?;
        }
        self.beats.beat(&self.link, gap_ms, self.now()).await
    }

    fn beaten(&self, shard: Shard) -> i64 {
        self.beats.beaten(shard)
    }

    async fn last_beat(&self) -> Result<Option<i64>, LiveError> {
        beats::last_beat(&self.link).await
    }

    async fn outages(&self, shard: Shard, since: i64) -> Result<Vec<Outage>, LiveError> {
        self.beats.outages(&self.link, shard, since, self.now()).await
    }

    async fn invited(&self, code: &str) -> Result<Option<GameId>, LiveError> {
        index::invited(&self.link, code).await
    }

    async fn public_games(
        &self,
        status: GameStatus,
        before: Option<(i64, GameId)>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, LiveError> {
        shards::public_games(&self.link, status, before, limit).await
    }

    async fn games_of(&self, player: PlayerId) -> Result<Vec<(GameId, GameStatus)>, LiveError> {
        index::games_of(&self.link, player).await
    }

    async fn running(&self) -> Result<Vec<GameId>, LiveError> {
        shards::running(&self.link).await
    }

    async fn retire(&self, now: i64) -> Result<u64, LiveError> {
        shards::retire(&self.link, now).await
    }
}
