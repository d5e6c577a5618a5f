//! The store's time, by sampled offset to this process's steady clock.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::time::Instant;

use crate::link::Link;
use crate::node::Failure;
use crate::url::{Address, Topology};

/// Two clocks drift apart by at most one part in so many.
const DRIFT: i64 = 5_000;
/// `now` does not go back by less than this; a clock that was set back by more is followed.
const STEADY_MS: i64 = 1_000;
const SAMPLES: usize = 3;
const SAMPLE_EVERY: Duration = Duration::from_secs(2);
const SAMPLE_AGAIN: Duration = Duration::from_millis(250);
/// A cluster's nodes correct wrong directions themselves; this is for what nobody has asked about.
const CLUSTER_EVERY: Duration = Duration::from_secs(10);

/// The time is not known well enough.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store's time is not known to {wanted_ms} ms (but to {known_ms:?} ms)")]
pub struct Unsure {
    wanted_ms: i64,
    known_ms: Option<i64>,
}

/// What one question told: the store's clock minus ours, give or take half the round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sample {
    offset_us: i64,
    unsure_us: i64,
    at_us: i64,
}

impl Sample {
    fn new(sent_us: i64, received_us: i64, store_us: i64) -> Self {
        let half = (received_us - sent_us) / 2;
        Self { offset_us: store_us - sent_us - half, unsure_us: half + 1, at_us: received_us }
    }

    fn unsure_at(&self, now_us: i64) -> i64 {
        self.unsure_us + (now_us - self.at_us) / DRIFT
    }

    /// The better of two, unless they contradict each other: then a clock was set, and only the new one counts.
    fn follow(self, new: Self) -> Self {
        let unsure = self.unsure_at(new.at_us);
        let agree = (self.offset_us - new.offset_us).abs() <= unsure + new.unsure_us;
        if agree && unsure < new.unsure_us { self } else { new }
    }
}

/// The time of the server that holds a slot, as this process knows it.
pub struct Clock {
    slot: u16,
    start: Instant,
    kept: RwLock<Option<(Address, Sample)>>,
    last_ms: AtomicI64,
}

impl Clock {
    /// The clock of the owner of this slot.
    #[must_use]
    pub fn new(slot: u16) -> Self {
        Self { slot, start: Instant::now(), kept: RwLock::new(None), last_ms: AtomicI64::new(0) }
    }

    fn steady_us(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    fn kept(&self) -> Option<Sample> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(_, sample)| *sample)
    }

    /// Milliseconds since 1970; 0 before the first sample, which opening a store awaits.
    #[must_use]
    pub fn now(&self) -> i64 {
        let Some(sample) = self.kept() else { return 0 };
        let now = (self.steady_us() + sample.offset_us) / 1_000;
        let last = self.last_ms.load(Ordering::SeqCst);
        if now >= last {
            self.last_ms.fetch_max(now, Ordering::SeqCst).max(now)
        } else if last - now < STEADY_MS {
            last
        } else {
            self.last_ms.store(now, Ordering::SeqCst);
            now
        }
    }

    /// How far off `now` may be.
    fn unsure_ms(&self) -> Option<i64> {
        self.kept().map(|sample| (sample.unsure_at(self.steady_us()) + 999) / 1_000)
    }

    /// Whether `now` is good enough to judge by.
    ///
    /// # Errors
    /// If it is not.
    pub fn sure(&self, limit_ms: i64) -> Result<(), Unsure> {
        match self.unsure_ms() {
            Some(unsure) if unsure <= limit_ms => Ok(()),
            known_ms => Err(Unsure { wanted_ms: limit_ms, known_ms }),
        }
    }

    /// Asks the server.
    ///
    /// # Errors
    /// If it does not answer.
    pub async fn sample(&self, link: &Link) -> Result<(), Failure> {
        let node = link.owner(self.slot).ok_or(Failure::NoOwner(self.slot))?;
        let question = redis::cmd("TIME");
        for _ in 0..SAMPLES {
            let sent = self.steady_us();
            let answer = node.ask(&question).await?;
            let received = self.steady_us();
            let Ok((seconds, micros)) = redis::from_redis_value::<(i64, i64)>(answer) else { continue };
            self.learn(&node.address, Sample::new(sent, received, seconds * 1_000_000 + micros));
        }
        Ok(())
    }

    /// Samples for ever, and on the way asks now and then who holds what.
    pub async fn keep(self: Arc<Self>, link: Arc<Link>) {
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
                    let error = &error as &dyn std::error::Error;
                    tracing::debug!(error, "the servers could not be asked where data is");
                }
            }
            let sampled = self.sample(&link).await;
            if let Err(error) = &sampled {
                tracing::debug!(error = error as &dyn std::error::Error, "the store's time could not be asked");
            }
            tokio::time::sleep(if sampled.is_ok() { SAMPLE_EVERY } else { SAMPLE_AGAIN }).await;
        }
    }

    fn learn(&self, from: &Address, new: Sample) {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let sample = match &*kept {
            Some((known, old)) if known == from => old.follow(new),
            _ => new,
        };
        *kept = Some((from.clone(), sample));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_round_trip_is_kept_until_it_has_aged() {
        let close = Sample::new(0, 200, 1_000_000);
        let far = Sample::new(1_000, 9_000, 1_004_000);
        assert_eq!(close.follow(far), close);
        // Half a minute later the old one is good to six milliseconds only.
        let later = Sample::new(30_000_000, 30_008_000, 31_003_000);
        assert_eq!(close.follow(later), later);
    }

    #[test]
    fn a_clock_that_was_set_is_followed_even_on_a_slow_answer() {
        let close = Sample::new(0, 200, 1_000_000);
        let set = Sample::new(1_000_000, 1_040_000, 9_000_000);
        assert_eq!(close.follow(set), set);
    }

    #[test]
    fn a_slow_answer_leaves_the_time_unsure() {
        let clock = Clock::new(0);
        assert_eq!(clock.sure(50), Err(Unsure { wanted_ms: 50, known_ms: None }));
        clock.learn(&Address::new("a", 1), Sample::new(0, 140_000, 5_000_000));
        assert!(clock.sure(50).is_err());
        clock.learn(&Address::new("a", 1), Sample::new(200_000, 201_000, 5_131_000));
        assert_eq!(clock.sure(50), Ok(()));
    }

    #[test]
    fn another_server_is_another_clock() {
        let clock = Clock::new(0);
        clock.learn(&Address::new("a", 1), Sample::new(0, 2, 5_000_000));
        clock.learn(&Address::new("b", 1), Sample::new(0, 40_000, 6_020_000));
        assert_eq!(clock.kept().map(|sample| sample.offset_us), Some(6_000_000));
    }
}
