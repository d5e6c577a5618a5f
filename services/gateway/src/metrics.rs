//! What the gateway counts.

use std::time::Duration;

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

const REQUESTS: &str = "gateway_requests_total";
const SECONDS: &str = "gateway_request_seconds";
const SOCKETS: &str = "gateway_sockets";
const STREAMS: &str = "gateway_streams";
const WATCHES: &str = "gateway_watched_games";
const DROPPED: &str = "gateway_slow_readers_dropped_total";
const AUTH_FAILURES: &str = "gateway_auth_failures_total";
const LIMITED: &str = "gateway_limited_total";
const PANICS: &str = "gateway_connection_panics_total";

/// Names and units, once a process.
pub(crate) fn describe() {
    describe_counter!(REQUESTS, "Requests answered, by route, method and status");
    describe_histogram!(SECONDS, Unit::Seconds, "Time to the answer's head, by route");
    describe_gauge!(SOCKETS, "Open WebSockets");
    describe_gauge!(STREAMS, "Open NDJSON streams, by kind");
    describe_gauge!(WATCHES, "Games watched at the game service");
    describe_counter!(DROPPED, "Readers dropped for being slow, by kind");
    describe_counter!(AUTH_FAILURES, "Requests with an unknown or dead token or a wrong password");
    describe_counter!(LIMITED, "Requests refused by a limit, by limit");
    describe_counter!(PANICS, "Sockets and streams ended by a fault of ours, by kind; none is expected");
    // What has not happened yet is listed as nothing, so that its rate is known from the start.
    gauge!(SOCKETS, "kind" => "game").set(0.0);
    gauge!(WATCHES, "kind" => "game").set(0.0);
    counter!(AUTH_FAILURES).absolute(0);
    for kind in ["game", "me"] {
        gauge!(STREAMS, "kind" => kind).set(0.0);
    }
    for kind in ["game", "me", "socket"] {
        counter!(DROPPED, "kind" => kind).absolute(0);
    }
    for kind in ["game", "me", "socket", "feed"] {
        counter!(PANICS, "kind" => kind).absolute(0);
    }
    for limit in ["address", "token", "sign_up", "sign_in", "open", "frames"] {
        counter!(LIMITED, "limit" => limit).absolute(0);
    }
}

pub(crate) fn answered(route: &str, method: &http::Method, status: u16, took: Duration) {
    let labels = [("route", route.to_owned()), ("method", method.to_string()), ("code", status.to_string())];
    counter!(REQUESTS, &labels).increment(1);
    histogram!(SECONDS, "route" => route.to_owned()).record(took.as_secs_f64());
}

pub(crate) fn auth_failed() {
    counter!(AUTH_FAILURES).increment(1);
}

pub(crate) fn limited(limit: &'static str) {
    counter!(LIMITED, "limit" => limit).increment(1);
}

pub(crate) fn panicked(kind: &'static str) {
    counter!(PANICS, "kind" => kind).increment(1);
}

pub(crate) fn dropped(kind: &'static str) {
    counter!(DROPPED, "kind" => kind).increment(1);
}

/// Counts something open for as long as it lives.
#[derive(Debug)]
pub(crate) struct Open(&'static str, &'static str);

impl Open {
    pub(crate) fn socket() -> Self {
        Self::new(SOCKETS, "game")
    }

    pub(crate) fn stream(kind: &'static str) -> Self {
        Self::new(STREAMS, kind)
    }

    pub(crate) fn watch() -> Self {
        Self::new(WATCHES, "game")
    }

    fn new(name: &'static str, kind: &'static str) -> Self {
        gauge!(name, "kind" => kind).increment(1.0);
        Self(name, kind)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        gauge!(self.0, "kind" => self.1).decrement(1.0);
    }
}
