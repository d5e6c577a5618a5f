use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

/// For anything that must come; far beyond what a busy machine needs, so that only what never comes fails.
const PATIENCE: Duration = Duration::from_secs(60);
/// A busy machine is late now and then, and seldom so often in a row.
const TRIES: usize = 8;

/// What the platform promises for anything that time does, in milliseconds after it is due.
pub const LATENESS_MS: i64 = 100;

/// What `doing` brings, or a failure that says what did not come.
pub async fn within_reason<T>(what: &str, doing: impl Future<Output = T>) -> T {
    match timeout(PATIENCE, doing).await {
        Ok(done) => done,
        Err(_) => panic!("{what}: nothing within {PATIENCE:?}"),
    }
}

/// Asks again and again until there is an answer: for what can only be looked up.
pub async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < deadline, "{what}: not within {PATIENCE:?}");
        sleep(Duration::from_millis(20)).await;
    }
}

/// Tells of something that is promised within so many milliseconds until it was in time once: a busy machine may be
/// late, a platform that is never in time keeps no promise. `story` brings how many it took; less than none is never
/// right.
pub async fn in_time(promised_ms: i64, mut story: impl AsyncFnMut() -> i64) {
    let mut took = Vec::new();
    while took.len() < TRIES {
        let ms = story().await;
        assert!(ms >= 0, "{ms} ms");
        if ms <= promised_ms {
            return;
        }
        took.push(ms);
    }
    panic!("promised within {promised_ms} ms, took {took:?}");
}
