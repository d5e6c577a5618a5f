use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use proto::GameId;
use runtime::{Sqlite, TemporarySqlite};
use uuid::Uuid;

use super::*;
use crate::name::Name;
use crate::peers::Rate;
use crate::store::sqlite::SqliteAccounts;
use crate::store::{Account, Claim, Enrolled, Known, NameTaken, StoreError};

/// A store that does what it is asked to, and fails to say so when a token is revoked.
#[derive(Debug)]
struct Lossy {
    store: SqliteAccounts,
    away: AtomicBool,
}

macro_rules! lossy {
    ($(fn $name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)*) => {
        #[async_trait]
        impl AccountStore for Lossy {
            $(async fn $name(&self, $($arg: $type),*) -> Result<$answer, StoreError> {
                if self.away.load(Ordering::SeqCst) {
                    return Err(StoreError::Sql(sqlx::Error::PoolTimedOut));
                }
                self.store.$name($($arg),*).await
            })*

            async fn revoke_token(&self, player: PlayerId, id: Uuid) -> Result<Option<TokenHash>, StoreError> {
                self.store.revoke_token(player, id).await?.expect("there is one");
                Err(StoreError::Sql(sqlx::Error::WorkerCrashed))
            }
        }
    };
}

lossy! {
    fn add_guest(id: PlayerId, wish: Name, token: TokenRecord) -> Player;
    fn add_account(id: PlayerId, name: Name, password: String, token: TokenRecord) -> Result<Enrolled, NameTaken>;
    fn upgrade(id: PlayerId, name: Name, password: String, now: UnixMs) -> Option<Result<Enrolled, NameTaken>>;
    fn account(name: &Name) -> Option<Account>;
    fn players(ids: &[PlayerId]) -> Vec<Player>;
    fn add_token(token: TokenRecord) -> ();
    fn token(hash: TokenHash, now: UnixMs) -> Option<(TokenRecord, Player)>;
    fn touch_token(id: Uuid, now: UnixMs, expires: UnixMs) -> ();
    fn bot_tokens(player: PlayerId, now: UnixMs) -> Vec<TokenRecord>;
    fn open_answer(key: [u8; 32], fingerprint: [u8; 32], seed: [u8; 32], claim: Claim, now: UnixMs) -> Known;
    fn keep_answer(key: [u8; 32], status: u16, answer: String) -> ();
    fn sweep(now: UnixMs, answers_before: UnixMs) -> u64;
}

/// What all gateways tell and hear.
#[derive(Debug, Clone)]
struct Grapevine(broadcast::Sender<News>);

#[async_trait]
impl Peers for Grapevine {
    async fn count(&self, _: &'static str, _: &str, _: Rate) -> Option<Duration> {
        None
    }

    async fn tell(&self, news: News) {
        self.0.send(news).expect("somebody listens");
    }

    fn hear(&self) -> broadcast::Receiver<News> {
        self.0.subscribe()
    }

    async fn presence(&self, _: GameId, _: PlayerId, _: bool) -> bool {
        false
    }
}

struct Gateways {
    here: Identities,
    elsewhere: Identities,
    store: Arc<Lossy>,
    token: TokenRecord,
    _file: TemporarySqlite,
}

/// Two gateways that believe what they know for an hour, and a player known to both.
async fn gateways() -> Gateways {
    let file = Sqlite::temporary().await.unwrap();
    let store = SqliteAccounts::open(&file.sqlite).await.unwrap();
    let store = Arc::new(Lossy { store, away: AtomicBool::new(false) });
    let peers = Grapevine(broadcast::channel(16).0);
    let gateway = || Identities::new(Arc::clone(&store) as _, Arc::new(peers.clone()), Duration::from_secs(3600));
    let (here, elsewhere) = (gateway(), gateway());
    tokio::spawn(elsewhere.clone().listen());
    while peers.0.receiver_count() == 0 {
        tokio::task::yield_now().await;
    }
    let now = runtime::wall_clock_ms();
    let token = TokenRecord {
        id: Uuid::now_v7(),
        hash: TokenHash(rand::random()),
        player: PlayerId::new(),
        kind: TokenKind::Session,
        scopes: Scopes::ALL,
        created: now,
        last_used: now,
        expires: now + LIFETIME_MS,
    };
    store.add_guest(token.player, "Red".parse().unwrap(), token.clone()).await.unwrap();
    here.of(token.hash).await.unwrap();
    elsewhere.of(token.hash).await.unwrap();
    Gateways { here, elsewhere, store, token, _file: file }
}

#[tokio::test]
async fn a_token_that_died_without_an_answer_is_dead_everywhere() {
    let Gateways { here, elsewhere, token, .. } = &gateways().await;
    let deaths = [here, elsewhere].map(|gateway| {
        let (gateway, hash) = (gateway.clone(), token.hash);
        tokio::spawn(async move { gateway.death(hash).await })
    });
    assert_eq!(here.revoke(token).await.unwrap_err().code, Code::Unavailable);
    for death in deaths {
        timeout(Duration::from_secs(60), death).await.expect("its sockets close").unwrap();
    }
    for gateway in [here, elsewhere] {
        assert_eq!(gateway.of(token.hash).await.unwrap_err().code, Code::Unauthenticated);
    }
}

#[tokio::test]
async fn who_is_looked_up_anew_stays_known_while_the_store_is_away() {
    let Gateways { here, store, token, .. } = &gateways().await;
    store.away.store(true, Ordering::SeqCst);
    here.forget(token.player).await;
    assert_eq!(here.of(token.hash).await.unwrap().id(), token.player);
}
