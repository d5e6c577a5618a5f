//! `cargo run`: the whole platform in one process on one SQLite file.

use std::process::ExitCode;

use runtime::Program;

fn main() -> ExitCode {
    let about = "Four Kingdoms: games, matchmaking, ratings and clocks behind one public gateway, in one process.";
    Program { name: "standalone", about }.run(standalone::start, standalone::migrate)
}
