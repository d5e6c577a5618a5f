use std::error::Error;

use crate::node::Failure;

/// Why Redis cannot be used; the message names the setting and never a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL makes no sense.
    #[error("FK_REDIS_URL: {0}")]
    Url(&'static str),
    /// A server may not hold games.
    #[error("FK_REDIS_URL: {0}")]
    Unfit(String),
    /// The servers do not answer, or not as they should, now.
    #[error("FK_REDIS_URL: Redis cannot be reached")]
    Away(#[source] Box<dyn Error + Send + Sync>),
}

impl OpenError {
    /// Whether it may pass although nobody puts anything right.
    #[must_use]
    pub fn passes(&self) -> bool {
        matches!(self, Self::Away(_))
    }
}

impl From<Failure> for OpenError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unfit(..) => Self::Unfit(failure.to_string()),
            failure => Self::Away(Box::new(failure)),
        }
    }
}
