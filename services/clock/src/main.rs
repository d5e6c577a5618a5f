//! The clock service as a process of its own.

use std::process::ExitCode;

use live::Home;
use proto::game::v1::game_service_client::GameServiceClient;
use runtime::grpc::Mesh;
use runtime::{Process, Program, Sqlite, bind, wall_clock_ms};

fn main() -> ExitCode {
    let about = "The clock service of Four Kingdoms: waits for deadlines and wakes games.";
    Program { name: "clock", about }.run(start, async |_| Ok(()))
}

async fn start(process: Process) -> anyhow::Result<()> {
    let Process { environment, drain, .. } = process;
    let listener = bind("FK_CLOCK_ADDR", environment.clock_addr).await?;
    let store = match &environment.redis_url {
        Some(url) => live::open(Home::Redis(url)).await?,
        None => {
            let Sqlite { reader, writer } = Sqlite::open(&environment.data_dir).await?;
            live::open(Home::Sqlite { reader, writer, clock: wall_clock_ms }).await?
        }
    };
    let mesh = Mesh::new(&environment)?;
    let game = GameServiceClient::new(mesh.connect(&environment.game_url())?);
    mesh.spawn("clock", listener, clock::build(store, game, &drain), &drain);
    Ok(())
}
