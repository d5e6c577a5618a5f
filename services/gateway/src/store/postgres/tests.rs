//! What only PostgreSQL does: several replicas at once, schemas of another release, indexes.

use futures::future::join_all;
use runtime::{Database, Drain};
use sqlx::AssertSqlSafe;

use super::*;
use crate::store::Scopes;

async fn fresh() -> (String, PostgresAccounts) {
    let url = servers::postgres().await;
    let postgres = Postgres::connect(&url, "gateway").await.unwrap();
    PostgresAccounts::migrate(&postgres).await.unwrap();
    (url, PostgresAccounts::open(postgres).await.unwrap())
}

fn token(player: PlayerId) -> TokenRecord {
    TokenRecord {
        id: Uuid::now_v7(),
        hash: TokenHash(rand::random()),
        player,
        kind: TokenKind::Session,
        scopes: Scopes::ALL,
        created: 1,
        last_used: 1,
        expires: 1000,
    }
}

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

#[tokio::test]
async fn only_the_schema_of_this_build_is_served() {
    let url = servers::postgres().await;
    let postgres = Postgres::connect(&url, "gateway").await.unwrap();
    let told = PostgresAccounts::open(postgres.clone()).await.unwrap_err().to_string();
    assert!(told.contains("has not been made"), "{told}");
    let database = Database::Postgres(postgres.clone());
    crate::migrate(&database).await.unwrap();
    crate::migrate(&database).await.unwrap();
    PostgresAccounts::open(postgres.clone()).await.unwrap();
    sqlx::query("DELETE FROM _migrations").execute(&postgres.pool).await.unwrap();
    let told = PostgresAccounts::open(postgres).await.unwrap_err().to_string();
    assert!(told.contains("older"), "{told}");
    assert!(!Drain::new().has_begun());
}

/// Two replicas, many guests and would-be accounts of one name: one account gets it, and no guest shows it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_many_want_at_once_goes_to_one() {
    let (url, one) = fresh().await;
    let other = PostgresAccounts::open(Postgres::connect(&url, "gateway").await.unwrap()).await.unwrap();
    let guest = PlayerId::new();
    one.add_guest(guest, name("Early"), token(guest)).await.unwrap();
    let wishes = (0..24).map(|number| {
        let store = if number % 2 == 0 { one.clone() } else { other.clone() };
        tokio::spawn(async move {
            let id = PlayerId::new();
            match number % 3 {
                0 => store.add_account(id, name("Early"), "hash".to_owned(), token(id)).await.unwrap().is_ok(),
                1 => {
                    store.add_guest(id, name("EARLY"), token(id)).await.unwrap();
                    false
                }
                _ => {
                    store.add_guest(id, name("Else"), token(id)).await.unwrap();
                    store.upgrade(id, name("early"), "hash".to_owned(), 2).await.unwrap().unwrap().is_ok()
                }
            }
        })
    });
    let got: usize = join_all(wishes).await.into_iter().map(|got| usize::from(got.unwrap())).sum();
    assert_eq!(got, 1);
    let shown: i64 =
        sqlx::query_scalar("SELECT count(*) FROM player WHERE name_key = 'early'").fetch_one(&one.pool).await.unwrap();
    assert_eq!(shown, 1, "no guest shows the account's name");
    let dates: i64 = sqlx::query_scalar("SELECT count(created_at) FROM player").fetch_one(&one.pool).await.unwrap();
    assert!(dates >= 17, "sign-up dates are kept");
}

/// The same request at several replicas, at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_added_twice_at_once_is_one() {
    let (url, one) = fresh().await;
    let other = PostgresAccounts::open(Postgres::connect(&url, "gateway").await.unwrap()).await.unwrap();
    for _ in 0..10 {
        let id = PlayerId::new();
        let token = token(id);
        let (first, second) = tokio::join!(
            one.add_guest(id, name("Twin"), token.clone()),
            other.add_guest(id, name("Twin"), token.clone())
        );
        assert_eq!(first.unwrap(), second.unwrap());
    }
}

/// With sequential scans made dear, the server reads a whole table only where no index will do.
#[tokio::test]
async fn every_query_has_an_index() {
    let (url, _) = fresh().await;
    let pool = PgPool::connect(&url).await.unwrap();
    let database: String = sqlx::query_scalar("SELECT current_database()").fetch_one(&pool).await.unwrap();
    let dear = format!("ALTER DATABASE {database} SET enable_seqscan = off");
    sqlx::query(AssertSqlSafe(dear)).execute(&pool).await.unwrap();
    sqlx::query("SELECT pg_stat_reset()").execute(&pool).await.unwrap();

    let store = PostgresAccounts::open(Postgres::connect(&url, "gateway").await.unwrap()).await.unwrap();
    let (guest, owner) = (PlayerId::new(), PlayerId::new());
    let session = token(guest);
    store.add_guest(guest, name("Guest"), session.clone()).await.unwrap();
    store.add_account(owner, name("Guest"), "hash".to_owned(), token(owner)).await.unwrap().unwrap();
    store.upgrade(guest, name("Climber"), "hash".to_owned(), 2).await.unwrap().unwrap().unwrap();
    store.account(&name("Climber")).await.unwrap().unwrap();
    store.players(&[guest, owner]).await.unwrap();
    store.token(session.hash, 2).await.unwrap().unwrap();
    store.touch_token(session.id, 3, 2000).await.unwrap();
    store.bot_tokens(owner, 2).await.unwrap();
    store.revoke_token(guest, session.id).await.unwrap().unwrap();
    let claim = Claim { by: Uuid::now_v7(), lasts: std::time::Duration::ZERO };
    store.open_answer([1; 32], [2; 32], [3; 32], claim, 1).await.unwrap();
    store.keep_answer([1; 32], 201, String::new()).await.unwrap();
    store.open_answer([1; 32], [2; 32], [3; 32], claim, 1).await.unwrap();
    store.sweep(1, 1).await.unwrap();
    // A connection tells what it has scanned when it ends.
    store.pool.close().await;
    let others =
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'four-kingdoms-gateway' AND datname = $1";
    while sqlx::query_scalar::<_, i64>(others).bind(&database).fetch_one(&pool).await.unwrap() > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }

    let scanned: Vec<(String, i64, i64)> = sqlx::query_as(
        "SELECT relname::text, seq_scan, idx_scan FROM pg_stat_user_tables
         WHERE schemaname = 'gateway' AND relname <> '_migrations'",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    assert_eq!(scanned.len(), 3);
    for (table, whole, by_index) in scanned {
        assert_eq!(whole, 0, "{table} was read as a whole");
        assert!(by_index > 0, "{table} was not read");
    }
}
