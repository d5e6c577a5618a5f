//! The live store on real Redis servers, which the tests start: one alone, a cluster, a master with Sentinels.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../conformance/suite.rs"]
mod suite;

mod cluster;
mod conformance;
mod faults;
mod index;
mod sentinel;
mod start;
mod tls;
mod wakeups;
