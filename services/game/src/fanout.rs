//! Tells watchers what has happened. A wake-up is news, the log is the truth: a watcher that finds a gap reads the
//! log, and every two seconds the heads of all watched games are compared with what was told.

use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;
use live::{Wakeup, WakeupKind};
use proto::game::v1::{Passing, WatchPlayerResponse};
use proto::types::v1::Event;
use proto::{GameId, PlayerId};
use runtime::Drain;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::failpoint;
use crate::games::Games;

mod notices;
mod watch;

pub(crate) use watch::{Watch, watch_game, watch_player};

const COMPARE_EVERY: Duration = Duration::from_secs(2);
/// News a watcher may be behind before it has to read the log.
const BEHIND: usize = 256;

/// What the watchers of one game are told.
#[derive(Debug, Clone)]
enum News {
    Events(Arc<Vec<Event>>),
    Passing(Passing),
    /// The log ends here; whoever is behind reads it.
    Head(u64),
}

/// Who watches what at this replica.
pub(crate) struct Fanout {
    games: Arc<Games>,
    watched: DashMap<GameId, broadcast::Sender<News>>,
    players: DashMap<PlayerId, broadcast::Sender<WatchPlayerResponse>>,
}

impl Fanout {
    pub(crate) fn new(games: Arc<Games>) -> Self {
        Self { games, watched: DashMap::new(), players: DashMap::new() }
    }

    fn subscribe(&self, game: GameId) -> broadcast::Receiver<News> {
        self.watched.entry(game).or_insert_with(|| broadcast::channel(BEHIND).0).subscribe()
    }

    fn subscribe_player(&self, player: PlayerId) -> broadcast::Receiver<WatchPlayerResponse> {
        self.players.entry(player).or_insert_with(|| broadcast::channel(BEHIND).0).subscribe()
    }

    async fn hear(&self, wakeup: Wakeup) {
        failpoint::reach("before_wakeup");
        match &wakeup.kind {
            WakeupKind::Events(events) => {
                self.games.heard(wakeup.game, events);
                self.tell(wakeup.game, News::Events(Arc::clone(events)));
            }
            WakeupKind::Passing(passing) => self.tell(wakeup.game, News::Passing(passing.clone())),
        }
        if !self.players.is_empty() {
            self.notify_players(&wakeup).await;
        }
    }

    fn tell(&self, game: GameId, news: News) {
        if let Some(watchers) = self.watched.get(&game) {
            // Nobody listening any more is no error; `compare` forgets the game.
            let _ = watchers.send(news);
        }
    }

    async fn notify_players(&self, wakeup: &Wakeup) {
        let Ok(Some(state)) = self.games.find(wakeup.game).await else { return };
        for (player, notice) in notices::of(wakeup, &state) {
            if let Some(listeners) = self.players.get(&player) {
                let _ = listeners.send(notice);
            }
        }
    }

    /// Tells watchers where the logs end, and forgets what nobody watches.
    async fn compare(&self) {
        self.watched.retain(|_, watchers| watchers.receiver_count() > 0);
        self.players.retain(|_, listeners| listeners.receiver_count() > 0);
        let watched: Vec<GameId> = self.watched.iter().map(|entry| *entry.key()).collect();
        if watched.is_empty() {
            return;
        }
        match self.games.store.heads(&watched).await {
            Ok(heads) => {
                for (game, head) in heads {
                    self.tell(game, News::Head(head.version));
                }
            }
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "heads could not be compared");
            }
        }
    }
}

/// Passes wake-ups on until the drain begins.
pub(crate) async fn run(fanout: Arc<Fanout>, mut wakeups: broadcast::Receiver<Wakeup>, drain: Drain) {
    let mut compare = tokio::time::interval(COMPARE_EVERY);
    let mut interruptions = fanout.games.store.interruptions();
    loop {
        tokio::select! {
            heard = wakeups.recv() => match heard {
                Ok(wakeup) => fanout.hear(wakeup).await,
                Err(RecvError::Lagged(missed)) => {
                    tracing::warn!(wakeups.missed = missed, "wake-ups were missed; the logs are read");
                    fanout.compare().await;
                }
                Err(RecvError::Closed) => return,
            },
            _ = compare.tick() => fanout.compare().await,
            Ok(()) = interruptions.changed() => fanout.compare().await,
            () = drain.draining() => return,
        }
    }
}
