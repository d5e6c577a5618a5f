//! Several gateways on one PostgreSQL and one Redis.

use std::time::{Duration, Instant};

use futures::future::join_all;
use gateway::Config;
use serde_json::json;

use crate::door::{Door, config, next, with};

async fn two(config: Config) -> (Door, Door) {
    let (postgres, redis) = (servers::postgres().await, servers::redis().await);
    let one = Door::open_on(config.clone(), &postgres, &redis).await;
    let other = one.another(config, &postgres, &redis).await;
    (one, other)
}

/// Gateways meet in Redis soon after they start; until then a player of one is the other's, too, by the database only.
async fn meet(one: &Door, other: &Door) {
    let began = Instant::now();
    loop {
        let guest = one.guest("Meeting").await;
        other.get("/v1/me", Some(&guest)).await.ok(200);
        assert_eq!(one.delete("/v1/sessions/current", Some(&guest)).await.status, 204);
        tokio::time::sleep(Duration::from_millis(100)).await;
        if other.get("/v1/me", Some(&guest)).await.status == 401 {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "the gateways do not meet");
    }
}

#[tokio::test]
async fn a_token_revoked_at_one_gateway_is_dead_at_the_other() {
    let (one, other) = two(config()).await;
    meet(&one, &other).await;
    let red = one.guest("Red").await;
    let game = one.fake.add_game(&[&red.id], true, false);
    let mut socket = other.socket(&format!("/v1/games/{game}/socket?after=1"), Some(&red)).await.unwrap();
    let mut stream = with(other.call("GET", "/v1/me/events"), Some(&red)).send().await.unwrap();
    other.get("/v1/me", Some(&red)).await.ok(200);
    assert_eq!(one.delete("/v1/sessions/current", Some(&red)).await.status, 204);
    let revoked = Instant::now();
    assert_eq!(next(&mut socket).await.unwrap_err().0, 4401);
    while stream.chunk().await.unwrap().is_some() {}
    assert!(revoked.elapsed() < Duration::from_secs(10), "{:?}", revoked.elapsed());
    other.get("/v1/me", Some(&red)).await.refused(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn a_guest_who_became_an_account_is_one_at_every_gateway() {
    let (one, other) = two(config()).await;
    meet(&one, &other).await;
    let guest = one.guest("Wish").await;
    assert_eq!(other.get("/v1/me", Some(&guest)).await.ok(200)["player"]["guest"], true);
    one.post("/v1/accounts", Some(&guest), json!({"name": "Settled", "password": "correct horse"})).await.ok(201);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(other.get("/v1/me", Some(&guest)).await.ok(200)["player"]["name"], "Settled");
}

#[tokio::test]
async fn gateways_count_requests_together() {
    let (one, other) = two(Config { limits: true, ..config() }).await;
    let signs_in = async |door: &Door| {
        let tried = json!({"name": "Nobody", "password": "wrong horse"});
        door.post("/v1/sessions", None, tried).await.status
    };
    // The gateways have found Redis once the first request was counted there.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut passed = 0;
    for _ in 0..14 {
        passed += u32::from(signs_in(&one).await == 401);
        passed += u32::from(signs_in(&other).await == 401);
    }
    assert!((20..=25).contains(&passed), "{passed} tries passed at two gateways");
    one.post("/v1/sessions", None, json!({"name": "x", "password": "y"})).await.refused(429, "RATE_LIMITED");
}

#[tokio::test]
async fn repeats_at_several_gateways_at_once_get_one_answer() {
    let (one, other) = two(config()).await;
    one.fake.be_slow();
    let red = one.guest("Red").await;
    let open = json!({"open": true});
    let game =
        json!({"time_control": "3+2", "seats": {"red": {"me": true}, "blue": open, "yellow": open, "green": open}});
    let tries = (0..8).map(|number| {
        let door = if number % 2 == 0 { &one } else { &other };
        door.post_keyed("/v1/games", Some(&red), "key", game.clone())
    });
    let answers: Vec<_> = join_all(tries).await.into_iter().map(|answer| answer.ok(201)).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!((one.fake.calls("create_game"), one.fake.games()), (1, 1), "the work was done once");

    let guests = (0..6).map(|number| {
        let door = if number % 2 == 0 { &one } else { &other };
        door.post_keyed("/v1/guests", None, "guest", json!({"name": "Once"}))
    });
    let guests: Vec<_> = join_all(guests).await.into_iter().map(|answer| answer.ok(201)).collect();
    assert!(guests.iter().all(|guest| *guest == guests[0]), "{guests:?}");
}

/// The first gateway dies in the middle of the work; the repeat at the other one makes the same game.
#[tokio::test]
async fn a_repeat_after_a_crash_waits_a_moment_and_finishes_the_work() {
    let (one, other) = two(config()).await;
    one.fake.be_slow();
    let red = one.guest("Red").await;
    let open = json!({"open": true});
    let game =
        json!({"time_control": "3+2", "seats": {"red": {"me": true}, "blue": open, "yellow": open, "green": open}});
    // Cut off in the middle, as a crash does: the claim is neither renewed nor given back.
    let first = with(one.call("POST", "/v1/games").json(&game).header("idempotency-key", "key"), Some(&red));
    let cut = first.timeout(Duration::from_millis(150)).send().await;
    assert!(cut.is_err() && one.fake.calls("create_game") == 1);
    let began = Instant::now();
    let made = other.post_keyed("/v1/games", Some(&red), "key", game.clone()).await.ok(201);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(one.fake.games(), 1, "the same game");
    assert_eq!(one.post_keyed("/v1/games", Some(&red), "key", game).await.ok(201), made);
}

#[tokio::test]
async fn a_player_with_sockets_at_two_gateways_is_present_until_the_last_closes() {
    let (one, other) = two(config()).await;
    meet(&one, &other).await;
    let red = one.guest("Red").await;
    let game = one.fake.add_game(&[&red.id], true, false);
    let path = format!("/v1/games/{game}/socket?after=0");
    let mut first = one.socket(&path, Some(&red)).await.unwrap();
    next(&mut first).await.unwrap();
    reported(&one, &[true]).await;
    let mut second = other.socket(&path, Some(&red)).await.unwrap();
    next(&mut second).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    drop(first);
    tokio::time::sleep(Duration::from_secs(1)).await;
    reported(&one, &[true]).await;
    drop(second);
    reported(&one, &[true, false]).await;
}

async fn reported(door: &Door, expected: &[bool]) {
    let began = Instant::now();
    loop {
        let told: Vec<bool> = door.fake.presence().into_iter().map(|(_, connected)| connected).collect();
        if told == expected {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{told:?} instead of {expected:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
