use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use stories::{Platform, Table};
use tokio::time::{Instant, sleep};

fn path(ticket: &Value) -> String {
    format!("/v1/tickets/{}", ticket["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_player_has_one_open_ticket_and_can_take_it_back() {
    let platform = Platform::start().await;
    let (ada, bob) = (platform.guest("Ada").await, platform.guest("Bob").await);
    let ticket = ada.ticket("3+2", true).await.expect(201);
    assert_eq!(
        (&ticket["status"], &ticket["time_control"], &ticket["rated"]),
        (&json!("waiting"), &json!("3+2"), &json!(true))
    );
    assert!(ticket["waited_ms"].as_i64() >= Some(0), "{ticket}");
    let (low, high) = (ticket["window"]["low"].as_f64().unwrap(), ticket["window"]["high"].as_f64().unwrap());
    assert!(low < 1500.0 && high > 1500.0, "{ticket}");
    assert_eq!((&ticket["game_id"], &ticket["seat"]), (&Value::Null, &Value::Null));

    for (time_control, rated) in [("3+2", true), ("10+5", false)] {
        let refusal = ada.ticket(time_control, rated).await.refused(409, "ALREADY_WAITING");
        assert_eq!(refusal["ticket_id"], ticket["id"]);
    }
    assert_eq!(ada.get("/v1/me").await.ok()["ticket"]["id"], ticket["id"]);
    let controls = platform.visitor().get("/v1/time-controls").await.ok();
    let names: Vec<&Value> = controls["items"].as_array().unwrap().iter().map(|item| &item["time_control"]).collect();
    assert_eq!(names, ["1+0", "1+7d", "3+2", "5+5", "10+5", "15+15d"]);
    let classes: Vec<&Value> = controls["items"].as_array().unwrap().iter().map(|item| &item["class"]).collect();
    assert_eq!(classes, ["bullet", "blitz", "blitz", "blitz", "rapid", "rapid"]);
    assert!(controls["items"][2].to_string().contains(":1"), "one waits: {controls}");

    // Nobody else's business.
    bob.get(&path(&ticket)).await.refused(404, "NOT_FOUND");
    bob.delete(&path(&ticket)).await.refused(404, "NOT_FOUND");
    platform.visitor().get(&path(&ticket)).await.refused(401, "UNAUTHENTICATED");

    // A question that waits is answered as soon as there is something new.
    let asked = Instant::now();
    let waiting_path = format!("{}?wait_s=25", path(&ticket));
    let (waited, ()) = tokio::join!(ada.get(&waiting_path), async {
        sleep(Duration::from_millis(200)).await;
        ada.delete(&path(&ticket)).await.expect(204);
    });
    assert!(asked.elapsed() < Duration::from_secs(24), "answered after {:?}", asked.elapsed());
    let waited = waited.ok();
    assert_eq!((&waited["status"], &waited["reason"]), (&json!("cancelled"), &json!("player")));
    ada.delete(&path(&ticket)).await.expect(204);
    ada.ticket("10+5", false).await.expect(201);
    assert_eq!(ada.get("/v1/me").await.ok()["ticket"]["time_control"], "10+5");
}

#[tokio::test]
async fn four_who_want_the_same_meet_and_nobody_else() {
    let platform = Platform::start().await;
    let others = [("3+2", false), ("5+5", true), ("3+2", false)];
    let mut strangers = Vec::new();
    for (n, (time_control, rated)) in others.into_iter().enumerate() {
        let stranger = platform.guest(&format!("Stranger{n}")).await;
        let ticket = stranger.ticket(time_control, rated).await.expect(201);
        strangers.push((stranger, ticket));
    }
    let table = Table::matched(platform.guests().await, "3+2", true).await;
    let state = table.state().await;
    assert_eq!(
        (&state["time_control"], &state["rated"], &state["status"]),
        (&json!("3+2"), &json!(true), &json!("running"))
    );
    assert!(state.get("invite_code").is_none_or(Value::is_null), "{state}");
    for (stranger, ticket) in &strangers {
        assert_eq!(stranger.get(&path(ticket)).await.ok()["status"], "waiting");
    }
    for player in &table.players {
        let me = player.get("/v1/me").await.ok();
        assert_eq!((&me["ticket"], &me["games"][0]["id"]), (&Value::Null, &json!(table.game)));
    }
}

#[tokio::test]
async fn a_player_may_be_in_ten_running_games() {
    let platform = Platform::start().await;
    let players = platform.guests().await;
    let mut tables = Vec::new();
    for _ in 0..10 {
        tables.push(Table::of(players.clone(), json!({"time_control": "180+0"})).await);
    }
    for player in &players {
        player.ticket("3+2", true).await.refused(409, "TOO_MANY_GAMES");
    }
    let open = json!({"open": true});
    let wishes =
        json!({"time_control": "3+2", "seats": {"red": {"me": true}, "blue": open, "yellow": open, "green": open}});
    players[0].post("/v1/games", &wishes).await.refused(409, "TOO_MANY_GAMES");
    let eve = platform.guest("Eve").await;
    let waiting = eve.post("/v1/games", &wishes).await.expect(201);
    let (game, code) = (waiting["id"].as_str().unwrap(), waiting["invite_code"].as_str().unwrap());
    players[1].sit(game, code, None).await.refused(409, "TOO_MANY_GAMES");
    tables[0].resign(&["red", "blue", "yellow"]).await;
    players[1].sit(game, code, None).await.ok();
    players[2].ticket("3+2", true).await.expect(201);
}

#[tokio::test]
async fn waiting_games_do_not_lead_into_an_eleventh_running_one() {
    let platform = Platform::start().await;
    let ada = platform.guest("Ada").await;
    let open = json!({"open": true});
    let wishes =
        json!({"time_control": "180+0", "seats": {"red": {"me": true}, "blue": open, "yellow": open, "green": open}});
    // Ada sits in as many waiting games as she likes; others fill them.
    let mut waiting = Vec::new();
    while waiting.len() < 12 {
        match ada.post("/v1/games", &wishes).await {
            answer if answer.status == 201 => waiting.push(answer.json()),
            refused => {
                refused.refused(409, "TOO_MANY_GAMES");
                break;
            }
        }
    }
    for game in &waiting {
        for name in ["Bob", "Cleo", "Dan"] {
            let other = platform.guest(name).await;
            other.sit(game["id"].as_str().unwrap(), game["invite_code"].as_str().unwrap(), None).await;
        }
    }
    let running = ada.get("/v1/me").await.ok()["games"].as_array().unwrap().len();
    assert!(running <= 10, "{running} running games");
}

#[tokio::test]
async fn asking_for_a_ticket_five_times_at_once_opens_one() {
    let platform = Platform::start().await;
    let ada = platform.guest("Ada").await;
    let answers = join_all((0..5).map(|n| ada.ticket("3+2", n % 2 == 0))).await;
    let (opened, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!(opened.len(), 1, "{opened:?}");
    let id = opened[0].json()["id"].clone();
    for answer in refused {
        assert_eq!(answer.refused(409, "ALREADY_WAITING")["ticket_id"], id);
    }
    assert_eq!(ada.get("/v1/me").await.ok()["ticket"]["id"], id);
}

#[tokio::test]
async fn forty_who_come_at_once_make_ten_games() {
    let platform = Platform::start().await;
    let players = join_all((0..40).map(|_| platform.guest("Somebody"))).await;
    let tickets = join_all(players.iter().map(async |player| {
        let ticket = player.ticket("3+2", true).await.expect(201);
        player.settled(ticket["id"].as_str().unwrap()).await
    }))
    .await;
    let mut tables = BTreeMap::<String, BTreeSet<String>>::new();
    for ticket in &tickets {
        assert_eq!(ticket["status"], "matched", "{ticket}");
        let text = |member: &str| ticket[member].as_str().unwrap().to_owned();
        assert!(tables.entry(text("game_id")).or_default().insert(text("seat")), "two on one seat: {ticket}");
    }
    assert_eq!((tables.len(), tables.values().all(|seats| seats.len() == 4)), (10, true), "{tables:?}");
    for (player, ticket) in players.iter().zip(&tickets) {
        let me = player.get("/v1/me").await.ok();
        let games = me["games"].as_array().unwrap();
        assert_eq!((games.len(), &games[0]["id"]), (1, &ticket["game_id"]));
        assert_eq!(games[0]["seats"][ticket["seat"].as_str().unwrap()]["player"]["id"], player.id.as_str());
    }
}
