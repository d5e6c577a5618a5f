//! The questions that the manual for analysts answers, asked of both databases.

use std::sync::Arc;

use proto::types::v1::Seat;
use proto::{GameId, PlayerId, TicketId};
use runtime::Sqlite;
use sqlx::{AssertSqlSafe, PgPool, Row as _};

use super::{ClosedTicket, Outcome, SqliteStore, Store};
use crate::record::sample::Tale;

const MANUAL: &str = include_str!("../../../../docs/analytics.md");

/// The three queries of one database, in the order of the manual.
fn queries(database: &str) -> [&'static str; 3] {
    let blocks = MANUAL.split("```sql\n").skip(1).filter_map(|block| block.split_once("```"));
    let of_database: Vec<_> = blocks.filter_map(|(block, _)| block.strip_prefix(&format!("-- {database}\n"))).collect();
    of_database.try_into().unwrap()
}

/// Two games, red the favourite of the second and the winner of both, and three tickets that waited 20 s on the
/// average, one of them given up.
async fn fill(store: Arc<dyn Store>) {
    let four = std::array::from_fn(|_| PlayerId::new());
    for game in 0..2 {
        let tale = Tale::whole(game * 10_000, four);
        store.record(&tale.record(), 1).await.unwrap();
    }
    let casual = Tale::begin(0, |settings| settings.rated = false).start(&four).over([
        Seat::Green,
        Seat::Red,
        Seat::Blue,
        Seat::Yellow,
    ]);
    store.record(&casual.record(), 1).await.unwrap();
    let closed_ms = runtime::wall_clock_ms();
    let outcomes = [
        (10_000, Outcome::Matched(GameId::new())),
        (30_000, Outcome::Matched(GameId::new())),
        (50_000, Outcome::Cancelled),
    ];
    for (wait_ms, outcome) in outcomes {
        let ticket = ClosedTicket {
            ticket: TicketId::new(),
            player: four[0],
            time_control: "3+2".parse().unwrap(),
            rated: true,
            rating: 1500.0,
            opened_ms: closed_ms - wait_ms,
            closed_ms,
            outcome,
        };
        store.keep_ticket(&ticket).await.unwrap();
    }
}

fn wins_by_seat() -> [(String, f64); 4] {
    [("red", 100.0), ("blue", 0.0), ("yellow", 0.0), ("green", 0.0)].map(|(seat, won)| (seat.to_owned(), won))
}

#[tokio::test]
async fn sqlite_answers_the_three_questions() {
    let file = Sqlite::temporary().await.unwrap();
    SqliteStore::migrate(&file.sqlite).await.unwrap();
    fill(Arc::new(SqliteStore::new(file.sqlite.clone()))).await;
    let [waits, seats, fours] = queries("SQLite");
    let row = sqlx::query(waits).fetch_one(&file.sqlite.reader).await.unwrap();
    assert_eq!((row.get::<f64, _>("mean_wait_s"), row.get::<f64, _>("gave_up_percent")), (20.0, 33.3));
    let rows = sqlx::query(seats).fetch_all(&file.sqlite.reader).await.unwrap();
    let wins: Vec<_> =
        rows.iter().map(|row| (row.get::<String, _>("seat"), row.get::<f64, _>("win_percent"))).collect();
    assert_eq!(wins, wins_by_seat());
    let rows = sqlx::query(fours).fetch_all(&file.sqlite.reader).await.unwrap();
    let gaps: Vec<_> = rows.iter().map(|row| (row.get::<i64, _>("gap_from"), row.get::<i64, _>("games"))).collect();
    assert_eq!(gaps, [(0, 4), (100, 1)]);
}

#[tokio::test]
async fn postgres_answers_the_three_questions() {
    let (url, store) = super::postgres::fresh().await;
    fill(Arc::new(store)).await;
    // As an analyst comes, with no search path.
    let pool = PgPool::connect(&url).await.unwrap();
    let [waits, seats, fours] = queries("PostgreSQL").map(|query| query.trim_end().trim_end_matches(';'));
    let waits = format!("SELECT mean_wait_s::float8, gave_up_percent::float8 FROM ({waits}) AS answer");
    let row = sqlx::query(AssertSqlSafe(waits)).fetch_one(&pool).await.unwrap();
    assert_eq!((row.get::<f64, _>("mean_wait_s"), row.get::<f64, _>("gave_up_percent")), (20.0, 33.3));
    let seats = format!("SELECT seat, win_percent::float8 FROM ({seats}) AS answer");
    let rows = sqlx::query(AssertSqlSafe(seats)).fetch_all(&pool).await.unwrap();
    let wins: Vec<_> =
        rows.iter().map(|row| (row.get::<String, _>("seat"), row.get::<f64, _>("win_percent"))).collect();
    assert_eq!(wins, wins_by_seat());
    let rows = sqlx::query(fours).fetch_all(&pool).await.unwrap();
    let gaps: Vec<_> = rows.iter().map(|row| (row.get::<i32, _>("gap_from"), row.get::<i64, _>("games"))).collect();
    assert_eq!(gaps, [(0, 4), (100, 1)]);
}
