//! The fault program: plays on the whole platform, two replicas of everything, while processes, Redis and PostgreSQL
//! die by a seed; then checks from what clients saw and what the stores hold that nothing accepted was lost, done twice
//! or charged to a player. See docs/faults.md.

mod arguments;
mod check;
mod dice;
mod door;
mod feed;
mod fleet;
mod journal;
mod lobby;
mod plan;
mod play;
mod redis_home;
mod report;
mod run;
mod service;
mod strike;
mod timeline;
mod view;

use std::process::ExitCode;

use clap::Parser as _;

#[tokio::main]
async fn main() -> ExitCode {
    match run::run(arguments::Arguments::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            report::say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}
