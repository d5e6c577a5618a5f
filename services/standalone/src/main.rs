//! `cargo run`: the whole platform in one process on one SQLite file.

use std::process::ExitCode;

use clap::Parser;
use runtime::Environment;

/// Four Kingdoms: games, matchmaking, ratings and clocks behind one public gateway, in one process.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    environment: Environment,
}

fn main() -> ExitCode {
    runtime::run("standalone", Arguments::parse().environment, standalone::start)
}
