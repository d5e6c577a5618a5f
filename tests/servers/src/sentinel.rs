use ::redis::cmd;

use crate::{port, redis};

const MASTER: &str = "main";

/// The URL of a new, empty Redis of a master, a replica and a Sentinel that makes the replica the master a second
/// after the master is gone, `redis+sentinel://host:port/main`. Takes a second or two.
///
/// # Panics
/// If Redis is not installed or does not start.
pub async fn redis_sentinel() -> String {
    let (master, connection) = redis::start(&[]).await;
    let master = master.to_string();
    redis::start(&["--replicaof", "127.0.0.1", &master, "--repl-diskless-sync-delay", "0"]).await;
    let settings = format!(
        "sentinel monitor {MASTER} 127.0.0.1 {master} 1\n\
         sentinel down-after-milliseconds {MASTER} 1000\n\
         sentinel failover-timeout {MASTER} 5000\n"
    );
    let furnish = |folder: &std::path::Path| {
        std::fs::write(folder.join("sentinel.conf"), &settings).expect("the folder can be written");
    };
    let (sentinel, watcher) = redis::launch(&furnish, &["sentinel.conf", "--sentinel"]).await;
    port::until("the replica does not follow", async || {
        let about: String =
            cmd("INFO").query_async(&mut connection.clone()).await.map_err(|error| error.to_string())?;
        let known: String = cmd("INFO").query_async(&mut watcher.clone()).await.map_err(|error| error.to_string())?;
        let follows = about.contains("state=online") && known.contains("slaves=1");
        if follows { Ok(()) } else { Err(format!("{about}{known}")) }
    })
    .await;
    format!("redis+sentinel://127.0.0.1:{sentinel}/{MASTER}")
}
