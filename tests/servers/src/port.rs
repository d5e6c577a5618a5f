use std::net::TcpListener;
use std::time::{Duration, Instant};

/// A server on a loaded machine may need long to listen.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(10);

/// A port nobody listens on.
pub(crate) fn free() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback address has a free port");
    listener.local_addr().expect("a bound listener has an address").port()
}

/// Repeats until it succeeds; panics with what `log` says when it takes too long.
pub(crate) async fn until<T, E: std::fmt::Display>(what: &str, attempt: impl AsyncFn() -> Result<T, E>) -> T {
    let give_up = Instant::now() + PATIENCE;
    loop {
        match attempt().await {
            Ok(value) => return value,
            Err(error) if Instant::now() > give_up => panic!("{what}: {error}"),
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}
