//! One server: its connections, made when they are needed and made again after they broke.

use std::sync::Arc;
use std::time::Duration;

use futures::future::try_join_all;
use redis::aio::{AsyncPushSender, MultiplexedConnection};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, Pipeline, PushInfo, RedisError, ServerErrorKind, Value, cmd,
};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::script::Script;
use crate::url::{Address, Settings, Topology};

const CONNECT: Duration = Duration::from_secs(1);
const RESPONSE: Duration = Duration::from_secs(1);
/// After a failed attempt nobody tries again for so long; those who wait fail with it.
const REST: Duration = Duration::from_millis(50);
/// `WAIT` holds up what follows it on its connection, so appends that wait have lanes of their own.
pub(crate) const LANES: usize = 9;
/// How long `WAIT` waits for the replicas.
const WAIT_MS: u64 = 500;
/// For a connection that hears no channel.
pub(crate) const NO_PUSHES: Option<fn(PushInfo) -> Result<(), ()>> = None;

/// Why a server did not do what it was asked to.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Failure {
    /// Nothing was sent.
    #[error("{0} cannot be reached")]
    Unreached(Address, #[source] RedisError),
    /// It was sent; whether it was done is unknown.
    #[error("{0} gave no answer")]
    Lost(Address, #[source] RedisError),
    /// The server said no; nothing was done.
    #[error("{0} refused")]
    Refused(Address, #[source] RedisError),
    /// It is no place for what must not be lost, and will not be until somebody puts it right.
    #[error("{0} cannot hold games: {1}")]
    Unfit(Address, String),
    /// It would answer from the past.
    #[error("{0} is a replica")]
    Replica(Address),
    /// Nobody is asked.
    #[error("no server is known to hold slot {0}")]
    NoOwner(u16),
    /// Nobody knows.
    #[error("no server says where the data is")]
    NoDirections(#[source] Option<Box<Failure>>),
    /// The answer is not of the kind that was expected.
    #[error("an answer cannot be read: {0}")]
    Unreadable(String),
}

/// One server.
pub struct Node {
    /// Where it is.
    pub address: Address,
    settings: Arc<Settings>,
    scripts: Arc<[&'static Script]>,
    lanes: [Mutex<Lane>; LANES],
}

#[derive(Default)]
struct Lane {
    open: Option<MultiplexedConnection>,
    /// Grows with each connection.
    number: u64,
    failed: Option<(Instant, Failure)>,
}

/// What goes to the server in one piece.
pub(crate) struct Request<'a> {
    pub(crate) command: &'a Cmd,
    pub(crate) lane: usize,
    /// The slot is on its way to this server.
    pub(crate) asking: bool,
    /// Replicas to wait for.
    pub(crate) replicas: u32,
}

impl Node {
    pub(crate) fn new(address: Address, settings: Arc<Settings>, scripts: Arc<[&'static Script]>) -> Self {
        Self { address, settings, scripts, lanes: Default::default() }
    }

    /// Asks this very server, once.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn ask(&self, command: &Cmd) -> Result<Value, Failure> {
        self.send(&Request { command, lane: 0, asking: false, replicas: 0 }).await
    }

    /// A connection of its own that hears these channels; what they carry goes to `pushes`.
    ///
    /// # Errors
    /// [`Failure`]; a channel's slot may have moved.
    pub async fn subscribe(
        &self,
        channels: &[String],
        pushes: impl AsyncPushSender,
    ) -> Result<MultiplexedConnection, Failure> {
        let connection = dial(&self.settings, &self.address, Some(pushes)).await?;
        // On a cluster one command may name channels of one slot only.
        let subscribed = channels.iter().map(async |channel| {
            let mut subscribe = cmd("SSUBSCRIBE");
            subscribe.arg(channel);
            connection.clone().send_packed_command(&subscribe).await.and_then(Value::extract_error)
        });
        match try_join_all(subscribed).await {
            Ok(_) => Ok(connection),
            Err(error) => Err(Failure::Refused(self.address.clone(), error)),
        }
    }

    pub(crate) async fn send(&self, request: &Request<'_>) -> Result<Value, Failure> {
        let (mut connection, number) = self.open(request.lane).await?;
        let answer = if request.asking || request.replicas > 0 {
            self.send_pieces(&mut connection, request).await
        } else {
            connection.send_packed_command(request.command).await.and_then(Value::extract_error)
        };
        match answer {
            Ok(value) => Ok(value),
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly) => {
                // It is a master no more; by now the name may lead to the new one.
                if self.hang_up(request.lane, number).await {
                    for lane in &self.lanes {
                        lane.lock().await.open = None;
                    }
                }
                Err(Failure::Refused(self.address.clone(), error))
            }
            Err(error) if is_refusal(&error) => Err(Failure::Refused(self.address.clone(), error)),
            Err(error) => {
                // A connection that swallowed an answer may swallow the next one, too.
                self.hang_up(request.lane, number).await;
                Err(Failure::Lost(self.address.clone(), error))
            }
        }
    }

    /// The next call on this lane makes a new connection; false if it has been made already.
    async fn hang_up(&self, lane: usize, number: u64) -> bool {
        let mut lane = self.lanes[lane].lock().await;
        let current = lane.number == number && lane.open.is_some();
        if current {
            lane.open = None;
        }
        current
    }

    async fn send_pieces(
        &self,
        connection: &mut MultiplexedConnection,
        request: &Request<'_>,
    ) -> Result<Value, RedisError> {
        let mut pieces = Pipeline::new();
        if request.asking {
            pieces.cmd("ASKING");
        }
        pieces.add_command(request.command.clone());
        if request.replicas > 0 {
            pieces.cmd("WAIT").arg(request.replicas).arg(WAIT_MS);
        }
        let count = pieces.len();
        let mut answers = connection.send_packed_commands(&pieces, 0, count).await?.into_iter();
        let answer = answers.nth(usize::from(request.asking)).unwrap_or(Value::Nil).extract_error()?;
        if let Some(acknowledged) = answers.next().filter(|_| request.replicas > 0) {
            // It is stored all the same: whether to go on without replicas is for `min-replicas-to-write` to say.
            if !matches!(acknowledged, Value::Int(replicas) if replicas >= i64::from(request.replicas)) {
                tracing::warn!(redis.server = %self.address, "too few replicas have acknowledged a write in time");
            }
        }
        Ok(answer)
    }

    async fn open(&self, lane: usize) -> Result<(MultiplexedConnection, u64), Failure> {
        let mut lane = self.lanes[lane].lock().await;
        if let Some(connection) = &lane.open {
            return Ok((connection.clone(), lane.number));
        }
        if let Some((at, failure)) = &lane.failed
            && at.elapsed() < REST
        {
            return Err(failure.clone());
        }
        match dial(&self.settings, &self.address, NO_PUSHES).await {
            Ok(mut connection) => {
                teach(&mut connection, &self.scripts).await;
                lane.number += 1;
                lane.failed = None;
                lane.open = Some(connection.clone());
                Ok((connection, lane.number))
            }
            Err(failure) => {
                lane.failed = Some((Instant::now(), failure.clone()));
                Err(failure)
            }
        }
    }
}

/// Loads the scripts, so that after a restart not every caller finds that they are missing. If that fails, they do.
async fn teach(connection: &mut MultiplexedConnection, scripts: &[&Script]) {
    let mut lessons = Pipeline::new();
    for script in scripts {
        lessons.cmd("SCRIPT").arg("LOAD").arg(script.source);
    }
    let _ = connection.send_packed_commands(&lessons, 0, lessons.len()).await;
}

fn is_refusal(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension)
}

/// A new connection to a server that may hold games; what it pushes goes to `pushes`.
pub(crate) async fn dial(
    settings: &Settings,
    address: &Address,
    pushes: Option<impl AsyncPushSender>,
) -> Result<MultiplexedConnection, Failure> {
    let unreached = |error: RedisError| {
        let login = matches!(error.code(), Some("NOAUTH" | "WRONGPASS" | "NOPERM"));
        if login || error.kind() == ErrorKind::AuthenticationFailed {
            return Failure::Unfit(address.clone(), format!("it does not accept the login ({error})"));
        }
        Failure::Unreached(address.clone(), error)
    };
    let mut config =
        AsyncConnectionConfig::new().set_connection_timeout(Some(CONNECT)).set_response_timeout(Some(RESPONSE));
    if let Some(pushes) = pushes {
        config = config.set_push_sender(pushes);
    }
    let client = Client::open(settings.server(address).map_err(unreached)?).map_err(unreached)?;
    let mut connection = client.get_multiplexed_async_connection_with_config(&config).await.map_err(unreached)?;
    let about: String = cmd("INFO").query_async(&mut connection).await.map_err(unreached)?;
    check(settings, address, &about)?;
    Ok(connection)
}

fn check(settings: &Settings, address: &Address, about: &str) -> Result<(), Failure> {
    let said = |name: &str| {
        about.lines().find_map(|line| line.split_once(':').filter(|(known, _)| *known == name)).map_or("", |(_, it)| it)
    };
    let unfit = |why: String| Err(Failure::Unfit(address.clone(), why));
    let version = said("redis_version");
    if version.split('.').next().and_then(|major| major.parse().ok()).is_none_or(|major: u32| major < 7) {
        return unfit(format!("its version is {version}, and 7 is the oldest that will do"));
    }
    let policy = said("maxmemory_policy");
    if policy != "noeviction" {
        return unfit(format!("its maxmemory-policy is {policy}, which throws games away; set it to noeviction"));
    }
    let (wants_cluster, is_cluster) =
        (matches!(settings.topology, Topology::Cluster { .. }), said("cluster_enabled") == "1");
    if wants_cluster != is_cluster {
        let not = if is_cluster { "a" } else { "no" };
        return unfit(format!("it is {not} node of a cluster, and the URL says otherwise"));
    }
    // In a cluster a replica sends callers on to its master; elsewhere it would answer from the past.
    if !is_cluster && said("role") != "master" {
        return Err(Failure::Replica(address.clone()));
    }
    Ok(())
}
