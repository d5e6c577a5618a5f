//! The gateway's own matters, driven over real HTTP and WebSockets against small stand-ins for the services behind
//! it. Whole games are played in the platform's stories.

#![allow(clippy::unwrap_used, reason = "tests")]

mod accounts;
mod bad_input;
mod door;
mod fake;
mod games;
mod idempotency;
mod outages;
mod pages;
mod proxy;
mod replicas;
mod sockets;
mod store;
mod streams;
mod tickets;
