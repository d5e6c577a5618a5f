//! Every service in one process on one SQLite file. They talk gRPC to each other over loopback, through the same
//! clients and servers as when each is a process of its own.
//!
//! Draining goes from the outside in: the gateway first finishes what is under way, then the services behind it.

#![deny(missing_docs)]

use std::time::Duration;

use live::{Home, OpenError};
use matchmaking::TicketHome;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use runtime::{Databases, Drain, Environment, Process, Secret, Sqlite, bind, wall_clock_ms};
use tokio::net::TcpListener;

/// How long the inner services may take once the gateway has finished.
const INNER_DRAIN: Duration = Duration::from_secs(5);

/// Starts the platform; returns once it listens everywhere.
///
/// # Errors
/// If an address is taken, the file cannot be opened, or its tables are of a newer release.
pub async fn start(process: Process) -> anyhow::Result<()> {
    let Process { environment, drain, readiness, mesh } = process;
    let game_listener = bind("FK_GAME_ADDR", environment.game_addr).await?;
    let matchmaking_listener = bind("FK_MATCHMAKING_ADDR", environment.matchmaking_addr).await?;
    let rating_listener = bind("FK_RATING_ADDR", environment.rating_addr).await?;
    let clock_listener = bind("FK_CLOCK_ADDR", environment.clock_addr).await?;
    let http_listener = bind("FK_HTTP_ADDR", environment.http_addr).await?;

    let game_link = mesh.connect("FK_GAME_URL", &url(environment.game_url.as_deref(), &game_listener)?)?;
    let matchmaking_link =
        mesh.connect("FK_MATCHMAKING_URL", &url(environment.matchmaking_url.as_deref(), &matchmaking_listener)?)?;
    let rating_link = mesh.connect("FK_RATING_URL", &url(environment.rating_url.as_deref(), &rating_listener)?)?;
    let game = GameServiceClient::new(game_link).max_decoding_message_size(game::LOG_BYTES);
    let matchmaking = MatchmakingServiceClient::new(matchmaking_link);
    let rating = RatingServiceClient::new(rating_link);

    let databases = Databases::open(&environment).await?;
    let redis = environment.redis_url.as_ref().map(Secret::expose);
    let (home, tickets) = homes(&databases, redis)?;
    let store = readiness.until_open("live store", OpenError::passes, async || live::open(home.clone()).await).await?;

    // The rating service first: the others read from it as soon as they start.
    let inner = Drain::new();
    let database = databases.await_of("rating", rating::DATABASE, &readiness).await?;
    let routes = rating::build(rating::Config::from(&environment), database, &readiness, &inner).await?;
    mesh.spawn("rating", rating_listener, routes, &inner);
    let config = game::Config::from(&environment);
    let routes = game::build(config, store.clone(), rating.clone(), &readiness, &inner).await?;
    mesh.spawn("game", game_listener, routes, &inner);
    let config = matchmaking::Config::from(&environment);
    let routes = matchmaking::build(config, tickets, game.clone(), rating.clone(), &readiness, &inner).await?;
    mesh.spawn("matchmaking", matchmaking_listener, routes, &inner);
    mesh.spawn("clock", clock_listener, clock::build(store, game.clone(), &readiness, &inner), &inner);

    let links = gateway::Links { game, matchmaking, rating };
    let config = gateway::Config::from(&environment);
    let database = databases.await_of("gateway", gateway::DATABASE, &readiness).await?;
    let router = gateway::build(config, database, redis, links, &readiness, &drain).await?;
    let address = http_listener.local_addr()?;
    tracing::info!(http.url = %format!("http://{address}"), data.folder = %environment.data_dir.display(), "listening");
    let (outer, gateway) = (drain.clone(), runtime::serve_http(http_listener, router, drain.clone()));
    drain.spawn("platform", async move {
        tokio::select! {
            () = gateway => {}
            () = inner.draining() => outer.fail(),
        }
        inner.begin();
        if !inner.finished(INNER_DRAIN).await {
            tracing::warn!(limit_ms = INNER_DRAIN.as_millis() as u64, "a service was still busy at the end");
        }
        if inner.has_crashed() {
            outer.fail();
        }
    });
    Ok(())
}

fn url(configured: Option<&str>, listener: &TcpListener) -> std::io::Result<String> {
    configured.map_or_else(|| Ok(format!("http://{}", listener.local_addr()?)), |url| Ok(url.to_owned()))
}

/// Where live state and tickets are kept: Redis and PostgreSQL go together, otherwise all is in one file.
fn homes(databases: &Databases, redis: Option<&str>) -> anyhow::Result<(Home, TicketHome)> {
    match (databases, redis) {
        (_, Some(url)) => Ok((Home::Redis(url.to_owned()), TicketHome::Redis(url.to_owned()))),
        (Databases::Sqlite(sqlite), None) => {
            let Sqlite { reader, writer } = sqlite.clone();
            Ok((Home::Sqlite { reader, writer, clock: wall_clock_ms }, TicketHome::Sqlite(sqlite.clone())))
        }
        (Databases::Postgres { .. }, None) => anyhow::bail!("FK_DATABASE_URL needs FK_REDIS_URL"),
    }
}

/// Brings all schemas in PostgreSQL to their newest form. The SQLite file is migrated whenever the platform starts.
///
/// # Errors
/// If PostgreSQL cannot be reached or its schemas are of a newer release.
pub async fn migrate(environment: Environment) -> anyhow::Result<()> {
    let databases = Databases::open(&environment).await?;
    rating::migrate(&databases.of("rating").await?).await?;
    gateway::migrate(&databases.of("gateway").await?).await
}
