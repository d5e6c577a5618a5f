use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use super::Hall;
use crate::metrics;
use crate::store::StoreError;
use crate::ticket::CancelReason;

const EXPIRE_EVERY: Duration = Duration::from_secs(1);
const REPORT_EVERY: Duration = Duration::from_secs(5);
const REPORTS_AT_ONCE: u32 = 50;
/// Closed tickets are kept for as long as an idempotency key.
const KEEP_MS: i64 = 24 * 60 * 60 * 1000;
/// Old tickets are forgotten every so many rounds of reports.
const FORGET_EVERY: u32 = 60;

impl Hall {
    pub(super) async fn expire_until_drained(self: Arc<Self>) {
        let mut tick = tokio::time::interval(EXPIRE_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.given.drain.draining() => return,
                _ = tick.tick() => {}
            }
            if let Err(error) = self.expire().await {
                tracing::error!(%error, "could not expire tickets; trying again in a second");
            }
        }
    }

    /// Cancels the tickets of clients that are gone. While this process or the store was away nobody could ask, so it
    /// waits as long after that as after a question.
    pub(super) async fn expire(&self) -> Result<(), StoreError> {
        let asked_since = self.asked_since();
        let now = self.now();
        if self.deaf_until_ms.load(Ordering::Relaxed) > asked_since {
            // As long as nothing expires this asks in its place whether the store is there.
            return self.given.store.ping().await.inspect_err(|error| self.note_failure(error));
        }
        let expired = self.given.store.expire(asked_since, now).await.inspect_err(|error| self.note_failure(error))?;
        for player in &expired {
            metrics::cancelled(CancelReason::Expired);
            self.news.tell(*player);
        }
        if !expired.is_empty() {
            self.closed.notify_one();
        }
        Ok(())
    }

    pub(super) async fn report_until_drained(self: Arc<Self>) {
        let mut tick = tokio::time::interval(REPORT_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut round = 0u32;
        loop {
            tokio::select! {
                () = self.given.drain.draining() => return,
                () = self.closed.notified() => {}
                _ = tick.tick() => round = round.wrapping_add(1),
            }
            let work = async {
                self.report().await?;
                if round.is_multiple_of(FORGET_EVERY) {
                    self.given.store.forget(self.now() - KEEP_MS).await?;
                }
                Ok::<_, StoreError>(())
            };
            if let Err(error) = work.await {
                tracing::error!(%error, "could not report closed tickets; trying again");
            }
        }
    }

    /// Hands closed tickets to the rating service, at least once each. While it is away they stay here.
    pub(super) async fn report(&self) -> Result<(), StoreError> {
        loop {
            let tickets = self.given.store.unreported(REPORTS_AT_ONCE).await?;
            if tickets.is_empty() {
                return Ok(());
            }
            for ticket in tickets {
                match self.given.neighbours.keep(&ticket).await {
                    Ok(()) => {}
                    // It would be refused again; it must not hold up the others.
                    Err(refusal) if refusal.code == proto::Code::BadRequest => {
                        tracing::error!(ticket.id = %ticket.id, error = %refusal, "the rating service refuses a ticket");
                    }
                    Err(_) => return Ok(()),
                }
                self.given.store.reported(ticket.id).await?;
            }
        }
    }
}
