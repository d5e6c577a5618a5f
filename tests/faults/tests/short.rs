//! A short run of the fault program, as `cargo run -p faults` does it.

use std::process::Command;

/// Its seed makes a schedule with a death of every kind of thing within the time.
#[test]
fn a_short_seed_finds_nothing() {
    let program = env!("CARGO_BIN_EXE_faults");
    let ran = Command::new(program).args(["--seed", "1", "--games", "8", "--minutes", "0.4"]).output().unwrap();
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{told}\n{}", String::from_utf8_lossy(&ran.stderr));
    assert!(told.contains(" 0 failed"), "{told}");
}
