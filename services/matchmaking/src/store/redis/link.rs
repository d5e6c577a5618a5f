//! The connection to whichever server holds the tickets. Whatever goes wrong, the server is looked for again and
//! asked again, for a while.

use std::time::Duration;

use redis::aio::{AsyncPushSender, MultiplexedConnection};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, PushInfo, RedisError, ScriptInvocation,
    ServerErrorKind, Value, cmd,
};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::url::{Kind, Url};

const CONNECT: Duration = Duration::from_secs(1);
const RESPONSE: Duration = Duration::from_secs(1);
/// How long one request is repeated before it is given up.
const PATIENCE: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// How long `WAIT` waits for the replicas.
const WAIT_MS: u64 = 500;
/// After a failed attempt to connect nobody tries for so long; those who wait fail with it.
const REST: Duration = Duration::from_millis(50);

/// What a server is asked. It may be asked twice.
pub(super) enum Request<'a> {
    Script(&'a ScriptInvocation<'a>),
    /// Answered once replicas have it, as many as the URL says.
    Replicated(&'a ScriptInvocation<'a>),
    Command(&'a Cmd),
}

impl Request<'_> {
    async fn send<T: FromRedisValue>(
        &self,
        connection: &mut MultiplexedConnection,
        replicas: u32,
    ) -> Result<T, RedisError> {
        match self {
            Self::Script(script) => script.invoke_async(connection).await,
            Self::Command(command) => command.query_async(connection).await,
            Self::Replicated(script) => {
                let answer = script.invoke_async(connection).await?;
                if replicas > 0 {
                    let have: u32 = cmd("WAIT").arg(replicas).arg(WAIT_MS).query_async(connection).await?;
                    if have < replicas {
                        // Whether to go on without replicas is for `min-replicas-to-write` to say.
                        tracing::warn!("too few replicas have a four in time");
                    }
                }
                Ok(answer)
            }
        }
    }
}

/// One server at a time: all keys have one slot.
pub(super) struct Link {
    url: Url,
    /// A key of the slot.
    key: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<MultiplexedConnection>,
    /// Grows with each connection.
    number: u64,
    failed: Option<(Instant, RedisError)>,
    /// Whom a server named that no longer holds the slot.
    named: Option<String>,
}

impl Link {
    pub(super) fn new(url: Url, key: String) -> Self {
        Self { url, key, state: Mutex::default() }
    }

    /// Asks whichever server holds the data.
    pub(super) async fn ask<T: FromRedisValue>(&self, request: Request<'_>) -> Result<T, RedisError> {
        let give_up = Instant::now() + PATIENCE;
        let mut pause = FIRST_PAUSE;
        loop {
            let error = match self.connection().await {
                Err(error) => error,
                Ok((mut connection, number)) => match request.send(&mut connection, self.url.wait_replicas).await {
                    Ok(answer) => return Ok(answer),
                    Err(error) => {
                        self.leave(number, &error).await;
                        error
                    }
                },
            };
            if is_final(&error) || Instant::now() + pause > give_up {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// A connection of its own that hears a channel.
    pub(super) async fn subscribe(
        &self,
        channel: &str,
        pushes: impl AsyncPushSender,
    ) -> Result<MultiplexedConnection, RedisError> {
        let named = self.state.lock().await.named.clone();
        let mut connection = self.dial(named, Some(pushes)).await?;
        let mut subscribe = cmd("SSUBSCRIBE");
        subscribe.arg(channel);
        connection.send_packed_command(&subscribe).await?.extract_error()?;
        Ok(connection)
    }

    async fn connection(&self) -> Result<(MultiplexedConnection, u64), RedisError> {
        let mut state = self.state.lock().await;
        if let Some(connection) = &state.open {
            return Ok((connection.clone(), state.number));
        }
        if let Some((at, error)) = &state.failed
            && at.elapsed() < REST
        {
            return Err(error.clone());
        }
        match self.dial(state.named.take(), None::<fn(PushInfo) -> Result<(), ()>>).await {
            Ok(connection) => {
                state.number += 1;
                state.failed = None;
                state.open = Some(connection.clone());
                Ok((connection, state.number))
            }
            Err(error) => {
                state.failed = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    /// A connection that failed once may fail again, or lead to a server that no longer holds the data.
    async fn leave(&self, number: u64, error: &RedisError) {
        let mut state = self.state.lock().await;
        if state.number == number && !is_final(error) {
            state.open = None;
            state.named = error.redirect_node().map(|(host, _)| host.to_owned());
        }
    }

    async fn dial(
        &self,
        named: Option<String>,
        pushes: Option<impl AsyncPushSender>,
    ) -> Result<MultiplexedConnection, RedisError> {
        let host = match (&self.url.kind, named) {
            (Kind::Cluster, Some(named)) => named,
            (Kind::Cluster, None) => self.inquire(|host| self.holder(host)).await?,
            (Kind::Sentinel { master }, _) => self.inquire(|host| self.master(host, master)).await?,
            (Kind::One { .. }, _) => self.url.hosts.first().cloned().unwrap_or_default(),
        };
        let mut connection = connect(&self.url.server(&host)?, pushes).await?;
        if self.url.kind != Kind::Cluster {
            let role: Vec<Value> = cmd("ROLE").query_async(&mut connection).await?;
            if role.first() != Some(&Value::BulkString(b"master".to_vec())) {
                return Err((ErrorKind::Server(ServerErrorKind::ReadOnly), "the server is a replica").into());
            }
        }
        Ok(connection)
    }

    /// The first answer of those who may know.
    async fn inquire<F: Future<Output = Result<String, RedisError>> + Send>(
        &self,
        question: impl Fn(String) -> F,
    ) -> Result<String, RedisError> {
        let questions = self.url.hosts.iter().map(|host| Box::pin(question(host.clone())));
        futures::future::select_ok(questions).await.map(|(answer, _)| answer)
    }

    /// Who holds the slot, as a node of the cluster knows it.
    async fn holder(&self, host: String) -> Result<String, RedisError> {
        let mut node = connect(&self.url.server(&host)?, None::<fn(PushInfo) -> Result<(), ()>>).await?;
        let slot: i64 = cmd("CLUSTER").arg("KEYSLOT").arg(&self.key).query_async(&mut node).await?;
        let ranges: Vec<Value> = cmd("CLUSTER").arg("SLOTS").query_async(&mut node).await?;
        let holder = ranges.iter().find_map(|range| {
            let [Value::Int(first), Value::Int(last), master, ..] = range.as_sequence()? else { return None };
            let [name, Value::Int(port), ..] = master.as_sequence()? else { return None };
            let name: String = redis::from_redis_value_ref(name).unwrap_or_default();
            // The server does not know by which name it was reached.
            let name = if name.is_empty() { host.rsplit_once(':')?.0.to_owned() } else { name };
            (*first..=*last).contains(&slot).then(|| format!("{name}:{port}"))
        });
        holder.ok_or_else(|| (ErrorKind::ClusterConnectionNotFound, "nobody holds the slot").into())
    }

    async fn master(&self, host: String, master: &str) -> Result<String, RedisError> {
        let mut sentinel = connect(&self.url.sentinel(&host)?, None::<fn(PushInfo) -> Result<(), ()>>).await?;
        let found: Option<(String, u16)> =
            cmd("SENTINEL").arg("GET-MASTER-ADDR-BY-NAME").arg(master).query_async(&mut sentinel).await?;
        let (name, port) =
            found.ok_or((ErrorKind::MasterNameNotFoundBySentinel, "the Sentinel knows no such master"))?;
        Ok(format!("{name}:{port}"))
    }
}

async fn connect(client: &Client, pushes: Option<impl AsyncPushSender>) -> Result<MultiplexedConnection, RedisError> {
    let mut config =
        AsyncConnectionConfig::new().set_connection_timeout(Some(CONNECT)).set_response_timeout(Some(RESPONSE));
    if let Some(pushes) = pushes {
        config = config.set_push_sender(pushes);
    }
    client.get_multiplexed_async_connection_with_config(&config).await
}

/// Whether it would go wrong again, here and elsewhere.
pub(super) fn is_final(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Parse
            | ErrorKind::UnexpectedReturnType
            | ErrorKind::AuthenticationFailed
            | ErrorKind::InvalidClientConfig
            | ErrorKind::RESP3NotSupported
            | ErrorKind::Server(
                ServerErrorKind::ResponseError
                    | ServerErrorKind::ExecAbort
                    | ServerErrorKind::CrossSlot
                    | ServerErrorKind::NoPerm
            )
    )
}
