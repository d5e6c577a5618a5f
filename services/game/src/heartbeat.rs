//! The heartbeat of the platform: a gap in it is an outage, and outages are nobody's time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use live::{LiveError, LiveStore, Outage};
use metrics::counter;
use proto::Shard;
use runtime::{Drain, Readiness};
use tokio::time::MissedTickBehavior;

use crate::decide::Command;
use crate::games::Games;

const EVERY: Duration = Duration::from_millis(500);
/// A longer gap is an outage.
const GAP_MS: i64 = 2_000;

/// When this replica last beat, and whether running games have yet to be credited for an outage.
pub(crate) struct Heartbeat {
    last: AtomicI64,
    sweep: AtomicBool,
}

impl Heartbeat {
    /// The first beat; before it nothing is served, so that an outage is known before any command is judged.
    pub(crate) async fn start(store: Arc<dyn LiveStore>) -> Result<Self, LiveError> {
        let heartbeat = Self { last: AtomicI64::new(0), sweep: AtomicBool::new(false) };
        heartbeat.beat(&*store).await?;
        Ok(heartbeat)
    }

    async fn beat(&self, store: &dyn LiveStore) -> Result<(), LiveError> {
        if let Some(outage) = store.beat(GAP_MS).await? {
            tracing::warn!(
                outage.id,
                outage.gap_ms = outage.to - outage.from,
                "an outage is credited to running games"
            );
            counter!("game_outages_total").increment(1);
            self.sweep.store(true, Ordering::SeqCst);
        }
        self.last.store(store.now(), Ordering::SeqCst);
        Ok(())
    }

    /// Outages that ended after `since`. If this replica has not beaten for too long, it may itself have stood
    /// still: it beats first.
    pub(crate) async fn outages(
        &self,
        store: &dyn LiveStore,
        shard: Shard,
        since: i64,
        now: i64,
    ) -> Result<Vec<Outage>, LiveError> {
        if now - self.last.load(Ordering::SeqCst) > GAP_MS {
            self.beat(store).await?;
        }
        store.outages(shard, since).await
    }
}

/// Beats, and after an outage tells every running game so that players see their time back.
pub(crate) async fn keep(games: Arc<Games>, readiness: Readiness, drain: Drain) {
    let mut beats = tokio::time::interval(EVERY);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = beats.tick() => {}
            () = drain.draining() => return,
        }
        let beaten = games.heartbeat.beat(&*games.store).await;
        readiness.set("live store", beaten.is_ok());
        readiness.set("store's time", games.store.ready().await.is_ok());
        if let Err(error) = beaten {
            tracing::warn!(error = &error as &dyn std::error::Error, "a heartbeat failed");
        } else if games.heartbeat.sweep.swap(false, Ordering::SeqCst)
            && let Err(error) = sweep(&games).await
        {
            tracing::warn!(%error, "running games will be credited with their next command");
        }
    }
}

async fn sweep(games: &Games) -> Result<(), proto::Refusal> {
    for game in games.store.running().await.map_err(crate::games::unavailable)? {
        games.execute(game, Command::Settle).await?;
    }
    Ok(())
}
