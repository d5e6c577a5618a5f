//! A short run of the fault program, as `cargo run -p faults` does it.

use std::process::Command;

/// Its seed makes a schedule in which, within the time, each store and replicas of game and gateway end in different ways.
#[test]
fn a_short_seed_finds_nothing() {
    let program = env!("CARGO_BIN_EXE_faults");
    let ran = Command::new(program).args(["--seed", "133", "--games", "8", "--minutes", "0.45"]).output().unwrap();
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{told}\n{}", String::from_utf8_lossy(&ran.stderr));
    assert!(told.contains(" 0 failed"), "{told}");
}
