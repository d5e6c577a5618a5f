//! The fast rules against the plain ones, and a quarter turn of the board.
//!
//! Compared with the plain rules: states, points, turn and end at every ply; checks and the list of moves at each of the
//! first 64 plies, at the last and at every eighth between, which is where the time goes; perft without outs at the last.
//! The quarter turn: everything at every ply.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/checks/bytes.rs"]
mod bytes;
#[path = "../../tests/checks/differential.rs"]
mod differential;
#[path = "../../tests/checks/plain.rs"]
mod plain;

fuzz_target!(|data: &[u8]| {
    differential::check(data);
    differential::check_symmetry(data);
});
