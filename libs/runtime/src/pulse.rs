//! Conditions that follow a store: opened as soon as it can be, and asked for a sign of life ever after.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, error::Elapsed, timeout};

use crate::{Need, Readiness};

const BEAT_EVERY: Duration = Duration::from_secs(1);
/// What does not answer by then is not there.
const PATIENCE: Duration = Duration::from_secs(3);
/// Between two attempts to open a store.
const PAUSE: Duration = Duration::from_millis(250);
/// How often it is said again that a store is not there.
const COMPLAIN_EVERY: Duration = Duration::from_secs(10);

impl Readiness {
    /// Opens a store, however long it takes to come: the condition does not hold until then, and what is wrong is
    /// logged at once and every ten seconds. Liveness does not depend on it.
    ///
    /// # Errors
    /// The first that would not pass by itself.
    pub async fn until_open<T, E: Into<anyhow::Error> + fmt::Display>(
        &self,
        condition: &'static str,
        passes: impl Fn(&E) -> bool,
        mut attempt: impl AsyncFnMut() -> Result<T, E>,
    ) -> Result<T, E> {
        self.set(condition, false);
        let mut told: Option<Instant> = None;
        loop {
            match attempt().await {
                Ok(opened) => {
                    self.set(condition, true);
                    return Ok(opened);
                }
                Err(error) if passes(&error) => complain(&mut told, condition, error.into()),
                Err(error) => return Err(error),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Asks a store for a sign of life every second, until draining begins; the condition holds while it gives one.
    pub async fn follow<F>(self, condition: &'static str, need: Need, mut ask: impl FnMut() -> F)
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        let mut beats = tokio::time::interval(BEAT_EVERY);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut told: Option<Instant> = None;
        loop {
            tokio::select! {
                _ = beats.tick() => {}
                () = self.drain().draining() => return,
            }
            let answer = timeout(PATIENCE, ask()).await.unwrap_or_else(|late: Elapsed| Err(late.into()));
            self.tell(condition, need, answer.is_ok());
            match answer {
                Ok(()) => told = None,
                Err(error) => complain(&mut told, condition, error),
            }
        }
    }
}

fn complain(told: &mut Option<Instant>, condition: &'static str, error: anyhow::Error) {
    if told.is_none_or(|at| at.elapsed() >= COMPLAIN_EVERY) {
        *told = Some(Instant::now());
        let error: &(dyn Error + 'static) = error.as_ref();
        tracing::warn!(ready.condition = condition, error, "a store cannot be reached; trying on");
    }
}
