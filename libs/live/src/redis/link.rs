//! Calls as the live store means them: what comes of many, and what a failure is.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use redis::{FromRedisValue, Value};
use redis_link::{Call, Failure};
use tokio::time::Instant;

use crate::store::LiveError;

/// How long those who have answered wait for those who have not; longer if the first answer itself was late.
const BRIEF: Duration = Duration::from_millis(700);
const GRACE: Duration = Duration::from_millis(300);

/// All servers of the store.
pub(super) struct Link(pub(super) Arc<redis_link::Link>);

impl Deref for Link {
    type Target = redis_link::Link;

    fn deref(&self) -> &redis_link::Link {
        &self.0
    }
}

impl From<Failure> for LiveError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unreadable(what) => Self::Unreadable(what),
            Failure::Refused(_, error) if error.code() == Some("BROKEN") => {
                Self::Unreadable(error.detail().unwrap_or_default().to_owned())
            }
            failure => Self::Unavailable(Box::new(failure)),
        }
    }
}

impl Link {
    /// Calls and reads the answer.
    pub(super) async fn get<T: FromRedisValue>(&self, call: Call) -> Result<T, LiveError> {
        Ok(self.0.get(call).await?)
    }

    pub(super) async fn call(&self, call: Call) -> Result<Value, LiveError> {
        Ok(self.0.call(call).await?)
    }

    /// Asks many places at once. Those that are late when others have answered are left out, so that a dead server
    /// takes only its own games with it; an error if nobody answers.
    pub(super) async fn gather<T>(
        &self,
        asked: impl Iterator<Item = impl Future<Output = Result<T, LiveError>>>,
    ) -> Result<Vec<T>, LiveError> {
        let mut asked: FuturesUnordered<_> = asked.collect();
        let (mut answers, mut failed) = (Vec::with_capacity(asked.len()), None);
        let mut late = Instant::now() + BRIEF;
        loop {
            tokio::select! {
                answer = asked.next() => match answer {
                    Some(Ok(answer)) => {
                        if answers.is_empty() {
                            late = late.max(Instant::now() + GRACE);
                        }
                        answers.push(answer);
                    }
                    Some(Err(error @ LiveError::Unreadable(_))) => return Err(error),
                    Some(Err(error)) => failed = Some(error),
                    None => break,
                },
                () = tokio::time::sleep_until(late), if !answers.is_empty() => {
                    tracing::debug!(late = asked.len(), "some servers did not answer in time");
                    return Ok(answers);
                }
            }
        }
        match failed {
            Some(error) if answers.is_empty() => Err(error),
            Some(error) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "some servers did not answer");
                Ok(answers)
            }
            None => Ok(answers),
        }
    }
}

/// Gives up after a while; what was sent may still be done.
pub(super) async fn within<T>(
    patience: Duration,
    asked: impl Future<Output = Result<T, LiveError>>,
) -> Result<T, LiveError> {
    let answer = tokio::time::timeout(patience, asked).await;
    answer.unwrap_or_else(|late| Err(LiveError::Unavailable(Box::new(late))))
}
