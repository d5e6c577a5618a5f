//! Who a token speaks for, from a short-lived cache in front of the store, and news of tokens that died.

use std::sync::Arc;
use std::time::{Duration, Instant};

use moka::future::Cache;
use proto::{Code, PlayerId, Refusal};
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::metrics;
use crate::store::{AccountStore, Player, Scopes, TokenKind, TokenRecord, UnixMs};
use crate::token::{LIFETIME_MS, TOUCH_MS, TokenHash};

const CACHED: u64 = 100_000;
/// How long a token that is not asked for stays, to go on from while the store is away.
const KEPT: Duration = Duration::from_secs(3600);
/// Longer than any answer of the store that was under way when the token died.
const MOURNED: Duration = Duration::from_secs(120);
const NEWS: usize = 256;
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
    fetched: Instant,
}

/// All identities in use.
#[derive(Debug, Clone)]
pub(crate) struct Identities {
    store: Arc<dyn AccountStore>,
    cache: Cache<TokenHash, Entry>,
    dead: Cache<TokenHash, ()>,
    died: broadcast::Sender<TokenHash>,
    fresh: Duration,
}

impl Identities {
    pub(crate) fn new(store: Arc<dyn AccountStore>, fresh: Duration) -> Self {
        Self {
            store,
            cache: Cache::builder().max_capacity(CACHED).time_to_idle(KEPT).build(),
            dead: Cache::builder().max_capacity(CACHED).time_to_live(MOURNED).build(),
            died: broadcast::channel(NEWS).0,
            fresh,
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
            && entry.fetched.elapsed() < self.fresh
        {
            self.touch(&entry.identity, now).await;
            return Ok(Arc::clone(&entry.identity));
        }
        match self.store.token(hash, now).await {
            Ok(Some((token, player))) => {
                let identity = Arc::new(Identity { player, token });
                self.remember(Arc::clone(&identity)).await;
                self.touch(&identity, now).await;
                if self.dead.contains_key(&hash) { Err(unauthenticated()) } else { Ok(identity) }
            }
            Ok(None) => {
                self.cache.invalidate(&hash).await;
                Err(unauthenticated())
            }
            Err(error) => {
                tracing::warn!(%error, "tokens cannot be looked up");
                cached.map(|entry| entry.identity).ok_or_else(Refusal::unavailable)
            }
        }
    }

    async fn remember(&self, identity: Arc<Identity>) {
        let entry = Entry { fetched: Instant::now(), identity };
        self.cache.insert(entry.identity.token.hash, entry).await;
    }

    /// Writes down that the token was used, now and then.
    async fn touch(&self, identity: &Identity, now: UnixMs) {
        if now - identity.token.last_used < TOUCH_MS {
            return;
        }
        let mut token = identity.token.clone();
        token.last_used = now;
        token.expires = now + LIFETIME_MS;
        let (id, expires) = (token.id, token.expires);
        self.remember(Arc::new(Identity { player: identity.player.clone(), token })).await;
        let store = Arc::clone(&self.store);
        tokio::spawn(async move {
            if let Err(error) = store.touch_token(id, now, expires).await {
                tracing::warn!(%error, "the use of a token could not be written down");
            }
        });
    }

    /// Kills a token of a player; false if there was none.
    pub(crate) async fn revoke(&self, player: PlayerId, token: Uuid) -> Result<bool, Refusal> {
        let hash = self.store.revoke_token(player, token).await.map_err(|error| {
            tracing::error!(%error, "a token could not be revoked");
            Refusal::unavailable()
        })?;
        if let Some(hash) = hash {
            self.dead.insert(hash, ()).await;
            self.cache.invalidate(&hash).await;
            // Fails when nobody listens.
            let _ = self.died.send(hash);
        }
        Ok(hash.is_some())
    }

    /// A player changed: who calls next is read anew.
    pub(crate) async fn forget(&self, player: PlayerId) {
        let theirs: Vec<TokenHash> =
            self.cache.iter().filter(|(_, entry)| entry.identity.id() == player).map(|(hash, _)| *hash).collect();
        for hash in theirs {
            self.cache.invalidate(&hash).await;
        }
    }

    /// Resolves when the token is dead: at once when it expires or is revoked here, within the cache's freshness
    /// otherwise. Waiting for its death is a use of a token.
    pub(crate) async fn death(&self, hash: TokenHash) {
        let mut died = self.died.subscribe();
        loop {
            let pause = match self.of(hash).await {
                Err(refusal) if refusal.code == Code::Unauthenticated => return,
                Ok(identity) => self.fresh.min(until(identity.token.expires)),
                Err(_) => self.fresh,
            };
            let news = async {
                while let Ok(other) = died.recv().await {
                    if other == hash {
                        return;
                    }
                }
            };
            // Whatever the news, the next round asks.
            let _ = tokio::time::timeout(pause.max(SHORTEST_PAUSE), news).await;
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
