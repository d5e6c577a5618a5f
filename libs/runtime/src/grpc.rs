//! gRPC between services: how one listens and how another calls it, in one process or in several.
//!
//! Every RPC of ours is idempotent by its contract in `proto/`, so a link makes a call again that met a replica which
//! was starting, stopping or gone. A link knows all replicas behind its URL, spreads calls over those that are
//! healthy, and notices new ones.

mod link;
mod replicas;
mod server;
mod tls;

pub use link::Link;
pub use tls::Tls;

use std::time::Duration;

use anyhow::Context as _;
use tokio::net::TcpListener;
use tonic::service::Routes;

use crate::{Drain, Environment, Readiness};

/// How long calls take and connections live between services; only tests change it.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// What a call may take that says nothing of it.
    pub call: Duration,
    /// After how long without an answer such a call is made once more, likely at another replica.
    pub patience: Duration,
    /// How long a connection may be silent before the other side is asked whether it is there.
    pub keep_alive: Duration,
    /// How long the other side then has to answer before the connection and its calls are given up.
    pub keep_alive_timeout: Duration,
    /// Connections end now and then, so that load moves to new replicas even without client-side balancing.
    pub connection_age: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            call: Duration::from_secs(5),
            // A service that waits two seconds for its store says so before, a replica that stands still is known to by
            // then, and the second attempt has as long as the first.
            patience: Duration::from_millis(2500),
            keep_alive: Duration::from_secs(20),
            keep_alive_timeout: Duration::from_secs(10),
            connection_age: Duration::from_secs(15 * 60),
        }
    }
}

/// How services reach each other: in the clear, or with mutual TLS. A message may have 4 MiB unless the service says
/// otherwise.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    tls: Option<Tls>,
    pace: Pace,
    readiness: Option<Readiness>,
}

impl Mesh {
    /// Mutual TLS if `FK_TLS_CERT`, `FK_TLS_KEY` and `FK_TLS_CA` are set.
    ///
    /// # Errors
    /// If a file cannot be used: the setting, the file and why.
    pub fn new(environment: &Environment) -> anyhow::Result<Self> {
        Ok(Self { tls: Tls::load(environment)?, ..Self::default() })
    }

    /// At another pace.
    #[must_use]
    pub fn at(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// What is served from here on tells callers to look elsewhere while a condition does not hold.
    #[must_use]
    pub fn following(mut self, readiness: Readiness) -> Self {
        self.readiness = Some(readiness);
        self
    }

    /// A link to the replicas behind a URL, or several URLs joined by commas; none need be up yet. `name` is the setting
    /// to blame if that is not what it holds.
    ///
    /// # Errors
    /// If a URL cannot be understood.
    pub fn connect(&self, name: &str, urls: &str) -> anyhow::Result<Link> {
        Ok(Link::new(replicas::balanced(self.services(name, urls)?), self.pace))
    }

    /// # Errors
    /// As [`Mesh::connect`], without connecting.
    pub(crate) fn check(&self, name: &str, urls: &str) -> anyhow::Result<()> {
        self.services(name, urls).map(drop)
    }

    fn services(&self, name: &str, urls: &str) -> anyhow::Result<Vec<replicas::Service>> {
        replicas::services(urls, self.tls.as_ref(), self.pace)
            .with_context(|| format!("{name}: expected http://host:port, several joined by commas"))
    }

    /// Serves one service's routes with health and reflection until the drain begins; then calls under way finish
    /// and long streams are expected to end by themselves.
    ///
    /// # Errors
    /// If the reflection data is broken or the listener fails.
    pub async fn serve(
        &self,
        service: &'static str,
        listener: TcpListener,
        routes: Routes,
        drain: Drain,
    ) -> anyhow::Result<()> {
        server::serve(service, listener, routes, drain, self).await
    }

    /// [`Mesh::serve`] as a task of the drain, which fails if the listener does.
    pub fn spawn(&self, service: &'static str, listener: TcpListener, routes: Routes, drain: &Drain) {
        let (mesh, serving, broken) = (self.clone(), drain.clone(), drain.clone());
        drain.spawn(service, async move {
            if let Err(error) = mesh.serve(service, listener, routes, serving).await {
                tracing::error!(%error, "a listener failed");
                broken.fail();
            }
        });
    }
}

/// [`Mesh::connect`] in the clear.
///
/// # Errors
/// If a URL cannot be understood.
pub fn connect(urls: &str) -> anyhow::Result<Link> {
    Mesh::default().connect("the URL", urls)
}

/// [`Mesh::serve`] in the clear.
///
/// # Errors
/// If the reflection data is broken or the listener fails.
pub async fn serve(service: &'static str, listener: TcpListener, routes: Routes, drain: Drain) -> anyhow::Result<()> {
    Mesh::default().serve(service, listener, routes, drain).await
}
