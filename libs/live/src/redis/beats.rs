//! The heartbeat, shard by shard, and the outages that gaps in it are.

use std::sync::{Mutex, PoisonError, RwLock};

use proto::{SHARDS, Shard};
use redis_link::Call;

use super::link::Link;
use super::{keys, script, unreadable};
use crate::store::{LiveError, Outage};

/// How long an outage is remembered; no game's turn lasts that long.
const KEPT_MS: i64 = 7 * 24 * 3_600_000;
/// A shard this replica has beaten this lately can have had no outage since: an outage is a longer gap.
const FRESH_MS: i64 = 1_000;

#[derive(Default, Clone)]
struct Shown {
    /// This replica's last beat there.
    beat: i64,
    /// Those that had ended by then.
    outages: Vec<Outage>,
}

/// What this replica knows of the shards' outages.
pub(super) struct Beats {
    shards: RwLock<Vec<Shown>>,
    /// What this replica has learned of and not told: the longest. A beat that makes an outage may lose its answer, so
    /// each replica tells of it, and of one that was made by a beat which failed elsewhere with the next one.
    untold: Mutex<Option<Outage>>,
}

impl Beats {
    pub(super) fn new() -> Self {
        Self { shards: RwLock::new(vec![Shown::default(); usize::from(SHARDS)]), untold: Mutex::new(None) }
    }

    /// Beats in all shards at once. It has beaten if any shard could be reached: the others' games cannot be played
    /// anyway, and [`Beats::beaten`] tells whoever wants to.
    pub(super) async fn beat(&self, link: &Link, gap_ms: i64, now: i64) -> Result<Option<Outage>, LiveError> {
        let known: Vec<i64> = {
            let shards = self.shards.read().unwrap_or_else(PoisonError::into_inner);
            shards.iter().map(|shown| shown.outages.last().map_or(now - KEPT_MS, |outage| outage.to)).collect()
        };
        let beats = Shard::all().zip(known).map(async |(shard, known)| {
            let call = Call::script(&script::BEAT, &[&keys::of(shard, "heartbeat"), &keys::of(shard, "outages")]);
            Ok((shard, link.get::<Vec<String>>(call.arg(now).arg(gap_ms).arg(known).arg(now - KEPT_MS)).await?))
        });
        // A server that does not answer must not keep the others' next beat waiting until it ends a gap.
        let beaten = link.gather(beats).await?;
        for (shard, words) in &beaten {
            self.learn(*shard, now, words)?;
        }
        if beaten.len() < usize::from(SHARDS) {
            tracing::warn!(shards = usize::from(SHARDS) - beaten.len(), "some shards could not be beaten");
        }
        Ok(self.untold.lock().unwrap_or_else(PoisonError::into_inner).take())
    }

    fn learn(&self, shard: Shard, now: i64, words: &[String]) -> Result<(), LiveError> {
        let [made, new @ ..] = words else { return Err(unreadable("heartbeat")) };
        let new = new.iter().map(|id| outage(id)).collect::<Result<Vec<_>, _>>()?;
        let mut shards = self.shards.write().unwrap_or_else(PoisonError::into_inner);
        let Some(shown) = shards.get_mut(usize::from(shard.index())) else { return Err(unreadable("shard")) };
        shown.outages.retain(|outage| outage.to >= now - KEPT_MS);
        // What was there before its first beat was told by others; but not what that beat made.
        let first = shown.beat == 0;
        for outage in new {
            // Two beats of this replica may have asked at once.
            if shown.outages.contains(&outage) {
                continue;
            }
            if !first || outage.id == *made {
                let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
                if untold.as_ref().is_none_or(|other| outage.to - outage.from > other.to - other.from) {
                    *untold = Some(outage.clone());
                }
            }
            shown.outages.push(outage);
        }
        shown.beat = shown.beat.max(now);
        Ok(())
    }

    pub(super) fn beaten(&self, shard: Shard) -> i64 {
        let shards = self.shards.read().unwrap_or_else(PoisonError::into_inner);
        shards.get(usize::from(shard.index())).map_or(0, |shown| shown.beat)
    }

    pub(super) async fn outages(
        &self,
        link: &Link,
        shard: Shard,
        since: i64,
        now: i64,
    ) -> Result<Vec<Outage>, LiveError> {
        {
            let shards = self.shards.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(shown) = shards.get(usize::from(shard.index()))
                && now - shown.beat < FRESH_MS
            {
                return Ok(shown.outages.iter().filter(|outage| outage.to > since).cloned().collect());
            }
        }
        let call = Call::command("ZRANGEBYSCORE", &keys::of(shard, "outages")).arg(format!("({since}")).arg("+inf");
        link.get::<Vec<String>>(call).await?.iter().map(|id| outage(id)).collect()
    }
}

pub(super) async fn last_beat(link: &Link) -> Result<Option<i64>, LiveError> {
    let beats = Shard::all().map(|shard| link.get::<Option<i64>>(Call::command("GET", &keys::of(shard, "heartbeat"))));
    Ok(link.gather(beats).await?.into_iter().flatten().max())
}

/// An outage's id says all there is to know of it.
fn outage(id: &str) -> Result<Outage, LiveError> {
    let read = || {
        let (from, to) = id.split_once('-')?;
        Some(Outage { id: id.to_owned(), from: from.parse().ok()?, to: to.parse().ok()? })
    };
    read().ok_or_else(|| unreadable("outage"))
}
