//! PostgreSQL or Redis away: play goes on.

use std::time::{Duration, Instant};

use gateway::{Config, Pace};
use serde_json::json;

use crate::door::{Door, config, next, say};
use crate::proxy::{Proxy, Weather};

/// A token is looked up again after a moment, so that what is known grows old within the test.
fn forgetful() -> Config {
    Config { pace: Pace { token_fresh: Duration::from_millis(100), ..config().pace }, ..config() }
}

#[tokio::test]
async fn known_players_move_while_the_database_is_stopped() {
    play_through(Weather::Stopped).await;
}

#[tokio::test]
async fn known_players_move_while_the_database_hangs() {
    play_through(Weather::Frozen).await;
}

async fn play_through(weather: Weather) {
    let (proxy, postgres) = Proxy::of(&servers::postgres().await).await;
    let door = Door::open_on(forgetful(), &postgres, &servers::redis().await).await;
    let (red, stranger) = (door.guest("Red").await, door.guest("Stranger").await);
    let game = door.fake.add_game(&[&red.id], false, false);
    let mut socket = door.socket(&format!("/v1/games/{game}/socket?after=1"), Some(&red)).await.unwrap();
    // Two moves an answer, as the stand-in plays.
    let mut ply = 0;
    let moves = format!("/v1/games/{game}/moves");
    door.post(&moves, Some(&red), json!({"ply": ply, "move": "h2-h4"})).await.ok(200);
    ply += 2;

    proxy.turn(weather);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let began = Instant::now();
    let mut slowest = Duration::ZERO;
    while began.elapsed() < Duration::from_secs(8) {
        let asked = Instant::now();
        door.post(&moves, Some(&red), json!({"ply": ply, "move": "h2-h4"})).await.ok(200);
        slowest = slowest.max(asked.elapsed());
        ply += 2;
        say(&mut socket, &json!({"type": "move", "ply": ply, "move": "h2-h4", "id": ply})).await;
        while next(&mut socket).await.expect("the socket stays open")["type"] != "ack" {}
        ply += 2;
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    assert!(slowest < Duration::from_secs(2), "a move took {slowest:?}");
    assert!(ply > 40, "{ply}");
    // Nobody here knows them.
    let unknown = crate::door::Somebody { token: "A".repeat(43), ..stranger.clone() };
    door.get("/v1/me", Some(&unknown)).await.refused(503, "UNAVAILABLE");
    door.post("/v1/guests", None, json!({})).await.refused(503, "UNAVAILABLE");

    proxy.turn(Weather::Fair);
    let back = Instant::now();
    while door.post("/v1/guests", None, json!({})).await.status != 201 {
        assert!(back.elapsed() < Duration::from_secs(20), "the database is found again");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    door.get("/v1/me", Some(&stranger)).await.ok(200);
}

#[tokio::test]
async fn without_redis_each_gateway_counts_by_itself() {
    let (proxy, redis) = Proxy::of(&servers::redis().await).await;
    let door = Door::open_on(Config { limits: true, ..config() }, &servers::postgres().await, &redis).await;
    let red = door.guest("Red").await;
    for weather in [Weather::Stopped, Weather::Frozen, Weather::Fair] {
        proxy.turn(weather);
        for _ in 0..5 {
            let asked = Instant::now();
            door.get("/v1/me", Some(&red)).await.ok(200);
            assert!(asked.elapsed() < Duration::from_secs(10), "{weather:?}");
        }
    }
    proxy.turn(Weather::Stopped);
    door.is_limited("/v1/me", Some(&red)).await;
}
