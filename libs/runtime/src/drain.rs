use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How a process stops: everything long-lived runs as a task of the drain, hears when draining begins, and is
/// waited for. A task that panics begins the drain itself, and the process ends with an error.
#[derive(Debug, Clone, Default)]
pub struct Drain {
    token: CancellationToken,
    tasks: TaskTracker,
    crashed: Arc<AtomicBool>,
}

impl Drain {
    /// A drain that has not begun.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs a task that is waited for at the end. It should return soon after [`Drain::draining`] resolves.
    pub fn spawn(&self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let drain = self.clone();
        self.tasks.spawn(async move {
            if AssertUnwindSafe(task).catch_unwind().await.is_err() {
                tracing::error!(task.name = name, "a task panicked; the process stops");
                drain.fail();
            }
        });
    }

    /// Begins to drain. Idempotent.
    pub fn begin(&self) {
        self.token.cancel();
    }

    /// Begins to drain because something is broken: the process will end with an error.
    pub fn fail(&self) {
        self.crashed.store(true, Ordering::SeqCst);
        self.begin();
    }

    /// Resolves once draining has begun.
    pub async fn draining(&self) {
        self.token.cancelled().await;
    }

    /// Whether draining has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Whether a task panicked or something was found broken.
    #[must_use]
    pub fn has_crashed(&self) -> bool {
        self.crashed.load(Ordering::SeqCst)
    }

    /// Waits for all tasks, at most `limit`; false if some were still running then.
    pub async fn finished(&self, limit: Duration) -> bool {
        self.tasks.close();
        tokio::time::timeout(limit, self.tasks.wait()).await.is_ok()
    }
}
