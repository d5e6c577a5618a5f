//! The streams of watchers.

use std::sync::Arc;
use std::time::Duration;

use metrics::gauge;
use proto::game::v1::watch_game_response::Item;
use proto::game::v1::{WatchGameResponse, WatchPlayerResponse};
use proto::types::v1::event::What;
use proto::types::v1::{Event, EventLog};
use proto::{Code, EventId, GameId, PlayerId, Refusal};
use runtime::Drain;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::{Fanout, News, PlayerNews};

/// Over which time players are told what they may have missed.
const SPREAD_MS: u64 = 2_000;
/// Messages a watcher may leave unread; after that the stream waits, and then reads the log.
const UNREAD: usize = 32;

pub(crate) type Watch<T> = ReceiverStream<Result<T, Status>>;

/// What a watcher has been told so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct After {
    pub(crate) v: u64,
    /// None: of no event, or it is not known of which.
    pub(crate) id: Option<EventId>,
}

struct Watcher {
    fanout: Arc<Fanout>,
    game: GameId,
    told: After,
    rated: bool,
    out: mpsc::Sender<Result<WatchGameResponse, Status>>,
}

/// The watcher is gone, or has been told the last there is.
struct Ended;

/// Streams a game's events after a version; ends after the last event the game will have, and when draining begins.
pub(crate) async fn watch_game(
    fanout: &Arc<Fanout>,
    game: GameId,
    viewer: Option<PlayerId>,
    after: After,
    drain: &Drain,
) -> Result<Watch<WatchGameResponse>, Refusal> {
    // Subscribed before the log is read, so that nothing falls between.
    let mut news = fanout.subscribe(game);
    let state = fanout.games.visible(game, viewer).await?;
    let backlog = fanout.games.log(game, after.v.saturating_sub(1)).await?;
    let told = told(&backlog, after).ok_or_else(|| lost_branch().at_ply(state.ply()))?;
    let (out, stream) = mpsc::channel(UNREAD);
    let mut watcher = Watcher { fanout: Arc::clone(fanout), game, told, rated: state.settings.rated, out };
    let drain = drain.clone();
    tokio::spawn(async move {
        gauge!("game_watchers").increment(1);
        let complete = backlog.last().is_some_and(|last| watcher.is_last(last));
        if watcher.send(backlog).await.is_ok() && !complete {
            loop {
                let ended = tokio::select! {
                    item = news.recv() => watcher.follow(item).await,
                    () = watcher.out.closed() => Err(Ended),
                    () = drain.draining() => {
                        let _ = watcher.out.send(Err(Refusal::unavailable().into())).await;
                        Err(Ended)
                    }
                };
                if ended.is_err() {
                    break;
                }
            }
        }
        gauge!("game_watchers").decrement(1);
    });
    Ok(ReceiverStream::new(stream))
}

fn lost_branch() -> Refusal {
    Refusal::new(Code::Resync, "after: the game's log does not go on from there")
}

/// Where this is in a log; none if it is not in there.
fn told(log: &[Event], after: After) -> Option<After> {
    if after.v == 0 {
        return Some(After { v: 0, id: None });
    }
    let id = log.iter().find(|event| event.v == after.v)?.id.parse().ok();
    (after.id.is_none() || after.id == id).then_some(After { v: after.v, id })
}

impl Watcher {
    async fn follow(&mut self, news: Result<News, RecvError>) -> Result<(), Ended> {
        match news {
            Ok(News::Events(events)) => {
                match events.iter().find(|event| event.v > self.told.v) {
                    None => Ok(()),
                    Some(next) if next.follows(self.told.v, self.told.id) => self.send(events.to_vec()).await,
                    // Something is missing, or one of us has a branch that is lost; the log knows.
                    Some(_) => self.catch_up().await,
                }
            }
            Ok(News::Passing(passing)) => self.put(Item::Passing(passing)).await,
            Ok(News::Head(head)) if self.told == (After { v: head.version, id: Some(head.event) }) => Ok(()),
            Ok(News::Head(_)) | Err(RecvError::Lagged(_)) => self.catch_up().await,
            Err(RecvError::Closed) => Err(Ended),
        }
    }

    /// Reads the log from what was told last, to see whether that is still there.
    async fn catch_up(&mut self) -> Result<(), Ended> {
        match self.fanout.games.log(self.game, self.told.v.saturating_sub(1)).await {
            Ok(events) if told(&events, self.told).is_some() => self.send(events).await,
            Ok(_) => self.refuse(lost_branch()).await,
            Err(refusal) => self.refuse(refusal).await,
        }
    }

    async fn refuse(&self, refusal: Refusal) -> Result<(), Ended> {
        let _ = self.out.send(Err(refusal.into())).await;
        Err(Ended)
    }

    async fn send(&mut self, mut events: Vec<Event>) -> Result<(), Ended> {
        events.retain(|event| event.v > self.told.v);
        let Some(last) = events.last() else { return Ok(()) };
        self.told = After { v: last.v, id: last.id.parse().ok() };
        let ends = self.is_last(last);
        self.put(Item::Events(EventLog { events })).await?;
        if ends { Err(Ended) } else { Ok(()) }
    }

    async fn put(&self, item: Item) -> Result<(), Ended> {
        self.out.send(Ok(WatchGameResponse { item: Some(item) })).await.map_err(|_| Ended)
    }

    fn is_last(&self, event: &Event) -> bool {
        match event.what {
            Some(What::Aborted(_) | What::Rated(_)) => true,
            Some(What::Over(_)) => !self.rated,
            _ => false,
        }
    }
}

/// Streams what a player wants to hear: of all running games first, and again whenever something may have been missed.
pub(crate) fn watch_player(fanout: &Arc<Fanout>, player: PlayerId, drain: &Drain) -> Watch<WatchPlayerResponse> {
    let mut notices = fanout.subscribe_player(player);
    let (out, stream) = mpsc::channel(UNREAD);
    let (fanout, drain) = (Arc::clone(fanout), drain.clone());
    tokio::spawn(async move {
        // When to tell of all running games.
        let mut again = Some(Instant::now());
        loop {
            let told = tokio::select! {
                () = sleep_until(again.unwrap_or_else(Instant::now)), if again.is_some() => {
                    let (told, whole) = fanout.running_games_of(player).await;
                    again = (!whole).then(soon);
                    told
                }
                news = notices.recv() => match news {
                    Ok(PlayerNews::Notice(notice)) => vec![notice],
                    Ok(PlayerNews::Missed) | Err(RecvError::Lagged(_)) => {
                        again = again.or_else(|| Some(soon()));
                        continue;
                    }
                    Err(RecvError::Closed) => return,
                },
                () = out.closed() => return,
                () = drain.draining() => {
                    let _ = out.send(Err(Refusal::unavailable().into())).await;
                    return;
                }
            };
            for notice in told {
                if out.send(Ok(notice)).await.is_err() {
                    return;
                }
            }
        }
    });
    ReceiverStream::new(stream)
}

/// Not all players at once.
fn soon() -> Instant {
    Instant::now() + Duration::from_millis(rand::random_range(0..SPREAD_MS))
}
