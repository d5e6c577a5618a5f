use serde_json::{Value, json};
use stories::{LATENESS_MS, Platform, Record, Table, eventually, in_time, millis};

#[tokio::test]
async fn who_makes_no_first_move_aborts_the_game_and_has_to_wait() {
    let platform = Platform::with(&[("FK_LIMITS", "on"), ("FK_FIRST_MOVE_MS", "8000")]).await;
    let table = Table::matched(platform.accounts().await, "3+2", true).await;
    let mut stream = table.players[2].follow(&table.game, 0).await;
    let state = table.play(&["d2-d3"]).await;
    assert_eq!(state["clock"]["first_move"], true);
    let events = stream.to_end().await;
    let record = Record::of(&events);
    let [.., before, aborted] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(
        (&aborted["type"], &aborted["reason"], &aborted["seat"]),
        (&json!("aborted"), &json!("no_first_move"), &json!("blue"))
    );
    assert!(millis(&aborted["at"]) >= millis(&before["deadline"]), "{aborted} after {before}");
    assert_eq!(record.types().iter().filter(|kind| **kind == "move").count(), 1);

    // No result, no rating.
    let state = table.state().await;
    assert_eq!((&state["status"], &state["over"], &state["turn"]), (&json!("aborted"), &Value::Null, &Value::Null));
    table.player("blue").play(&table.game, 1, "m4-l4").await.refused(409, "GAME_OVER");
    for player in &table.players {
        let me = player.get("/v1/me").await.ok();
        assert_eq!(me["ratings"]["blitz"], json!({"rating": 1500.0, "games": 0, "provisional": true}));
    }

    // Blue waits for a minute; the others need not.
    let blue = table.player("blue");
    let refused = eventually("the cooldown", async || {
        let answer = blue.ticket("3+2", true).await;
        if answer.status != 201 {
            return Some(answer);
        }
        let ticket = answer.expect(201);
        blue.delete(&format!("/v1/tickets/{}", ticket["id"].as_str().unwrap())).await.expect(204);
        None
    })
    .await;
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((50..=60).contains(&wait), "{wait} s");
    refused.refused(429, "COOLDOWN");
    for seat in ["red", "yellow", "green"] {
        table.player(seat).ticket("3+2", true).await.expect(201);
    }
}

#[tokio::test]
async fn a_resigned_army_cannot_abort_the_game() {
    let platform = Platform::with(&[("FK_FIRST_MOVE_MS", "8000"), ("FK_ROAMING_DELAY_MS", "50")]).await;
    let table = Table::of_guests(&platform, "3+2").await;
    table.resign(&["blue"]).await;
    let mut stream = table.players[0].follow(&table.game, 0).await;
    table.play(&["d2-d3"]).await;
    let events = stream.until(|event| event["seat"] == "blue" && event["type"] == "move").await;
    assert_eq!(events.last().unwrap()["turn"], "yellow");
    // Yellow still can, and does.
    let aborted = stream.to_end().await;
    assert_eq!((&aborted[0]["type"], &aborted[0]["seat"]), (&json!("aborted"), &json!("yellow")));
}

#[tokio::test]
async fn a_missed_first_move_is_noticed_in_time() {
    let platform = Platform::with(&[("FK_FIRST_MOVE_MS", "300")]).await;
    in_time(LATENESS_MS, async || {
        let table = Table::of_guests(&platform, "3+2").await;
        let events = table.players[0].follow(&table.game, 0).await.to_end().await;
        let [.., before, aborted] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!((&before["type"], &aborted["seat"]), (&json!("started"), &json!("red")));
        millis(&aborted["at"]) - millis(&before["deadline"])
    })
    .await;
}

#[tokio::test]
async fn who_keeps_letting_games_abort_waits_longer_and_longer() {
    let platform = Platform::with(&[("FK_LIMITS", "on"), ("FK_FIRST_MOVE_MS", "250")]).await;
    let players = platform.guests().await;
    let mut waits = Vec::new();
    for aborts in 1..=6 {
        // Private games count as well: three others waited.
        let table = Table::of(players.clone(), json!({"time_control": "3+2"})).await;
        let events = players[1].follow(&table.game, 0).await.to_end().await;
        assert_eq!(events.last().unwrap()["seat"], "red");
        let wait = eventually("the longer cooldown", async || {
            let answer = players[0].ticket("3+2", true).await;
            let wait: u64 = if answer.status == 429 { answer.header("retry-after").parse().unwrap() } else { 0 };
            if answer.status == 201 {
                let ticket = answer.json()["id"].as_str().unwrap().to_owned();
                players[0].delete(&format!("/v1/tickets/{ticket}")).await.expect(204);
            }
            let longer = wait > waits.last().map_or(0, |last| last + 10);
            (longer || aborts == 6 && wait > 800).then_some(wait)
        })
        .await;
        waits.push(wait);
    }
    let minutes: Vec<u64> = waits.iter().map(|wait| wait.div_ceil(60)).collect();
    assert_eq!(minutes, [1, 2, 4, 8, 15, 15], "{waits:?}");
    players[1].ticket("3+2", true).await.expect(201);
}
