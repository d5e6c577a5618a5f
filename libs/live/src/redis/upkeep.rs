//! What every replica does all the time: it follows games whose writers died.

use std::sync::Arc;
use std::time::Duration;

use redis_link::{Call, Clock};
use tokio::time::{Instant, MissedTickBehavior};

use super::index;
use super::link::Link;
use crate::store::LiveError;

const SWEEP_EVERY: Duration = Duration::from_secs(1);
const COMPARE_EVERY: Duration = Duration::from_secs(600);
/// One replica compares for all, and is followed if it dies.
const COMPARING: &str = "{leases}:comparing";
const COMPARE_LEASE_MS: u64 = 300_000;

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
