//! The heartbeat of the platform: a gap in it is an outage, and outages are nobody's time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use live::{LiveError, LiveStore, Outage};
use metrics::counter;
use proto::Shard;

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

    pub(crate) async fn beat(&self, store: &dyn LiveStore) -> Result<(), LiveError> {
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

    /// Whether running games have yet to be credited; true once an outage.
    pub(crate) fn owes_a_sweep(&self) -> bool {
        self.sweep.swap(false, Ordering::SeqCst)
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
