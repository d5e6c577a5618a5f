//! The rating service as a process of its own.

use std::process::ExitCode;

use runtime::{Databases, Environment, Process, Program, bind};

fn main() -> ExitCode {
    let about = "The rating service of Four Kingdoms: ratings, results and the records of finished games.";
    Program { name: "rating", about }.run(start, migrate)
}

async fn start(process: Process) -> anyhow::Result<()> {
    let Process { environment, drain, readiness, mesh } = process;
    let listener = bind("FK_RATING_ADDR", environment.rating_addr).await?;
    let database = Databases::open(&environment).await?.await_of("rating", rating::DATABASE, &readiness).await?;
    let routes = rating::build(rating::Config::from(&environment), database, &readiness, &drain).await?;
    mesh.following(readiness).spawn("rating", listener, routes, &drain);
    Ok(())
}

async fn migrate(environment: Environment) -> anyhow::Result<()> {
    rating::migrate(&Databases::open(&environment).await?.of("rating").await?).await
}
