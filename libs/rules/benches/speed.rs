//! `cargo bench -p rules --bench speed`: nodes a second (`item/s`), single thread.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rules::{Game, Perft, Position};

mod workload;

fn main() {
    divan::main();
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
