use std::time::Duration;

use http::HeaderValue;
use ipnet::IpNet;
use timekeeping::TimeControl;

/// What the gateway takes from the environment.
#[derive(Debug, Clone)]
pub struct Config {
    /// The published time controls, in the order they are shown.
    pub time_controls: Vec<TimeControl>,
    /// Whether requests and sockets are limited.
    pub limits: bool,
    /// Origins whose pages may call the API.
    pub cors_origins: Vec<HeaderValue>,
    /// Networks whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Intervals that the contract fixes; only tests shorten them.
    pub pace: Pace,
}

/// How often live connections show and want to see a sign of life.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Between two empty lines of an NDJSON stream.
    pub blank_line: Duration,
    /// Between two pings of a socket.
    pub ping: Duration,
    /// A socket from which nothing came for so long is dropped.
    pub silence: Duration,
    /// A reader that takes nothing for so long is dropped.
    pub stalled: Duration,
    /// How long a token is believed without asking the store.
    pub token_fresh: Duration,
    /// A request that is not answered by then gets 503.
    pub answer: Duration,
    /// A body that has not arrived by then gets 408.
    pub body: Duration,
    /// A quiet watch compares its head with the game's log so often.
    pub compare_head: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            blank_line: Duration::from_secs(7),
            ping: Duration::from_secs(15),
            silence: Duration::from_secs(40),
            stalled: Duration::from_secs(10),
            token_fresh: Duration::from_secs(30),
            answer: Duration::from_secs(30),
            body: Duration::from_secs(10),
            compare_head: Duration::from_secs(2),
        }
    }
}

impl From<&runtime::Environment> for Config {
    fn from(environment: &runtime::Environment) -> Self {
        Self {
            time_controls: environment.time_controls.clone(),
            limits: environment.limits,
            cors_origins: environment.cors_origins.clone(),
            trusted_proxies: environment.trusted_proxies.clone(),
            pace: Pace::default(),
        }
    }
}
