//! What the clock service counts; the names are registered in docs/telemetry.md.

use metrics::{counter, describe_counter, describe_gauge, describe_histogram};

pub(crate) fn describe() {
    describe_histogram!("clock_deadline_lateness_seconds", "from a deadline to the call that wakes the game");
    describe_counter!("clock_wakes_total", "calls that wake games, by outcome");
    describe_gauge!("clock_shards", "shards this replica waits for");
    for outcome in ["done", "early", "failed"] {
        counter!("clock_wakes_total", "outcome" => outcome).absolute(0);
    }
}
