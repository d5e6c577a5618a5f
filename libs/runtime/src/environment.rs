use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use http::HeaderValue;
use ipnet::IpNet;
use timekeeping::TimeControl;

use crate::grpc::Mesh;
use crate::{Postgres, Secret, Sqlite};

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Everything the platform takes from its environment. All of it is optional; a wrong value stops the start with
/// the name and what was expected.
#[derive(Debug, Clone, clap::Args)]
pub struct Environment {
    /// Where the public API listens.
    #[arg(long, env = "FK_HTTP_ADDR", value_name = "FK_HTTP_ADDR", default_value = "127.0.0.1:8080", value_parser = parse_address)]
    pub http_addr: SocketAddr,
    /// Where health and metrics listen; never public.
    #[arg(long, env = "FK_OPS_ADDR", value_name = "FK_OPS_ADDR", default_value = "127.0.0.1:9090", value_parser = parse_address)]
    pub ops_addr: SocketAddr,
    /// Where the game service listens.
    #[arg(long, env = "FK_GAME_ADDR", value_name = "FK_GAME_ADDR", default_value = "127.0.0.1:7001", value_parser = parse_address)]
    pub game_addr: SocketAddr,
    /// Where the matchmaking service listens.
    #[arg(long, env = "FK_MATCHMAKING_ADDR", value_name = "FK_MATCHMAKING_ADDR", default_value = "127.0.0.1:7002", value_parser = parse_address)]
    pub matchmaking_addr: SocketAddr,
    /// Where the rating service listens.
    #[arg(long, env = "FK_RATING_ADDR", value_name = "FK_RATING_ADDR", default_value = "127.0.0.1:7003", value_parser = parse_address)]
    pub rating_addr: SocketAddr,
    /// Where the clock service listens.
    #[arg(long, env = "FK_CLOCK_ADDR", value_name = "FK_CLOCK_ADDR", default_value = "127.0.0.1:7004", value_parser = parse_address)]
    pub clock_addr: SocketAddr,
    /// Where the game service is called [default: http:// and the address above].
    #[arg(long, env = "FK_GAME_URL", value_name = "FK_GAME_URL")]
    pub game_url: Option<String>,
    /// Where the matchmaking service is called [default: http:// and the address above].
    #[arg(long, env = "FK_MATCHMAKING_URL", value_name = "FK_MATCHMAKING_URL")]
    pub matchmaking_url: Option<String>,
    /// Where the rating service is called [default: http:// and the address above].
    #[arg(long, env = "FK_RATING_URL", value_name = "FK_RATING_URL")]
    pub rating_url: Option<String>,
    /// Where the clock service is called [default: http:// and the address above].
    #[arg(long, env = "FK_CLOCK_URL", value_name = "FK_CLOCK_URL")]
    pub clock_url: Option<String>,
    /// Live state in Redis; together with FK_DATABASE_URL.
    #[arg(long, env = "FK_REDIS_URL", value_name = "FK_REDIS_URL", requires = "database_url", hide_env_values = true)]
    pub redis_url: Option<Secret>,
    /// Results, ratings and accounts in PostgreSQL; together with FK_REDIS_URL.
    #[arg(
        long,
        env = "FK_DATABASE_URL",
        value_name = "FK_DATABASE_URL",
        requires = "redis_url",
        hide_env_values = true
    )]
    pub database_url: Option<Secret>,
    /// The folder of the SQLite file, when neither of the two is set.
    #[arg(long, env = "FK_DATA_DIR", value_name = "FK_DATA_DIR", default_value = "./data")]
    pub data_dir: PathBuf,
    /// The certificate a service shows to others, PEM; together with the next two.
    #[arg(long, env = "FK_TLS_CERT", value_name = "FK_TLS_CERT")]
    pub tls_cert: Option<PathBuf>,
    /// Its key, PEM.
    #[arg(long, env = "FK_TLS_KEY", value_name = "FK_TLS_KEY")]
    pub tls_key: Option<PathBuf>,
    /// The authority that signs all services' certificates, PEM.
    #[arg(long, env = "FK_TLS_CA", value_name = "FK_TLS_CA")]
    pub tls_ca: Option<PathBuf>,
    /// The published time controls, comma-separated.
    #[arg(
        long,
        env = "FK_TIME_CONTROLS",
        value_name = "FK_TIME_CONTROLS",
        value_delimiter = ',',
        default_value = "1+0,1+7d,3+2,5+5,10+5,15+15d"
    )]
    pub time_controls: Vec<TimeControl>,
    /// How long a player's first move may take, in milliseconds.
    #[arg(
        long,
        env = "FK_FIRST_MOVE_MS",
        value_name = "FK_FIRST_MOVE_MS",
        default_value_t = 30_000,
        value_parser = whole_number(1..=86_400_000)
    )]
    pub first_move_ms: i64,
    /// How long a roaming army waits before it moves, in milliseconds.
    #[arg(
        long,
        env = "FK_ROAMING_DELAY_MS",
        value_name = "FK_ROAMING_DELAY_MS",
        default_value_t = 700,
        value_parser = whole_number(0..=60_000)
    )]
    pub roaming_delay_ms: i64,
    /// `off` lifts request limits and cooldowns, for tests and load from one address.
    #[arg(
        long,
        env = "FK_LIMITS",
        value_name = "FK_LIMITS",
        default_value = "on",
        action = clap::ArgAction::Set,
        value_parser = parse_switch
    )]
    pub limits: bool,
    /// Origins whose pages may call the API from a browser, comma-separated.
    #[arg(long, env = "FK_CORS_ORIGINS", value_name = "FK_CORS_ORIGINS", value_delimiter = ',', value_parser = parse_origin)]
    pub cors_origins: Vec<HeaderValue>,
    /// Networks whose forwarded headers are believed, comma-separated, like 10.0.0.0/8.
    #[arg(long, env = "FK_TRUSTED_PROXIES", value_name = "FK_TRUSTED_PROXIES", value_delimiter = ',', value_parser = parse_network)]
    pub trusted_proxies: Vec<IpNet>,
    /// What is logged: a level, or directives like info,game=debug.
    #[arg(long, env = "FK_LOG", value_name = "FK_LOG", default_value = "info")]
    pub log: String,
    /// How it is logged.
    #[arg(long, env = "FK_LOG_FORMAT", value_name = "FK_LOG_FORMAT", default_value = "text")]
    pub log_format: LogFormat,
    /// Where traces go by OTLP over gRPC; without it there are none.
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    pub otlp_endpoint: Option<String>,
}

fn parse_switch(text: &str) -> Result<bool, &'static str> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected on or off"),
    }
}

fn parse_address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "expected an IP address and a port like 127.0.0.1:8080")
}

fn parse_origin(text: &str) -> Result<HeaderValue, &'static str> {
    let plain = text.starts_with("http://") || text.starts_with("https://");
    let value = text.parse().ok().filter(|_| plain && !text.ends_with('/'));
    value.ok_or("expected an origin like https://example.org")
}

fn parse_network(text: &str) -> Result<IpNet, &'static str> {
    text.parse().map_err(|_| "expected a network like 10.0.0.0/8")
}

fn whole_number(range: RangeInclusive<i64>) -> impl Fn(&str) -> Result<i64, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a whole number from {} to {}", range.start(), range.end()))
    }
}

impl Environment {
    /// Judges what was not judged when it was read, before anything is waited for; how services reach each other.
    ///
    /// # Errors
    /// Names the setting and what is wrong with it, and shows no password.
    pub(crate) fn check(&self) -> anyhow::Result<Mesh> {
        if let Some(url) = &self.redis_url {
            redis_link::Link::check(url.expose())?;
        }
        if let Some(url) = &self.database_url {
            Postgres::check(url)?;
        }
        let mesh = Mesh::new(self)?;
        for (name, url) in [
            ("FK_GAME_URL", &self.game_url),
            ("FK_MATCHMAKING_URL", &self.matchmaking_url),
            ("FK_RATING_URL", &self.rating_url),
            ("FK_CLOCK_URL", &self.clock_url),
        ] {
            url.as_ref().map_or(Ok(()), |url| mesh.check(name, url))?;
        }
        Ok(mesh)
    }

    /// Where live state and tickets are kept: in Redis if `FK_REDIS_URL` is set, otherwise in the SQLite file.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub async fn home<H>(&self, redis: impl Fn(String) -> H, sqlite: impl Fn(Sqlite) -> H) -> anyhow::Result<H> {
        Ok(match &self.redis_url {
            Some(url) => redis(url.expose().to_owned()),
            None => sqlite(Sqlite::open(&self.data_dir).await?),
        })
    }

    /// Where the game service is called.
    #[must_use]
    pub fn game_url(&self) -> String {
        self.game_url.clone().unwrap_or_else(|| format!("http://{}", self.game_addr))
    }

    /// Where the matchmaking service is called.
    #[must_use]
    pub fn matchmaking_url(&self) -> String {
        self.matchmaking_url.clone().unwrap_or_else(|| format!("http://{}", self.matchmaking_addr))
    }

    /// Where the rating service is called.
    #[must_use]
    pub fn rating_url(&self) -> String {
        self.rating_url.clone().unwrap_or_else(|| format!("http://{}", self.rating_addr))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Environment;
    use crate::Databases;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        environment: Environment,
    }

    #[test]
    fn a_wrong_value_is_named() {
        for (flag, value, name, expected) in [
            ("--http-addr", "here", "FK_HTTP_ADDR", "like 127.0.0.1:8080"),
            ("--time-controls", "3+2,x", "FK_TIME_CONTROLS", "expected"),
            ("--first-move-ms", "0", "FK_FIRST_MOVE_MS", "from 1 to 86400000"),
            ("--first-move-ms", "abc", "FK_FIRST_MOVE_MS", "from 1 to 86400000"),
            ("--roaming-delay-ms", "-1", "FK_ROAMING_DELAY_MS", "from 0 to 60000"),
            ("--limits", "maybe", "FK_LIMITS", "expected on or off"),
            ("--cors-origins", "https://a.example,b.example", "FK_CORS_ORIGINS", "like https://example.org"),
            ("--trusted-proxies", "10.0.0.0/99", "FK_TRUSTED_PROXIES", "like 10.0.0.0/8"),
            ("--log-format", "xml", "FK_LOG_FORMAT", "text, json"),
        ] {
            let told = Program::try_parse_from(["fk", &format!("{flag}={value}")]).unwrap_err().to_string();
            assert!(told.contains(name) && told.contains(value.split(',').next_back().unwrap()), "{told}");
            assert!(told.contains(expected), "{told}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_found_before_anything_is_waited_for() {
        let stores =
            |redis: &str, database: &str| vec![format!("--redis-url={redis}"), format!("--database-url={database}")];
        let one = |argument: &str| vec![argument.to_owned()];
        for (arguments, name) in [
            (stores("http://:secret@redis", "postgres://:secret@db/x"), "FK_REDIS_URL: "),
            (stores("redis://:secret@redis", "mysql://:secret@db/x"), "FK_DATABASE_URL: expected postgres://"),
            (stores("redis://:secret@redis", "u:secret@db/x"), "FK_DATABASE_URL: expected postgres://"),
            (stores("redis://:secret@redis", "postgres://u:secret@db:port/x"), "FK_DATABASE_URL: expected postgres://"),
            (one("--tls-cert=/etc/passwd"), "FK_TLS_CERT, FK_TLS_KEY, FK_TLS_CA: expected all three or none"),
            (one("--game-url=foo"), "FK_GAME_URL: "),
            (one("--matchmaking-url=foo"), "FK_MATCHMAKING_URL: "),
            (one("--rating-url=foo"), "FK_RATING_URL: "),
            (one("--clock-url=foo"), "FK_CLOCK_URL: "),
        ] {
            let arguments = ["fk".to_owned()].into_iter().chain(arguments);
            let told = Program::try_parse_from(arguments).unwrap().environment.check().unwrap_err();
            let told = format!("{told:#} {told:?}");
            assert!(told.starts_with(name) && !told.contains("secret"), "{told}");
        }
        Program::try_parse_from(["fk"]).unwrap().environment.check().unwrap();
    }

    #[tokio::test]
    async fn no_password_is_printed() {
        let (redis, database) = ("redis://:secret@redis", "postgres://u:secret@db/x");
        let arguments = ["fk", "--redis-url", redis, "--database-url", database];
        let environment = Program::try_parse_from(arguments).unwrap().environment;
        assert_eq!(environment.redis_url.as_ref().unwrap().expose(), redis);
        let databases = Databases::open(&environment).await.unwrap();
        let printed = format!("{environment:?} {environment:#?} {databases:?}");
        assert!(printed.contains("redis_url") && !printed.contains("secret@"), "{printed}");
    }

    #[test]
    fn everything_has_a_default() {
        let environment = Program::try_parse_from(["fk"]).unwrap().environment;
        assert_eq!(environment.time_controls.len(), 6);
        assert!(environment.limits);
    }
}
