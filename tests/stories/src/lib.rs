//! The harness of the stories: a [`Platform`] is the real process, a [`Player`] is somebody who calls it over HTTP and
//! WebSocket. Everything waits with a deadline and fails with what it waited for.
//!
//! With `FK_STORIES_ON=servers` or `cluster` the platform under test keeps its data in Redis and PostgreSQL instead of a
//! SQLite file; what is of the file alone is left out then.
//!
//! The process must be built before: `cargo build -p standalone && cargo test -p stories NAME`. A story that fails shows
//! the end of the platform's log.

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
mod socket;
mod stream;
mod table;

pub use answer::Answer;
pub use caller::Caller;
pub use home::is_in_a_file;
pub use patience::{eventually, in_time, within};
pub use platform::Platform;
pub use player::Player;
pub use ports::free_address;
pub use record::{Record, millis};
pub use socket::{Heard, Socket};
pub use stream::Stream;
pub use table::{SEATS, Table};
