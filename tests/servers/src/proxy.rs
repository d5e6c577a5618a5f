use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

#[derive(Debug, Default)]
struct Rules {
    connections: AtomicU64,
    /// Connections up to this number forward nothing more.
    frozen: AtomicU64,
    delay_ms: AtomicU64,
    swallow_answer_to: Mutex<Option<Vec<u8>>>,
    freeze_after: Mutex<Option<Vec<u8>>>,
    happened: Notify,
}

/// A wire between a client and its Redis server that can be made to misbehave.
#[derive(Debug)]
pub struct Proxy {
    /// Where it listens.
    pub port: u16,
    rules: Arc<Rules>,
    _accepting: AbortOnDropHandle<()>,
}

impl Proxy {
    /// In front of a port of this machine.
    ///
    /// # Panics
    /// If there is no port to listen on.
    pub async fn start(server: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port can be listened on");
        let port = listener.local_addr().expect("it has an address").port();
        let rules = Arc::new(Rules::default());
        let accepting = tokio::spawn(accept(listener, server, Arc::clone(&rules)));
        Self { port, rules, _accepting: AbortOnDropHandle::new(accepting) }
    }

    /// As `FK_REDIS_URL` takes it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}?durability=relaxed", self.port)
    }

    /// All connections of now stay open and carry nothing.
    pub fn freeze(&self) {
        self.rules.frozen.store(self.rules.connections.load(Ordering::SeqCst), Ordering::SeqCst);
    }

    /// Answers come so much later.
    pub fn delay(&self, delay: Duration) {
        self.rules.delay_ms.store(delay.as_millis() as u64, Ordering::SeqCst);
    }

    /// The next request that contains this is carried out, its answer lost with the connection.
    pub fn swallow_answer_to(&self, words: &str) {
        *self.rules.swallow_answer_to.lock().unwrap_or_else(PoisonError::into_inner) = Some(words.as_bytes().to_vec());
    }

    /// The next request that contains this is the last one carried, on any connection.
    pub fn freeze_after(&self, words: &str) {
        *self.rules.freeze_after.lock().unwrap_or_else(PoisonError::into_inner) = Some(words.as_bytes().to_vec());
    }

    /// Waits until the next thing asked for has happened.
    pub async fn happened(&self) {
        self.rules.happened.notified().await;
    }
}

async fn accept(listener: TcpListener, server: u16, rules: Arc<Rules>) {
    loop {
        let Ok((client, _)) = listener.accept().await else { continue };
        let number = rules.connections.fetch_add(1, Ordering::SeqCst) + 1;
        let rules = Arc::clone(&rules);
        tokio::spawn(async move {
            let Ok(server) = TcpStream::connect(("127.0.0.1", server)).await else { return };
            let swallowing = AtomicBool::new(false);
            let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
            // Whichever way ends first takes the connection with it.
            tokio::select! {
                () = requests(number, from_client, to_server, &rules, &swallowing) => {}
                () = answers(number, from_server, to_client, &rules, &swallowing) => {}
            }
        });
    }
}

fn matches(rule: &Mutex<Option<Vec<u8>>>, bytes: &[u8]) -> bool {
    let mut rule = rule.lock().unwrap_or_else(PoisonError::into_inner);
    let found = rule.as_ref().is_some_and(|words| bytes.windows(words.len()).any(|window| window == words));
    if found {
        *rule = None;
    }
    found
}

async fn unless_frozen(number: u64, rules: &Rules) {
    if number <= rules.frozen.load(Ordering::SeqCst) {
        std::future::pending::<()>().await;
    }
}

async fn requests(
    number: u64,
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    rules: &Rules,
    swallowing: &AtomicBool,
) {
    let mut bytes = vec![0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        unless_frozen(number, rules).await;
        if matches(&rules.swallow_answer_to, &bytes[..count]) {
            swallowing.store(true, Ordering::SeqCst);
        }
        let last = matches(&rules.freeze_after, &bytes[..count]);
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
        if last {
            rules.frozen.store(u64::MAX, Ordering::SeqCst);
            rules.happened.notify_one();
        }
    }
}

async fn answers(number: u64, mut from: OwnedReadHalf, mut to: OwnedWriteHalf, rules: &Rules, swallowing: &AtomicBool) {
    let mut bytes = vec![0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        if swallowing.load(Ordering::SeqCst) {
            rules.happened.notify_one();
            return;
        }
        unless_frozen(number, rules).await;
        tokio::time::sleep(Duration::from_millis(rules.delay_ms.load(Ordering::SeqCst))).await;
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}
