use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use stories::{Platform, Player, SEATS, Table, eventually};
use tokio::time::sleep;

fn path(ticket: &Value) -> String {
    format!("/v1/tickets/{}", ticket["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_kill_while_a_four_is_formed_loses_no_ticket_and_makes_no_second_game() {
    let mut platform = Platform::start().await;
    let players = platform.guests().await;
    // Before, while and after the four is formed; a four that was left alone is taken up again in some seconds.
    for (round, after_ms) in [0, 9, 12, 15, 18, 24].into_iter().enumerate() {
        let mut tickets = Vec::new();
        for player in &players[..3] {
            tickets.push(player.ticket("1+0", false).await.expect(201));
        }
        // The fourth may get no answer; its key lets it ask again.
        let (last, key) = (&players[3], format!("round-{round}"));
        let body = json!({"time_control": "1+0", "rated": false});
        let open = || last.request(Method::POST, "/v1/tickets").header("idempotency-key", &key).json(&body);
        let (_, ()) = tokio::join!(last.try_send(open()), async {
            sleep(Duration::from_millis(after_ms)).await;
            platform.kill();
        });
        platform.start_again().await;
        tickets.push(last.send(open()).await.expect(201));

        let mut games = Vec::new();
        for (player, ticket) in players.iter().zip(&tickets) {
            let ticket = player.settled(ticket["id"].as_str().unwrap()).await;
            assert_eq!(ticket["status"], "matched", "round {round}: {ticket}");
            games.push((ticket["game_id"].clone(), ticket["seat"].clone()));
        }
        let game = games[0].0.as_str().unwrap();
        assert!(games.iter().all(|(id, _)| id == game), "round {round}: {games:?}");
        assert!(SEATS.iter().all(|seat| games.iter().any(|(_, dealt)| dealt == seat)), "round {round}: {games:?}");
        for player in &players {
            let me = player.get("/v1/me").await.ok();
            assert_eq!(
                (me["games"].as_array().unwrap().len(), &me["ticket"]),
                (1, &Value::Null),
                "round {round}: {me}"
            );
        }
        for player in &players[1..] {
            player.resign(game).await.ok();
        }
    }
}

#[tokio::test]
async fn a_kill_while_a_game_is_recorded_rates_it_once() {
    let mut platform = Platform::start().await;
    for round in 0..8 {
        let table = Table::matched(platform.guests().await, "1+0", true).await;
        table.resign(&["red", "blue", "yellow"]).await;
        sleep(Duration::from_millis(3 * round)).await;
        platform.kill();
        platform.start_again().await;
        let events = table.players[0].follow(&table.game, 0).await.to_end().await;
        let rated = events.iter().filter(|event| event["type"] == "rated").count();
        assert_eq!((rated, events.last().unwrap()["type"].as_str()), (1, Some("rated")), "round {round}");
        for (seat, rating) in SEATS.iter().zip([1420.0, 1473.3, 1526.7, 1580.0]) {
            let player = table.player(seat);
            let history = player.get(&format!("/v1/players/{}/rating-history", player.id)).await.ok();
            assert_eq!(history["items"].as_array().unwrap().len(), 1, "round {round}: {history}");
            let bullet = &player.get("/v1/me").await.ok()["ratings"]["bullet"];
            assert_eq!((&bullet["rating"], &bullet["games"]), (&json!(rating), &json!(1)), "round {round}");
        }
    }
}

#[tokio::test]
async fn what_is_asked_again_after_a_kill_is_made_once() {
    let mut platform = Platform::start().await;
    let visitor = platform.visitor();
    for round in 0..10_u64 {
        let (name, key) = (format!("Grace{round}"), format!("key-{round}"));
        let account = json!({"name": name, "password": Player::PASSWORD});
        let sign_up = || visitor.request(Method::POST, "/v1/accounts").header("idempotency-key", &key).json(&account);
        let (first, ()) = tokio::join!(visitor.try_send(sign_up()), async {
            sleep(Duration::from_millis(20 * round)).await;
            platform.kill();
        });
        platform.start_again().await;
        let signed = visitor.send(sign_up()).await.expect(201);
        if let Ok(first) = first {
            assert_eq!(first.expect(201), signed);
        }
        let grace = Player::signed(&visitor, &signed);
        let open = json!({"open": true});
        let game =
            json!({"time_control": "3+2", "seats": {"red": {"me": true}, "blue": open, "yellow": open, "green": open}});
        let make = || grace.request(Method::POST, "/v1/games").header("idempotency-key", &key).json(&game);
        let (first, ()) = tokio::join!(grace.try_send(make()), async {
            sleep(Duration::from_millis(2 * round)).await;
            platform.kill();
        });
        platform.start_again().await;
        let made = grace.send(make()).await.expect(201);
        if let Ok(first) = first {
            assert_eq!(first.expect(201)["id"], made["id"]);
        }
        let me = grace.get("/v1/me").await.ok();
        let waiting = me["waiting_games"].as_array().unwrap();
        assert_eq!(waiting.iter().map(|game| &game["id"]).collect::<Vec<_>>(), [&made["id"]], "round {round}");
    }
}

#[tokio::test]
async fn a_cancelled_ticket_stays_cancelled_through_a_kill() {
    let mut platform = Platform::start().await;
    let players = platform.guests().await;
    let ticket = players[0].ticket("3+2", false).await.expect(201);
    players[0].delete(&path(&ticket)).await.expect(204);
    platform.kill();
    platform.start_again().await;
    for player in &players[1..] {
        player.ticket("3+2", false).await.expect(201);
    }
    players[0].delete(&path(&ticket)).await.expect(204);
    let mine = players[0].get(&format!("{}?wait_s=1", path(&ticket))).await.ok();
    assert_eq!((&mine["status"], &mine["game_id"]), (&json!("cancelled"), &Value::Null));
    // With a new one they are four.
    let ticket = players[0].ticket("3+2", false).await.expect(201);
    eventually("the match", async || {
        let ticket = players[0].get(&path(&ticket)).await.ok();
        (ticket["status"] == "matched").then_some(())
    })
    .await;
}
