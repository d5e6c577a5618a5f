//! Wake-ups: published by the scripts, heard over connections of their own, one to each server. Any trouble ends a
//! connection, and a new one is made; after that listeners are told that they may have missed something.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use prost::Message as _;
use proto::game::v1::Passing;
use proto::{EventId, GameId, SHARDS, Shard};
use redis::{PushInfo, PushKind, Value, cmd};
use redis_link::{Address, Call, Failure, Node, slot};
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use super::keys;
use super::link::Link;
use super::log::event_of;
use crate::store::{LiveError, Wakeup, WakeupKind};

/// Wake-ups a reader may be behind before it has to read the logs.
const WAKEUPS: usize = 8192;
/// How often the connections are compared with who holds what.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How often a connection is tried by a message to itself, and how long that may take.
const PING_EVERY: Duration = Duration::from_millis(500);
const PING_PATIENCE: Duration = Duration::from_millis(1_500);

/// A message is 16 bytes, one of these, and the rest.
const EVENTS: u8 = b'E';
const PASSING: u8 = b'P';
const PING: u8 = b'.';

/// How a message of stored events begins; the script adds the entries, each after its length.
pub(super) fn head_of_events(game: GameId) -> Vec<u8> {
    [game.uuid().as_bytes().as_slice(), &[EVENTS]].concat()
}

pub(super) async fn tell(link: &Link, game: GameId, news: &Passing) -> Result<(), LiveError> {
    let message = [game.uuid().as_bytes().as_slice(), &[PASSING], &news.encode_to_vec()].concat();
    link.call(Call::command("SPUBLISH", &keys::of(game.shard(), "wakeups")).arg(message).once()).await.map(drop)
}

/// Where the news comes in and goes out.
pub(super) struct News {
    link: Arc<Link>,
    wakeups: broadcast::Sender<Wakeup>,
    interruptions: watch::Sender<u64>,
    /// Which shards have been heard at least once.
    covered: watch::Sender<Vec<bool>>,
}

/// Why a connection ended.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("no connection")]
    Failed(#[from] Failure),
    #[error("it was closed, or a slot has moved")]
    Closed,
    #[error("it is open and silent")]
    Silent,
}

impl News {
    pub(super) fn new(link: Arc<Link>) -> Self {
        Self {
            link,
            wakeups: broadcast::channel(WAKEUPS).0,
            interruptions: watch::channel(0).0,
            covered: watch::channel(vec![false; usize::from(SHARDS)]).0,
        }
    }

    pub(super) fn wakeups(&self) -> broadcast::Receiver<Wakeup> {
        self.wakeups.subscribe()
    }

    pub(super) fn interruptions(&self) -> watch::Receiver<u64> {
        self.interruptions.subscribe()
    }

    /// Returns once news of every shard comes in.
    pub(super) async fn complete(&self) {
        // The sender is `self`, so it is there.
        let _ = self.covered.subscribe().wait_for(|covered| covered.iter().all(|one| *one)).await;
    }

    /// Keeps a connection to every server that holds a shard.
    pub(super) async fn run(self: Arc<Self>) {
        let mut lines: HashMap<Address, (Vec<Shard>, AbortOnDropHandle<()>)> = HashMap::new();
        let mut looks = tokio::time::interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            if lines.values().any(|(_, line)| line.is_finished()) {
                // Perhaps its shards are elsewhere by now; if nobody knows, the next look comes soon.
                let _ = self.link.ask_directions().await;
            }
            let wanted = self.wanted();
            lines.retain(|address, (shards, line)| {
                !line.is_finished() && wanted.get(address).is_some_and(|(_, wanted)| wanted == shards)
            });
            for (address, (node, shards)) in wanted {
                lines.entry(address).or_insert_with(|| {
                    let line = tokio::spawn(Arc::clone(&self).keep(node, shards.clone()));
                    (shards, AbortOnDropHandle::new(line))
                });
            }
        }
    }

    fn wanted(&self) -> HashMap<Address, (Arc<Node>, Vec<Shard>)> {
        let mut wanted: HashMap<Address, (Arc<Node>, Vec<Shard>)> = HashMap::new();
        for shard in Shard::all() {
            if let Some(node) = self.link.owner(slot(&keys::of(shard, "wakeups"))) {
                wanted.entry(node.address.clone()).or_insert_with(|| (node, Vec::new())).1.push(shard);
            }
        }
        wanted
    }

    async fn keep(self: Arc<Self>, node: Arc<Node>, shards: Vec<Shard>) {
        let broken = self.listen(&node, &shards).await;
        match &broken {
            Err(Broken::Failed(failure)) => {
                tracing::debug!(redis.server = %node.address, error = failure as &dyn std::error::Error, "wake-ups cannot be heard");
            }
            Err(broken) => {
                tracing::warn!(redis.server = %node.address, %broken, "wake-ups are heard over a new connection");
            }
            Ok(never) => match *never {},
        }
    }

    async fn listen(&self, node: &Arc<Node>, shards: &[Shard]) -> Result<std::convert::Infallible, Broken> {
        let (sender, mut pushes) = mpsc::unbounded_channel();
        let channels: Vec<String> = shards.iter().map(|shard| keys::of(*shard, "wakeups")).collect();
        // For as long as it is kept.
        let _connection = node.subscribe(&channels, sender).await.inspect_err(|failure| self.link.learn(failure))?;
        self.covered.send_modify(|covered| {
            for shard in shards {
                covered[usize::from(shard.index())] = true;
            }
        });
        // Whatever was told before this moment went past us.
        self.interruptions.send_modify(|count| *count += 1);

        let me = EventId::new();
        let mut pinged: Option<Instant> = None;
        let mut pings = tokio::time::interval(PING_EVERY);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut channels = shards.iter().cycle();
        loop {
            tokio::select! {
                push = pushes.recv() => {
                    if self.hear(push.ok_or(Broken::Closed)?)? == Some(*me.uuid().as_bytes()) {
                        pinged = None;
                    }
                }
                _ = pings.tick() => match (pinged, channels.next()) {
                    (Some(at), _) if at.elapsed() > PING_PATIENCE => return Err(Broken::Silent),
                    (None, Some(shard)) => {
                        pinged = Some(Instant::now());
                        ping(Arc::clone(node), *shard, me);
                    }
                    _ => {}
                },
            }
        }
    }

    /// Passes one message on; returns whose ping it was, if one.
    fn hear(&self, push: PushInfo) -> Result<Option<[u8; 16]>, Broken> {
        match push.kind {
            PushKind::SMessage => {}
            PushKind::SUnsubscribe | PushKind::Disconnection => return Err(Broken::Closed),
            _ => return Ok(None),
        }
        let Some(Value::BulkString(message)) = push.data.last() else { return Ok(None) };
        let Some((id, [kind, rest @ ..])) = message.split_first_chunk::<16>() else { return Ok(None) };
        let wakeup = match *kind {
            PING => return Ok(Some(*id)),
            EVENTS => entries(rest).map(|events| WakeupKind::Events(Arc::new(events))),
            PASSING => Passing::decode(rest).ok().map(WakeupKind::Passing),
            _ => None,
        };
        // What a newer build tells, this one need not understand: the log is the truth.
        if let Some(kind) = wakeup {
            // Nobody listening is no error.
            let _ = self.wakeups.send(Wakeup { game: Uuid::from_bytes(*id).into(), kind });
        }
        Ok(None)
    }
}

/// Whether it arrives is seen by the listener.
fn ping(node: Arc<Node>, shard: Shard, me: EventId) {
    tokio::spawn(async move {
        let mut publish = cmd("SPUBLISH");
        publish.arg(keys::of(shard, "wakeups")).arg([me.uuid().as_bytes().as_slice(), &[PING]].concat());
        let _ = node.ask(&publish).await;
    });
}

fn entries(mut bytes: &[u8]) -> Option<Vec<proto::types::v1::Event>> {
    let mut events = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (entry, rest) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
        events.push(event_of(entry).ok()?);
        bytes = rest;
    }
    Some(events)
}
