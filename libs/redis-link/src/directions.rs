//! Who holds which slot: one server, the master that Sentinels name, or what a cluster says of itself.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _, select_ok};
use redis::{AsyncConnectionConfig, Client, RedisError, Value, cmd};

use crate::node::{Failure, NO_PUSHES, Node, dial};
use crate::script::Script;
use crate::slot::SLOTS;
use crate::url::{Address, Settings, Topology};

const SENTINEL_RESPONSE: Duration = Duration::from_millis(500);

/// What was learnt.
pub(crate) enum Directions {
    Unchanged,
    Master(Address),
    Slots(Vec<(u16, u16, Address)>),
}

/// The servers as they are known.
pub(crate) struct Map {
    settings: Arc<Settings>,
    scripts: Arc<[&'static Script]>,
    nodes: HashMap<Address, Arc<Node>>,
    owners: Owners,
}

enum Owners {
    One(Option<Arc<Node>>),
    Slots(Vec<Option<Arc<Node>>>),
}

impl Map {
    pub(crate) fn new(settings: Arc<Settings>, scripts: Arc<[&'static Script]>) -> Self {
        let (nodes, owners) = (HashMap::new(), Owners::One(None));
        let mut map = Self { settings: Arc::clone(&settings), scripts, nodes, owners };
        match &settings.topology {
            Topology::Single(address) => map.owners = Owners::One(Some(map.node(address))),
            Topology::Sentinel { .. } => {}
            Topology::Cluster { seeds } => {
                for seed in seeds {
                    map.node(seed);
                }
                map.owners = Owners::Slots(vec![None; usize::from(SLOTS)]);
            }
        }
        map
    }

    pub(crate) fn owner(&self, slot: u16) -> Option<Arc<Node>> {
        match &self.owners {
            Owners::One(node) => node.clone(),
            Owners::Slots(slots) => slots.get(usize::from(slot)).cloned().flatten(),
        }
    }

    pub(crate) fn owners(&self) -> Vec<Arc<Node>> {
        let mut owners: Vec<Arc<Node>> = match &self.owners {
            Owners::One(node) => node.iter().cloned().collect(),
            Owners::Slots(slots) => slots.iter().flatten().cloned().collect(),
        };
        owners.sort_by(|a, b| (&a.address.host, a.address.port).cmp(&(&b.address.host, b.address.port)));
        owners.dedup_by(|a, b| a.address == b.address);
        owners
    }

    pub(crate) fn nodes(&self) -> Vec<Arc<Node>> {
        self.nodes.values().cloned().collect()
    }

    pub(crate) fn node(&mut self, address: &Address) -> Arc<Node> {
        let new = || Arc::new(Node::new(address.clone(), Arc::clone(&self.settings), Arc::clone(&self.scripts)));
        Arc::clone(self.nodes.entry(address.clone()).or_insert_with(new))
    }

    pub(crate) fn moved(&mut self, slot: u16, address: &Address) {
        let node = self.node(address);
        if let Owners::Slots(slots) = &mut self.owners
            && let Some(owner) = slots.get_mut(usize::from(slot))
        {
            *owner = Some(node);
        }
    }

    pub(crate) fn update(&mut self, directions: Directions) {
        match directions {
            Directions::Unchanged => {}
            Directions::Master(address) => {
                let node = self.node(&address);
                self.nodes.retain(|known, _| *known == address);
                self.owners = Owners::One(Some(node));
            }
            Directions::Slots(ranges) => {
                let mut slots = vec![None; usize::from(SLOTS)];
                for (first, last, address) in &ranges {
                    let node = self.node(address);
                    for slot in slots.iter_mut().take(usize::from(*last) + 1).skip(usize::from(*first)) {
                        *slot = Some(Arc::clone(&node));
                    }
                }
                self.owners = Owners::Slots(slots);
                let Topology::Cluster { seeds } = &self.settings.topology else { return };
                self.nodes.retain(|known, _| seeds.contains(known) || ranges.iter().any(|(.., owner)| owner == known));
            }
        }
    }
}

/// Asks all who may know at once; the first answer that holds counts.
pub(crate) async fn ask(settings: &Settings, known: Vec<Arc<Node>>) -> Result<Directions, Failure> {
    let questions: Vec<BoxFuture<'_, Result<Directions, Failure>>> = match &settings.topology {
        Topology::Single(_) => return Ok(Directions::Unchanged),
        Topology::Sentinel { sentinels, master } => {
            sentinels.iter().map(|sentinel| ask_sentinel(settings, sentinel, master).boxed()).collect()
        }
        Topology::Cluster { .. } => known.into_iter().map(|node| ask_cluster(node).boxed()).collect(),
    };
    if questions.is_empty() {
        return Err(Failure::NoDirections(None));
    }
    match select_ok(questions).await {
        Ok((directions, _)) => Ok(directions),
        Err(failure @ Failure::Unfit(..)) => Err(failure),
        Err(failure) => Err(Failure::NoDirections(Some(Box::new(failure)))),
    }
}

async fn ask_sentinel(settings: &Settings, sentinel: &Address, master: &str) -> Result<Directions, Failure> {
    let failed = |error: RedisError| Failure::Unreached(sentinel.clone(), error);
    let client = settings.sentinel(sentinel).and_then(Client::open).map_err(failed)?;
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(SENTINEL_RESPONSE))
        .set_response_timeout(Some(SENTINEL_RESPONSE));
    let mut connection = client.get_multiplexed_async_connection_with_config(&config).await.map_err(failed)?;
    let found: Option<(String, u16)> = cmd("SENTINEL")
        .arg("GET-MASTER-ADDR-BY-NAME")
        .arg(master)
        .query_async(&mut connection)
        .await
        .map_err(failed)?;
    let (host, port) = found.ok_or_else(|| Failure::Unfit(sentinel.clone(), format!("it knows no master {master}")))?;
    let address = Address::new(&host, port);
    // A Sentinel that was cut off names the master of old, which is a replica by now, or gone.
    match dial(settings, &address, NO_PUSHES).await {
        // What else is wrong with a master is told to whoever calls it.
        Ok(_) | Err(Failure::Unfit(..)) => Ok(Directions::Master(address)),
        Err(failure) => Err(failure),
    }
}

async fn ask_cluster(node: Arc<Node>) -> Result<Directions, Failure> {
    let mut question = cmd("CLUSTER");
    question.arg("SLOTS");
    let answer = node.ask(&question).await?;
    let Value::Array(ranges) = answer else { return Err(Failure::NoDirections(None)) };
    let ranges: Vec<_> = ranges.iter().filter_map(|range| range_of(&node.address, range)).collect();
    if ranges.is_empty() { Err(Failure::NoDirections(None)) } else { Ok(Directions::Slots(ranges)) }
}

/// First and last slot and the master, from `[first, last, [host, port, ...], replicas...]`.
fn range_of(asked: &Address, range: &Value) -> Option<(u16, u16, Address)> {
    let Value::Array(parts) = range else { return None };
    let [Value::Int(first), Value::Int(last), Value::Array(master), ..] = parts.as_slice() else { return None };
    let [host, Value::Int(port), ..] = master.as_slice() else { return None };
    let host = match host {
        Value::BulkString(host) if !host.is_empty() => std::str::from_utf8(host).ok()?,
        Value::SimpleString(host) if !host.is_empty() => host,
        // The server does not know by which name it was reached.
        _ => &asked.host,
    };
    Some((u16::try_from(*first).ok()?, u16::try_from(*last).ok()?, Address::new(host, u16::try_from(*port).ok()?)))
}
