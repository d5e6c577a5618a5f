//! A fault of ours in one connection ends that connection, not the process.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use runtime::Drain;

use crate::metrics;

/// What the work gives; `None` if it panicked. That is logged and counted.
pub(crate) async fn contain<T>(kind: &'static str, work: impl Future<Output = T>) -> Option<T> {
    // What it worked on is not looked at again, but for closing it.
    let done = AssertUnwindSafe(work).catch_unwind().await;
    done.inspect_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
        tracing::error!(connection.kind = kind, panic.message = text, "a connection panicked");
        metrics::panicked(kind);
    })
    .ok()
}

/// A task of the drain that serves one connection.
pub(crate) fn spawn(drain: &Drain, kind: &'static str, work: impl Future<Output = ()> + Send + 'static) {
    drain.spawn(kind, async move {
        // What was to be said is logged.
        let _ = contain(kind, work).await;
    });
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_connection_that_panics_does_not_stop_the_process() {
        let drain = Drain::new();
        spawn(&drain, "socket", async { panic!("a fault of ours") });
        assert!(drain.finished(Duration::from_secs(5)).await);
        assert!(!drain.has_begun() && !drain.has_crashed());
        assert_eq!(contain("socket", async { 7 }).await, Some(7));
    }
}
