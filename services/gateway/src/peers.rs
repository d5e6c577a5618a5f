//! What gateways count together and tell each other. Alone, nothing; through Redis, if there are several.
//!
//! Play never depends on it: without Redis each gateway counts by itself, and a token that died elsewhere is found out
//! when the cache's freshness ends.

mod alone;
mod redis;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use proto::{GameId, PlayerId};
use tokio::sync::broadcast;

use crate::token::TokenHash;

pub(crate) use alone::Alone;
pub(crate) use redis::RedisPeers;

/// News that a reader may be behind.
const NEWS: usize = 1024;

/// What one gateway tells all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// A token was revoked.
    Died(TokenHash),
    /// A player's name or kind is another, or a token of theirs may be dead.
    Changed(PlayerId),
    /// Something may have been told that was not heard.
    Missed,
}

/// How many requests pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rate {
    /// Between two, in the long run.
    pub(crate) period: Duration,
    /// At once, after a pause.
    pub(crate) burst: u32,
}

/// The other gateways.
#[async_trait]
pub(crate) trait Peers: Send + Sync + fmt::Debug + 'static {
    /// Counts a request of this caller at any gateway; how long to wait if it is one too many.
    async fn count(&self, limit: &'static str, caller: &str, rate: Rate) -> Option<Duration>;

    /// Tells the others, now or as soon as that is possible.
    async fn tell(&self, news: News);

    /// What the others tell.
    fn hear(&self) -> broadcast::Receiver<News>;

    /// Says that a player is, or is no longer, at a game here; whether another gateway has said that they are, in the
    /// last [`PRESENT`].
    async fn presence(&self, game: GameId, player: PlayerId, here: bool) -> bool;
}

/// How long a player is believed to be where a gateway said so.
pub(crate) const PRESENT: Duration = Duration::from_secs(30);
