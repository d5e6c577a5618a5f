//! Who a token speaks for, from a short-lived cache in front of the store, and news of tokens that died here or at
//! another gateway.

#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use moka::future::Cache;
use moka::ops::compute::Op;
use proto::{Code, PlayerId, Refusal};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

use crate::metrics;
use crate::peers::{News, Peers};
use crate::store::{AccountStore, Player, Scopes, TokenKind, TokenRecord, UnixMs};
use crate::token::{LIFETIME_MS, TOUCH_MS, TokenHash};

const CACHED: u64 = 100_000;
/// How long a token that is not asked for stays, to go on from while the store is away.
const KEPT: Duration = Duration::from_secs(3600);
/// Longer than any answer of the store that was under way when the token died.
const MOURNED: Duration = Duration::from_secs(120);
const NEWS: usize = 256;
/// How long the store gets when the caller is known anyway; and how long it is then let alone.
const PATIENCE: Duration = Duration::from_millis(500);
const REST: Duration = Duration::from_secs(1);
/// How long it gets when nobody else knows the caller.
const LAST_PATIENCE: Duration = Duration::from_secs(4);
/// Over which sockets ask again after news may have been missed.
const SPREAD_MS: u64 = 500;
/// Between two looks at a token.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);

/// A caller whose token was good a moment ago.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) player: Player,
    pub(crate) token: TokenRecord,
}

impl Identity {
    pub(crate) fn id(&self) -> PlayerId {
        self.player.id
    }

    pub(crate) fn scopes(&self) -> Scopes {
        self.token.scopes
    }

    pub(crate) fn is_session(&self) -> bool {
        self.token.kind == TokenKind::Session
    }
}

#[derive(Debug, Clone)]
struct Entry {
    identity: Arc<Identity>,
    /// Unless it is not believed without asking.
    fetched: Option<Instant>,
}

/// All identities in use.
#[derive(Debug, Clone)]
pub(crate) struct Identities {
    store: Arc<dyn AccountStore>,
    cache: Cache<TokenHash, Entry>,
    dead: Cache<TokenHash, ()>,
    died: broadcast::Sender<Death>,
    fresh: Duration,
    peers: Arc<dyn Peers>,
    moments: Arc<RwLock<Moments>>,
}

#[derive(Debug, Clone, Copy)]
enum Death {
    Of(TokenHash),
    /// Anybody's, perhaps.
    Perhaps,
}

#[derive(Debug, Default)]
struct Moments {
    /// What was fetched before is not believed without asking.
    doubted: Option<Instant>,
    /// The store was found away.
    away: Option<Instant>,
}

impl Identities {
    pub(crate) fn new(store: Arc<dyn AccountStore>, peers: Arc<dyn Peers>, fresh: Duration) -> Self {
        Self {
            store,
            cache: Cache::builder().max_capacity(CACHED).time_to_idle(KEPT).build(),
            dead: Cache::builder().max_capacity(CACHED).time_to_live(MOURNED).build(),
            died: broadcast::channel(NEWS).0,
            fresh,
            peers,
            moments: Arc::default(),
        }
    }

    /// The caller behind a token. While the store is away, whoever was known goes on being known.
    pub(crate) async fn of(&self, hash: TokenHash) -> Result<Arc<Identity>, Refusal> {
        if self.dead.contains_key(&hash) {
            return Err(unauthenticated());
        }
        let now = runtime::wall_clock_ms();
        let cached = self.cache.get(&hash).await.filter(|entry| entry.identity.token.expires > now);
        if let Some(entry) = &cached
            && self.goes_without_asking(entry)
        {
            self.touch(entry, now).await;
            return Ok(Arc::clone(&entry.identity));
        }
        let fetched = Instant::now();
        let patience = if cached.is_some() { PATIENCE } else { LAST_PATIENCE };
        match timeout(patience, self.store.token(hash, now)).await {
            Ok(Ok(Some((token, player)))) => {
                let entry = Entry { identity: Arc::new(Identity { player, token }), fetched: Some(fetched) };
                self.cache.insert(hash, entry.clone()).await;
                self.touch(&entry, now).await;
                if self.dead.contains_key(&hash) {
                    // It died while we were asking.
                    self.cache.invalidate(&hash).await;
                    return Err(unauthenticated());
                }
                Ok(entry.identity)
            }
            Ok(Ok(None)) => {
                self.cache.invalidate(&hash).await;
                Err(unauthenticated())
            }
            Ok(Err(error)) => self.without_store(&error, cached),
            Err(late) => self.without_store(&late, cached),
        }
    }

    fn goes_without_asking(&self, entry: &Entry) -> bool {
        let moments = self.moments.read().unwrap_or_else(PoisonError::into_inner);
        let fresh = entry
            .fetched
            .is_some_and(|fetched| fetched.elapsed() < self.fresh && moments.doubted.is_none_or(|at| fetched > at));
        fresh || moments.away.is_some_and(|at| at.elapsed() < REST)
    }

    fn without_store(&self, why: &dyn std::fmt::Display, cached: Option<Entry>) -> Result<Arc<Identity>, Refusal> {
        tracing::warn!(error = %why, "tokens cannot be looked up");
        self.moments.write().unwrap_or_else(PoisonError::into_inner).away = Some(Instant::now());
        cached.map(|entry| entry.identity).ok_or_else(Refusal::unavailable)
    }

    /// Writes down that the token was used, now and then.
    async fn touch(&self, Entry { identity, .. }: &Entry, now: UnixMs) {
        if now - identity.token.last_used < TOUCH_MS {
            return;
        }
        let mut token = identity.token.clone();
        token.last_used = now;
        token.expires = now + LIFETIME_MS;
        let (id, expires) = (token.id, token.expires);
        let touched = Arc::new(Identity { player: identity.player.clone(), token });
        let hash = touched.token.hash;
        // What was forgotten or buried meanwhile stays so.
        self.change(hash, |known| Entry { identity: touched, ..known }).await;
        let store = Arc::clone(&self.store);
        tokio::spawn(async move {
            if let Err(error) = store.touch_token(id, now, expires).await {
                tracing::warn!(%error, "the use of a token could not be written down");
            }
        });
    }

    /// Kills a token of a player.
    pub(crate) async fn revoke(&self, token: &TokenRecord) -> Result<(), Refusal> {
        let (identities, token) = (self.clone(), token.clone());
        // It goes on when the caller hangs up.
        let killed = tokio::spawn(async move { identities.kill(token).await });
        killed.await.unwrap_or_else(|_| Err(Refusal::unavailable()))
    }

    async fn kill(&self, TokenRecord { id, player, hash, .. }: TokenRecord) -> Result<(), Refusal> {
        let why = match timeout(LAST_PATIENCE, self.store.revoke_token(player, id)).await {
            // Also if there was none any more: then it died with an answer that was lost.
            Ok(Ok(_)) => {
                self.bury(hash).await;
                self.peers.tell(News::Died(hash)).await;
                return Ok(());
            }
            Ok(Err(error)) => error.to_string(),
            Err(late) => late.to_string(),
        };
        tracing::error!(error = %why, "a token could not be revoked");
        // Perhaps it was, and only the answer was lost.
        self.forget(player).await;
        Err(Refusal::unavailable())
    }

    async fn bury(&self, hash: TokenHash) {
        self.dead.insert(hash, ()).await;
        self.cache.invalidate(&hash).await;
        self.announce(hash);
    }

    /// Whoever waits for the death of the token looks at it.
    fn announce(&self, hash: TokenHash) {
        // Fails when nobody listens.
        let _ = self.died.send(Death::Of(hash));
    }

    /// A player or one of their tokens may have changed: their tokens are looked up anew at every gateway, by their
    /// sockets at once and otherwise when they call next. While the store is away, they stay known as they were.
    pub(crate) async fn forget(&self, player: PlayerId) {
        self.forget_here(player).await;
        self.peers.tell(News::Changed(player)).await;
    }

    async fn forget_here(&self, player: PlayerId) {
        let theirs: Vec<TokenHash> =
            self.cache.iter().filter(|(_, entry)| entry.identity.id() == player).map(|(hash, _)| *hash).collect();
        for hash in theirs {
            self.change(hash, |known| Entry { fetched: None, ..known }).await;
            self.announce(hash);
        }
    }

    /// Changes what is known of a token, if anything still is.
    async fn change(&self, hash: TokenHash, change: impl FnOnce(Entry) -> Entry) {
        let changed = |known: Option<moka::Entry<TokenHash, Entry>>| {
            std::future::ready(known.map_or(Op::Nop, |known| Op::Put(change(known.into_value()))))
        };
        self.cache.entry(hash).and_compute_with(changed).await;
    }

    /// Takes in what other gateways tell, for as long as it is polled.
    pub(crate) async fn listen(self) {
        let mut heard = self.peers.hear();
        loop {
            match heard.recv().await {
                Ok(News::Died(hash)) => self.bury(hash).await,
                Ok(News::Changed(player)) => self.forget_here(player).await,
                Ok(News::Missed) | Err(RecvError::Lagged(_)) => self.doubt(),
                Err(RecvError::Closed) => return std::future::pending().await,
            }
        }
    }

    /// Nothing in the cache is believed any more without asking the store.
    fn doubt(&self) {
        self.moments.write().unwrap_or_else(PoisonError::into_inner).doubted = Some(Instant::now());
        let _ = self.died.send(Death::Perhaps);
    }

    /// Resolves when the token is dead: at once when it expires, is revoked here, or another gateway tells of it; within
    /// the cache's freshness otherwise. Waiting for its death is a use of a token.
    pub(crate) async fn death(&self, hash: TokenHash) {
        let mut died = self.died.subscribe();
        loop {
            let pause = match self.of(hash).await {
                Err(refusal) if refusal.code == Code::Unauthenticated => return,
                Ok(identity) => self.fresh.min(until(identity.token.expires)),
                Err(_) => self.fresh,
            };
            let news = async {
                loop {
                    match died.recv().await {
                        Ok(Death::Of(other)) if other != hash => {}
                        Ok(Death::Of(_)) => return,
                        // All sockets ask the store now, but not in the same moment.
                        Ok(Death::Perhaps) | Err(RecvError::Lagged(_)) => {
                            return tokio::time::sleep(Duration::from_millis(rand::random::<u64>() % SPREAD_MS)).await;
                        }
                        Err(RecvError::Closed) => return std::future::pending().await,
                    }
                }
            };
            // Whatever the news, the next round asks.
            let _ = timeout(pause.max(SHORTEST_PAUSE), news).await;
        }
    }
}

fn until(expires: UnixMs) -> Duration {
    Duration::from_millis(u64::try_from(expires - runtime::wall_clock_ms()).unwrap_or(0))
}

fn unauthenticated() -> Refusal {
    metrics::auth_failed();
    Refusal::new(Code::Unauthenticated, "the token is unknown or dead; sign in again")
}
