//! Any sequence of moves, resignations and time losses from any position.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/checks/actions.rs"]
mod actions;
#[path = "../../tests/checks/bytes.rs"]
mod bytes;

fuzz_target!(|data: &[u8]| actions::check(data));
