//! Calls to whichever server holds a slot, followed and repeated as far as that is safe.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use metrics::{counter, describe_counter, describe_histogram, histogram};
use redis::aio::{AsyncPushSender, MultiplexedConnection};
use redis::{ErrorKind, FromRedisValue, RedisError, ServerErrorKind, Value, cmd};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::call::Call;
use crate::directions::{self, Map};
use crate::durability;
use crate::node::{Failure, LANES, Node, Request};
use crate::open::OpenError;
use crate::script::Script;
use crate::slot::slot;
use crate::url::{Address, Settings};

const SECONDS: &str = "redis_call_seconds";
const RETRIES: &str = "redis_retries_total";

const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// How often a call follows redirections at once; then it pauses between them.
const HOPS: u32 = 5;
/// Directions younger than this are not asked for again.
const FRESH: Duration = Duration::from_millis(100);

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
        Failure::Lost(..) | Failure::Unfit(..) | Failure::Unreadable(_) => Remedy::None,
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

/// All servers that make one store.
pub struct Link {
    pub(crate) settings: Arc<Settings>,
    map: RwLock<Map>,
    asked: Mutex<Option<Instant>>,
}

impl Link {
    /// As `FK_REDIS_URL` says. Scripts are loaded with each connection, so that after a restart not every caller finds
    /// that they are missing.
    ///
    /// # Errors
    /// If the URL makes no sense.
    pub fn new(url: &str, scripts: Vec<&'static Script>) -> Result<Self, OpenError> {
        describe_histogram!(SECONDS, "calls to Redis from the first attempt to the answer, by script or command");
        describe_counter!(RETRIES, "attempts at a call that were followed by another one, by script or command");
        let settings: Arc<Settings> = Arc::new(url.parse().map_err(OpenError::Url)?);
        let map = RwLock::new(Map::new(Arc::clone(&settings), scripts.into()));
        Ok(Self { map, settings, asked: Mutex::new(None) })
    }

    /// Judges a URL without going there.
    ///
    /// # Errors
    /// If the URL makes no sense. It is not part of the message.
    pub fn check(url: &str) -> Result<(), OpenError> {
        url.parse::<Settings>().map(drop).map_err(OpenError::Url)
    }

    /// Makes sure that a server answers and may hold games; unless the URL says `durability=relaxed`, that is one whose
    /// log is on disk before it answers.
    ///
    /// # Errors
    /// [`Failure::Unfit`], or why it does not answer.
    pub async fn greet(&self, node: &Node) -> Result<(), Failure> {
        node.ask(&cmd("PING")).await?;
        durability::check(node, self.settings.durability).await
    }

    /// Who is thought to hold a slot.
    #[must_use]
    pub fn owner(&self, slot: u16) -> Option<Arc<Node>> {
        self.map.read().unwrap_or_else(PoisonError::into_inner).owner(slot)
    }

    /// All servers that hold something.
    #[must_use]
    pub fn owners(&self) -> Vec<Arc<Node>> {
        self.map.read().unwrap_or_else(PoisonError::into_inner).owners()
    }

    /// Asks the servers who holds what.
    ///
    /// # Errors
    /// If nobody knows.
    pub async fn ask_directions(&self) -> Result<(), Failure> {
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

    fn moved(&self, slot: u16, address: &Address) {
        self.map.write().unwrap_or_else(PoisonError::into_inner).moved(slot, address);
    }

    /// Learns from a failure at a server whatever it says of where the data is by now.
    pub fn learn(&self, failure: &Failure) {
        if let Failure::Refused(from, error) = failure
            && error.kind() == ErrorKind::Server(ServerErrorKind::Moved)
            && let (Some((_, slot)), Some(address)) = (error.redirect_node(), redirection(from, error))
        {
            self.moved(slot, &address);
        }
    }

    /// A connection of its own that hears a channel, to the server that holds it, and that server's address.
    ///
    /// # Errors
    /// [`Failure`]; whoever tries again asks for directions first.
    pub async fn subscribe(
        &self,
        channel: &str,
        pushes: impl AsyncPushSender,
    ) -> Result<(Address, MultiplexedConnection), Failure> {
        let slot = slot(channel);
        let node = self.owner(slot).ok_or(Failure::NoOwner(slot))?;
        let subscribed = node.subscribe(&[channel.to_owned()], pushes).await;
        Ok((node.address.clone(), subscribed.inspect_err(|failure| self.learn(failure))?))
    }

    /// Calls and reads the answer.
    ///
    /// # Errors
    /// As [`Link::call`], and if the answer is of another kind.
    pub async fn get<T: FromRedisValue>(&self, call: Call) -> Result<T, Failure> {
        let value = self.call(call).await?;
        redis::from_redis_value(value).map_err(|error| Failure::Unreadable(error.to_string()))
    }

    /// Calls.
    ///
    /// # Errors
    /// The last [`Failure`], after all that could be done about it.
    pub async fn call(&self, call: Call) -> Result<Value, Failure> {
        let started = Instant::now();
        let answer = self.attempt(&call).await;
        histogram!(SECONDS, "call" => call.name).record(started.elapsed());
        answer
    }

    async fn attempt(&self, call: &Call) -> Result<Value, Failure> {
        let give_up = Instant::now() + call.patience;
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
            counter!(RETRIES, "call" => call.name).increment(1);
        }
    }
}

/// If this fails, the script is missing once more at the next attempt.
async fn load(node: &Node, script: &Script) {
    let mut load = cmd("SCRIPT");
    load.arg("LOAD").arg(script.source);
    if let Err(error) = node.ask(&load).await {
        tracing::debug!(error = &error as &dyn std::error::Error, "a script could not be loaded");
    }
}
