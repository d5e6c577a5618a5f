//! Gateways that meet in Redis.
//!
//! All keys have one hash tag, so one slot of a cluster holds them. None matters for long:
//!
//! | key | type | holds | until |
//! | --- | --- | --- | --- |
//! | `{gateway}:limit:<limit>:<caller>` | string | when the caller's requests would be used up, in microseconds | that moment |
//! | `{gateway}:here:<game>:<player>` | zset | gateways by until when they have a socket of the player | 30 s after the last |
//! | `{gateway}:news` | channel | revoked tokens (as hashes), changed players | not kept |

mod dial;
mod line;
mod message;
#[cfg(test)]
mod tests;
mod url;

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use proto::{GameId, PlayerId};
use redis::{FromRedisValue, RedisError, Script, ScriptInvocation, cmd};
use runtime::Drain;
use tokio::sync::broadcast;
use tokio::time::timeout;
use uuid::Uuid;

use super::{NEWS, News, PRESENT, Peers, Rate};
use line::Line;

const TAG: &str = "{gateway}";
/// How long a request waits for Redis before it is judged without.
const PATIENCE: Duration = Duration::from_millis(250);
/// News that could not be told is tried again so often and so long; by then nobody believes the old.
const AGAIN: Duration = Duration::from_millis(200);
const TRIES: usize = 300;

static COUNT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("redis/lua/count.lua")));
static PRESENCE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("redis/lua/presence.lua")));

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
        let url = url.parse().map_err(|why| anyhow::anyhow!("FK_REDIS_URL: {why}"))?;
        let heard = broadcast::channel(NEWS).0;
        let line = Arc::new(Line::new(url));
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

    async fn run<T: FromRedisValue>(
        &self,
        script: &Script,
        key: String,
        give: impl FnOnce(&mut ScriptInvocation<'_>),
    ) -> Option<T> {
        let mut connection = self.line.connection()?;
        let mut invocation = script.key(key);
        give(&mut invocation);
        match timeout(PATIENCE, invocation.invoke_async(&mut connection)).await {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(error)) => {
                self.line.doubt(&error);
                None
            }
            Err(_) => None,
        }
    }
}

async fn publish(line: &Line, message: &[u8]) -> Option<Result<(), RedisError>> {
    let mut connection = line.connection()?;
    let mut publish = cmd("SPUBLISH");
    publish.arg(line::channel()).arg(message);
    let told = timeout(PATIENCE, publish.query_async::<()>(&mut connection)).await.ok()?;
    Some(told.inspect_err(|error| line.doubt(error)))
}

#[async_trait]
impl Peers for RedisPeers {
    async fn count(&self, limit: &'static str, caller: &str, rate: Rate) -> Option<Duration> {
        let period = u64::try_from(rate.period.as_micros()).unwrap_or(u64::MAX);
        let wait_ms: u64 = self
            .run(&COUNT, format!("{TAG}:limit:{limit}:{caller}"), |script| {
                script.arg(period).arg(rate.burst);
            })
            .await?;
        (wait_ms > 0).then(|| Duration::from_millis(wait_ms))
    }

    async fn tell(&self, news: News) {
        let Some(message) = message::write(news) else { return };
        if let Some(Ok(())) = publish(&self.line, &message).await {
            return;
        }
        let line = Arc::clone(&self.line);
        tokio::spawn(async move {
            for _ in 0..TRIES {
                tokio::time::sleep(AGAIN).await;
                if let Some(Ok(())) = publish(&line, &message).await {
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
        let others: Option<u64> = self
            .run(&PRESENCE, format!("{TAG}:here:{game}:{player}"), |script| {
                script.arg(&self.me).arg(lease_ms);
            })
            .await;
        others.is_some_and(|others| others > 0)
    }
}
