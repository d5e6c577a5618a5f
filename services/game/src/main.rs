//! The game service as a process of its own.

use std::process::ExitCode;

use live::{Home, OpenError};
use proto::rating::v1::rating_service_client::RatingServiceClient;
use runtime::{Process, Program, Sqlite, bind, wall_clock_ms};

fn main() -> ExitCode {
    let about = "The game service of Four Kingdoms: the only door for commands to a game.";
    Program { name: "game", about }.run(start, async |_| Ok(()))
}

async fn start(process: Process) -> anyhow::Result<()> {
    let Process { environment, drain, readiness, mesh } = process;
    let listener = bind("FK_GAME_ADDR", environment.game_addr).await?;
    let sqlite = |Sqlite { reader, writer }| Home::Sqlite { reader, writer, clock: wall_clock_ms };
    let home = environment.home(Home::Redis, sqlite).await?;
    let store = readiness.until_open("live store", OpenError::passes, async || live::open(home.clone()).await).await?;
    let rating = RatingServiceClient::new(mesh.connect("FK_RATING_URL", &environment.rating_url())?);
    let routes = game::build(game::Config::from(&environment), store, rating, &readiness, &drain).await?;
    mesh.following(readiness).spawn("game", listener, routes, &drain);
    Ok(())
}
