//! What every live store must do, run against each of them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod sqlite;
mod suite;
