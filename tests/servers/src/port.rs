use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::keeper::Keeper;

/// A server on a loaded machine may need long to listen.
const PATIENCE: Duration = Duration::from_secs(60);
/// Below the range from which the system takes ports for outgoing connections, so that a port stays free while its
/// process is restarted.
const RANGE: std::ops::Range<u16> = 10_000..32_000;
const PAUSE: Duration = Duration::from_millis(10);

/// Looks every few milliseconds until something is so; there is nothing to wait on.
///
/// # Panics
/// If it takes a minute.
pub async fn until<F: Future<Output = bool>>(what: &str, is_so: impl Fn() -> F) {
    repeat(what, async || if is_so().await { Ok(()) } else { Err("it did not happen".to_owned()) }).await;
}

/// Never given again, so that nobody takes one while its process is restarted.
static GIVEN: LazyLock<Mutex<HashSet<u16>>> = LazyLock::new(Mutex::default);

/// A port that nobody listens on, and that nobody else in this process is given.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn free_port() -> u16 {
    for _ in 0..1_000 {
        let random = RandomState::new().hash_one(std::process::id());
        let port = RANGE.start + (random % u64::from(RANGE.end - RANGE.start)) as u16;
        let is_free = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        if is_free && GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(port) {
            return port;
        }
    }
    panic!("no free port")
}

/// What servers say of a port that somebody took between the look and the start.
const TAKEN: &str = "Address already in use";
const ATTEMPTS: u32 = 5;

/// Repeats until it succeeds; panics with the last failure when it takes too long.
pub(crate) async fn repeat<T>(what: &str, attempt: impl AsyncFn() -> Result<T, String>) -> T {
    let give_up = Instant::now() + PATIENCE;
    loop {
        match attempt().await {
            Ok(value) => return value,
            Err(failure) if Instant::now() > give_up => panic!("{what}: {failure}"),
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// Starts a server on a free port, and returns once it `answers` there.
pub(crate) async fn listening(
    what: &str,
    begin: impl Fn(u16) -> Keeper,
    answers: impl AsyncFn(u16, &Keeper) -> Result<(), String>,
) -> (u16, Keeper) {
    for _ in 0..ATTEMPTS {
        let port = free_port();
        let keeper = begin(port);
        let failed = format!("{what} does not start");
        let started = repeat(&failed, async || match answers(port, &keeper).await {
            Ok(()) => Ok(true),
            Err(_) if keeper.log().contains(TAKEN) => Ok(false),
            Err(failure) => Err(format!("{failure}; its log: {}", keeper.log())),
        });
        if started.await {
            return (port, keeper);
        }
    }
    panic!("{what} finds no free port")
}
