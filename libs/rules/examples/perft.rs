//! Counts sequences of legal moves: `cargo run --release -p rules --example perft -- DEPTH [FEN4] [--bulk] [--full]`
//!
//! Prints one line, `nodes seconds nodes/s`. Without a flag every leaf is made and nobody goes out inside the tree;
//! `--bulk` counts the last ply without making it; `--full` applies section 5 of the rules at every move.

#![allow(clippy::print_stdout)]

use std::process::ExitCode;
use std::time::Instant;

use rules::{Game, Perft, perft};

const USAGE: &str = "usage: cargo run --release -p rules --example perft -- DEPTH [FEN4] [--bulk] [--full]
DEPTH is 1 to 20; FEN4 is the start position when left out; --bulk and --full exclude each other";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let (mut depth, mut game, mut what) = (None, None, Perft::Moves);
    for argument in std::env::args().skip(1) {
        match (argument.as_str(), what) {
            ("--bulk", Perft::Moves) => what = Perft::Bulk,
            ("--full", Perft::Moves) => what = Perft::Full,
            (text, _) if depth.is_none() => {
                let number = text.parse().ok().filter(|depth| (1..=20).contains(depth));
                depth = Some(number.ok_or(USAGE)?);
            }
            (text, _) if game.is_none() && !text.starts_with("--") => {
                let (read, unknown) = Game::from_fen4(text).map_err(|error| format!("FEN4: {error}"))?;
                for key in unknown {
                    eprintln!("unknown extra key: {key}");
                }
                game = Some(read);
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    let depth = depth.ok_or(USAGE)?;
    let game = game.unwrap_or_else(Game::start);
    let begin = Instant::now();
    let nodes = perft(game.position(), depth, what);
    let seconds = begin.elapsed().as_secs_f64();
    println!("{nodes} {seconds:.3} {:.0}", nodes as f64 / seconds.max(1e-9));
    Ok(())
}
