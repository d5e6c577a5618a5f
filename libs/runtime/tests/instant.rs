#![allow(clippy::unwrap_used, reason = "a test")]
//! Times as PostgreSQL reads them.

use runtime::Instant;
use timekeeping::UnixMs;

#[tokio::test]
async fn the_server_agrees_on_the_time() {
    let pool = sqlx::PgPool::connect(&servers::postgres().await).await.unwrap();
    for (ms, text) in [
        (0, "1970-01-01 00:00:00+00"),
        (1_700_000_000_123, "2023-11-14 22:13:20.123+00"),
        (-1, "1969-12-31 23:59:59.999+00"),
        (UnixMs::MAX, "infinity"),
    ] {
        let told: String = sqlx::query_scalar("SELECT ($1 AT TIME ZONE 'UTC')::timestamp::text")
            .bind(Instant(ms))
            .fetch_one(&pool)
            .await
            .unwrap();
        assert_eq!(told, text.trim_end_matches("+00"));
    }
    let back: Vec<Instant> = sqlx::query_scalar("SELECT unnest($1::timestamptz[])")
        .bind([1_700_000_000_123, -1].map(Instant))
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(back, [1_700_000_000_123, -1].map(Instant));
}
