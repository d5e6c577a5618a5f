//! The waiting itself.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use live::{Deadline, LeaseKind, LiveError, LiveStore};
use metrics::{counter, gauge, histogram};
use proto::game::v1::game_service_client::GameServiceClient;
use proto::game::v1::{DeadlineKind, WakeRequest};
use proto::{GameId, Shard};
use runtime::Drain;
use runtime::grpc::Link;
use tokio::sync::{Semaphore, watch};
use tokio::time::MissedTickBehavior;
use uuid::Uuid;

/// How often due deadlines are looked for; the most that this adds to their lateness.
const LOOK_EVERY: Duration = Duration::from_millis(20);
const RENEW_EVERY: Duration = Duration::from_millis(400);
/// How long a dead replica keeps its shards. At worst it died right after a renewal and the others renew right before its
/// leases end; then a deadline is late by 1200 + 400 + 20 ms and the call, and 2 s are promised.
const LEASE_MS: i64 = 1_200;
const AT_ONCE: u32 = 512;
const IN_PARALLEL: usize = 64;
const RETRY_MS: i64 = 100;

type Key = (GameId, DeadlineKind, u32);

struct Waker {
    store: Arc<dyn LiveStore>,
    game: GameServiceClient<Link>,
    /// Deadlines that a call is under way for, or that must not be tried again before an instant.
    held: Arc<Mutex<HashMap<Key, i64>>>,
    calls: Arc<Semaphore>,
}

/// Keeps this replica's share of the shards, apart from the looking: a lease is a write and may have to queue.
pub(crate) async fn keep_leases(store: Arc<dyn LiveStore>, share: watch::Sender<Vec<Shard>>, drain: Drain) {
    let holder = Uuid::now_v7().to_string();
    let mut renewals = tokio::time::interval(RENEW_EVERY);
    renewals.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = renewals.tick() => {}
            () = drain.draining() => break,
        }
        match store.lease(LeaseKind::Deadlines, &holder, store.now() + LEASE_MS).await {
            Ok(leased) => {
                gauge!("clock_shards").set(leased.len() as f64);
                share.send_replace(leased);
            }
            // Looking on does no harm: a wake-up that comes twice is answered as done.
            Err(error) => failed(&error),
        }
    }
    if let Err(error) = store.release(LeaseKind::Deadlines, &holder).await {
        failed(&error);
    }
}

/// Looks for due deadlines of this replica's share, and wakes their games.
pub(crate) async fn run(
    store: Arc<dyn LiveStore>,
    game: GameServiceClient<Link>,
    share: watch::Receiver<Vec<Shard>>,
    drain: Drain,
) {
    let waker = Waker { store, game, held: Arc::default(), calls: Arc::new(Semaphore::new(IN_PARALLEL)) };
    let mut looks = tokio::time::interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = looks.tick() => {}
            () = drain.draining() => return,
        }
        let shards = share.borrow().clone();
        if let Err(error) = waker.look(&shards, waker.store.now()).await {
            failed(&error);
        }
    }
}

fn failed(error: &LiveError) {
    tracing::warn!(error = error as &dyn std::error::Error, "the live store did not answer");
}

impl Waker {
    async fn look(&self, shards: &[Shard], now: i64) -> Result<(), LiveError> {
        if shards.is_empty() {
            return Ok(());
        }
        for deadline in self.store.due(shards, now, AT_ONCE).await? {
            if self.hold(&deadline, now)
                && let Ok(permit) = Arc::clone(&self.calls).acquire_owned().await
            {
                let (store, game, held) = (Arc::clone(&self.store), self.game.clone(), Arc::clone(&self.held));
                tokio::spawn(async move {
                    let again = wake(&*store, game, &deadline).await;
                    release(&held, &deadline, again);
                    drop(permit);
                });
            }
        }
        Ok(())
    }

    /// Whether a call should be made now; if so, no other is until it has ended.
    fn hold(&self, deadline: &Deadline, now: i64) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|_, until| *until > now);
        match held.entry(key(deadline)) {
            Entry::Occupied(_) => false,
            Entry::Vacant(free) => {
                free.insert(i64::MAX);
                true
            }
        }
    }
}

fn key(deadline: &Deadline) -> Key {
    (deadline.game, deadline.kind, deadline.ply)
}

fn release(held: &Mutex<HashMap<Key, i64>>, deadline: &Deadline, again: Option<i64>) {
    let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
    match again {
        Some(at) => held.insert(key(deadline), at),
        None => held.remove(&key(deadline)),
    };
}

/// Wakes one game; returns when to try again, if at all.
#[tracing::instrument(name = "clock.wake", skip_all, fields(game.id = %deadline.game, deadline.kind = ?deadline.kind))]
async fn wake(store: &dyn LiveStore, mut game: GameServiceClient<Link>, deadline: &Deadline) -> Option<i64> {
    let late_ms = store.now() - deadline.due;
    let request = WakeRequest { game_id: deadline.game.to_string(), kind: deadline.kind.into(), ply: deadline.ply };
    let (outcome, again) = match game.wake(request).await {
        Ok(answer) => match answer.into_inner().not_before_unix_ms {
            None => ("done", None),
            Some(not_before) => ("early", Some(not_before)),
        },
        Err(status) => {
            tracing::warn!(%status, "a game could not be woken");
            ("failed", Some(store.now() + RETRY_MS))
        }
    };
    histogram!("clock_deadline_lateness_seconds").record(late_ms.max(0) as f64 / 1000.0);
    counter!("clock_wakes_total", "outcome" => outcome).increment(1);
    again
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_takeover_leaves_some_of_the_promised_two_seconds_to_the_call() {
        let lease = Duration::from_millis(LEASE_MS.unsigned_abs());
        assert!(lease + RENEW_EVERY + LOOK_EVERY <= Duration::from_millis(1_700));
        // One renewal may be lost.
        assert!(RENEW_EVERY * 2 < lease);
    }
}
