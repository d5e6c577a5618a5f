use std::time::Duration;

use serde_json::json;
use stories::{Platform, Table, millis};
use tokio::time::sleep;

const FIRST_MOVES: [&str; 4] = ["d2-d3", "m4-l4", "d13-d12", "b11-c11"];

#[tokio::test]
async fn a_process_that_was_frozen_charges_nobody() {
    let mut platform = Platform::start().await;
    let table = Table::of_guests(&platform, "0.1+0").await;
    let state = table.play(&FIRST_MOVES).await;
    assert_eq!(state["seats"]["red"]["remaining_ms"], 6_000);
    // Longer than red's whole clock, together with what has passed.
    platform.signal("STOP");
    sleep(Duration::from_secs(5)).await;
    platform.signal("CONT");
    sleep(Duration::from_millis(1_500)).await;
    let state = table.play(&["d3-d4"]).await;
    let record = table.record().await;
    assert_eq!(record.types()[10..], ["clock_adjusted", "move"]);
    let credit = record.events[10]["credit_ms"].as_i64().unwrap();
    let away = millis(&record.events[11]["at"]) - millis(&record.events[9]["at"]);
    assert!((4_900..=away).contains(&credit), "{credit} of {away} ms");
    assert_eq!(state["seats"]["red"]["remaining_ms"], 6_000 - (away - credit));
}

#[tokio::test]
async fn a_first_move_is_not_missed_through_an_outage() {
    let mut platform = Platform::with(&[("FK_FIRST_MOVE_MS", "4000")]).await;
    let table = Table::of_guests(&platform, "3+2").await;
    platform.kill();
    sleep(Duration::from_millis(4_200)).await;
    platform.start_again().await;
    sleep(Duration::from_millis(500)).await;
    let state = table.play(&["d2-d3"]).await;
    assert_eq!((&state["ply"], &state["status"]), (&json!(1), &json!("running")));
    let record = table.record().await;
    assert_eq!(record.types()[6..], ["clock_adjusted", "move"]);
    assert_eq!(record.events[6]["seat"], "red");
}
