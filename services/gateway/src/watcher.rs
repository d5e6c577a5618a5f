//! Keeps a feed in step with its game.

use std::sync::Arc;
use std::time::Duration;

use proto::game::v1::watch_game_response::Item;
use proto::game::v1::{GetGameRequest, WatchGameRequest, WatchGameResponse};
use proto::{Code, Refusal};
use tokio::time::{Instant, sleep_until};
use tonic::Streaming;

use crate::backoff::Backoff;
use crate::feed::{End, Feed, Feeds, Line};
use crate::links::Links;
use crate::metrics;
use crate::problem::Problem;
use crate::view::event::Passing;

/// How long a feed outlives its last reader.
const UNREAD: Duration = Duration::from_secs(5);
/// How long an event may be on its way when the game is already ahead.
const ON_ITS_WAY: Duration = Duration::from_millis(300);

/// Watches until nobody reads any more.
pub(crate) async fn run(feed: Arc<Feed>, feeds: Feeds, links: Links, compare_head: Duration) {
    let _open = metrics::Open::watch();
    let watching = async {
        let mut backoff = Backoff::default();
        while feed.head().end.is_none() {
            match open(&feed, &links).await {
                Ok(stream) => {
                    let before = feed.head().v;
                    follow(&feed, &links, stream, compare_head).await;
                    if feed.head().v > before {
                        backoff = Backoff::default();
                    }
                }
                Err(Problem(refusal)) => match refusal.code {
                    Code::NotFound | Code::Forbidden => feed.end(End::Gone),
                    Code::Resync => feed.end(End::Resync),
                    _ => {}
                },
            }
            if feed.head().end.is_none() {
                backoff.pause().await;
            }
        }
        if feed.head().end != Some(End::Finished) {
            feeds.close(&feed);
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = watching => {}
        () = unread(&feed, &feeds) => {}
    }
}

/// Resolves once the feed was taken away because nobody had read it for a while.
async fn unread(feed: &Arc<Feed>, feeds: &Feeds) {
    loop {
        feeds.rest(UNREAD).await;
        let closed = feeds.close_if_unread(feed);
        let left_alone = Arc::strong_count(feed) == 1 && feed.head().end.is_some();
        if closed || left_alone {
            return;
        }
    }
}

/// Opens the watch on behalf of a reader who may see the game.
async fn open(feed: &Feed, links: &Links) -> Result<Streaming<WatchGameResponse>, Problem> {
    let viewers: Vec<String> = feed.viewers().keys().cloned().collect();
    let mut refused = Problem(Refusal::unavailable());
    for viewer_id in viewers {
        let head = feed.head();
        let after_id = head.event.map(|id| id.to_string()).unwrap_or_default();
        let request = WatchGameRequest { game_id: feed.id.to_string(), viewer_id, after: head.v, after_id };
        match links.watch_game(request).await {
            Err(problem) if problem.0.code == Code::NotFound => refused = problem,
            opened => return opened,
        }
    }
    Err(refused)
}

/// Takes in what comes, until the stream breaks, skips something, or falls behind the game.
async fn follow(feed: &Feed, links: &Links, mut stream: Streaming<WatchGameResponse>, compare_head: Duration) {
    let mut quiet_until = Instant::now() + compare_head;
    let mut behind = false;
    while feed.head().end.is_none() {
        tokio::select! {
            biased;
            told = stream.message() => {
                let item = match told {
                    Ok(Some(told)) => told.item,
                    Ok(None) => return,
                    Err(status) => {
                        if Refusal::from(&status).code == Code::Resync {
                            feed.end(End::Resync);
                        }
                        return;
                    }
                };
                match item {
                    Some(Item::Events(log)) => {
                        if !feed.append(&log.events) {
                            tracing::warn!(game.id = %feed.id, game.v = feed.head().v, "a watched game skipped events");
                            return;
                        }
                        behind = false;
                        quiet_until = Instant::now() + compare_head;
                    }
                    Some(Item::Passing(passing)) => {
                        if let Some(line) = Passing::of(&passing).and_then(|passing| Line::of(&passing)) {
                            feed.pass(line);
                        }
                    }
                    None => {}
                }
            }
            () = sleep_until(quiet_until) => {
                let Some(v) = head_of_game(feed, links).await else { return };
                if v > feed.head().v {
                    if behind {
                        tracing::warn!(game.id = %feed.id, game.v = v, feed.v = feed.head().v, "a watch fell behind");
                        return;
                    }
                    behind = true;
                    quiet_until = Instant::now() + ON_ITS_WAY;
                } else {
                    behind = false;
                    quiet_until = Instant::now() + compare_head;
                }
            }
        }
    }
}

/// `None` if the game cannot be asked.
async fn head_of_game(feed: &Feed, links: &Links) -> Option<u64> {
    let viewer_id = feed.viewers().keys().next().cloned().unwrap_or_default();
    let request = GetGameRequest { game_id: feed.id.to_string(), viewer_id, include_legal_moves: false };
    links.get_game(request).await.ok()?.game.map(|game| game.v)
}
