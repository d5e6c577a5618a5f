use ::redis::aio::MultiplexedConnection;
use ::redis::cmd;

use crate::{port, redis};

/// First and last slot of each node.
const SLOTS: [(u16, u16); 3] = [(0, 5460), (5461, 10922), (10923, 16383)];

/// The URL of a new, empty Redis Cluster of three nodes without replicas, `redis+cluster://host:port,...`. Takes two
/// seconds or three.
///
/// # Panics
/// If Redis is not installed or does not start.
pub async fn redis_cluster() -> String {
    let mut nodes = Vec::new();
    for (epoch, (first, last)) in (1u32..).zip(SLOTS) {
        // The usual port of the bus is higher by 10 000, and may be none.
        let bus = port::free();
        let bus_text = bus.to_string();
        let cluster = ["--cluster-enabled", "yes", "--cluster-port", &bus_text, "--cluster-node-timeout", "5000"];
        let (port, mut node) = redis::start(&cluster).await;
        // Different epochs from the start, so that the nodes need not settle on them.
        command(&mut node, &["CLUSTER", "SET-CONFIG-EPOCH", &epoch.to_string()]).await;
        command(&mut node, &["CLUSTER", "ADDSLOTSRANGE", &first.to_string(), &last.to_string()]).await;
        nodes.push((port, bus, node));
    }
    let (port, bus) = (nodes[0].0.to_string(), nodes[0].1.to_string());
    for (.., node) in &mut nodes[1..] {
        command(node, &["CLUSTER", "MEET", "127.0.0.1", &port, &bus]).await;
    }
    for (.., node) in &nodes {
        port::until("the Redis Cluster does not form", async || {
            let state: String =
                cmd("CLUSTER").arg("INFO").query_async(&mut node.clone()).await.map_err(|e| e.to_string())?;
            let whole = state.contains("cluster_state:ok") && state.contains("cluster_known_nodes:3");
            if whole { Ok(()) } else { Err(state) }
        })
        .await;
    }
    let hosts: Vec<_> = nodes.iter().map(|(port, ..)| format!("127.0.0.1:{port}")).collect();
    format!("redis+cluster://{}", hosts.join(","))
}

async fn command(node: &mut MultiplexedConnection, words: &[&str]) {
    let mut command = cmd(words[0]);
    command.arg(&words[1..]);
    command.query_async::<()>(node).await.unwrap_or_else(|error| panic!("{}: {error}", words.join(" ")));
}
