use std::ops::RangeInclusive;
use std::time::Duration;

use ::redis::{Value, from_redis_value_ref};

use crate::port::repeat;
use crate::redis::{Redis, deployed};

/// The ends of the nodes' slots.
const ENDS: [u16; 4] = [0, 5461, 10_923, 16_384];

/// The URL of a new, empty Redis Cluster of three nodes that keep nothing on disk and last as long as the test process,
/// `redis+cluster://host:port,...`. Takes two seconds or three.
///
/// # Panics
/// If Redis is not installed or does not start.
pub async fn redis_cluster() -> String {
    let cluster = Cluster::of(&["--cluster-enabled", "yes", "--cluster-node-timeout", "5000"]).await;
    let url = cluster.url();
    // Its servers end with the process all the same.
    std::mem::forget(cluster);
    url
}

/// A Redis Cluster of three masters, gone with this value.
#[derive(Debug)]
pub struct Cluster {
    /// The masters, at first, and then their replicas.
    pub nodes: Vec<Redis>,
    arguments: Vec<String>,
}

impl Cluster {
    /// With the settings of deploy/redis and a short time to failover.
    ///
    /// # Panics
    /// If Redis is not installed or does not start.
    pub async fn start() -> Self {
        let soon = ["--cluster-node-timeout", "1500"].map(str::to_owned);
        Self::of(&[deployed("redis.conf"), deployed("cluster.conf"), soon].concat()).await
    }

    /// With the settings of deploy/redis, and a replica for each master.
    ///
    /// # Panics
    /// If Redis is not installed or does not start.
    pub async fn with_replicas() -> Self {
        let settings = [deployed("redis.conf"), deployed("replicated.conf"), deployed("cluster.conf")].concat();
        let mut cluster = Self::of(&settings).await;
        for master in 0..cluster.nodes.len() {
            cluster.add_replica_of(master).await;
        }
        cluster
    }

    async fn of(arguments: &[impl AsRef<str>]) -> Self {
        let mut nodes: Vec<Redis> = Vec::new();
        for (ends, epoch) in ENDS.windows(2).zip(1_u32..) {
            let node = Redis::start(arguments).await;
            let (first, last) = (ends[0].to_string(), (ends[1] - 1).to_string());
            node.ask::<()>(&["CLUSTER", "ADDSLOTSRANGE", &first, &last]).await;
            // Different epochs from the start, so that the nodes need not settle on them.
            node.ask::<()>(&["CLUSTER", "SET-CONFIG-EPOCH", &epoch.to_string()]).await;
            if let Some(first) = nodes.first() {
                meet(&node, first).await;
            }
            nodes.push(node);
        }
        let arguments = arguments.iter().map(|argument| argument.as_ref().to_owned()).collect();
        let cluster = Self { nodes, arguments };
        repeat("the Redis Cluster does not form", async || cluster.whole().await).await;
        cluster
    }

    async fn whole(&self) -> Result<(), String> {
        for node in &self.nodes {
            let about: String = node.try_ask(&["CLUSTER", "INFO"]).await?;
            let words = ["cluster_state:ok", "cluster_slots_assigned:16384", "cluster_known_nodes:3"];
            if !words.iter().all(|words| about.contains(words)) {
                return Err(about);
            }
        }
        Ok(())
    }

    /// Gives a master a replica that the others know of; it is the last node then.
    ///
    /// # Panics
    /// If that does not happen.
    pub async fn add_replica_of(&mut self, master: usize) {
        let replica = Redis::start(&self.arguments).await;
        let id: String = self.nodes[master].ask(&["CLUSTER", "MYID"]).await;
        meet(&replica, &self.nodes[0]).await;
        says(&replica, &["CLUSTER", "NODES"], &id).await;
        replica.ask::<()>(&["CLUSTER", "REPLICATE", &id]).await;
        says(&replica, &["INFO", "replication"], "master_link_status:up").await;
        for node in &self.nodes {
            says(node, &["CLUSTER", "NODES"], &format!("slave {id}")).await;
        }
        self.nodes.push(replica);
    }

    /// Forgets everything.
    pub async fn empty(&self) {
        for node in &self.nodes {
            node.ask::<()>(&["FLUSHALL"]).await;
        }
    }

    /// All keys of all nodes.
    pub async fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for node in &self.nodes {
            keys.extend(node.ask::<Vec<String>>(&["KEYS", "*"]).await);
        }
        keys
    }

    /// Whether any node has ever answered with this error.
    pub async fn has_answered(&self, error: &str) -> bool {
        for node in &self.nodes {
            if node.ask::<String>(&["INFO", "errorstats"]).await.contains(&format!("errorstat_{error}:")) {
                return true;
            }
        }
        false
    }

    /// The slot of a key.
    pub async fn slot(&self, key: &str) -> u16 {
        self.nodes[0].ask(&["CLUSTER", "KEYSLOT", key]).await
    }

    /// Which node holds a slot.
    ///
    /// # Panics
    /// If none does.
    pub async fn owner(&self, slot: u16) -> usize {
        let owners = self.owners().await;
        owners.into_iter().find(|(slots, _)| slots.contains(&slot)).expect("each slot has an owner").1
    }

    /// Which node holds which slots.
    ///
    /// # Panics
    /// If the first node does not know.
    pub async fn owners(&self) -> Vec<(RangeInclusive<u16>, usize)> {
        let ranges: Vec<Vec<Value>> = self.nodes[0].ask(&["CLUSTER", "SLOTS"]).await;
        let read = |range: Vec<Value>| {
            // The master comes before its replicas, each with address, port, id and more.
            let [first, last, Value::Array(master), ..] = &range[..] else { panic!("a range is {range:?}") };
            let number = |value: &Value| from_redis_value_ref::<u16>(value).expect("a number");
            let port = number(&master[1]);
            let node = self.nodes.iter().position(|node| node.port == port).expect("the owner is a node");
            (number(first)..=number(last), node)
        };
        ranges.into_iter().map(read).collect()
    }

    /// The numbers of the nodes that share the slots; waits until each of them is there.
    ///
    /// # Panics
    /// If that does not happen.
    pub async fn masters(&self) -> Vec<usize> {
        repeat("the Redis Cluster is not whole", async || {
            let mut masters = Vec::new();
            for (number, node) in self.nodes.iter().enumerate() {
                let about: String = node.try_ask(&["CLUSTER", "INFO"]).await?;
                if !about.contains("cluster_state:ok") {
                    return Err(about);
                }
                let role: String = node.try_ask(&["INFO", "replication"]).await?;
                if role.contains("role:master") {
                    masters.push(number);
                }
            }
            if masters.len() == ENDS.len() - 1 { Ok(masters) } else { Err(format!("the masters are {masters:?}")) }
        })
        .await
    }

    /// Moves a slot as an operator's tool does, key by key and slowly.
    pub async fn move_slot(&self, slot: u16, from: usize, to: usize) {
        let (from, to) = (&self.nodes[from], &self.nodes[to]);
        let (slot, port) = (slot.to_string(), to.port.to_string());
        let (from_id, to_id): (String, String) =
            (from.ask(&["CLUSTER", "MYID"]).await, to.ask(&["CLUSTER", "MYID"]).await);
        to.ask::<()>(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &from_id]).await;
        from.ask::<()>(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &to_id]).await;
        loop {
            let keys: Vec<String> = from.ask(&["CLUSTER", "GETKEYSINSLOT", &slot, "1"]).await;
            let Some(key) = keys.first() else { break };
            from.ask::<String>(&["MIGRATE", "127.0.0.1", &port, key, "0", "1000"]).await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        for node in [to, from] {
            node.ask::<()>(&["CLUSTER", "SETSLOT", &slot, "NODE", &to_id]).await;
        }
    }

    /// As `FK_REDIS_URL` takes it; what the servers lose in a crash is accepted.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}?durability=relaxed", self.durable_url())
    }

    /// As `FK_REDIS_URL` takes it, for servers that lose nothing.
    #[must_use]
    pub fn durable_url(&self) -> String {
        let hosts: Vec<_> = self.nodes.iter().map(Redis::address).collect();
        format!("redis+cluster://{}", hosts.join(","))
    }
}

async fn meet(node: &Redis, other: &Redis) {
    let (port, bus) = (other.port.to_string(), other.bus.to_string());
    node.ask::<()>(&["CLUSTER", "MEET", "127.0.0.1", &port, &bus]).await;
}

/// Waits until a server answers something with these words in it.
pub(crate) async fn says(server: &Redis, question: &[&str], words: &str) {
    repeat("a server does not say it", async || {
        let answer: String = server.ask(question).await;
        if answer.contains(words) { Ok(()) } else { Err(format!("{words:?} is not in {answer}")) }
    })
    .await;
}
