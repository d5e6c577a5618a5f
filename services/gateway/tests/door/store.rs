//! What every home of accounts promises.

use std::time::Duration;

use gateway::store::postgres::PostgresAccounts;
use gateway::store::sqlite::SqliteAccounts;
use gateway::store::{AccountStore, Claim, Enrolled, NameTaken, Scopes, TokenKind, TokenRecord};
use gateway::{Name, TokenHash};
use proto::PlayerId;
use runtime::{Postgres, Sqlite};
use uuid::Uuid;

const NOW: i64 = 1_000_000;

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

fn token(player: PlayerId) -> TokenRecord {
    TokenRecord {
        id: Uuid::now_v7(),
        hash: TokenHash(rand::random()),
        player,
        kind: TokenKind::Session,
        scopes: Scopes::ALL,
        created: NOW,
        last_used: NOW,
        expires: NOW + 1_000,
    }
}

async fn account(store: &dyn AccountStore, wanted: &str) -> (PlayerId, Result<Enrolled, NameTaken>) {
    let id = PlayerId::new();
    (id, store.add_account(id, name(wanted), "hash".to_owned(), token(id)).await.unwrap())
}

/// Runs the whole suite.
async fn conforms(store: &dyn AccountStore) {
    players_are_added_once(store).await;
    accounts_have_names_of_their_own(store).await;
    guests_become_accounts(store).await;
    tokens_live_and_die(store).await;
    answers_are_kept(store).await;
    one_works_at_a_time(store).await;
}

async fn players_are_added_once(store: &dyn AccountStore) {
    let id = PlayerId::new();
    let first = token(id);
    let player = store.add_guest(id, name("Guest"), first.clone()).await.unwrap();
    assert_eq!((player.name.as_str(), player.guest, player.created), ("Guest", true, NOW));
    assert_eq!(store.add_guest(id, name("Other"), first.clone()).await.unwrap(), player);
    assert_eq!(store.players(&[id, PlayerId::new()]).await.unwrap(), std::slice::from_ref(&player));
    assert_eq!(store.players(&[]).await.unwrap(), []);
    assert_eq!(store.token(first.hash, NOW).await.unwrap(), Some((first, player)));
    assert_eq!(store.account(&name("Guest")).await.unwrap(), None);
}

async fn accounts_have_names_of_their_own(store: &dyn AccountStore) {
    let (guest, twin) = (PlayerId::new(), PlayerId::new());
    store.add_guest(guest, name("Nora"), token(guest)).await.unwrap();
    store.add_guest(twin, name("nora"), token(twin)).await.unwrap();
    let (nora, enrolled) = account(store, "NORA").await;
    let mut renamed = enrolled.unwrap().renamed;
    renamed.sort();
    let mut both = vec![guest, twin];
    both.sort();
    assert_eq!(renamed, both);
    for player in store.players(&both).await.unwrap() {
        assert!(player.guest && player.name.to_lowercase() != "nora" && player.name.parse::<Name>().is_ok());
    }
    assert_eq!(account(store, "nOrA").await.1, Err(NameTaken));
    let found = store.account(&name("nora")).await.unwrap().unwrap();
    assert_eq!((found.player.id, found.player.name.as_str(), found.password.expose()), (nora, "NORA", "hash"));
    // The same request once more is no other account.
    let again = store.add_account(nora, name("NORA"), "hash".to_owned(), token(nora)).await.unwrap().unwrap();
    assert_eq!((again.player, again.renamed), (found.player, Vec::new()));
    let late = PlayerId::new();
    let late = store.add_guest(late, name("Nora"), token(late)).await.unwrap();
    assert!(late.name.starts_with("Nora") && late.name.len() > 4, "{}", late.name);
}

async fn guests_become_accounts(store: &dyn AccountStore) {
    let id = PlayerId::new();
    let kept = token(id);
    store.add_guest(id, name("Climber"), kept.clone()).await.unwrap();
    let (_, taken) = account(store, "Taken").await;
    taken.unwrap();
    let upgrade = |wanted: &str| store.upgrade(id, name(wanted), "new".to_owned(), NOW + 1);
    assert_eq!(upgrade("taken").await.unwrap(), Some(Err(NameTaken)));
    let enrolled = upgrade("Climber").await.unwrap().unwrap().unwrap();
    assert_eq!((enrolled.player.id, enrolled.player.guest, enrolled.renamed), (id, false, Vec::new()));
    assert_eq!(upgrade("Again").await.unwrap(), None);
    assert_eq!(store.upgrade(PlayerId::new(), name("Nobody"), String::new(), NOW).await.unwrap(), None);
    let (token, player) = store.token(kept.hash, NOW).await.unwrap().unwrap();
    assert_eq!((token, player.guest, player.name.as_str()), (kept, false, "Climber"));
}

async fn tokens_live_and_die(store: &dyn AccountStore) {
    let (owner, enrolled) = account(store, "Owner").await;
    enrolled.unwrap();
    let kind = TokenKind::Bot { label: "bot".to_owned() };
    let bot = TokenRecord { kind, scopes: Scopes { read: true, play: false }, ..token(owner) };
    store.add_token(bot.clone()).await.unwrap();
    store.add_token(bot.clone()).await.unwrap();
    assert_eq!(store.bot_tokens(owner, NOW).await.unwrap(), std::slice::from_ref(&bot));
    assert_eq!(store.bot_tokens(PlayerId::new(), NOW).await.unwrap(), []);
    assert!(store.token(bot.hash, NOW + 999).await.unwrap().is_some());
    assert!(store.token(bot.hash, NOW + 1_000).await.unwrap().is_none());
    store.touch_token(bot.id, NOW + 500, NOW + 9_000).await.unwrap();
    store.touch_token(bot.id, NOW + 400, NOW + 8_000).await.unwrap();
    let (touched, _) = store.token(bot.hash, NOW + 8_500).await.unwrap().unwrap();
    assert_eq!((touched.last_used, touched.expires), (NOW + 500, NOW + 9_000));
    assert_eq!(store.revoke_token(PlayerId::new(), bot.id).await.unwrap(), None);
    assert_eq!(store.revoke_token(owner, bot.id).await.unwrap(), Some(bot.hash));
    assert_eq!(store.revoke_token(owner, bot.id).await.unwrap(), None);
    assert_eq!(store.token(bot.hash, NOW).await.unwrap(), None);
    let old = token(owner);
    store.add_token(old.clone()).await.unwrap();
    assert!(store.sweep(NOW + 1_000, 0).await.unwrap() >= 1);
    assert_eq!(store.token(old.hash, NOW).await.unwrap(), None);
}

fn claim(seconds: u64) -> Claim {
    Claim { by: Uuid::now_v7(), lasts: Duration::from_secs(seconds) }
}

async fn answers_are_kept(store: &dyn AccountStore) {
    let (key, me): ([u8; 32], _) = (rand::random(), claim(60));
    let known = store.open_answer(key, [1; 32], [2; 32], me, NOW).await.unwrap();
    assert_eq!((known.fingerprint, known.seed, known.answer, known.claimed), ([1; 32], [2; 32], None, true));
    let known = store.open_answer(key, [3; 32], [4; 32], me, NOW + 1).await.unwrap();
    assert_eq!((known.fingerprint, known.seed, known.answer, known.claimed), ([1; 32], [2; 32], None, false));
    store.keep_answer(key, 201, "first".to_owned()).await.unwrap();
    store.keep_answer(key, 409, "second".to_owned()).await.unwrap();
    let known = store.open_answer(key, [1; 32], [4; 32], me, NOW + 2).await.unwrap();
    assert_eq!((known.answer, known.claimed), (Some((201, "first".to_owned())), false));
    store.sweep(NOW, NOW + 1).await.unwrap();
    assert_eq!(store.open_answer(key, [5; 32], [6; 32], me, NOW + 3).await.unwrap().seed, [6; 32]);
}

async fn one_works_at_a_time(store: &dyn AccountStore) {
    let (key, me, other): ([u8; 32], _, _) = (rand::random(), claim(60), claim(0));
    let claimed = async |claim| store.open_answer(key, [1; 32], [2; 32], claim, NOW).await.unwrap().claimed;
    assert!(claimed(me).await);
    assert!(!claimed(other).await, "it is worked on");
    assert!(claimed(me).await, "who has it holds on");
    assert!(claimed(Claim { lasts: Duration::ZERO, ..me }).await, "and gives it back");
    assert!(claimed(other).await);
    // The other one is gone without a word, and its claim with it.
    assert!(claimed(me).await);
}

#[tokio::test]
async fn sqlite_conforms() {
    let temporary = Sqlite::temporary().await.unwrap();
    conforms(&SqliteAccounts::open(&temporary.sqlite).await.unwrap()).await;
}

#[tokio::test]
async fn postgres_conforms() {
    let postgres = Postgres::connect(&servers::postgres().await, "gateway").await.unwrap();
    PostgresAccounts::migrate(&postgres).await.unwrap();
    conforms(&PostgresAccounts::open(postgres).await.unwrap()).await;
}

#[tokio::test]
async fn what_is_stored_survives_a_restart() {
    let temporary = Sqlite::temporary().await.unwrap();
    let store = SqliteAccounts::open(&temporary.sqlite).await.unwrap();
    let id = PlayerId::new();
    let session = token(id);
    store.add_guest(id, name("Sunny"), session.clone()).await.unwrap();
    let again = Sqlite::open(temporary.folder()).await.unwrap();
    let store = SqliteAccounts::open(&again).await.unwrap();
    assert!(store.token(session.hash, NOW).await.unwrap().is_some());
}
