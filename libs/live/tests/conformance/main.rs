//! What every live store must do, run against each of them.

mod sqlite;
mod suite;
