//! The replicas behind a URL: found by DNS, asked for their health, and given to the channel that balances.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, bail};
use http::Uri;
use tokio::net::lookup_host;
use tokio::sync::mpsc::Sender;
use tokio::time::MissedTickBehavior;
use tonic::transport::channel::Change;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::{Pace, Tls};

const CONNECT_TIME: Duration = Duration::from_secs(1);
const ASK_TIME: Duration = Duration::from_secs(1);
/// How soon a dead replica is left out and a new one found.
const ASK_EVERY: Duration = Duration::from_millis(500);
const ASK_EAGERLY: Duration = Duration::from_millis(25);

/// What one URL stands for.
pub(super) struct Service {
    uri: Uri,
    host: String,
    port: u16,
    tls: Option<Tls>,
    pace: Pace,
}

struct Replica {
    /// Which service it belongs to.
    service: usize,
    health: HealthClient<Channel>,
    endpoint: Endpoint,
    inserted: bool,
}

/// What URLs joined by commas stand for.
pub(super) fn services(urls: &str, tls: Option<&Tls>, pace: Pace) -> anyhow::Result<Vec<Service>> {
    urls.split(',').map(|url| Service::parse(url.trim(), tls, pace)).collect()
}

/// A channel over all healthy replicas. Calls wait while there is none.
pub(super) fn balanced(services: Vec<Service>) -> Channel {
    let (channel, changes) = Channel::balance_channel(64);
    tokio::spawn(watch(services, changes));
    channel
}

impl Service {
    fn parse(url: &str, tls: Option<&Tls>, pace: Pace) -> anyhow::Result<Self> {
        let uri: Uri = match url {
            "" => bail!("nothing stands before, between or after the commas"),
            url => url.parse().with_context(|| format!("got {url:?}"))?,
        };
        let (Some(host), Some(port), Some("http" | "https")) = (uri.host(), uri.port_u16(), uri.scheme_str()) else {
            bail!("got {url:?}");
        };
        let host = host.trim_matches(['[', ']']).to_owned();
        let service = Self { host, port, tls: tls.cloned(), pace, uri };
        // What would fail at every replica fails now.
        service.endpoint(([127, 0, 0, 1], port).into()).with_context(|| format!("got {url:?}"))?;
        Ok(service)
    }

    /// Where its replicas are now; none when the name cannot be resolved.
    async fn resolve(&self) -> Option<Vec<SocketAddr>> {
        let addresses: Vec<_> = lookup_host((self.host.as_str(), self.port)).await.ok()?.collect();
        (!addresses.is_empty()).then_some(addresses)
    }

    fn endpoint(&self, address: SocketAddr) -> anyhow::Result<Endpoint> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let endpoint = Endpoint::from_shared(format!("{scheme}://{address}"))?
            .origin(self.uri.clone())
            .connect_timeout(CONNECT_TIME)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(self.pace.keep_alive)
            .keep_alive_timeout(self.pace.keep_alive_timeout)
            .keep_alive_while_idle(true);
        Ok(match &self.tls {
            Some(tls) => endpoint.tls_config(tls.client(&self.host))?,
            None => endpoint,
        })
    }

    fn replica(&self, service: usize, address: SocketAddr) -> anyhow::Result<Replica> {
        let endpoint = self.endpoint(address)?;
        let health = HealthClient::new(endpoint.clone().timeout(ASK_TIME).connect_lazy());
        Ok(Replica { service, health, endpoint, inserted: false })
    }
}

async fn watch(services: Vec<Service>, changes: Sender<Change<SocketAddr, Endpoint>>) {
    let mut replicas: HashMap<SocketAddr, Replica> = HashMap::new();
    let mut ticks = tokio::time::interval(ASK_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let found = find(&services, &mut replicas).await;
        let asked = replicas.iter().map(|(address, replica)| {
            let (address, mut health, wanted) = (*address, replica.health.clone(), found.contains(address));
            async move {
                let answer = health.check(HealthCheckRequest::default()).await;
                let serving = answer.is_ok_and(|answer| answer.get_ref().status() == ServingStatus::Serving);
                (address, wanted && serving)
            }
        });
        for (address, healthy) in futures::future::join_all(asked).await {
            let Some(replica) = replicas.get_mut(&address) else { continue };
            if healthy != replica.inserted {
                replica.inserted = healthy;
                let change =
                    if healthy { Change::Insert(address, replica.endpoint.clone()) } else { Change::Remove(address) };
                if changes.send(change).await.is_err() {
                    return;
                }
            }
        }
        replicas.retain(|address, replica| replica.inserted || found.contains(address));
        if replicas.values().any(|replica| replica.inserted) {
            ticks.tick().await;
        } else {
            // Nobody can be called yet: look often, calls are waiting.
            tokio::time::sleep(ASK_EAGERLY).await;
        }
        if changes.is_closed() {
            return;
        }
    }
}

async fn find(services: &[Service], replicas: &mut HashMap<SocketAddr, Replica>) -> HashSet<SocketAddr> {
    let mut found = HashSet::new();
    for (number, service) in services.iter().enumerate() {
        let Some(addresses) = service.resolve().await else {
            // Without an answer the known ones stay; their health decides.
            let known = replicas.iter().filter(|(_, replica)| replica.service == number);
            found.extend(known.map(|(address, _)| *address));
            continue;
        };
        for address in addresses {
            found.insert(address);
            if replicas.contains_key(&address) {
                continue;
            }
            match service.replica(number, address) {
                Ok(replica) => {
                    replicas.insert(address, replica);
                }
                Err(error) => tracing::warn!(%address, error = &*error as &dyn Error, "a replica cannot be called"),
            }
        }
    }
    found
}
