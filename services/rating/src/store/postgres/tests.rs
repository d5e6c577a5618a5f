//! What only PostgreSQL does: several replicas at once, connections that are cut, schemas of another release.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proto::PlayerId;
use runtime::{Database, Drain, Readiness};
use sqlx::AssertSqlSafe;

use super::*;
use crate::record::sample::Tale;

/// A store in a database of its own, and where that is.
pub(in crate::store) async fn fresh() -> (String, PostgresStore) {
    let url = servers::postgres().await;
    let postgres = Postgres::connect(&url, "rating").await.unwrap();
    PostgresStore::migrate(&postgres).await.unwrap();
    (url, PostgresStore::open(postgres).await.unwrap())
}

async fn connect(url: &str) -> Postgres {
    Postgres::connect(url, "rating").await.unwrap()
}

async fn refusal(url: &str) -> String {
    let database = Database::Postgres(connect(url).await);
    let drain = Drain::new();
    match crate::build(crate::Config {}, database, &Readiness::new(drain.clone()), &drain).await {
        Err(error) => error.to_string(),
        Ok(_) => panic!("the schema is served"),
    }
}

#[tokio::test]
async fn only_the_schema_of_this_build_is_served() {
    let url = servers::postgres().await;
    assert!(refusal(&url).await.contains("has not been made"));
    let postgres = connect(&url).await;
    crate::migrate(&Database::Postgres(postgres.clone())).await.unwrap();
    crate::migrate(&Database::Postgres(postgres.clone())).await.unwrap();
    let drain = Drain::new();
    let database = Database::Postgres(postgres.clone());
    crate::build(crate::Config {}, database, &Readiness::new(drain.clone()), &drain).await.unwrap();
    for (change, told) in [
        (
            "INSERT INTO _migrations SELECT 99, description, installed_on, success, checksum, execution_time FROM _migrations LIMIT 1",
            "newer",
        ),
        ("DELETE FROM _migrations WHERE version IN (1, 99)", "older"),
    ] {
        sqlx::query(change).execute(&postgres.pool).await.unwrap();
        let refusal = refusal(&url).await;
        assert!(refusal.contains(told), "{refusal}");
    }
}

/// Three replicas rate games of a small circle of players while connections are cut. Reporters repeat what failed, as
/// the game service does: every game counts once, without gaps, and gives what a recomputation gives.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_connections_lose_no_game_and_count_none_twice() {
    const GAMES: usize = 60;
    let (url, first) = fresh().await;
    let mut replicas = vec![first];
    for _ in 0..2 {
        replicas.push(PostgresStore::open(connect(&url).await).await.unwrap());
    }
    let circle: [PlayerId; 7] = std::array::from_fn(|_| PlayerId::new());
    let done = Arc::new(AtomicBool::new(false));
    let cutter = tokio::spawn(cut_until(url, Arc::clone(&done)));
    let reports = (0..GAMES).map(|game| {
        let by_place = std::array::from_fn(|place| circle[(game * 3 + place * (1 + game % 2)) % circle.len()]);
        // Each game is reported to two replicas.
        let (one, other) = (replicas[game % 3].clone(), replicas[(game + 1) % 3].clone());
        tokio::spawn(async move {
            let record = Tale::whole(0, by_place).record();
            tokio::join!(report(&one, &record), report(&other, &record));
        })
    });
    futures::future::join_all(reports).await.into_iter().for_each(|report| report.unwrap());
    done.store(true, Ordering::Relaxed);
    assert!(cutter.await.unwrap() > 0, "no connection was cut");

    let store = &replicas[0];
    let games = store.rated_games(Class::Blitz, 0, 1000).await.unwrap();
    assert_eq!(games.iter().map(|game| game.sequence).collect::<Vec<_>>(), (1..=GAMES as u64).collect::<Vec<_>>());
    let stored = store.ratings(&circle, None).await.unwrap();
    let recomputed = crate::recompute(store, Class::Blitz).await.unwrap();
    assert_eq!(stored.len(), recomputed.len());
    for rated in &stored {
        assert_eq!(recomputed[&rated.player], rated.standing);
    }
    assert_eq!(stored.iter().map(|rated| rated.standing.games as usize).sum::<usize>(), GAMES * 4);
}

async fn report(store: &PostgresStore, record: &Record) {
    while store.record(record, 1).await.is_err() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn cut_until(url: String, done: Arc<AtomicBool>) -> usize {
    let pool = PgPool::connect(&url).await.unwrap();
    let mut cut = 0;
    while !done.load(Ordering::Relaxed) {
        let active: Vec<bool> = sqlx::query_scalar(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND application_name LIKE 'four-kingdoms-%' AND state <> 'idle'
             ORDER BY random() LIMIT 2",
        )
        .fetch_all(&pool)
        .await
        .unwrap();
        cut += active.len();
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    cut
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

    let store = PostgresStore::open(connect(&url).await).await.unwrap();
    let four: [PlayerId; 4] = std::array::from_fn(|_| PlayerId::new());
    let tale = Tale::whole(0, four);
    for report in [&tale, &tale, &tale.clone().rated()] {
        store.record(&report.record(), 1).await.unwrap();
    }
    store.log(tale.game).await.unwrap();
    for class in [None, Some(Class::Blitz)] {
        store.ratings(&four, class).await.unwrap();
        store.history(four[0], class, None, 10).await.unwrap();
    }
    for include_provisional in [false, true] {
        store.leaderboard(Class::Blitz, include_provisional, None, 10).await.unwrap();
    }
    for (player, viewer) in [(None, None), (None, Some(four[0])), (Some(four[0]), None)] {
        store.records(&RecordQuery { player, viewer, status: None, before: None, limit: 10 }).await.unwrap();
    }
    store.aborts(four[0], 0).await.unwrap();
    store.rated_games(Class::Blitz, 0, 10).await.unwrap();
    // A connection tells what it has scanned when it ends.
    store.pool.close().await;
    let others =
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'four-kingdoms-rating' AND datname = $1";
    while sqlx::query_scalar::<_, i64>(others).bind(&database).fetch_one(&pool).await.unwrap() > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }

    let scanned: Vec<(String, i64, i64)> = sqlx::query_as(
        "SELECT relname::text, seq_scan, idx_scan FROM pg_stat_user_tables
         WHERE schemaname = 'rating' AND relname <> '_migrations'",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    assert_eq!(scanned.len(), 8);
    for (table, whole, by_index) in scanned {
        assert_eq!(whole, 0, "{table} was read as a whole");
        assert!(by_index > 0 || ["move", "ticket"].contains(&table.as_str()), "{table} was not read");
    }
}
