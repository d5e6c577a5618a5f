//! The clock service as a process of its own.

use std::process::ExitCode;

use live::{Home, OpenError};
use proto::game::v1::game_service_client::GameServiceClient;
use runtime::{Process, Program, Sqlite, bind, wall_clock_ms};

fn main() -> ExitCode {
    let about = "The clock service of Four Kingdoms: waits for deadlines and wakes games.";
    Program { name: "clock", about }.run(start, async |_| Ok(()))
}

async fn start(process: Process) -> anyhow::Result<()> {
    let Process { environment, drain, readiness, mesh } = process;
    let listener = bind("FK_CLOCK_ADDR", environment.clock_addr).await?;
    let sqlite = |Sqlite { reader, writer }| Home::Sqlite { reader, writer, clock: wall_clock_ms };
    let home = environment.home(Home::Redis, sqlite).await?;
    let store = readiness.until_open("live store", OpenError::passes, async || live::open(home.clone()).await).await?;
    let game = GameServiceClient::new(mesh.connect("FK_GAME_URL", &environment.game_url())?);
    let routes = clock::build(store, game, &readiness, &drain);
    mesh.following(readiness).spawn("clock", listener, routes, &drain);
    Ok(())
}
