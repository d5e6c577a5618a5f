//! `cargo bench -p rules --bench instructions`: instructions a node, counted by valgrind, so that a busy machine does
//! not disturb them. Runs each workload twice, once small and once large; the difference is free of start-up.

#![allow(clippy::print_stdout)]

use std::process::Command;

use rules::{Perft, Position};

mod workload;

/// Name, and a run of size 1 or 2 that returns its nodes.
type Case = (&'static str, fn(u64) -> u64);

const CASES: [Case; 5] = [
    ("perft_moves_start_3", |size| (0..size).map(|_| workload::count(&[Position::start()], 3, Perft::Moves)).sum()),
    ("perft_bulk_start_4", |size| (0..size).map(|_| workload::count(&[Position::start()], 4, Perft::Bulk)).sum()),
    ("perft_bulk_suite_2", |size| (0..size).map(|_| workload::count(&workload::suite(), 2, Perft::Bulk)).sum()),
    ("random_games_unchecked", |size| workload::random_games(size, false)),
    ("random_games_checked", |size| workload::random_games(size, true)),
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, run, name, size] = arguments.as_slice()
        && run == "--run"
    {
        let size = size.parse().unwrap_or(1);
        for (_, case) in CASES.into_iter().filter(|(known, _)| known == name) {
            println!("nodes {}", case(size));
        }
        return;
    }
    for (name, _) in CASES {
        match (measured(name, 1), measured(name, 2)) {
            (Some(small), Some(large)) if large.0 > small.0 => {
                let each = (large.1 - small.1) as f64 / (large.0 - small.0) as f64;
                println!("{name:<24} {each:8.1} instructions a node");
            }
            _ => println!("{name:<24} not counted: needs valgrind"),
        }
    }
}

/// Nodes and instructions of one run in a process of its own.
fn measured(name: &str, size: u64) -> Option<(u64, u64)> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--run", name, &size.to_string()])
        .output()
        .ok()?;
    let number_after = |text: &[u8], word: &str| {
        let text = String::from_utf8_lossy(text).into_owned();
        let rest = text.split(word).nth(1)?.trim_start_matches([' ', ':']);
        rest.split_whitespace().next()?.parse().ok()
    };
    Some((number_after(&output.stdout, "nodes")?, number_after(&output.stderr, "Collected")?))
}
