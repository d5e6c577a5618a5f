//! Tells the game service when the first socket of a seated player opens and the last one closes, at any gateway.
//!
//! Gateways tell each other who is here. While they cannot, each reports for itself; a gateway that died is believed for
//! [`PRESENT`], and nobody reports for it: the next one to close does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;
use proto::game::v1::ReportPresenceRequest;
use proto::{GameId, PlayerId};
use tokio::sync::Mutex;

use crate::links::Links;
use crate::peers::{PRESENT, Peers};
use crate::problem::Problem;

type Key = (GameId, PlayerId);

/// Who is here.
#[derive(Debug, Clone)]
pub(crate) struct Presences {
    here: Arc<DashMap<Key, Arc<Here>>>,
    links: Links,
    peers: Arc<dyn Peers>,
}

#[derive(Debug, Default)]
struct Here {
    sockets: AtomicUsize,
    /// What was told last.
    told: Mutex<bool>,
}

/// A seated player's socket is open for as long as this lives.
#[derive(Debug)]
pub(crate) struct Present {
    key: Key,
    presences: Presences,
}

impl Presences {
    pub(crate) fn new(links: Links, peers: Arc<dyn Peers>) -> Self {
        Self { here: Arc::default(), links, peers }
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
            let elsewhere = self.peers.presence(key.0, key.1, connected).await;
            if elsewhere || self.tell_game(key, connected).await {
                *told = connected;
            }
        }
        self.here.remove_if(&key, |_, here| here.sockets.load(Ordering::SeqCst) == 0);
    }

    async fn tell_game(&self, (game, player): Key, connected: bool) -> bool {
        let (game_id, player_id) = (game.to_string(), player.to_string());
        let told = self.links.report_presence(ReportPresenceRequest { game_id, player_id, connected }).await;
        told.inspect_err(|Problem(refusal)| tracing::debug!(code = %refusal.code, "presence was not reported")).is_ok()
    }

    /// Goes on telling the other gateways who is here, for as long as it is polled.
    pub(crate) async fn renew(&self) {
        loop {
            tokio::time::sleep(PRESENT / 3).await;
            let here: Vec<(Key, Arc<Here>)> =
                self.here.iter().map(|entry| (*entry.key(), Arc::clone(entry.value()))).collect();
            for ((game, player), here) in here {
                let told = here.told.lock().await;
                if *told && here.sockets.load(Ordering::SeqCst) > 0 {
                    self.peers.presence(game, player, true).await;
                }
            }
        }
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
