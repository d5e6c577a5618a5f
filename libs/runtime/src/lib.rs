//! What every main shares: the environment, telemetry, health, listeners, gRPC links, shutdown. The only crate
//! that reads the process's environment or the machine's clock on the others' behalf.

#![deny(missing_docs)]

mod database;
mod drain;
mod environment;
pub mod grpc;
mod http;
mod instant;
mod ops;
mod postgres;
mod process;
mod pulse;
mod secret;
mod sqlite;
mod telemetry;
mod wall_clock;

pub use database::{Database, Databases};
pub use drain::Drain;
pub use environment::{Environment, LogFormat};
pub use http::{bind, serve_http};
pub use instant::Instant;
pub use ops::{Need, Readiness, ops_router};
pub use postgres::Postgres;
pub use process::{Process, Program};
pub use secret::Secret;
pub use sqlite::{Sqlite, TemporarySqlite};
pub use telemetry::Telemetry;
pub use wall_clock::wall_clock_ms;
