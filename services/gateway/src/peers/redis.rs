//! Gateways that meet in Redis.
//!
//! All keys have one hash tag, so one slot of a cluster holds them, and none matters for long. What they and the scripts
//! are is in docs/decisions/live-state-in-redis.md.

mod line;
mod message;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use proto::{GameId, PlayerId};
use redis_link::{Call, Link};
use runtime::Drain;
use tokio::sync::broadcast;
use uuid::Uuid;

use super::{NEWS, News, PRESENT, Peers, Rate};
use line::Line;

const TAG: &str = "{gateway}";
/// News that could not be told is tried again so often and so long; by then nobody believes the old.
const AGAIN: Duration = Duration::from_millis(200);
const TRIES: usize = 300;

mod script {
    redis_link::scripts! {
        COUNT = "count", include_str!("redis/lua/count.lua");
        PRESENCE = "presence", include_str!("redis/lua/presence.lua");
    }
}

/// [`Peers`] through Redis.
pub(crate) struct RedisPeers {
    line: Arc<Line>,
    heard: broadcast::Sender<News>,
    me: String,
}

impl fmt::Debug for RedisPeers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisPeers").field("me", &self.me).finish_non_exhaustive()
    }
}

impl RedisPeers {
    /// Finds the server by and by; until then every gateway is on its own.
    ///
    /// # Errors
    /// If the URL makes no sense. The URL is not part of the message.
    pub(crate) fn open(url: &str, drain: &Drain) -> anyhow::Result<Arc<Self>> {
        let heard = broadcast::channel(NEWS).0;
        let line = Arc::new(Line::new(Link::new(url, script::all())?));
        let (stop, keeping) = (drain.clone(), Arc::clone(&line).keep(heard.clone()));
        drain.spawn("gateway peers", async move {
            tokio::select! {
                // The connection stays open to the end.
                () = stop.draining() => {}
                () = keeping => {}
            }
        });
        Ok(Arc::new(Self { line, heard, me: Uuid::now_v7().to_string() }))
    }
}

async fn publish(line: &Line, message: &[u8]) -> bool {
    line.get::<u64>(Call::command("SPUBLISH", &line::channel()).arg(message)).await.is_some()
}

#[async_trait]
impl Peers for RedisPeers {
    async fn count(&self, limit: &'static str, caller: &str, rate: Rate) -> Option<Duration> {
        let period = u64::try_from(rate.period.as_micros()).unwrap_or(u64::MAX);
        let key = format!("{TAG}:limit:{limit}:{caller}");
        let wait_ms: u64 = self.line.get(Call::script(&script::COUNT, &[&key]).arg(period).arg(rate.burst)).await?;
        (wait_ms > 0).then(|| Duration::from_millis(wait_ms))
    }

    async fn tell(&self, news: News) {
        let Some(message) = message::write(news) else { return };
        if publish(&self.line, &message).await {
            return;
        }
        let line = Arc::clone(&self.line);
        tokio::spawn(async move {
            for _ in 0..TRIES {
                tokio::time::sleep(AGAIN).await;
                if publish(&line, &message).await {
                    return;
                }
            }
            tracing::warn!("other gateways could not be told news");
        });
    }

    fn hear(&self) -> broadcast::Receiver<News> {
        self.heard.subscribe()
    }

    async fn presence(&self, game: GameId, player: PlayerId, here: bool) -> bool {
        let lease_ms = if here { PRESENT.as_millis() as u64 } else { 0 };
        let key = format!("{TAG}:here:{game}:{player}");
        let others: Option<u64> =
            self.line.get(Call::script(&script::PRESENCE, &[&key]).arg(&self.me).arg(lease_ms)).await;
        others.is_some_and(|others| others > 0)
    }
}
