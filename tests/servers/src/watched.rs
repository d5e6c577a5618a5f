use crate::cluster::says;
use crate::port::repeat;
use crate::redis::{Redis, deployed};

/// A master and its replicas, gone with these values.
///
/// # Panics
/// If Redis is not installed or does not start.
pub async fn replicated(replicas: usize, arguments: &[String]) -> Vec<Redis> {
    let master = Redis::start(arguments).await;
    let port = master.port.to_string();
    let mut nodes = vec![master];
    for _ in 0..replicas {
        let replica = Redis::start(arguments).await;
        replica.ask::<()>(&["REPLICAOF", "127.0.0.1", &port]).await;
        says(&replica, &["INFO", "replication"], "master_link_status:up").await;
        nodes.push(replica);
    }
    nodes
}

/// A master, its replicas, and three Sentinels that make a replica the master once the master is gone.
#[derive(Debug)]
pub struct Watched {
    /// The master, at first, and its replicas.
    pub nodes: Vec<Redis>,
    sentinels: Vec<Redis>,
}

impl Watched {
    /// With one replica, the settings of deploy/redis for a server alone, and little patience: the master is called dead
    /// after a second.
    ///
    /// # Panics
    /// If Redis is not installed or does not start.
    pub async fn start() -> Self {
        Self::of(1, &deployed("redis.conf"), "1000").await
    }

    /// With two replicas, so that moves are taken while one server is away, and the patience of deploy/redis: the master
    /// is called dead after five seconds.
    ///
    /// # Panics
    /// If Redis is not installed or does not start.
    pub async fn with_two_replicas() -> Self {
        Self::of(2, &[deployed("redis.conf"), deployed("replicated.conf")].concat(), "5000").await
    }

    async fn of(replicas: usize, arguments: &[String], down_after: &str) -> Self {
        let delay = ["--repl-diskless-sync-delay", "0"].map(str::to_owned);
        let nodes = replicated(replicas, &[arguments, &delay].concat()).await;
        let port = nodes[0].port.to_string();
        let mut sentinels = Vec::new();
        for _ in 0..3 {
            let sentinel = Redis::start(&["--sentinel"]).await;
            sentinel.ask::<()>(&["SENTINEL", "MONITOR", "main", "127.0.0.1", &port, "2"]).await;
            for (name, value) in [("down-after-milliseconds", down_after), ("failover-timeout", "5000")] {
                sentinel.ask::<()>(&["SENTINEL", "SET", "main", name, value]).await;
            }
            sentinels.push(sentinel);
        }
        for sentinel in &sentinels {
            says(sentinel, &["INFO", "sentinel"], &format!("slaves={replicas},sentinels=3")).await;
        }
        Self { nodes, sentinels }
    }

    /// The number of the node that all Sentinels call the master; waits until they agree.
    ///
    /// # Panics
    /// If they do not.
    pub async fn master(&self) -> usize {
        repeat("the Sentinels do not agree", async || {
            let mut named = Vec::new();
            for sentinel in &self.sentinels {
                let (_, port): (String, u16) = sentinel.ask(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main"]).await;
                named.push(port);
            }
            let agreed = named.iter().all(|port| *port == named[0]);
            let node = self.nodes.iter().position(|node| agreed && node.port == named[0]);
            node.ok_or(format!("they name {named:?}"))
        })
        .await
    }

    /// As `FK_REDIS_URL` takes it, with a query or without.
    #[must_use]
    pub fn url(&self, query: &str) -> String {
        let hosts: Vec<String> = self.sentinels.iter().map(Redis::address).collect();
        format!("redis+sentinel://{}/main{query}", hosts.join(","))
    }
}
