use std::fmt;
use std::str::FromStr;

use redis::{Client, RedisError};

/// Where the servers are, from a URL as live state takes it: `redis://host`, `redis+sentinel://host,.../master`,
/// `redis+cluster://host,...`, with `rediss` for TLS and a login before the hosts.
#[derive(Clone)]
pub(super) struct Url {
    scheme: String,
    login: String,
    sentinel_login: String,
    pub(super) hosts: Vec<String>,
    pub(super) kind: Kind,
}

/// How the servers make one store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    One { database: String },
    Sentinel { master: String },
    Cluster,
}

/// A login is not for logs.
impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Url").field("hosts", &self.hosts).field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl FromStr for Url {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const SCHEME: &str = "the scheme is none of redis, redis+sentinel, redis+cluster (rediss for TLS)";
        let (scheme, rest) = text.split_once("://").ok_or("it has no ://")?;
        let (scheme, kind) = scheme.split_once('+').unwrap_or((scheme, ""));
        if !["redis", "rediss"].contains(&scheme) {
            return Err(SCHEME);
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (login, rest) = rest.rsplit_once('@').unwrap_or(("", rest));
        let (hosts, path) = rest.split_once('/').unwrap_or((rest, ""));
        let kind = match kind {
            "" => Kind::One { database: path.to_owned() },
            "sentinel" if path.is_empty() => return Err("the master's name is missing"),
            "sentinel" => Kind::Sentinel { master: path.to_owned() },
            "cluster" => Kind::Cluster,
            _ => return Err(SCHEME),
        };
        let default_port = if matches!(kind, Kind::Sentinel { .. }) { 26379 } else { 6379 };
        let setting = |name: &str| {
            let value = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            value.unwrap_or_default()
        };
        let at = |login: String| if login.is_empty() { login } else { format!("{login}@") };
        let sentinel_login = match (setting("sentinel_user"), setting("sentinel_password")) {
            ("", "") => String::new(),
            (user, password) => format!("{user}:{password}"),
        };
        Ok(Self {
            scheme: scheme.to_owned(),
            login: at(login.to_owned()),
            sentinel_login: at(sentinel_login),
            hosts: hosts
                .split(',')
                .map(|host| with_port(host, default_port))
                .collect::<Option<_>>()
                .ok_or("a host is wrong")?,
            kind,
        })
    }
}

fn with_port(host: &str, default: u16) -> Option<String> {
    // In an IPv6 address the port follows the bracket.
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port.parse().ok()?),
        _ => (host, default),
    };
    (!name.is_empty()).then(|| format!("{name}:{port}"))
}

impl Url {
    /// To a server that holds data.
    pub(super) fn server(&self, host: &str) -> Result<Client, RedisError> {
        let database = if let Kind::One { database } = &self.kind { database } else { "" };
        Client::open(format!("{}://{}{host}/{database}?protocol=resp3", self.scheme, self.login))
    }

    /// To one that says where the master is.
    pub(super) fn sentinel(&self, host: &str) -> Result<Client, RedisError> {
        Client::open(format!("{}://{}{host}", self.scheme, self.sentinel_login))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Kind) {
        let url: Url = text.parse().unwrap();
        (url.hosts, url.kind)
    }

    #[test]
    fn the_url_says_how_the_servers_make_one_store() {
        let hosts = |hosts: &[&str]| hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>();
        assert_eq!(read("redis://a"), (hosts(&["a:6379"]), Kind::One { database: String::new() }));
        assert_eq!(read("rediss://u:p@[::1]:7/3"), (hosts(&["[::1]:7"]), Kind::One { database: "3".to_owned() }));
        assert_eq!(read("redis+cluster://a:1,[::1]"), (hosts(&["a:1", "[::1]:6379"]), Kind::Cluster));
        let master = Kind::Sentinel { master: "main".to_owned() };
        assert_eq!(read("redis+sentinel://a:1,b/main?wait_replicas=1"), (hosts(&["a:1", "b:26379"]), master));
    }

    #[test]
    fn a_login_goes_to_the_server_and_never_to_a_log() {
        let url: Url = "redis+sentinel://user:p%40ss@a/main?sentinel_password=x".parse().unwrap();
        let server = url.server("b:1").unwrap();
        let login = server.get_connection_info().redis_settings();
        assert_eq!((login.username(), login.password()), (Some("user"), Some("p@ss")));
        let sentinel = url.sentinel("a:1").unwrap();
        assert_eq!(sentinel.get_connection_info().redis_settings().password(), Some("x"));
        assert!(!format!("{url:?}").contains("p%40ss"));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for url in ["", "http://a", "redis://", "redis://a:b", "redis+sentinel://a", "redis+other://a"] {
            assert!(url.parse::<Url>().is_err(), "{url}");
        }
    }
}
