//! The matchmaking service as a process of its own.

use std::process::ExitCode;

use matchmaking::TicketHome;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use runtime::{Process, Program, bind};

fn main() -> ExitCode {
    let about = "The matchmaking service of Four Kingdoms: tickets, pools, and forming fours.";
    // Its tables in the SQLite file are migrated at every start; Redis has none.
    Program { name: "matchmaking", about }.run(start, async |_| Ok(()))
}

async fn start(process: Process) -> anyhow::Result<()> {
    let Process { environment, drain, readiness, mesh } = process;
    let listener = bind("FK_MATCHMAKING_ADDR", environment.matchmaking_addr).await?;
    let game = GameServiceClient::new(mesh.connect("FK_GAME_URL", &environment.game_url())?);
    let rating = RatingServiceClient::new(mesh.connect("FK_RATING_URL", &environment.rating_url())?);
    let home = environment.home(TicketHome::Redis, TicketHome::Sqlite).await?;
    let config = matchmaking::Config::from(&environment);
    let routes = matchmaking::build(config, home, game, rating, &readiness, &drain).await?;
    mesh.following(readiness).spawn("matchmaking", listener, routes, &drain);
    Ok(())
}
