//! What every replica does all the time: it keeps the store's time, and follows games whose writers died.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};

use super::index;
use super::link::{Call, Link};
use super::time::Clock;
use super::url::Topology;
use crate::store::LiveError;

const SAMPLE_EVERY: Duration = Duration::from_secs(2);
const SAMPLE_AGAIN: Duration = Duration::from_millis(250);
/// A cluster's nodes correct wrong directions themselves; this is for what nobody has asked about.
const CLUSTER_EVERY: Duration = Duration::from_secs(10);
const SWEEP_EVERY: Duration = Duration::from_secs(1);
const COMPARE_EVERY: Duration = Duration::from_secs(600);
/// One replica compares for all, and is followed if it dies.
const COMPARING: &str = "{leases}:comparing";
const COMPARE_LEASE_MS: u64 = 300_000;

pub(super) async fn keep_time(link: Arc<Link>, clock: Arc<Clock>) {
    let mut directions = Instant::now();
    loop {
        let asks_again = match link.settings.topology {
            Topology::Single(_) => None,
            // A master that was cut off from everybody else may not know that it is none any more.
            Topology::Sentinel { .. } => Some(SAMPLE_EVERY),
            Topology::Cluster { .. } => Some(CLUSTER_EVERY),
        };
        if asks_again.is_some_and(|every| directions.elapsed() >= every) {
            directions = Instant::now();
            if let Err(error) = link.ask_directions().await {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "the servers could not be asked where data is"
                );
            }
        }
        let sampled = clock.sample(&link).await;
        if let Err(error) = &sampled {
            tracing::debug!(error = error as &dyn std::error::Error, "the store's time could not be asked");
        }
        tokio::time::sleep(if sampled.is_ok() { SAMPLE_EVERY } else { SAMPLE_AGAIN }).await;
    }
}

pub(super) async fn keep_index(link: Arc<Link>, clock: Arc<Clock>) {
    let mut sweeps = tokio::time::interval(SWEEP_EVERY);
    sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut compared: Option<Instant> = None;
    loop {
        sweeps.tick().await;
        match index::sweep(&link, clock.now()).await {
            Ok(0) => {}
            Ok(games) => tracing::info!(games, "games were indexed whose writers had not done it"),
            Err(error) => tracing::debug!(error = &error as &dyn std::error::Error, "the index could not be swept"),
        }
        if compared.is_none_or(|at| at.elapsed() >= COMPARE_EVERY) {
            compared = Some(Instant::now());
            if let Err(error) = compare(&link).await {
                tracing::warn!(error = &error as &dyn std::error::Error, "the index could not be compared");
            }
        }
    }
}

async fn compare(link: &Link) -> Result<(), LiveError> {
    let call = Call::command("SET", COMPARING).arg("1").arg("NX").arg("PX").arg(COMPARE_LEASE_MS);
    if link.get::<Option<String>>(call).await?.is_some() {
        let games = index::compare(link).await?;
        tracing::debug!(games, "open games were compared with the index");
    }
    Ok(())
}
