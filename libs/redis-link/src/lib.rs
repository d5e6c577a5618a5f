//! The way to Redis 7 or newer: one server, a master that Sentinels name, or a cluster, as the URL says. Calls find
//! whichever server holds their slot, follow it when it moves, and are repeated as far as that is safe, through
//! restarts and failovers and for two seconds each.
//!
//! What the URL may say and what puts things right when they go wrong is in
//! `docs/decisions/live-state-in-redis.md`.

#![deny(missing_docs)]

mod call;
mod directions;
mod durability;
mod link;
mod node;
mod open;
mod script;
mod slot;
mod time;
mod url;

pub use call::Call;
pub use link::Link;
pub use node::{Failure, Node};
pub use open::OpenError;
pub use script::Script;
pub use slot::slot;
pub use time::{Clock, Unsure};
pub use url::Address;
