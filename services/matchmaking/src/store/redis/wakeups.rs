use std::sync::Arc;
use std::time::Duration;

use proto::PlayerId;
use redis::{PushInfo, PushKind, Value, cmd};
use redis_link::{Failure, Link};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use crate::news::News;

/// How long until a lost subscription is made again.
const PAUSE: Duration = Duration::from_millis(100);
/// How often a silent connection is asked whether it is there.
const PING_EVERY: Duration = Duration::from_secs(1);

/// Passes on what the scripts tell of players' tickets, for as long as it is polled.
pub(super) async fn hear(link: Arc<Link>, channel: String, news: News) {
    loop {
        if let Err(error) = listen(&link, &channel, &news).await {
            tracing::debug!(error = &error as &dyn std::error::Error, "news of tickets cannot be heard; trying again");
            // Perhaps they are elsewhere by now; if nobody knows, it is asked again soon.
            let _ = link.ask_directions().await;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Returns once the subscription is lost.
async fn listen(link: &Link, channel: &str, news: &News) -> Result<(), Failure> {
    let (sender, mut pushes) = mpsc::unbounded_channel();
    let (node, mut connection) = link.subscribe(channel, sender).await?;
    // Whatever was told before this moment went past us.
    news.tell_all();
    let mut pings = tokio::time::interval(PING_EVERY);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            push = pushes.recv() => match push {
                Some(push) if matches!(push.kind, PushKind::SMessage) => {
                    if let Some(player) = player(&push) {
                        news.tell(player);
                    }
                }
                // A slot that moves takes its subscriptions along.
                Some(PushInfo { kind: PushKind::SUnsubscribe | PushKind::Disconnection, .. }) | None => return Ok(()),
                Some(_) => {}
            },
            _ = pings.tick() => {
                cmd("PING").query_async::<()>(&mut connection).await.map_err(|error| Failure::Lost(node.clone(), error))?;
            }
        }
    }
}

fn player(push: &PushInfo) -> Option<PlayerId> {
    let Value::BulkString(text) = push.data.last()? else { return None };
    std::str::from_utf8(text).ok()?.parse().ok()
}
