//! Any text read as FEN4.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/checks/fen4.rs"]
mod checks;

fuzz_target!(|data: &[u8]| checks::check(&String::from_utf8_lossy(data)));
