//! Redis as the platform may have it, with every write on disk before it is answered.

use std::time::Duration;

use proto::Shard;
use servers::{Cluster, Redis, Watched, deployed};
use tokio::time::{Instant, sleep, sleep_until};

use crate::timeline::{Subject, Timeline};

/// What kind of Redis the platform runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// One server.
    Server,
    /// A master, two replicas and three Sentinels.
    Sentinel,
    /// Three masters with a replica each.
    Cluster,
}

pub(crate) enum RedisHome {
    Server(Redis),
    Sentinel(Watched),
    Cluster(Cluster),
}

impl RedisHome {
    pub(crate) async fn start(kind: Kind) -> RedisHome {
        match kind {
            Kind::Server => RedisHome::Server(Redis::start(&deployed("redis.conf")).await),
            Kind::Sentinel => RedisHome::Sentinel(Watched::with_two_replicas().await),
            Kind::Cluster => RedisHome::Cluster(Cluster::with_replicas().await),
        }
    }

    /// As `FK_REDIS_URL` takes it.
    pub(crate) fn url(&self) -> String {
        match self {
            RedisHome::Server(server) => server.durable_url(),
            RedisHome::Sentinel(watched) => watched.url("?wait_replicas=1"),
            RedisHome::Cluster(cluster) => format!("{}?wait_replicas=1", cluster.durable_url()),
        }
    }

    /// Every server that holds data.
    pub(crate) fn nodes(&self) -> &[Redis] {
        match self {
            RedisHome::Server(server) => std::slice::from_ref(server),
            RedisHome::Sentinel(Watched { nodes, .. }) | RedisHome::Cluster(Cluster { nodes, .. }) => nodes,
        }
    }

    /// The numbers of the nodes that answer for the data.
    async fn masters(&self) -> Vec<usize> {
        match self {
            RedisHome::Server(_) => vec![0],
            RedisHome::Sentinel(watched) => vec![watched.master().await],
            RedisHome::Cluster(cluster) => cluster.masters().await,
        }
    }

    /// Connections to the nodes that answer for the data, all of it together.
    pub(crate) async fn connections(&self) -> anyhow::Result<Vec<redis::aio::MultiplexedConnection>> {
        let mut connections = Vec::new();
        for master in self.masters().await {
            let client = redis::Client::open(self.nodes()[master].durable_url())?;
            connections.push(client.get_multiplexed_async_connection().await?);
        }
        Ok(connections)
    }

    /// Kills every server, and starts them again on the same data after so long.
    pub(crate) async fn kill_all(&self, timeline: &Timeline, gone: Duration) {
        self.nodes().iter().for_each(Redis::kill);
        timeline.mark(Subject::Redis, false);
        sleep(gone).await;
        timeline.mark(Subject::Redis, true);
        for node in self.nodes() {
            node.restart("").await;
        }
    }

    /// Kills the master, or one of several by this number, and starts it again after so long: long after a replica has
    /// taken its place.
    pub(crate) async fn kill_master(&self, one: u64, timeline: &Timeline, gone: Duration) {
        let masters = self.masters().await;
        let master = masters[one as usize % masters.len()];
        let shards = self.shards(master).await;
        let until = Instant::now() + gone;
        self.nodes()[master].kill();
        for shard in &shards {
            timeline.mark(Subject::Without(*shard), true);
        }
        let back_ms = self.replaced(master, &masters, until).await;
        for shard in shards {
            timeline.mark_at(back_ms, Subject::Without(shard), false);
        }
        sleep_until(until).await;
        self.nodes()[master].restart("").await;
    }

    /// The shards that a master answers for.
    async fn shards(&self, master: usize) -> Vec<Shard> {
        let RedisHome::Cluster(cluster) = self else { return Shard::all().collect() };
        let owners = cluster.owners().await;
        let of_master = |shard: &Shard| {
            let slot = redis_link::slot(&format!("{{s{}}}", shard.index()));
            owners.iter().any(|(slots, node)| *node == master && slots.contains(&slot))
        };
        Shard::all().filter(of_master).collect()
    }

    /// When it was last seen that no replica had taken the place of this master; until then nothing of it could be
    /// written.
    async fn replaced(&self, killed: usize, masters: &[usize], until: Instant) -> i64 {
        loop {
            let asked_ms = runtime::wall_clock_ms();
            let mut replaced = Instant::now() >= until;
            for (number, node) in self.nodes().iter().enumerate() {
                if number != killed && !masters.contains(&number) {
                    let role: Result<String, String> = node.try_ask(&["INFO", "replication"]).await;
                    replaced |= role.is_ok_and(|role| role.contains("role:master"));
                }
            }
            if replaced {
                return asked_ms;
            }
            sleep(Duration::from_millis(20)).await;
        }
    }
}
