//! Tells watchers what has happened. A wake-up is news, the log is the truth: a watcher that finds a gap reads the
//! log, and every two seconds the heads of all watched games are compared with what was told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use futures::future::join_all;
use live::{Head, Wakeup, WakeupKind};
use proto::game::v1::{Passing, WatchPlayerResponse};
use proto::types::v1::{Event, GameStatus};
use proto::{GameId, PlayerId};
use runtime::Drain;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, broadcast};
use tokio::time::{MissedTickBehavior, timeout};

use crate::failpoint;
use crate::games::Games;

mod notices;
mod watch;

pub(crate) use watch::{After, Watch, watch_game, watch_player};

const COMPARE_EVERY: Duration = Duration::from_secs(2);
/// How long one game may hold up the news of all.
const BRIEF: Duration = Duration::from_millis(200);
/// News a watcher may be behind before it has to read the log.
const BEHIND: usize = 256;

/// What the watchers of one game are told.
#[derive(Debug, Clone)]
enum News {
    Events(Arc<Vec<Event>>),
    Passing(Passing),
    /// The log ends here; whoever is elsewhere reads it.
    Head(Head),
}

/// What a player is told.
#[derive(Debug, Clone)]
enum PlayerNews {
    Notice(WatchPlayerResponse),
    /// Something may have been missed.
    Missed,
}

/// Who watches what at this replica.
pub(crate) struct Fanout {
    games: Arc<Games>,
    watched: DashMap<GameId, broadcast::Sender<News>>,
    players: DashMap<PlayerId, broadcast::Sender<PlayerNews>>,
    /// Players may have missed something.
    missed: AtomicBool,
    /// Rings when watchers may have missed something, too.
    look: Notify,
}

impl Fanout {
    pub(crate) fn new(games: Arc<Games>) -> Self {
        Self {
            games,
            watched: DashMap::new(),
            players: DashMap::new(),
            missed: AtomicBool::new(false),
            look: Notify::new(),
        }
    }

    fn subscribe(&self, game: GameId) -> broadcast::Receiver<News> {
        self.watched.entry(game).or_insert_with(|| broadcast::channel(BEHIND).0).subscribe()
    }

    fn subscribe_player(&self, player: PlayerId) -> broadcast::Receiver<PlayerNews> {
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
        let version = match &wakeup.kind {
            WakeupKind::Events(events) => events.last().map_or(0, |event| event.v),
            WakeupKind::Passing(_) => 0,
        };
        // A shard that is away must not keep others' news waiting.
        let state = match timeout(BRIEF, self.games.find_since(wakeup.game, version)).await {
            Ok(Ok(Some(state))) => state,
            Ok(Ok(None)) => return,
            Ok(Err(_)) | Err(_) => {
                self.missed.store(true, Ordering::Relaxed);
                return;
            }
        };
        for (player, notice) in notices::of(wakeup, &state) {
            if let Some(listeners) = self.players.get(&player) {
                let _ = listeners.send(PlayerNews::Notice(notice));
            }
        }
    }

    /// What is under way for a player, and whether that is all of it: a shard that is away hides its games only.
    async fn running_games_of(&self, player: PlayerId) -> (Vec<WatchPlayerResponse>, bool) {
        let Ok(games) = self.games.store.games_of(player).await else { return (Vec::new(), false) };
        let running = games.iter().filter(|(_, status)| *status == GameStatus::Running);
        let found = join_all(running.map(|(game, _)| self.games.find(*game))).await;
        let whole = found.iter().all(Result::is_ok);
        let running = found.iter().flatten().flatten().filter(|state| state.status == GameStatus::Running);
        (running.flat_map(|state| notices::of_running(player, state)).collect(), whole)
    }

    fn missed_some(&self) {
        self.missed.store(true, Ordering::Relaxed);
        self.look.notify_one();
    }

    /// Tells watchers where the logs end, and players what is under way if they may have missed something; forgets
    /// what nobody watches.
    async fn compare(&self) {
        self.watched.retain(|_, watchers| watchers.receiver_count() > 0);
        self.players.retain(|_, listeners| listeners.receiver_count() > 0);
        if self.missed.swap(false, Ordering::Relaxed) {
            for listeners in &self.players {
                let _ = listeners.send(PlayerNews::Missed);
            }
        }
        let watched: Vec<GameId> = self.watched.iter().map(|entry| *entry.key()).collect();
        if watched.is_empty() {
            return;
        }
        match self.games.store.heads(&watched).await {
            Ok(heads) => {
                for (game, head) in heads {
                    self.tell(game, News::Head(head));
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
    loop {
        tokio::select! {
            heard = wakeups.recv() => match heard {
                Ok(wakeup) => fanout.hear(wakeup).await,
                Err(RecvError::Lagged(missed)) => {
                    tracing::warn!(wakeups.missed = missed, "wake-ups were missed; the logs are read");
                    fanout.missed_some();
                }
                Err(RecvError::Closed) => return,
            },
            () = drain.draining() => return,
        }
    }
}

/// Compares every so often, and when news may have been missed.
pub(crate) async fn compare(fanout: Arc<Fanout>, drain: Drain) {
    let mut every = tokio::time::interval(COMPARE_EVERY);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut interruptions = fanout.games.store.interruptions();
    loop {
        tokio::select! {
            _ = every.tick() => {}
            () = fanout.look.notified() => {}
            Ok(()) = interruptions.changed() => fanout.missed.store(true, Ordering::Relaxed),
            () = drain.draining() => return,
        }
        fanout.compare().await;
    }
}
