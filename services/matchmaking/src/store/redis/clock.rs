use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use redis::{RedisError, cmd};
use timekeeping::UnixMs;
use tokio::time::{Instant, MissedTickBehavior};

use super::link::{Link, Request};

const SAMPLE_EVERY: Duration = Duration::from_secs(1);
/// What takes longer says too little about the time.
const GOOD: Duration = Duration::from_millis(500);

/// The server's time, the same for all replicas, sampled and counted on from the last sample.
pub(super) struct Clock {
    sample: RwLock<(UnixMs, Instant)>,
}

impl Clock {
    pub(super) async fn start(link: &Link) -> Result<Self, RedisError> {
        Ok(Self { sample: RwLock::new(sample(link).await?) })
    }

    pub(super) fn now(&self) -> UnixMs {
        let (ms, at) = *self.sample.read().unwrap_or_else(PoisonError::into_inner);
        ms.saturating_add(i64::try_from(at.elapsed().as_millis()).unwrap_or(i64::MAX))
    }

    /// Never returns. While no sample can be had the old one is counted on from.
    pub(super) async fn keep(self: Arc<Self>, link: Arc<Link>) {
        let mut tick = tokio::time::interval(SAMPLE_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            if let Ok(taken) = sample(&link).await {
                *self.sample.write().unwrap_or_else(PoisonError::into_inner) = taken;
            }
        }
    }
}

/// The time belongs to the middle of the call, as far as anybody knows; a call that was repeated is no good sample.
async fn sample(link: &Link) -> Result<(UnixMs, Instant), RedisError> {
    loop {
        let asked = Instant::now();
        let (seconds, microseconds): (i64, i64) = link.ask(Request::Command(&cmd("TIME"))).await?;
        let took = asked.elapsed();
        if took < GOOD {
            return Ok((seconds * 1000 + microseconds / 1000, asked + took / 2));
        }
    }
}
