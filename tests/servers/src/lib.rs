//! Private PostgreSQL and Redis servers for tests, on free ports of the loopback address, in folders of their own
//! under /tmp. They last as long as the test process and end with it however it ends, by a panic or a kill too.
//!
//! Everything here panics when a server cannot be had: a test without its server must not pass.

#![deny(missing_docs)]

mod cluster;
mod keeper;
mod port;
mod postgres;
mod redis;
mod sentinel;

pub use cluster::redis_cluster;
pub use postgres::postgres;
pub use redis::redis;
pub use sentinel::redis_sentinel;
