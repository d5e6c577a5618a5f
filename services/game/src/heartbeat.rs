//! The heartbeat of the platform: a gap in it is an outage, and outages are nobody's time.

use std::sync::Arc;

use live::{LiveError, LiveStore, Outage};
use metrics::counter;
use proto::Shard;
use tokio::sync::{Mutex, Notify};

/// A longer gap is an outage.
const GAP_MS: i64 = 2_000;

/// This replica's part in the heartbeat.
#[derive(Default)]
pub(crate) struct Heartbeat {
    /// Rings after an outage.
    pub(crate) outage: Notify,
    /// Held by the one command that beats.
    beating: Mutex<()>,
}

impl Heartbeat {
    /// The first beat; before it nothing is served, so that an outage is known before any command is judged.
    pub(crate) async fn start(store: Arc<dyn LiveStore>) -> Result<Self, LiveError> {
        let heartbeat = Self::default();
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
            self.outage.notify_one();
        }
        Ok(())
    }

    /// Outages of a shard that ended after `since`. If this replica has not beaten there for too long, then it, or the
    /// shard, may have stood still: it beats first, so that nobody is judged before an outage is known.
    pub(crate) async fn outages(
        &self,
        store: &dyn LiveStore,
        shard: Shard,
        since: i64,
    ) -> Result<Vec<Outage>, LiveError> {
        let stale = || store.now() - store.beaten(shard) > GAP_MS;
        if stale() {
            match self.beating.try_lock() {
                Ok(_held) => self.beat(store).await?,
                // One beat at a time is enough for all.
                Err(_) => drop(self.beating.lock().await),
            }
            if stale() {
                return Err(LiveError::Unavailable("the shard could not be beaten".into()));
            }
        }
        store.outages(shard, since).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use live::{LiveStore as _, Outage, SqliteLiveStore};
    use proto::Shard;
    use runtime::Sqlite;

    use super::Heartbeat;

    #[tokio::test]
    async fn an_outage_is_known_before_anybody_is_judged() {
        let file = Sqlite::temporary().await.unwrap();
        let Sqlite { reader, writer } = file.sqlite.clone();
        file.sqlite.migrate("live", SqliteLiveStore::migrations()).await.unwrap();
        let now = Arc::new(AtomicI64::new(10_000));
        let clock = Arc::clone(&now);
        let store = SqliteLiveStore::open(reader, writer, move || clock.load(Ordering::SeqCst)).await.unwrap();
        let store = Arc::new(store);
        let heartbeat = Heartbeat::start(Arc::clone(&store) as _).await.unwrap();
        let shard = Shard::all().next().unwrap();
        assert_eq!(heartbeat.outages(&*store, shard, 0).await.unwrap(), []);
        // The process stood still, and the first thing that happens is a command.
        now.store(15_000, Ordering::SeqCst);
        let outage = Outage { id: "10000-15000".to_owned(), from: 10_000, to: 15_000 };
        let asked = futures::join!(heartbeat.outages(&*store, shard, 0), heartbeat.outages(&*store, shard, 0));
        assert_eq!((asked.0.unwrap(), asked.1.unwrap()), (vec![outage.clone()], vec![outage]));
        assert_eq!(store.last_beat().await.unwrap(), Some(15_000));
        heartbeat.outage.notified().await;
    }
}
