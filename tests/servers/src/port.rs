use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::keeper;

/// A server on a loaded machine may need long to listen.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(10);

/// A port nobody listens on.
pub(crate) fn free() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback address has a free port");
    listener.local_addr().expect("a bound listener has an address").port()
}

/// What servers say of a port that somebody took between the look and the start.
const TAKEN: &str = "Address already in use";
const ATTEMPTS: u32 = 5;

/// Repeats until it succeeds; panics with the last failure when it takes too long.
pub(crate) async fn until<T>(what: &str, attempt: impl AsyncFn() -> Result<T, String>) -> T {
    let give_up = Instant::now() + PATIENCE;
    loop {
        match attempt().await {
            Ok(value) => return value,
            Err(failure) if Instant::now() > give_up => panic!("{what}: {failure}"),
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// Starts a server on a free port, and returns once it can be connected to. `begin` starts it in a folder, `connect`
/// connects.
pub(crate) async fn listening<T>(
    what: &str,
    begin: impl Fn(u16) -> PathBuf,
    connect: impl AsyncFn(u16) -> Result<T, String>,
) -> (u16, T) {
    for _ in 0..ATTEMPTS {
        let port = free();
        let folder = begin(port);
        let failed = format!("{what} does not start");
        let started = until(&failed, async || match connect(port).await {
            Ok(connection) => Ok(Some(connection)),
            Err(_) if keeper::log(&folder).contains(TAKEN) => Ok(None),
            Err(failure) => Err(format!("{failure}; its log: {}", keeper::log(&folder))),
        });
        if let Some(connection) = started.await {
            return (port, connection);
        }
    }
    panic!("{what} finds no free port")
}
