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

pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// How services reach each other: in the clear, or with mutual TLS.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    tls: Option<Tls>,
    readiness: Option<Readiness>,
}

impl Mesh {
    /// Mutual TLS if `FK_TLS_CERT`, `FK_TLS_KEY` and `FK_TLS_CA` are set.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn new(environment: &Environment) -> anyhow::Result<Self> {
        Ok(Self { tls: Tls::load(environment)?, readiness: None })
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
        let channel = replicas::balanced(urls, self.tls.as_ref());
        Ok(Link::new(channel.with_context(|| format!("{name}: expected http://host:port, several joined by commas"))?))
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
