use std::path::PathBuf;
use std::time::Duration;

use ::redis::{AsyncConnectionConfig, Client, FromRedisValue, cmd};

use crate::keeper::{self, Keeper};
use crate::port;

/// No arguments: a server as it comes, which keeps nothing on disk.
pub const NONE: &[&str] = &[];

/// What a server says once it can be talked to, which may be before it has loaded.
const TALKS: [&str; 3] = ["Ready to accept connections", "Sentinel ID is", "Server initialized"];
/// A server on a loaded machine may need long to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The URL of a new, empty Redis that keeps nothing on disk and lasts as long as the test process.
///
/// # Panics
/// If Redis is not installed or does not start.
pub async fn redis() -> String {
    lasting(NONE).await
}

/// As [`redis`], with the user of deploy/redis, who may do no more than the platform needs.
///
/// # Panics
/// If Redis is not installed or does not start.
pub async fn redis_with_few_rights() -> String {
    lasting(&deployed("users.conf")).await.replace("://", "://four-kingdoms:change-me@")
}

async fn lasting(arguments: &[impl AsRef<str>]) -> String {
    let server = Redis::start(arguments).await;
    let url = server.url();
    // It ends with the process all the same.
    std::mem::forget(server);
    url
}

/// Arguments that read a file of deploy/redis.
#[must_use]
pub fn deployed(file: &str) -> [String; 2] {
    ["--include".to_owned(), format!("{}/../../deploy/redis/{file}", env!("CARGO_MANIFEST_DIR"))]
}

/// One Redis server, gone with this value.
#[derive(Debug)]
pub struct Redis {
    keeper: Keeper,
    /// Where it listens.
    pub port: u16,
    /// Where it talks to other nodes of its cluster.
    pub(crate) bus: u16,
}

impl Redis {
    /// Starts a server with these arguments besides the usual ones.
    ///
    /// # Panics
    /// If Redis is not installed or does not start.
    pub async fn start(arguments: &[impl AsRef<str>]) -> Self {
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let bus = port::free_port();
        let bus_text = bus.to_string();
        let program = program();
        let begin = |port: u16| {
            let (folder, port) = (keeper::folder("redis", None), port.to_string());
            let mut server = vec![program.to_str().expect("the path is text")];
            if arguments.contains(&"--sentinel") {
                // It writes into its settings.
                std::fs::copy(&deployed("sentinel.conf")[1], folder.join("sentinel.conf")).expect("a copy");
                server.push("sentinel.conf");
            } else {
                // Whom it follows is written in there.
                std::fs::write(folder.join("redis.conf"), "").expect("a folder of its own can be written");
                server.extend(["redis.conf", "--save", ""]);
            }
            server.extend(["--bind", "127.0.0.1", "--port", &port]);
            server.extend(&arguments);
            // The usual port of the bus is higher by 10 000, and may be none.
            if !arguments.contains(&"--sentinel") {
                server.extend(["--cluster-port", &bus_text]);
            }
            Keeper::start(&folder, "KILL", None, &server)
        };
        let answers = async |_, keeper: &Keeper| talks(keeper, 0);
        let (port, keeper) = port::listening("Redis", begin, answers).await;
        Self { keeper, port, bus }
    }

    /// `host:port`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// As `FK_REDIS_URL` takes it, for a server that loses nothing.
    #[must_use]
    pub fn durable_url(&self) -> String {
        format!("redis://{}", self.address())
    }

    /// As `FK_REDIS_URL` takes it; what the server loses in a crash is accepted.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}?durability=relaxed", self.durable_url())
    }

    /// Lets it stand still.
    pub fn stop(&self) {
        self.keeper.tell("STOP");
    }

    /// Ends [`Redis::stop`].
    pub fn go_on(&self) {
        self.keeper.tell("CONT");
    }

    /// Ends it as it stands; returns when it is gone.
    pub fn kill(&self) {
        self.keeper.tell("END");
    }

    /// After [`Redis::kill`]: the same again, with what it has on its disk and these words on its command line, too.
    ///
    /// # Panics
    /// If it does not start.
    pub async fn restart(&self, more: &str) {
        let before = self.keeper.log().len();
        self.keeper.tell(&format!("START {more}"));
        port::repeat("Redis does not start again", async || talks(&self.keeper, before)).await;
    }

    /// Asks this very server something.
    ///
    /// # Panics
    /// If it refuses or does not answer.
    pub async fn ask<T: FromRedisValue>(&self, words: &[&str]) -> T {
        self.try_ask(words).await.unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// As [`Redis::ask`], for a server that may be gone.
    ///
    /// # Errors
    /// If it refuses or does not answer: what was asked, and why.
    pub async fn try_ask<T: FromRedisValue>(&self, words: &[&str]) -> Result<T, String> {
        let asked = async {
            let config = AsyncConnectionConfig::new().set_response_timeout(Some(PATIENCE));
            let client = Client::open(self.durable_url())?;
            let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
            cmd(words[0]).arg(&words[1..]).query_async(&mut connection).await
        };
        asked.await.map_err(|error: ::redis::RedisError| format!("{words:?}: {error}"))
    }
}

fn talks(keeper: &Keeper, since: usize) -> Result<(), String> {
    let log = keeper.log();
    let said = log.get(since..).unwrap_or_default();
    if TALKS.iter().any(|words| said.contains(words)) { Ok(()) } else { Err("it is silent".to_owned()) }
}

fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("redis-server")).find(|program| program.exists());
    found.unwrap_or_else(|| panic!("redis-server is missing: install the Debian package redis-server"))
}
