//! A store that stops answering at a chosen step, as if the process had been killed there.

use std::future::pending;

use super::*;
use crate::forming::Waiting;
use crate::store::{Cancelling, Dissolving, Opening, PoolState, StoreError};

/// Where the end comes: before the step is done, or after it is done and before its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Before,
    After,
}

pub(super) struct Doomed {
    store: Arc<dyn Store>,
    steps_left: AtomicI64,
    end: End,
}

impl Doomed {
    /// The last of so many steps is the one that never ends.
    pub(super) fn new(store: Arc<dyn Store>, steps: i64, end: End) -> Self {
        Self { store, steps_left: AtomicI64::new(steps), end }
    }

    pub(super) fn is_dead(&self) -> bool {
        self.steps_left.load(Ordering::SeqCst) <= 0
    }

    async fn step<T>(&self, step: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        match (self.steps_left.fetch_sub(1, Ordering::SeqCst), self.end) {
            (2.., _) => step.await,
            (1, End::After) => {
                let _ = step.await;
                pending().await
            }
            _ => pending().await,
        }
    }
}

macro_rules! doomed {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        #[async_trait]
        impl Store for Doomed {$(
            async fn $name(&self, $($argument: $type),*) -> Result<$answer, StoreError> {
                self.step(self.store.$name($($argument),*)).await
            }
        )*}
    };
}

doomed! {
    ping() -> ();
    open(ticket: &Ticket) -> Opening;
    ticket(id: TicketId) -> Option<Ticket>;
    open_ticket(player: PlayerId) -> Option<Ticket>;
    newest(player: PlayerId) -> Option<Ticket>;
    cancel(id: TicketId, player: PlayerId, now: UnixMs) -> Cancelling;
    asked(id: TicketId, now: UnixMs) -> ();
    pools(asked_since: UnixMs) -> Vec<PoolState>;
    waiting(pool: Pool, asked_since: UnixMs, now: UnixMs) -> Vec<Waiting>;
    oldest(pool: Pool, asked_since: UnixMs) -> Option<UnixMs>;
    form(four: &Four) -> bool;
    claim(now: UnixMs, until: UnixMs) -> Vec<Four>;
    release(four: &Four, until: UnixMs) -> ();
    complete(game: GameId, now: UnixMs) -> bool;
    dissolve(four: &Four, dissolving: &Dissolving) -> bool;
    expire(asked_before: UnixMs, now: UnixMs) -> Vec<PlayerId>;
    unreported(limit: u32) -> Vec<Ticket>;
    reported(id: TicketId) -> ();
    forget(closed_before: UnixMs) -> ();
}
