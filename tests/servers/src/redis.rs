use std::path::{Path, PathBuf};

use ::redis::aio::MultiplexedConnection;
use ::redis::{Client, RedisError, cmd};

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
    launch(&|_| (), &[&["--save", "", "--appendonly", "no"], arguments].concat()).await
}

/// Starts `redis-server` in a folder that `furnish` may put something into.
pub(crate) async fn launch(furnish: &dyn Fn(&Path), arguments: &[&str]) -> (u16, MultiplexedConnection) {
    let program = program();
    let begin = |port: u16| {
        let (folder, port) = (keeper::folder("redis", None), port.to_string());
        furnish(&folder);
        let mut server = vec![program.to_str().expect("the path is text")];
        // A file of settings comes first.
        server.extend(arguments.iter().take_while(|argument| !argument.starts_with("--")));
        server.extend(["--bind", "127.0.0.1", "--port", &port]);
        server.extend(arguments.iter().skip_while(|argument| !argument.starts_with("--")));
        keeper::keep(&folder, "KILL", None, &server);
        folder
    };
    port::listening("Redis", begin, connect).await
}

pub(crate) async fn connect(port: u16) -> Result<MultiplexedConnection, String> {
    let connected = async {
        let client = Client::open(format!("redis://127.0.0.1:{port}"))?;
        let mut connection = client.get_multiplexed_async_connection().await?;
        cmd("PING").query_async::<String>(&mut connection).await?;
        Ok::<_, RedisError>(connection)
    };
    connected.await.map_err(|error| error.to_string())
}

fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("redis-server")).find(|program| program.exists());
    found.unwrap_or_else(|| panic!("redis-server is missing: install the Debian package redis-server"))
}
