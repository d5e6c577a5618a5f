use std::ops::Deref;
use std::sync::Arc;

use runtime::Drain;

use crate::config::Config;
use crate::feed::Feeds;
use crate::idempotency::Answers;
use crate::identity::Identities;
use crate::limits::Limits;
use crate::links::Links;
use crate::password::Passwords;
use crate::presence::Presences;
use crate::store::AccountStore;

/// What every handler works with; a cheap handle.
#[derive(Clone)]
pub(crate) struct App(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) config: Config,
    pub(crate) store: Arc<dyn AccountStore>,
    pub(crate) identities: Identities,
    pub(crate) passwords: Passwords,
    pub(crate) answers: Answers,
    pub(crate) limits: Limits,
    pub(crate) links: Links,
    pub(crate) feeds: Feeds,
    pub(crate) presences: Presences,
    pub(crate) drain: Drain,
}

impl App {
    pub(crate) fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
