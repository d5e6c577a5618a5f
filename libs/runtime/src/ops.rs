use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::get;
use metrics::{describe_gauge, gauge};
use metrics_exporter_prometheus::PrometheusHandle;

use crate::Drain;

/// The condition that a process has come up.
pub(crate) const STARTED: &str = "started";

/// Whether the process can serve: every named condition that it needs holds, and draining has not begun.
#[derive(Debug, Clone)]
pub struct Readiness {
    conditions: Arc<Mutex<BTreeMap<&'static str, Condition>>>,
    drain: Drain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Condition {
    holds: bool,
    need: Need,
}

/// What it means that a condition does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The process cannot serve.
    Must,
    /// It serves all the same, without something; `/readyz` says so.
    Can,
}

impl Readiness {
    /// Ready until a condition says otherwise or the drain begins.
    #[must_use]
    pub fn new(drain: Drain) -> Self {
        describe_gauge!("ready_condition", "1 while the condition holds, otherwise 0");
        Self { conditions: Arc::default(), drain }
    }

    /// Sets one condition without which the process cannot serve.
    pub fn set(&self, condition: &'static str, holds: bool) {
        self.tell(condition, Need::Must, holds);
    }

    /// Sets one condition.
    pub fn tell(&self, condition: &'static str, need: Need, holds: bool) {
        let known = self.conditions().insert(condition, Condition { holds, need });
        if known.map(|known| known.holds) != Some(holds) {
            gauge!("ready_condition", "condition" => condition).set(f64::from(u8::from(holds)));
            tracing::info!(ready.condition = condition, ready.holds = holds, "readiness changed");
        }
    }

    pub(crate) fn drain(&self) -> &Drain {
        &self.drain
    }

    fn conditions(&self) -> MutexGuard<'_, BTreeMap<&'static str, Condition>> {
        self.conditions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether every condition holds that says something about others than this process: not that it has started, and
    /// not that it drains, which callers are told in other ways.
    pub(crate) fn surroundings_hold(&self) -> bool {
        self.unmet(Need::Must).iter().all(|name| *name == STARTED)
    }

    /// The names of the needed conditions that do not hold, `draining` among them.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let mut missing = self.unmet(Need::Must);
        missing.extend(self.drain.has_begun().then_some("draining"));
        missing
    }

    fn unmet(&self, need: Need) -> Vec<&'static str> {
        let conditions = self.conditions();
        let unmet = conditions.iter().filter(|(_, condition)| !condition.holds && condition.need == need);
        unmet.map(|(name, _)| *name).collect()
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
    let (missing, without) = (readiness.missing(), readiness.unmet(Need::Can));
    if !missing.is_empty() {
        return (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {}\n", missing.join(", ")));
    }
    let told = if without.is_empty() { String::new() } else { format!(", without: {}", without.join(", ")) };
    (StatusCode::OK, format!("ready{told}\n"))
}
