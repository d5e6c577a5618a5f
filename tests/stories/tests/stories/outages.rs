use std::time::Duration;

use serde_json::json;
use sqlx::{Connection as _, Executor as _, SqliteConnection};
use stories::{Platform, Table, millis};
use tokio::time::sleep;

const FIRST_MOVES: [&str; 4] = ["d2-d3", "m4-l4", "d13-d12", "b11-c11"];

#[tokio::test]
async fn a_process_that_was_frozen_charges_nobody() {
    let platform = Platform::start().await;
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
    let mut platform = Platform::with(&[("FK_FIRST_MOVE_MS", "8000")]).await;
    let table = Table::of_guests(&platform, "3+2").await;
    platform.kill();
    sleep(Duration::from_millis(8_200)).await;
    platform.start_again().await;
    sleep(Duration::from_millis(500)).await;
    let state = table.play(&["d2-d3"]).await;
    assert_eq!((&state["ply"], &state["status"]), (&json!(1), &json!("running")));
    let record = table.record().await;
    assert_eq!(record.types()[6..], ["clock_adjusted", "move"]);
    assert_eq!(record.events[6]["seat"], "red");
}

#[tokio::test]
async fn a_store_that_stands_still_costs_nobody_anything() {
    if !stories::is_in_a_file() {
        return;
    }
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "0.1+1").await;
    table.play(&FIRST_MOVES).await;
    // Somebody else holds the file, as a slow disk would.
    let file = format!("sqlite://{}", platform.data_folder().join("four-kingdoms.db").display());
    let mut other = SqliteConnection::connect(&file).await.unwrap();
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let red = table.player("red");
    let (moved, ()) = tokio::join!(red.play(&table.game, 4, "d3-d4"), async {
        sleep(Duration::from_millis(6_500)).await;
        other.execute("ROLLBACK").await.unwrap();
    });
    // Asked again until it was made; nothing happened twice.
    if moved.status != 200 {
        moved.refused(503, "UNAVAILABLE");
    }
    let state = red.play(&table.game, 4, "d3-d4").await.ok();
    assert_eq!(state["ply"], 5);
    let left = state["seats"]["red"]["remaining_ms"].as_i64().unwrap();
    assert!(left > 6_000 - 2_600, "red paid {} ms for it", 7_000 - left);
    table.play(&["l4-k4"]).await;
    let record = table.record().await;
    assert_eq!(record.types().iter().filter(|kind| **kind == "move").count(), 6);
    assert_eq!(table.state().await["status"], "running");
}
