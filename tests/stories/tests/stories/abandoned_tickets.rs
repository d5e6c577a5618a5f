//! The longest story comes first, so that the others pass the time.

use std::time::Duration;

use serde_json::{Value, json};
use stories::{Platform, eventually};
use tokio::time::Instant;

fn path(ticket: &Value) -> String {
    format!("/v1/tickets/{}", ticket["id"].as_str().unwrap())
}

fn width(ticket: &Value) -> f64 {
    ticket["window"]["high"].as_f64().unwrap() - ticket["window"]["low"].as_f64().unwrap()
}

#[tokio::test]
async fn a_ticket_nobody_asks_after_for_a_minute_expires() {
    let platform = Platform::start().await;
    let (ada, bob) = (platform.guest("Ada").await, platform.guest("Bob").await);
    let forgotten = ada.ticket("3+2", true).await.expect(201);
    let opened = Instant::now();
    let kept = bob.ticket("3+2", true).await.expect(201);
    let mut widths = vec![width(&kept)];
    while let Some(left) = Duration::from_secs(62).checked_sub(opened.elapsed()) {
        let wait_s = left.as_secs().clamp(1, 20);
        let kept = bob.get(&format!("{}?wait_s={wait_s}", path(&kept))).await.ok();
        assert_eq!(kept["status"], "waiting");
        widths.push(width(&kept));
    }
    assert!(
        widths.windows(2).all(|pair| pair[0] <= pair[1]) && widths[0] < widths[1],
        "the window widens with the wait: {widths:?}"
    );
    // Asking keeps a ticket alive, so this is the first question.
    let expired = eventually("the expiry", async || {
        let ticket = ada.get(&path(&forgotten)).await.ok();
        (ticket["status"] != "waiting").then_some(ticket)
    })
    .await;
    assert_eq!((&expired["status"], &expired["reason"]), (&json!("cancelled"), &json!("expired")));
    assert_eq!(bob.get(&path(&kept)).await.ok()["status"], "waiting");
    ada.ticket("3+2", true).await.expect(201);
}
