//! The gateway as a process of its own.

use std::process::ExitCode;

use gateway::Links;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use runtime::{Databases, Environment, Process, Program, Secret, bind, serve_http};

/// The log of a long game fits.
const LOG_BYTES: usize = 32 * 1024 * 1024;

fn main() -> ExitCode {
    let about = "The gateway of Four Kingdoms: accounts, limits, JSON, streams and sockets in front of the services.";
    Program { name: "gateway", about }.run(start, migrate)
}

async fn start(process: Process) -> anyhow::Result<()> {
    let Process { environment, drain, readiness, mesh } = process;
    let listener = bind("FK_HTTP_ADDR", environment.http_addr).await?;
    let links = Links {
        game: GameServiceClient::new(mesh.connect("FK_GAME_URL", &environment.game_url())?)
            .max_decoding_message_size(LOG_BYTES),
        matchmaking: MatchmakingServiceClient::new(mesh.connect("FK_MATCHMAKING_URL", &environment.matchmaking_url())?),
        rating: RatingServiceClient::new(mesh.connect("FK_RATING_URL", &environment.rating_url())?),
    };
    let database = Databases::open(&environment).await?.await_of("gateway", gateway::DATABASE, &readiness).await?;
    let (config, redis) = (gateway::Config::from(&environment), environment.redis_url.as_ref().map(Secret::expose));
    let router = gateway::build(config, database, redis, links, &readiness, &drain).await?;
    drain.spawn("gateway", serve_http(listener, router, drain.clone()));
    Ok(())
}

async fn migrate(environment: Environment) -> anyhow::Result<()> {
    gateway::migrate(&Databases::open(&environment).await?.of("gateway").await?).await
}
