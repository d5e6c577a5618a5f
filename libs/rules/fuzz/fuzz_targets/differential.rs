//! The fast rules against the plain ones, and a quarter turn of the board.

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
