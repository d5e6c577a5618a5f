//! Real servers on free ports, gone with the value that stands for them.

use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Duration;

use redis::{AsyncConnectionConfig, Client, FromRedisValue};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;

/// A cluster's nodes talk to each other on a port that is higher by 10 000.
const BUS: u16 = 10_000;

/// A server as it comes.
pub(crate) const NONE: &[&str] = &[];

/// Arguments that read a file of deploy/redis.
pub(crate) fn deployed(file: &str) -> [String; 2] {
    ["--include".to_owned(), format!("{}/../../deploy/redis/{file}", env!("CARGO_MANIFEST_DIR"))]
}

pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
    folder: TempDir,
    arguments: Vec<String>,
}

pub(crate) fn free_port() -> u16 {
    loop {
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        if port < 55_536 && TcpListener::bind(("127.0.0.1", port + BUS)).is_ok() {
            return port;
        }
    }
}

impl Server {
    pub(crate) async fn start(arguments: &[impl AsRef<str>]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let arguments: Vec<String> = arguments.iter().map(|argument| argument.as_ref().to_owned()).collect();
        // Between looking for a port and listening on it, another may take it.
        for _ in 0..5 {
            let port = free_port();
            if let Some(process) = launch(port, &folder, &arguments).await {
                return Self { process, port, folder, arguments };
            }
        }
        panic!("redis-server does not start with {arguments:?}");
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    fn signal(&self, signal: &str) {
        let pid = self.process.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    /// Lets it stand still.
    pub(crate) fn stop(&self) {
        self.signal("-STOP");
    }

    pub(crate) fn go_on(&self) {
        self.signal("-CONT");
    }

    pub(crate) async fn kill(&mut self) {
        self.process.kill().await.unwrap();
    }

    /// The same again, with what it has on its disk.
    pub(crate) async fn restart(&mut self, arguments: &[&str]) {
        self.arguments.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        self.process = launch(self.port, &self.folder, &self.arguments).await.unwrap();
    }

    /// Asks this very server something.
    pub(crate) async fn ask<T: FromRedisValue>(&self, words: &[&str]) -> T {
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(Duration::from_secs(10)));
        let client = Client::open(self.url()).unwrap();
        let mut connection = client.get_multiplexed_async_connection_with_config(&config).await.unwrap();
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        command.query_async(&mut connection).await.unwrap_or_else(|error| panic!("{words:?}: {error}"))
    }
}

/// None if it could not listen. Returns as soon as it says that it can be talked to, which is before it has loaded.
async fn launch(port: u16, folder: &TempDir, arguments: &[String]) -> Option<Child> {
    let sentinel = arguments.iter().any(|argument| argument == "--sentinel");
    let found = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status();
    assert!(found.is_ok(), "redis-server is missing: install the Debian package redis-server");
    // However the tests end, the server ends with the thread that has started it.
    let mut command = tokio::process::Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "redis-server"]);
    if sentinel {
        // It writes into its settings.
        std::fs::copy(&deployed("sentinel.conf")[1], folder.path().join("sentinel.conf")).unwrap();
        command.arg("sentinel.conf");
    } else {
        command.args(["--save", ""]);
    }
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1"]).args(arguments).current_dir(folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut process = command.spawn().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        let talks = ["Ready to accept connections", "Sentinel ID is", "Server initialized"];
        if talks.iter().any(|words| line.contains(words)) {
            // What it says from here on is read away.
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return Some(process);
        }
    }
    None
}

/// Looks every few milliseconds until something is so; there is nothing to wait on.
pub(crate) async fn until<F: Future<Output = bool>>(what: &str, is_so: impl Fn() -> F) {
    let looks = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), looks).await.unwrap_or_else(|_| panic!("it did not happen: {what}"));
}

/// Three masters.
pub(crate) struct Cluster {
    pub(crate) nodes: Vec<Server>,
}

impl Cluster {
    pub(crate) async fn start() -> Self {
        let mut nodes = Vec::new();
        for _ in 0..3 {
            nodes.push(Self::node().await);
        }
        let ends = [0_u16, 5461, 10_923, 16_384];
        for (i, node) in nodes.iter().enumerate() {
            let (first, last) = (ends[i].to_string(), (ends[i + 1] - 1).to_string());
            node.ask::<()>(&["CLUSTER", "ADDSLOTSRANGE", &first, &last]).await;
            node.ask::<()>(&["CLUSTER", "SET-CONFIG-EPOCH", &(i + 1).to_string()]).await;
            if i > 0 {
                node.ask::<()>(&["CLUSTER", "MEET", "127.0.0.1", &nodes[0].port.to_string()]).await;
            }
        }
        let cluster = Self { nodes };
        until("the cluster is whole", || cluster.is_whole()).await;
        cluster
    }

    async fn node() -> Server {
        let soon = ["--cluster-node-timeout", "1500"].map(str::to_owned);
        Server::start(&[deployed("redis.conf"), deployed("cluster.conf"), soon].concat()).await
    }

    /// Gives a master a replica that the others know of.
    pub(crate) async fn add_replica_of(&mut self, master: usize) {
        let replica = Self::node().await;
        let port = self.nodes[0].port.to_string();
        let id: String = self.nodes[master].ask(&["CLUSTER", "MYID"]).await;
        replica.ask::<()>(&["CLUSTER", "MEET", "127.0.0.1", &port]).await;
        let knows = async |node: &Server, words: &str| node.ask::<String>(&["CLUSTER", "NODES"]).await.contains(words);
        until("the replica knows its master", || knows(&replica, &id)).await;
        replica.ask::<()>(&["CLUSTER", "REPLICATE", &id]).await;
        let linked = async || replica.ask::<String>(&["INFO", "replication"]).await.contains("master_link_status:up");
        until("the replica has copied its master", linked).await;
        let of_it = format!("slave {id}");
        for node in &self.nodes {
            until("all know the replica", || knows(node, &of_it)).await;
        }
        self.nodes.push(replica);
    }

    async fn is_whole(&self) -> bool {
        for node in &self.nodes {
            let about: String = node.ask(&["CLUSTER", "INFO"]).await;
            if !about.contains("cluster_state:ok") || !about.contains("cluster_slots_assigned:16384") {
                return false;
            }
        }
        true
    }

    pub(crate) fn url(&self) -> String {
        format!("redis+cluster://127.0.0.1:{},127.0.0.1:{}", self.nodes[0].port, self.nodes[1].port)
    }

    pub(crate) async fn empty(&self) {
        for node in &self.nodes {
            node.ask::<()>(&["FLUSHALL"]).await;
        }
    }

    pub(crate) async fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for node in &self.nodes {
            keys.extend(node.ask::<Vec<String>>(&["KEYS", "*"]).await);
        }
        keys
    }

    /// Whether any node has ever answered with this error.
    pub(crate) async fn has_answered(&self, error: &str) -> bool {
        for node in &self.nodes {
            if node.ask::<String>(&["INFO", "errorstats"]).await.contains(&format!("errorstat_{error}:")) {
                return true;
            }
        }
        false
    }

    pub(crate) async fn owner(&self, slot: u16) -> usize {
        type Range = (u16, u16, (String, u16, String, redis::Value));
        let ranges: Vec<Range> = self.nodes[0].ask(&["CLUSTER", "SLOTS"]).await;
        let (_, _, (_, port, ..)) =
            ranges.into_iter().find(|(first, last, _)| (*first..=*last).contains(&slot)).unwrap();
        self.nodes.iter().position(|node| node.port == port).unwrap()
    }
}

/// A master and its replica.
pub(crate) async fn pair(arguments: &[String]) -> (Server, Server) {
    let master = Server::start(arguments).await;
    let of = ["--replicaof".to_owned(), format!("127.0.0.1 {}", master.port)];
    let replica = Server::start(&[arguments, &of].concat()).await;
    let linked = async || replica.ask::<String>(&["INFO", "replication"]).await.contains("master_link_status:up");
    until("the replica has copied the master", linked).await;
    (master, replica)
}

/// A master, its replica, and three who watch them.
pub(crate) struct Watched {
    pub(crate) master: Server,
    pub(crate) replica: Server,
    pub(crate) sentinels: Vec<Server>,
}

impl Watched {
    pub(crate) async fn start() -> Self {
        let delay = ["--repl-diskless-sync-delay", "0"].map(str::to_owned);
        let arguments = [deployed("redis.conf"), delay].concat();
        let (master, replica) = pair(&arguments).await;
        let port = master.port.to_string();
        let mut sentinels = Vec::new();
        for _ in 0..3 {
            let sentinel = Server::start(&["--sentinel"]).await;
            sentinel.ask::<()>(&["SENTINEL", "MONITOR", "main", "127.0.0.1", &port, "2"]).await;
            for (name, value) in [("down-after-milliseconds", "1000"), ("failover-timeout", "5000")] {
                sentinel.ask::<()>(&["SENTINEL", "SET", "main", name, value]).await;
            }
            sentinels.push(sentinel);
        }
        let watched = Self { master, replica, sentinels };
        until("the Sentinels know each other", || watched.is_whole()).await;
        watched
    }

    async fn is_whole(&self) -> bool {
        for sentinel in &self.sentinels {
            let about: String = sentinel.ask(&["INFO", "sentinel"]).await;
            if !about.contains("slaves=1,sentinels=3") {
                return false;
            }
        }
        true
    }

    pub(crate) fn url(&self, query: &str) -> String {
        let hosts: Vec<String> = self.sentinels.iter().map(|sentinel| format!("127.0.0.1:{}", sentinel.port)).collect();
        format!("redis+sentinel://{}/main{query}", hosts.join(","))
    }
}
