//! Where the servers are and how to speak to them, from one URL.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use redis::{
    ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _, ProtocolVersion, RedisConnectionInfo, RedisError,
};

/// One server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// Its name or number, without brackets.
    pub host: Arc<str>,
    /// Its port.
    pub port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

impl Address {
    pub(crate) fn new(host: &str, port: u16) -> Self {
        Self { host: host.into(), port }
    }

    /// `host`, `host:port` or `[v6]:port`.
    fn parse(text: &str, default_port: u16) -> Option<Self> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']')?;
                (host, port.strip_prefix(':'))
            }
            None => text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
        };
        if host.is_empty() {
            return None;
        }
        Some(Self::new(host, port.map_or(Ok(default_port), str::parse).ok()?))
    }
}

/// How the servers make one store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Topology {
    Single(Address),
    Sentinel { sentinels: Vec<Address>, master: String },
    Cluster { seeds: Vec<Address> },
}

/// What the servers must not forget in a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Anything they have accepted.
    Always,
    /// That is for whoever runs them to judge.
    Relaxed,
}

#[derive(Clone, Default)]
struct Login {
    user: Option<String>,
    password: Option<String>,
}

/// All that the URL says. Its passwords are never printed.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) topology: Topology,
    /// Replicas that should have an append before it is answered.
    pub(crate) wait_replicas: u32,
    pub(crate) durability: Durability,
    tls: bool,
    db: i64,
    login: Login,
    sentinel_login: Login,
}

impl Settings {
    /// How to connect to a server that holds data.
    pub(crate) fn server(&self, address: &Address) -> Result<ConnectionInfo, RedisError> {
        self.info(address, &self.login, self.db, ProtocolVersion::RESP3)
    }

    /// How to connect to a Sentinel.
    pub(crate) fn sentinel(&self, address: &Address) -> Result<ConnectionInfo, RedisError> {
        self.info(address, &self.sentinel_login, 0, ProtocolVersion::RESP2)
    }

    fn info(
        &self,
        Address { host, port }: &Address,
        login: &Login,
        db: i64,
        protocol: ProtocolVersion,
    ) -> Result<ConnectionInfo, RedisError> {
        let (host, port) = (host.to_string(), *port);
        let address = if self.tls {
            ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
        } else {
            ConnectionAddr::Tcp(host, port)
        };
        let mut redis = RedisConnectionInfo::default().set_db(db).set_protocol(protocol).set_skip_set_lib_name();
        if let Some(user) = &login.user {
            redis = redis.set_username(user);
        }
        if let Some(password) = &login.password {
            redis = redis.set_password(password);
        }
        Ok(address.into_connection_info()?.set_redis_settings(redis))
    }
}

impl FromStr for Settings {
    type Err = &'static str;

    fn from_str(url: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = url.split_once("://").ok_or("it has no ://")?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (login, rest) = rest.rsplit_once('@').map_or((Login::default(), rest), |(login, rest)| {
            let (user, password) = login.split_once(':').unwrap_or((login, ""));
            let given = |text: &str| (!text.is_empty()).then(|| decoded(text));
            (Login { user: given(user), password: given(password) }, rest)
        });
        let (hosts, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (tls, kind) = match scheme {
            "redis" => (false, ""),
            "rediss" => (true, ""),
            _ => match scheme.split_once('+') {
                Some(("redis", kind)) => (false, kind),
                Some(("rediss", kind)) => (true, kind),
                _ => return Err("the scheme is none of redis, redis+sentinel, redis+cluster (rediss for TLS)"),
            },
        };
        let addresses = |port| {
            hosts.split(',').map(|host| Address::parse(host, port)).collect::<Option<Vec<_>>>().ok_or("a host is wrong")
        };
        let mut db = 0;
        let topology = match kind {
            "" => {
                let mut addresses = addresses(6379)?;
                if !path.is_empty() {
                    db = path.parse().map_err(|_| "the database is not a number")?;
                }
                match (addresses.pop(), addresses.is_empty()) {
                    (Some(address), true) => Topology::Single(address),
                    _ => return Err("several hosts need redis+sentinel or redis+cluster"),
                }
            }
            "sentinel" if path.is_empty() => {
                return Err("the master's name is missing, as in redis+sentinel://h1,h2/name");
            }
            "sentinel" => Topology::Sentinel { sentinels: addresses(26379)?, master: decoded(path) },
            "cluster" if !path.is_empty() => return Err("a cluster has no databases"),
            "cluster" => Topology::Cluster { seeds: addresses(6379)? },
            _ => return Err("the scheme is none of redis, redis+sentinel, redis+cluster (rediss for TLS)"),
        };
        let (durability, sentinel_login) = (Durability::Always, Login::default());
        let mut settings = Self { topology, wait_replicas: 0, durability, tls, db, login, sentinel_login };
        for (name, value) in query.split('&').filter(|pair| !pair.is_empty()).filter_map(|pair| pair.split_once('=')) {
            match name {
                "wait_replicas" => {
                    settings.wait_replicas = value.parse().map_err(|_| "wait_replicas is not a number")?;
                }
                "durability" => {
                    settings.durability = match value {
                        "always" => Durability::Always,
                        "relaxed" => Durability::Relaxed,
                        _ => return Err("durability is neither always nor relaxed"),
                    };
                }
                "sentinel_user" => settings.sentinel_login.user = Some(decoded(value)),
                "sentinel_password" => settings.sentinel_login.password = Some(decoded(value)),
                _ => {
                    return Err(
                        "it knows only wait_replicas, durability, sentinel_user and sentinel_password after the ?",
                    );
                }
            }
        }
        Ok(settings)
    }
}

/// Undoes %41; anything else stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topology(url: &str) -> Result<Topology, &'static str> {
        url.parse::<Settings>().map(|settings| settings.topology)
    }

    #[test]
    fn the_url_says_how_the_servers_make_one_store() {
        let (a, b) = (Address::new("a", 1), Address::new("b", 6379));
        assert_eq!(topology("redis://a:1"), Ok(Topology::Single(a.clone())));
        assert_eq!(topology("rediss://[::1]:7/3"), Ok(Topology::Single(Address::new("::1", 7))));
        assert_eq!(topology("redis+cluster://a:1,b"), Ok(Topology::Cluster { seeds: vec![a.clone(), b] }));
        let sentinels = vec![a, Address::new("b", 26379)];
        assert_eq!(
            topology("redis+sentinel://a:1,b/main?wait_replicas=1"),
            Ok(Topology::Sentinel { sentinels, master: "main".into() })
        );
    }

    #[test]
    fn logins_are_decoded() {
        let settings: Settings = "rediss://us%65r:p%40ss@a/2?sentinel_password=x".parse().unwrap();
        let info = settings.server(&Address::new("a", 6379)).unwrap();
        let redis = info.redis_settings();
        assert_eq!((redis.username(), redis.password(), redis.db()), (Some("user"), Some("p@ss"), 2));
        assert!(matches!(info.addr(), ConnectionAddr::TcpTls { insecure: false, .. }));
        assert_eq!(settings.sentinel(&Address::new("s", 1)).unwrap().redis_settings().password(), Some("x"));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for url in [
            "",
            "http://a",
            "redis://",
            "redis://a:b",
            "redis://a,b",
            "redis://a/x",
            "redis+sentinel://a",
            "redis+cluster://a/1",
            "redis+other://a",
            "redis://a?wait=1",
            "redis://a?wait_replicas=x",
            "redis://a?durability=some",
        ] {
            assert!(topology(url).is_err(), "{url}");
        }
    }
}
