use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;

use crate::Drain;

/// The condition that a process has come up.
pub(crate) const STARTED: &str = "started";

/// Whether the process can serve: every named condition holds and draining has not begun.
#[derive(Debug, Clone)]
pub struct Readiness {
    conditions: Arc<Mutex<BTreeMap<&'static str, bool>>>,
    drain: Drain,
}

impl Readiness {
    /// Ready until a condition says otherwise or the drain begins.
    #[must_use]
    pub fn new(drain: Drain) -> Self {
        Self { conditions: Arc::default(), drain }
    }

    /// Sets one condition.
    pub fn set(&self, condition: &'static str, holds: bool) {
        let mut conditions = self.conditions.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if conditions.insert(condition, holds) != Some(holds) {
            tracing::info!(ready.condition = condition, ready.holds = holds, "readiness changed");
        }
    }

    /// Whether every condition holds that says something about others than this process: not that it has started, and
    /// not that it drains, which callers are told in other ways.
    pub(crate) fn surroundings_hold(&self) -> bool {
        let conditions = self.conditions.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        conditions.iter().all(|(name, holds)| *holds || *name == STARTED)
    }

    /// The names of the conditions that do not hold, `draining` among them.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let conditions = self.conditions.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let unmet = conditions.iter().filter(|(_, holds)| !**holds).map(|(name, _)| *name);
        unmet.chain(self.drain.has_begun().then_some("draining")).collect()
    }
}

/// The operating port: `/healthz` (the process lives), `/readyz` (it can serve), `/metrics` (Prometheus).
pub fn ops_router(readiness: Readiness, metrics: PrometheusHandle) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(readiness)
        .route("/metrics", get(move || std::future::ready(metrics.render())))
}

async fn ready(State(readiness): State<Readiness>) -> impl IntoResponse {
    let missing = readiness.missing();
    if missing.is_empty() {
        (StatusCode::OK, "ready\n".to_owned())
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {}\n", missing.join(", ")))
    }
}
