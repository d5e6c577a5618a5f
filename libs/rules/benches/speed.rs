//! `cargo bench -p rules --bench speed`: nodes a second (`item/s`), single thread, and how many times as quick as a plain
//! mailbox that is.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rules::{Game, Perft, Position};

mod mailbox;
mod workload;

use mailbox::Mailbox;

fn main() {
    divan::main();
    // Not when some benches were asked for by name.
    if std::env::args().skip(1).all(|argument| argument == "--bench") {
        compare();
    }
}

/// How often each case is run.
const ROUNDS: usize = 40;

/// Prints the nodes a second of every kind of work and their ratio to the leaves that the mailbox makes. The cases take
/// turns and are short, and the best run of each counts, so that other work on the machine disturbs little.
fn compare() {
    type Case<'a> = (&'a str, &'a dyn Fn() -> u64);
    let (start, suite) = (vec![Position::start()], workload::suite());
    let plainly = |positions: &[Position], depth| positions.iter().map(|p| Mailbox::new(p).perft(depth)).sum::<u64>();
    assert_eq!(plainly(&start, 4), workload::count(&start, 4, Perft::Moves));
    assert_eq!(plainly(&suite, 3), workload::count(&suite, 3, Perft::Moves));
    let cases: [Case<'_>; 9] = [
        ("mailbox, every leaf made, start 4", &|| plainly(&start, 4)),
        ("mailbox, every leaf made, suite 2", &|| plainly(&suite, 2)),
        ("every leaf made, start 4", &|| workload::count(&start, 4, Perft::Moves)),
        ("every leaf made, suite 2", &|| workload::count(&suite, 2, Perft::Moves)),
        ("bulk, start 4", &|| workload::count(&start, 4, Perft::Bulk)),
        ("bulk, suite 2", &|| workload::count(&suite, 2, Perft::Bulk)),
        ("full, start 3", &|| workload::count(&start, 3, Perft::Full)),
        ("random games, play", &|| workload::random_games(6, true)),
        ("random games, play_unchecked", &|| workload::random_games(6, false)),
    ];
    let mut best = cases.map(|_| 0.0_f64);
    for _ in 0..ROUNDS {
        for (best, (_, run)) in best.iter_mut().zip(cases) {
            let begin = Instant::now();
            *best = best.max(run() as f64 / begin.elapsed().as_secs_f64());
        }
    }
    // The suite's: those from the start alone are nearly twice as many in some runs as in others.
    let yardstick = best[1];
    println!("{:<34}{:>12}{:>28}", "", "M nodes/s", "times the mailbox, suite");
    for ((name, _), rate) in cases.into_iter().zip(best) {
        println!("{name:<34}{:>12.2}{:>28.2}", rate / 1e6, rate / yardstick);
    }
}

fn nodes(bencher: Bencher<'_, '_>, positions: &[Position], depth: u32, what: Perft) {
    let nodes = workload::count(positions, depth, what);
    bencher.counter(ItemsCount::new(nodes)).bench(|| workload::count(black_box(positions), depth, what));
}

/// Every leaf made, nobody goes out.
#[divan::bench(sample_count = 20)]
fn perft_moves_start_4(bencher: Bencher<'_, '_>) {
    nodes(bencher, &[Position::start()], 4, Perft::Moves);
}

/// The same, positions of the vectors.
#[divan::bench(sample_count = 5)]
fn perft_moves_suite_3(bencher: Bencher<'_, '_>) {
    nodes(bencher, &workload::suite(), 3, Perft::Moves);
}

/// The last ply counted, nobody goes out.
#[divan::bench(sample_count = 20)]
fn perft_bulk_start_5(bencher: Bencher<'_, '_>) {
    nodes(bencher, &[Position::start()], 5, Perft::Bulk);
}

/// The same, positions of the vectors.
#[divan::bench(sample_count = 10)]
fn perft_bulk_suite_3(bencher: Bencher<'_, '_>) {
    nodes(bencher, &workload::suite(), 3, Perft::Bulk);
}

/// Section 5 at every move.
#[divan::bench(sample_count = 10)]
fn perft_full_start_4(bencher: Bencher<'_, '_>) {
    nodes(bencher, &[Position::start()], 4, Perft::Full);
}

/// Random games by the whole rules, moves taken from the list: plies a second.
#[divan::bench(sample_count = 10)]
fn random_games_unchecked(bencher: Bencher<'_, '_>) {
    let plies = workload::random_games(100, false);
    bencher.counter(ItemsCount::new(plies)).bench(|| workload::random_games(black_box(100), false));
}

/// The same with each move judged again by `play`.
#[divan::bench(sample_count = 10)]
fn random_games_checked(bencher: Bencher<'_, '_>) {
    let plies = workload::random_games(100, true);
    bencher.counter(ItemsCount::new(plies)).bench(|| workload::random_games(black_box(100), true));
}

/// Reading and writing a position.
#[divan::bench]
fn fen4_there_and_back(bencher: Bencher<'_, '_>) {
    let fen4 = Position::start().fen4();
    bencher
        .counter(ItemsCount::new(1_u32))
        .bench(|| Game::from_fen4(black_box(&fen4)).map(|(game, _)| game.fen4().len()));
}
