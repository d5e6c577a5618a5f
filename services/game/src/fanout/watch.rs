//! The streams of watchers.

use std::sync::Arc;

use metrics::gauge;
use proto::game::v1::watch_game_response::Item;
use proto::game::v1::{WatchGameResponse, WatchPlayerResponse};
use proto::types::v1::event::What;
use proto::types::v1::{Event, EventLog};
use proto::{Code, GameId, PlayerId, Refusal};
use runtime::Drain;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::{Fanout, News};

/// Messages a watcher may leave unread; after that the stream waits, and then reads the log.
const UNREAD: usize = 32;

pub(crate) type Watch<T> = ReceiverStream<Result<T, Status>>;

struct Watcher {
    fanout: Arc<Fanout>,
    game: GameId,
    told: u64,
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
    after: u64,
    drain: &Drain,
) -> Result<Watch<WatchGameResponse>, Refusal> {
    // Subscribed before the log is read, so that nothing falls between.
    let mut news = fanout.subscribe(game);
    let state = fanout.games.visible(game, viewer).await?;
    let backlog = fanout.games.log(game, 0).await?;
    let head = backlog.last().map_or(0, |event| event.v);
    if after > head {
        let detail = format!("after: the game's last event is {head}");
        return Err(Refusal::new(Code::Resync, detail).at_ply(state.ply()));
    }
    let (out, stream) = mpsc::channel(UNREAD);
    let mut watcher = Watcher { fanout: Arc::clone(fanout), game, told: after, rated: state.settings.rated, out };
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

impl Watcher {
    async fn follow(&mut self, news: Result<News, RecvError>) -> Result<(), Ended> {
        match news {
            Ok(News::Events(events)) => {
                let next = events.first().map_or(0, |event| event.v);
                if next > self.told + 1 { self.catch_up().await } else { self.send(events.to_vec()).await }
            }
            Ok(News::Passing(passing)) => self.put(Item::Passing(passing)).await,
            Ok(News::Head(version)) if version <= self.told => Ok(()),
            Ok(News::Head(_)) | Err(RecvError::Lagged(_)) => self.catch_up().await,
            Err(RecvError::Closed) => Err(Ended),
        }
    }

    async fn catch_up(&mut self) -> Result<(), Ended> {
        match self.fanout.games.log(self.game, self.told).await {
            Ok(events) => self.send(events).await,
            Err(refusal) => {
                let _ = self.out.send(Err(refusal.into())).await;
                Err(Ended)
            }
        }
    }

    async fn send(&mut self, mut events: Vec<Event>) -> Result<(), Ended> {
        events.retain(|event| event.v > self.told);
        let Some(last) = events.last() else { return Ok(()) };
        self.told = last.v;
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

/// Streams what a player wants to hear, from now on.
pub(crate) fn watch_player(fanout: &Fanout, player: PlayerId, drain: &Drain) -> Watch<WatchPlayerResponse> {
    let mut notices = fanout.subscribe_player(player);
    let (out, stream) = mpsc::channel(UNREAD);
    let drain = drain.clone();
    tokio::spawn(async move {
        loop {
            let message = tokio::select! {
                notice = notices.recv() => match notice {
                    Ok(notice) => Ok(notice),
                    Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => return,
                },
                () = out.closed() => return,
                () = drain.draining() => Err(Refusal::unavailable().into()),
            };
            let last = message.is_err();
            if out.send(message).await.is_err() || last {
                return;
            }
        }
    });
    ReceiverStream::new(stream)
}
