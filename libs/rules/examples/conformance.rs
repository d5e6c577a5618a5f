//! Runs conformance vectors: `cargo run --release -p rules --example conformance -- FILE...`
//!
//! Takes files of games and files of perft counts, JSON lines both. Prints a line per mismatch (id, step, expected,
//! got) and last `N passed, N failed`; the exit code is 1 on a failure and 2 when a file cannot be read or holds no vector.

#![allow(clippy::print_stdout)]

use std::io::{BufRead, BufReader};
use std::process::ExitCode;

#[path = "../tests/vectors.rs"]
#[allow(dead_code)]
mod vectors;

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() || files.iter().any(|file| file.starts_with('-')) {
        eprintln!("usage: cargo run --release -p rules --example conformance -- FILE...");
        eprintln!("FILE is a file of vectors in JSON lines: games or perft counts, one each line");
        return ExitCode::from(2);
    }
    let (mut passed, mut failed, mut unread) = (0_u64, 0_u64, false);
    for file in &files {
        let lines = match std::fs::File::open(file) {
            Ok(open) => BufReader::new(open).lines(),
            Err(error) => {
                eprintln!("{file}: {error}");
                unread = true;
                continue;
            }
        };
        let before = passed + failed;
        for (number, line) in lines.enumerate() {
            let line = match line {
                Ok(line) if line.trim().is_empty() => continue,
                Ok(line) => line,
                Err(error) => {
                    eprintln!("{file}: line {}: {error}", number + 1);
                    unread = true;
                    break;
                }
            };
            match vectors::check(&line) {
                Ok(()) => passed += 1,
                Err(mismatch) => {
                    println!("{file}:{}: {mismatch}", number + 1);
                    failed += 1;
                }
            }
        }
        if passed + failed == before {
            eprintln!("{file}: no vectors");
            unread = true;
        }
    }
    println!("{passed} passed, {failed} failed");
    if unread {
        ExitCode::from(2)
    } else if failed > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
