//! One connection to whichever server holds the slot, for commands and news alike. A task keeps it; whoever needs it
//! and finds none goes on without.

use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{PushInfo, PushKind, RedisError, Value, cmd};
use tokio::sync::{Notify, broadcast, mpsc, watch};
use tokio::time::MissedTickBehavior;

use super::url::Url;
use super::{TAG, dial, message};
use crate::peers::News;

/// Between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(100);
/// How often a silent connection is asked whether it is there.
const PING_EVERY: Duration = Duration::from_millis(500);

pub(super) fn channel() -> String {
    format!("{TAG}:news")
}

pub(super) struct Line {
    url: Url,
    open: watch::Sender<Option<MultiplexedConnection>>,
    doubted: Notify,
}

impl Line {
    pub(super) fn new(url: Url) -> Self {
        Self { url, open: watch::channel(None).0, doubted: Notify::new() }
    }

    pub(super) fn connection(&self) -> Option<MultiplexedConnection> {
        self.open.borrow().clone()
    }

    /// A connection that failed once may fail again, or lead to a server that no longer holds the slot.
    pub(super) fn doubt(&self, error: &RedisError) {
        tracing::debug!(%error, "Redis did not do it");
        self.doubted.notify_one();
    }

    /// Connects, listens, and begins again, for as long as it is polled.
    pub(super) async fn keep(self: Arc<Self>, heard: broadcast::Sender<News>) {
        let mut told = false;
        loop {
            let ended = self.listen(&heard).await;
            let was_open = self.open.send_replace(None).is_some();
            if was_open || !told {
                let why = ended.err().map_or_else(|| "it was closed".to_owned(), |error| error.to_string());
                tracing::warn!(error = why, "no connection to Redis: limits hold for this gateway alone");
                told = true;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns once the connection is lost.
    async fn listen(&self, heard: &broadcast::Sender<News>) -> Result<(), RedisError> {
        let (sender, mut pushes) = mpsc::unbounded_channel();
        let mut connection = dial::holder(&self.url, &channel(), sender).await?;
        let mut subscribe = cmd("SSUBSCRIBE");
        subscribe.arg(channel());
        connection.send_packed_command(&subscribe).await?.extract_error()?;
        // A doubt about an earlier connection is not about this one.
        let _ = tokio::time::timeout(Duration::ZERO, self.doubted.notified()).await;
        self.open.send_replace(Some(connection.clone()));
        tracing::debug!("connected to Redis");
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
                _ = pings.tick() => cmd("PING").query_async::<()>(&mut connection).await?,
                () = self.doubted.notified() => return Ok(()),
            }
        }
    }
}
