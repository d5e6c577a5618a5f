//! The hall where players wait: what all parts of the service share. The truth is in the store; nothing here is
//! needed after a restart.

mod desk;
mod matcher;
mod sweeper;
#[cfg(test)]
mod tests;
mod watch;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use proto::types::v1::Seat;
use proto::{Code, Refusal};
use rand::seq::SliceRandom as _;
use runtime::Drain;
use timekeeping::UnixMs;
use tokio::sync::Notify;

pub(crate) use desk::{Request, View};
pub(crate) use watch::Watch;

use crate::config::Config;
use crate::neighbours::Neighbours;
use crate::news::News;
use crate::store::{Store, StoreError};

/// A ticket nobody asked after for this long is of no client any more.
const EXPIRY_MS: i64 = 60_000;
/// How exactly it is noted when somebody asked; tickets live this much longer for it.
const ASKED_PRECISION_MS: i64 = 1_000;

/// The instant, injected so that tests can move it.
pub(crate) type Clock = Arc<dyn Fn() -> UnixMs + Send + Sync>;
/// Who sits where, drawn anew for every four; injected so that tests can foresee it.
pub(crate) type Dealer = Arc<dyn Fn() -> [Seat; 4] + Send + Sync>;

/// What is given from outside.
pub(crate) struct Surroundings {
    pub(crate) config: Config,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) neighbours: Arc<dyn Neighbours>,
    pub(crate) now: Clock,
    pub(crate) deal: Dealer,
    pub(crate) drain: Drain,
}

pub(crate) struct Hall {
    given: Surroundings,
    news: News,
    /// Rung when a four may have become possible.
    bell: Notify,
    /// Rung when a ticket closed and is to be reported.
    closed: Notify,
    /// Until then nobody could ask after a ticket here: the process began, or the store failed.
    deaf_until_ms: AtomicI64,
}

impl Hall {
    pub(crate) fn new(given: Surroundings) -> Arc<Self> {
        let deaf_until_ms = AtomicI64::new((given.now)());
        Arc::new(Self { given, news: News::new(), bell: Notify::new(), closed: Notify::new(), deaf_until_ms })
    }

    /// Starts forming, expiry and reporting.
    pub(crate) fn run(self: &Arc<Self>) {
        let drain = &self.given.drain;
        drain.spawn("matchmaking matcher", Arc::clone(self).match_until_drained());
        drain.spawn("matchmaking expiry", Arc::clone(self).expire_until_drained());
        drain.spawn("matchmaking reports", Arc::clone(self).report_until_drained());
    }

    /// Where those who wait here are told of changes.
    pub(crate) fn news(&self) -> News {
        self.news.clone()
    }

    fn now(&self) -> UnixMs {
        (self.given.now)()
    }

    /// Since when somebody must have asked after a ticket for it to take part.
    fn asked_since(&self) -> UnixMs {
        self.now() - EXPIRY_MS - ASKED_PRECISION_MS
    }

    /// What a caller hears of the store's failure; the failure itself is logged here, once.
    fn failed(&self, error: &StoreError) -> Refusal {
        tracing::error!(%error, "the store failed");
        self.note_failure(error);
        match error {
            StoreError::Database(_) | StoreError::Redis(_) => Refusal::unavailable(),
            StoreError::Corrupt(_) => Refusal::new(Code::Internal, "something went wrong on our side"),
        }
    }

    /// While the store is away nobody's question is noted.
    fn note_failure(&self, error: &StoreError) {
        match error {
            StoreError::Database(_) | StoreError::Redis(_) => {
                self.deaf_until_ms.fetch_max(self.now(), Ordering::Relaxed);
            }
            // One ticket that cannot be read keeps nobody from asking after the others.
            StoreError::Corrupt(_) => {}
        }
    }
}

/// A permutation of the seats by the thread's generator, which the operating system seeds.
pub(crate) fn deal_at_random() -> [Seat; 4] {
    let mut seats = Seat::ALL;
    seats.shuffle(&mut rand::rng());
    seats
}
