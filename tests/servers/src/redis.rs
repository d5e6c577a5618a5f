use std::path::PathBuf;

use ::redis::aio::MultiplexedConnection;
use ::redis::{Client, cmd};

use crate::{keeper, port};

/// The URL of a new, empty Redis that keeps nothing on disk.
///
/// # Panics
/// If Redis is not installed or does not start.
pub async fn redis() -> String {
    let (port, _) = start(&[]).await;
    format!("redis://127.0.0.1:{port}")
}

/// Starts a server with these arguments besides the usual ones.
pub(crate) async fn start(arguments: &[&str]) -> (u16, MultiplexedConnection) {
    let (folder, port) = (keeper::folder("redis", None), port::free());
    let port_text = port.to_string();
    let program = program();
    let mut server = vec![program.to_str().expect("the path is text")];
    server.extend(["--bind", "127.0.0.1", "--port", &port_text, "--save", "", "--appendonly", "no"]);
    server.extend(arguments);
    keeper::keep(&folder, "KILL", None, &server);
    let client = Client::open(format!("redis://127.0.0.1:{port}")).expect("the URL is one");
    let connection = port::until("Redis does not start", async || {
        let failed = |error| format!("{error}; its log: {}", keeper::log(&folder));
        let mut connection = client.get_multiplexed_async_connection().await.map_err(failed)?;
        cmd("PING").query_async::<String>(&mut connection).await.map_err(failed)?;
        Ok::<_, String>(connection)
    })
    .await;
    (port, connection)
}

fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("redis-server")).find(|program| program.exists());
    found.unwrap_or_else(|| panic!("redis-server is missing: install the Debian package redis-server"))
}
