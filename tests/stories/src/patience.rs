use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

/// What `doing` brings, or a failure that says what did not come in time.
pub async fn within<T>(seconds: f64, what: &str, doing: impl Future<Output = T>) -> T {
    match timeout(Duration::from_secs_f64(seconds), doing).await {
        Ok(done) => done,
        Err(_) => panic!("{what}: nothing within {seconds} s"),
    }
}

/// Asks again and again until there is an answer: for what can only be looked up.
pub async fn eventually<T>(seconds: f64, what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs_f64(seconds);
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < deadline, "{what}: not within {seconds} s");
        sleep(Duration::from_millis(20)).await;
    }
}

/// What the platform promises for anything that time does.
const LATENESS_MS: i64 = 100;

/// Tells of something that time does three times at most, as a busy machine may be late once; `story` brings by how
/// many milliseconds the platform was. Too early is never right.
pub async fn in_time(mut story: impl AsyncFnMut() -> i64) {
    let mut late = Vec::new();
    while late.len() < 3 {
        let by = story().await;
        assert!(by >= 0, "{by} ms late");
        if by <= LATENESS_MS {
            return;
        }
        late.push(by);
    }
    panic!("ms late: {late:?}");
}
