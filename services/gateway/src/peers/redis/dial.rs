//! Finds the server that holds a slot: the only one, the master that Sentinels name, or the owner in a cluster.

use std::time::Duration;

use redis::aio::{AsyncPushSender, MultiplexedConnection};
use redis::{AsyncConnectionConfig, Client, ErrorKind, PushInfo, RedisError, ServerErrorKind, Value, cmd};

use super::url::{Kind, Url};

const CONNECT: Duration = Duration::from_secs(1);
const RESPONSE: Duration = Duration::from_secs(1);

type Deaf = fn(PushInfo) -> Result<(), ()>;

/// A connection to the server that holds the key.
pub(super) async fn holder(
    url: &Url,
    key: &str,
    pushes: impl AsyncPushSender,
) -> Result<MultiplexedConnection, RedisError> {
    let host = find(url, key).await?;
    let mut connection = connect(&url.server(&host)?, Some(pushes)).await?;
    if url.kind != Kind::Cluster {
        let role: Vec<Value> = cmd("ROLE").query_async(&mut connection).await?;
        if role.first() != Some(&Value::BulkString(b"master".to_vec())) {
            return Err((ErrorKind::Server(ServerErrorKind::ReadOnly), "the server is a replica").into());
        }
    }
    Ok(connection)
}

/// The server, as the first of the hosts names it that knows.
async fn find(url: &Url, key: &str) -> Result<String, RedisError> {
    let mut last = (ErrorKind::InvalidClientConfig, "the URL names no host").into();
    for host in &url.hosts {
        let found = match &url.kind {
            Kind::Cluster => owner(url, host, key).await,
            Kind::Sentinel { master: name } => master(url, host, name).await,
            Kind::One { .. } => return Ok(host.clone()),
        };
        match found {
            Ok(server) => return Ok(server),
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn owner(url: &Url, host: &str, key: &str) -> Result<String, RedisError> {
    let mut node = connect(&url.server(host)?, None::<Deaf>).await?;
    let slot: i64 = cmd("CLUSTER").arg("KEYSLOT").arg(key).query_async(&mut node).await?;
    let ranges: Vec<Value> = cmd("CLUSTER").arg("SLOTS").query_async(&mut node).await?;
    let found = ranges.iter().find_map(|range| {
        let [Value::Int(first), Value::Int(last), owner, ..] = range.as_sequence()? else { return None };
        let [name, Value::Int(port), ..] = owner.as_sequence()? else { return None };
        let name: String = redis::from_redis_value_ref(name).unwrap_or_default();
        // A server does not know by which name it was reached.
        let name = if name.is_empty() { host.rsplit_once(':')?.0.to_owned() } else { name };
        (*first..=*last).contains(&slot).then(|| format!("{name}:{port}"))
    });
    found.ok_or_else(|| (ErrorKind::ClusterConnectionNotFound, "nobody holds the slot").into())
}

async fn master(url: &Url, host: &str, name: &str) -> Result<String, RedisError> {
    let mut sentinel = connect(&url.sentinel(host)?, None::<Deaf>).await?;
    let found: Option<(String, u16)> =
        cmd("SENTINEL").arg("GET-MASTER-ADDR-BY-NAME").arg(name).query_async(&mut sentinel).await?;
    let (host, port) = found.ok_or((ErrorKind::MasterNameNotFoundBySentinel, "the Sentinel knows no such master"))?;
    Ok(format!("{host}:{port}"))
}

async fn connect(client: &Client, pushes: Option<impl AsyncPushSender>) -> Result<MultiplexedConnection, RedisError> {
    let mut config =
        AsyncConnectionConfig::new().set_connection_timeout(Some(CONNECT)).set_response_timeout(Some(RESPONSE));
    if let Some(pushes) = pushes {
        config = config.set_push_sender(pushes);
    }
    client.get_multiplexed_async_connection_with_config(&config).await
}
