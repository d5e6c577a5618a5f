use crate::cluster::says;
use crate::redis::{Redis, deployed};

/// A master and its replica, gone with these values.
///
/// # Panics
/// If Redis is not installed or does not start.
pub async fn pair(arguments: &[String]) -> (Redis, Redis) {
    let master = Redis::start(arguments).await;
    let of = ["--replicaof".to_owned(), format!("127.0.0.1 {}", master.port)];
    let replica = Redis::start(&[arguments, &of].concat()).await;
    says(&replica, &["INFO", "replication"], "master_link_status:up").await;
    (master, replica)
}

/// A master, its replica, and three Sentinels that make the replica the master a second after the master is gone.
#[derive(Debug)]
pub struct Watched {
    /// At first.
    pub master: Redis,
    /// At first.
    pub replica: Redis,
    sentinels: Vec<Redis>,
}

impl Watched {
    /// With the settings of deploy/redis.
    ///
    /// # Panics
    /// If Redis is not installed or does not start.
    pub async fn start() -> Self {
        let delay = ["--repl-diskless-sync-delay", "0"].map(str::to_owned);
        let (master, replica) = pair(&[deployed("redis.conf"), delay].concat()).await;
        let port = master.port.to_string();
        let mut sentinels = Vec::new();
        for _ in 0..3 {
            let sentinel = Redis::start(&["--sentinel"]).await;
            sentinel.ask::<()>(&["SENTINEL", "MONITOR", "main", "127.0.0.1", &port, "2"]).await;
            for (name, value) in [("down-after-milliseconds", "1000"), ("failover-timeout", "5000")] {
                sentinel.ask::<()>(&["SENTINEL", "SET", "main", name, value]).await;
            }
            sentinels.push(sentinel);
        }
        for sentinel in &sentinels {
            says(sentinel, &["INFO", "sentinel"], "slaves=1,sentinels=3").await;
        }
        Self { master, replica, sentinels }
    }

    /// As `FK_REDIS_URL` takes it, with a query or without.
    #[must_use]
    pub fn url(&self, query: &str) -> String {
        let hosts: Vec<String> = self.sentinels.iter().map(Redis::address).collect();
        format!("redis+sentinel://{}/main{query}", hosts.join(","))
    }
}
