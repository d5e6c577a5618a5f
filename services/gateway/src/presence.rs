//! Tells the game service when the first socket of a seated player opens and the last one closes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;
use proto::game::v1::ReportPresenceRequest;
use proto::{GameId, PlayerId};
use tokio::sync::Mutex;

use crate::links::Links;
use crate::problem::Problem;

type Key = (GameId, PlayerId);

/// Who is here.
#[derive(Debug, Clone)]
pub(crate) struct Presences {
    here: Arc<DashMap<Key, Arc<Here>>>,
    links: Links,
}

#[derive(Debug, Default)]
struct Here {
    sockets: AtomicUsize,
    /// What the game service was told last.
    told: Mutex<bool>,
}

/// A seated player's socket is open for as long as this lives.
#[derive(Debug)]
pub(crate) struct Present {
    key: Key,
    presences: Presences,
}

impl Presences {
    pub(crate) fn new(links: Links) -> Self {
        Self { here: Arc::default(), links }
    }

    pub(crate) fn enter(&self, game: GameId, player: PlayerId) -> Present {
        let key = (game, player);
        self.here.entry(key).or_default().sockets.fetch_add(1, Ordering::SeqCst);
        tokio::spawn(self.clone().report(key));
        Present { key, presences: self.clone() }
    }

    /// Reports in turn, so that the last report is the true one.
    async fn report(self, key: Key) {
        let Some(here) = self.here.get(&key).map(|here| Arc::clone(&here)) else { return };
        let mut told = here.told.lock().await;
        let connected = here.sockets.load(Ordering::SeqCst) > 0;
        if *told != connected {
            let (game_id, player_id) = (key.0.to_string(), key.1.to_string());
            match self.links.report_presence(ReportPresenceRequest { game_id, player_id, connected }).await {
                Ok(_) => *told = connected,
                Err(Problem(refusal)) => tracing::debug!(code = %refusal.code, "presence was not reported"),
            }
        }
        self.here.remove_if(&key, |_, here| here.sockets.load(Ordering::SeqCst) == 0);
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        if let Some(here) = self.presences.here.get(&self.key) {
            here.sockets.fetch_sub(1, Ordering::SeqCst);
        }
        // Without a runtime the process is ending, and the game service sees that by itself.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(self.presences.clone().report(self.key));
        }
    }
}
