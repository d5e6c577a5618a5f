use std::time::{Duration, Instant};

use serde_json::json;

use crate::door::Door;

#[tokio::test]
async fn the_published_controls_come_with_who_waits() {
    let door = Door::open().await;
    let listed = door.get("/v1/time-controls", None).await.ok(200);
    assert_eq!(
        listed["items"][0],
        json!({"time_control": "3+2", "class": "blitz", "base_ms": 180_000, "increment_ms": 2_000, "delay_ms": 0,
            "waiting": {"rated": 3, "casual": 0}})
    );
    assert_eq!(listed["items"][1]["time_control"], "1+7d");
    assert_eq!(listed["next_cursor"], json!(null));
}

#[tokio::test]
async fn a_ticket_waits_and_is_cancelled() {
    let door = Door::open().await;
    let guest = door.guest("Sunny").await;
    let asked = json!({"time_control": "3.0+2", "rated": true, "fill_with_computers_after_s": null, "more": 1});
    let ticket = door.post("/v1/tickets", Some(&guest), asked).await.ok(201);
    assert_eq!(ticket["status"], "waiting");
    assert_eq!(ticket["time_control"], "3+2");
    assert_eq!(ticket["window"], json!({"low": 1400.0, "high": 1600.0}));
    assert_eq!(ticket["waited_ms"], 7);
    let path = format!("/v1/tickets/{}", ticket["id"].as_str().unwrap());
    assert_eq!(door.get("/v1/me", Some(&guest)).await.ok(200)["ticket"]["id"], ticket["id"]);
    door.get(&path, Some(&door.guest("Other").await)).await.refused(404, "NOT_FOUND");
    let began = Instant::now();
    door.get(&format!("{path}?wait_s=1"), Some(&guest)).await.ok(200);
    assert!(began.elapsed() >= Duration::from_secs(1));
    door.delete(&path, Some(&guest)).await.ok(204);
    door.delete(&path, Some(&guest)).await.ok(204);
    let cancelled = door.get(&path, Some(&guest)).await.ok(200);
    assert_eq!((&cancelled["status"], &cancelled["reason"]), (&json!("cancelled"), &json!("player")));
}

#[tokio::test]
async fn a_matched_ticket_names_game_and_seat() {
    let door = Door::open().await;
    let guest = door.guest("Sunny").await;
    let asked = json!({"time_control": "3+2", "rated": false});
    let ticket = door.post("/v1/tickets", Some(&guest), asked).await.ok(201);
    let id = ticket["id"].as_str().unwrap();
    door.fake.match_ticket(id, "some-game");
    let matched = door.get(&format!("/v1/tickets/{id}"), Some(&guest)).await.ok(200);
    assert_eq!((&matched["game_id"], &matched["seat"]), (&json!("some-game"), &json!("yellow")));
    let refused = door.delete(&format!("/v1/tickets/{id}"), Some(&guest)).await;
    refused.refused(409, "ALREADY_MATCHED");
    assert_eq!(refused.body["game_id"], "some-game");
}

#[tokio::test]
async fn a_cooldown_is_told_in_whole_seconds_rounded_up() {
    let door = Door::open().await;
    let guest = door.guest("Aborter").await;
    let refused = door.post("/v1/tickets", Some(&guest), json!({"time_control": "3+2", "rated": true})).await;
    refused.refused(429, "COOLDOWN");
    assert_eq!(refused.headers["retry-after"], "60");
    assert_eq!(refused.body["retry_after_ms"], 59_001);
}

#[tokio::test]
async fn a_long_poll_is_answered_when_the_gateway_stops() {
    let door = Door::open().await;
    let guest = door.guest("Sunny").await;
    let ticket = door.post("/v1/tickets", Some(&guest), json!({"time_control": "3+2", "rated": true})).await.ok(201);
    let path = format!("/v1/tickets/{}?wait_s=25", ticket["id"].as_str().unwrap());
    let drain = door.drain.clone();
    let stop = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        drain.begin();
    };
    let began = Instant::now();
    let (answer, ()) = tokio::join!(door.get(&path, Some(&guest)), stop);
    assert_eq!(answer.ok(200)["status"], "waiting");
    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(drain.finished(Duration::from_secs(20)).await);
}
