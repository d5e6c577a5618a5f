//! The way to whichever server holds the slot. A task keeps a subscription there; while there is none, whoever needs
//! Redis goes on without.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::{FromRedisValue, PushInfo, PushKind, Value, cmd};
use redis_link::{Call, Failure, Link};
use tokio::sync::{Notify, broadcast, mpsc};
use tokio::time::{MissedTickBehavior, timeout};

use super::{TAG, message};
use crate::peers::News;

/// How long a request waits for Redis before it is judged without.
const PATIENCE: Duration = Duration::from_millis(250);
/// Between two attempts to subscribe.
const PAUSE: Duration = Duration::from_millis(100);
/// How often a silent connection is asked whether it is there.
const PING_EVERY: Duration = Duration::from_millis(500);

pub(super) fn channel() -> String {
    format!("{TAG}:news")
}

pub(super) struct Line {
    link: Link,
    open: AtomicBool,
    doubted: Notify,
}

impl Line {
    pub(super) fn new(link: Link) -> Self {
        Self { link, open: AtomicBool::new(false), doubted: Notify::new() }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::SeqCst)
    }

    /// Nothing, and soon, when Redis does not do it.
    pub(super) async fn get<T: FromRedisValue>(&self, call: Call) -> Option<T> {
        if !self.is_open() {
            return None;
        }
        match timeout(PATIENCE, self.link.get(call.hasty())).await {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(error)) => {
                // What failed once may fail again, or the server may no longer be the one.
                tracing::debug!(error = &error as &dyn std::error::Error, "Redis did not do it");
                self.doubted.notify_one();
                None
            }
            Err(_) => None,
        }
    }

    /// Subscribes, listens, and begins again, for as long as it is polled.
    pub(super) async fn keep(self: Arc<Self>, heard: broadcast::Sender<News>) {
        let mut told = false;
        loop {
            let ended = self.listen(&heard).await;
            let was_open = self.open.swap(false, Ordering::SeqCst);
            if was_open || !told {
                let error = ended.as_ref().err().map(|error| error as &dyn std::error::Error);
                tracing::warn!(error, "no connection to Redis: limits hold for this gateway alone");
                told = true;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns once the subscription is lost.
    async fn listen(&self, heard: &broadcast::Sender<News>) -> Result<(), Failure> {
        self.link.ask_directions().await?;
        let (sender, mut pushes) = mpsc::unbounded_channel();
        let (node, mut connection) = self.link.subscribe(&channel(), sender).await?;
        // A doubt about an earlier connection is not about this one.
        let _ = timeout(Duration::ZERO, self.doubted.notified()).await;
        self.open.store(true, Ordering::SeqCst);
        tracing::debug!(redis.server = %node, "connected to Redis");
        // Whatever was told before this moment went past us. Nobody listening is no error.
        let _ = heard.send(News::Missed);
        let mut pings = tokio::time::interval(PING_EVERY);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                push = pushes.recv() => match push {
                    Some(PushInfo { kind: PushKind::SMessage, data }) => {
                        if let Some(Value::BulkString(told)) = data.last()
                            && let Some(news) = message::read(told)
                        {
                            let _ = heard.send(news);
                        }
                    }
                    // A slot that moves takes its subscriptions along.
                    Some(PushInfo { kind: PushKind::SUnsubscribe | PushKind::Disconnection, .. }) | None => return Ok(()),
                    Some(_) => {}
                },
                _ = pings.tick() => {
                    let answer = cmd("PING").query_async::<()>(&mut connection).await;
                    answer.map_err(|error| Failure::Lost(node.clone(), error))?;
                }
                () = self.doubted.notified() => return Ok(()),
            }
        }
    }
}
