//! Private PostgreSQL and Redis servers for tests, on free ports of the loopback address, in folders of their own
//! under /tmp. They end with the value that stands for them, or with the test process, however it ends, by a panic or a
//! kill too.
//!
//! Everything here panics when a server cannot be had: a test without its server must not pass.

#![deny(missing_docs)]

mod cluster;
mod keeper;
mod port;
mod postgres;
mod proxy;
mod redis;
mod watched;

pub use cluster::{Cluster, redis_cluster};
pub use keeper::keep_folders_in;
pub use port::{free_port, until};
pub use postgres::{Postgres, postgres};
pub use proxy::Proxy;
pub use redis::{NONE, Redis, deployed, redis, redis_with_few_rights};
pub use watched::{Watched, replicated};
