//! Live state: the logs of games that are waiting, running or just over, and everything that must change in the
//! same atomic step: deadlines, the outbox, projections. One trait, [`LiveStore`], and its homes.
//!
//! A log is appended to only by who knows its head (version and id of the last event), so of two writers one
//! loses and looks again. Wake-ups are news, the log is the truth: whoever misses one reads the log.

#![deny(missing_docs)]

mod open;
mod redis;
mod sqlite;
mod store;

pub use open::{Home, OpenError, open};
pub use redis::RedisLiveStore;
pub use sqlite::SqliteLiveStore;
pub use store::{
    Append, Appended, Deadline, Head, Lease, LeaseKind, LiveError, LiveStore, Log, Outage, OutboxEntry, Projection,
    Wakeup, WakeupKind,
};
