//! What callers are told when a store fails; the cause goes to the log.

use live::LiveError;
use proto::{GameId, Refusal};

use crate::fact::Unreadable;

/// For `map_err`.
pub(crate) fn unavailable(error: LiveError) -> Refusal {
    match &error {
        LiveError::Unavailable(cause) => {
            tracing::warn!(error = &**cause as &dyn std::error::Error, "the live store did not answer");
        }
        LiveError::Unreadable(what) => tracing::error!(what, "the live store holds something unreadable"),
    }
    Refusal::unavailable()
}

/// Readers ship a release before writers; until this replica has, another may serve the game.
pub(crate) fn unreadable(id: GameId, error: &Unreadable) -> Refusal {
    tracing::error!(game.id = %id, %error, "a log cannot be read by this build");
    Refusal::unavailable()
}
