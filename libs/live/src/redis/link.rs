//! Calls to whichever server holds a slot, followed and repeated as far as that is safe.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use redis::{Cmd, ErrorKind, FromRedisValue, RedisError, ServerErrorKind, ToRedisArgs, Value, cmd};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::directions::{self, Map};
use super::keys;
use super::node::{Failure, LANES, Node, Request};
use super::script::Loaded;
use super::url::{Address, Settings};
use crate::store::LiveError;

/// How long one call is repeated before it is given up.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long those who have answered wait for those who have not; longer if the first answer itself was late.
const BRIEF: Duration = Duration::from_millis(700);
const GRACE: Duration = Duration::from_millis(300);
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// How often a call follows redirections at once; then it pauses between them.
const HOPS: u32 = 5;
/// Directions younger than this are not asked for again.
const FRESH: Duration = Duration::from_millis(100);

/// One command or script on one slot.
pub(super) struct Call {
    slot: u16,
    command: Cmd,
    script: Option<&'static Loaded>,
    repeatable: bool,
    waits: bool,
}

impl Call {
    pub(super) fn command(name: &str, key: &str) -> Self {
        let mut command = cmd(name);
        command.arg(key);
        Self { slot: keys::slot(key), command, script: None, repeatable: true, waits: false }
    }

    /// All keys must have the first one's slot.
    pub(super) fn script(script: &'static Loaded, keys: &[&str]) -> Self {
        let mut command = cmd("EVALSHA");
        command.arg(&script.hash).arg(keys.len()).arg(keys);
        let slot = keys.first().map_or(0, |key| keys::slot(key));
        Self { slot, command, script: Some(script), repeatable: true, waits: false }
    }

    pub(super) fn arg(mut self, arg: impl ToRedisArgs) -> Self {
        self.command.arg(arg);
        self
    }

    /// Not to be sent again when its answer was lost.
    pub(super) fn once(self) -> Self {
        Self { repeatable: false, ..self }
    }

    /// Answered only when replicas have it, if the settings say so.
    pub(super) fn replicated(self) -> Self {
        Self { waits: true, ..self }
    }
}

/// What to do about a failure.
enum Remedy {
    /// The slot has another owner.
    Follow(Address),
    /// This once, another server has the key.
    Ask(Address),
    /// The server does not know the script.
    Load,
    /// It passes; perhaps somebody else is responsible by then.
    Pause,
    None,
}

fn remedy(failure: &Failure, repeatable: bool) -> Remedy {
    match failure {
        Failure::Unreached(..) | Failure::Replica(_) | Failure::NoOwner(_) | Failure::NoDirections(_) => Remedy::Pause,
        Failure::Lost(..) if repeatable => Remedy::Pause,
        Failure::Lost(..) | Failure::Unfit(..) => Remedy::None,
        Failure::Refused(from, error) => match error.kind() {
            ErrorKind::Server(ServerErrorKind::Moved) => redirection(from, error).map_or(Remedy::Pause, Remedy::Follow),
            ErrorKind::Server(ServerErrorKind::Ask) => redirection(from, error).map_or(Remedy::Pause, Remedy::Ask),
            ErrorKind::Server(ServerErrorKind::NoScript) => Remedy::Load,
            ErrorKind::Server(
                ServerErrorKind::TryAgain
                | ServerErrorKind::ClusterDown
                | ServerErrorKind::MasterDown
                | ServerErrorKind::ReadOnly
                | ServerErrorKind::BusyLoading,
            ) => Remedy::Pause,
            ErrorKind::Extension if matches!(error.code(), Some("BUSY" | "NOREPLICAS" | "MISCONF")) => Remedy::Pause,
            _ => Remedy::None,
        },
    }
}

/// The address in `MOVED 3999 host:port`; an empty host is that of who said it.
fn redirection(from: &Address, error: &RedisError) -> Option<Address> {
    let (host, port) = error.redirect_node()?.0.rsplit_once(':')?;
    let host = if host.is_empty() { &from.host } else { host };
    Some(Address::new(host, port.parse().ok()?))
}

/// All servers of the store.
pub(super) struct Link {
    pub(super) settings: Arc<Settings>,
    map: RwLock<Map>,
    asked: Mutex<Option<Instant>>,
}

impl Link {
    pub(super) fn new(settings: Settings) -> Self {
        let settings = Arc::new(settings);
        Self { map: RwLock::new(Map::new(Arc::clone(&settings))), settings, asked: Mutex::new(None) }
    }

    /// Who is thought to hold a slot.
    pub(super) fn owner(&self, slot: u16) -> Option<Arc<Node>> {
        self.map.read().unwrap_or_else(PoisonError::into_inner).owner(slot)
    }

    /// All servers that hold something.
    pub(super) fn owners(&self) -> Vec<Arc<Node>> {
        self.map.read().unwrap_or_else(PoisonError::into_inner).owners()
    }

    /// Asks the servers who holds what.
    pub(super) async fn ask_directions(&self) -> Result<(), Failure> {
        let mut asked = self.asked.lock().await;
        if asked.is_some_and(|at| at.elapsed() < FRESH) {
            return Ok(());
        }
        let known = self.map.read().unwrap_or_else(PoisonError::into_inner).nodes();
        let found = directions::ask(&self.settings, known).await;
        *asked = Some(Instant::now());
        self.map.write().unwrap_or_else(PoisonError::into_inner).update(found?);
        Ok(())
    }

    fn node(&self, address: &Address) -> Arc<Node> {
        self.map.write().unwrap_or_else(PoisonError::into_inner).node(address)
    }

    pub(super) fn moved(&self, slot: u16, address: &Address) {
        self.map.write().unwrap_or_else(PoisonError::into_inner).moved(slot, address);
    }

    /// Calls and reads the answer.
    pub(super) async fn get<T: FromRedisValue>(&self, call: Call) -> Result<T, LiveError> {
        let value = self.call(call).await?;
        redis::from_redis_value(value).map_err(|error| LiveError::Unreadable(error.to_string()))
    }

    pub(super) async fn call(&self, call: Call) -> Result<Value, LiveError> {
        match self.attempt(&call).await {
            Ok(value) => Ok(value),
            Err(Failure::Refused(_, error)) if error.code() == Some("BROKEN") => {
                Err(LiveError::Unreadable(error.detail().unwrap_or_default().to_owned()))
            }
            Err(failure) => Err(LiveError::Unavailable(Box::new(failure))),
        }
    }

    /// Asks many places at once. Those that are late when others have answered are left out, so that a dead server
    /// takes only its own games with it; an error if nobody answers.
    pub(super) async fn gather<T>(
        &self,
        asked: impl Iterator<Item = impl Future<Output = Result<T, LiveError>>>,
    ) -> Result<Vec<T>, LiveError> {
        let mut asked: FuturesUnordered<_> = asked.collect();
        let (mut answers, mut failed) = (Vec::with_capacity(asked.len()), None);
        let mut late = Instant::now() + BRIEF;
        loop {
            tokio::select! {
                answer = asked.next() => match answer {
                    Some(Ok(answer)) => {
                        if answers.is_empty() {
                            late = late.max(Instant::now() + GRACE);
                        }
                        answers.push(answer);
                    }
                    Some(Err(error @ LiveError::Unreadable(_))) => return Err(error),
                    Some(Err(error)) => failed = Some(error),
                    None => break,
                },
                () = tokio::time::sleep_until(late), if !answers.is_empty() => {
                    tracing::debug!(late = asked.len(), "some servers did not answer in time");
                    return Ok(answers);
                }
            }
        }
        match failed {
            Some(error) if answers.is_empty() => Err(error),
            Some(error) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "some servers did not answer");
                Ok(answers)
            }
            None => Ok(answers),
        }
    }

    async fn attempt(&self, call: &Call) -> Result<Value, Failure> {
        let give_up = Instant::now() + PATIENCE;
        let (mut pause, mut hops) = (FIRST_PAUSE, 0);
        let (replicas, lane) = match self.settings.wait_replicas {
            replicas if call.waits && replicas > 0 => (replicas, 1 + usize::from(call.slot) % (LANES - 1)),
            _ => (0, 0),
        };
        let mut asked: Option<Arc<Node>> = None;
        loop {
            let asking = asked.is_some();
            let node = asked.take().or_else(|| self.owner(call.slot));
            let request = Request { command: &call.command, lane, asking, replicas };
            let failure = match &node {
                None => Failure::NoOwner(call.slot),
                Some(node) => match node.send(&request).await {
                    Ok(value) => return Ok(value),
                    Err(failure) => failure,
                },
            };
            hops += 1;
            match (remedy(&failure, call.repeatable), node, call.script) {
                (Remedy::Load, Some(node), Some(script)) => {
                    load(&node, script).await;
                    // Where the key was asked for is where it is asked for again.
                    asked = asking.then_some(node);
                }
                (Remedy::Follow(address), ..) => self.moved(call.slot, &address),
                (Remedy::Ask(address), ..) => asked = Some(self.node(&address)),
                (Remedy::Pause, ..) => hops = HOPS + 1,
                (Remedy::None | Remedy::Load, ..) => return Err(failure),
            }
            if hops > HOPS {
                if Instant::now() + pause > give_up {
                    return Err(failure);
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
                if asked.is_none() {
                    // Without directions the old ones are tried again.
                    let _ = self.ask_directions().await;
                }
            }
        }
    }
}

/// Gives up after a while; what was sent may still be done.
pub(super) async fn within<T>(
    patience: Duration,
    asked: impl Future<Output = Result<T, LiveError>>,
) -> Result<T, LiveError> {
    let answer = tokio::time::timeout(patience, asked).await;
    answer.unwrap_or_else(|late| Err(LiveError::Unavailable(Box::new(late))))
}

/// If this fails, the script is missing once more at the next attempt.
async fn load(node: &Node, script: &Loaded) {
    let mut load = cmd("SCRIPT");
    load.arg("LOAD").arg(script.source);
    if let Err(error) = node.send(&Request::plain(&load)).await {
        tracing::debug!(error = &error as &dyn std::error::Error, "a script could not be loaded");
    }
}
