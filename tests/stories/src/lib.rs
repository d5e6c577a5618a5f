//! The harness of the stories: a [`Platform`] is the real thing, a [`Player`] is somebody who calls it over HTTP and
//! WebSocket. Everything waits with a deadline and fails with what it waited for.
//!
//! `FK_STORIES_ON` chooses what runs it: one process on a SQLite file, `file`, if it is not set; one process on Redis and
//! PostgreSQL, `servers`, or on a Redis Cluster and PostgreSQL, `cluster`; two processes of each service on Redis and
//! PostgreSQL, `replicas`. What is of the file alone is left out elsewhere.
//!
//! The processes must be built before: `cargo build --workspace --bins && cargo test -p stories NAME`. A story that fails
//! shows the end of the platform's log.

#![expect(clippy::unwrap_used, reason = "what does not go as promised fails the story")]

mod answer;
mod caller;
mod clockwork;
mod home;
mod patience;
mod platform;
mod player;
mod ports;
mod record;
mod replica;
mod service;
mod socket;
mod stream;
mod table;

pub use answer::Answer;
pub use caller::Caller;
pub use home::is_in_a_file;
pub use patience::{LATENESS_MS, eventually, in_time, within_reason};
pub use platform::Platform;
pub use player::Player;
pub use ports::free_address;
pub use record::{Record, millis};
pub use replica::{Replica, links, migrate};
pub use service::Service;
pub use socket::{Heard, Socket};
pub use stream::Stream;
pub use table::{SEATS, Table};
