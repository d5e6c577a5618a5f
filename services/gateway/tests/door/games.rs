use serde_json::{Value, json};

use crate::door::Door;
use crate::fake::{moved, over};

fn seats(red: Value) -> Value {
    json!({"red": red, "blue": {"open": true}, "yellow": {"open": true}, "green": {"open": true}})
}

#[tokio::test]
async fn a_private_game_is_made_shown_joined_and_left() {
    let door = Door::open().await;
    let (maker, friend) = (door.guest("Maker").await, door.guest("Friend").await);
    let asked = json!({"time_control": "3+2", "seats": seats(json!({"me": true}))});
    let game = door.post("/v1/games", Some(&maker), asked).await.ok(201);
    assert_eq!(
        (&game["status"], &game["visibility"], &game["rated"]),
        (&json!("waiting"), &json!("private"), &json!(false))
    );
    assert_eq!(
        game["seats"]["red"]["player"],
        json!({"id": maker.id, "name": "Maker", "guest": true, "rating": 1526.7, "provisional": true})
    );
    assert_eq!(game["seats"]["blue"]["player"], json!(null));
    assert_eq!((&game["turn"], &game["clock"], &game["over"]), (&json!(null), &json!(null), &json!(null)));
    let (id, code) = (game["id"].as_str().unwrap(), game["invite_code"].as_str().unwrap());
    door.get(&format!("/v1/games/{id}"), None).await.refused(404, "NOT_FOUND");
    door.get(&format!("/v1/invites/{code}"), None).await.refused(401, "UNAUTHENTICATED");
    let invite = door.get(&format!("/v1/invites/{code}"), Some(&friend)).await.ok(200);
    assert_eq!((&invite["id"], &invite["free_seats"]), (&game["id"], &json!(["blue", "yellow", "green"])));
    let path = format!("/v1/games/{id}/seats");
    let wrong = json!({"invite_code": "WRONG", "seat": "green"});
    door.post(&path, Some(&friend), wrong).await.refused(404, "NOT_FOUND");
    let taken = door.post(&path, Some(&friend), json!({"invite_code": code, "seat": "green"})).await.ok(200);
    assert_eq!(taken["seats"]["green"]["player"]["name"], "Friend");
    let third = door.guest("Third").await;
    let same = json!({"invite_code": code, "seat": "green"});
    door.post(&path, Some(&third), same).await.refused(409, "SEAT_TAKEN");
    door.delete(&format!("{path}/me"), Some(&friend)).await.ok(204);
    door.delete(&format!("{path}/me"), Some(&friend)).await.refused(403, "FORBIDDEN");
    let me = door.get("/v1/me", Some(&maker)).await.ok(200);
    assert_eq!((&me["games"], &me["waiting_games"][0]["id"]), (&json!([]), &game["id"]));
}

#[tokio::test]
async fn computers_are_not_there_yet() {
    let door = Door::open().await;
    let maker = door.guest("Maker").await;
    let asked = |level: &str| json!({"time_control": "3+2", "seats": seats(json!({"computer": level}))});
    door.post("/v1/games", Some(&maker), asked("easy")).await.refused(422, "NOT_AVAILABLE");
    door.post("/v1/games", Some(&maker), asked("genius")).await.refused(400, "BAD_REQUEST");
    let ticket = json!({"time_control": "3+2", "rated": false, "fill_with_computers_after_s": 30});
    door.post("/v1/tickets", Some(&maker), ticket).await.refused(422, "NOT_AVAILABLE");
    assert_eq!(door.fake.calls("create_game") + door.fake.calls("open_ticket"), 0);
}

#[tokio::test]
async fn a_running_game_is_shown_and_moved_in() {
    let door = Door::open().await;
    let (red, blue) = (door.guest("Red").await, door.guest("Blue").await);
    let game = door.fake.add_game(&[&red.id, &blue.id], true, true);
    let path = format!("/v1/games/{game}");
    let state = door.get(&path, None).await.ok(200);
    assert_eq!((&state["turn"], &state["class"], &state["v"]), (&json!("red"), &json!("blitz"), &json!(1)));
    assert_eq!(state["seats"]["blue"]["player"]["rating"], 1523.5);
    assert_eq!(state["clock"]["deadline"], "1970-01-01T00:00:00.009Z");
    assert!(state.get("legal_moves").is_none() && state.get("invite_code").is_none());
    let with_moves = door.get(&format!("{path}?include=legal_moves"), None).await.ok(200);
    assert_eq!(with_moves["legal_moves"], json!(["h2-h4"]));

    let moves = format!("{path}/moves");
    let after = door.post(&moves, Some(&red), json!({"ply": 0, "move": "h2-h4"})).await.ok(200);
    assert_eq!(after["ply"], 2);
    let stale = door.post(&moves, Some(&red), json!({"ply": 0, "move": "h2-h4"})).await;
    stale.refused(409, "STALE_PLY");
    assert_eq!(stale.body["ply"], 2);
    door.post(&moves, Some(&red), json!({"ply": 2, "move": "a4-a4"})).await.refused(422, "ILLEGAL_MOVE");
    let stranger = door.guest("Stranger").await;
    door.post(&moves, Some(&stranger), json!({"ply": 2, "move": "h2-h4"})).await.refused(403, "FORBIDDEN");
    door.post(&moves, None, json!({"ply": 2, "move": "h2-h4"})).await.refused(401, "UNAUTHENTICATED");
    door.post(&format!("{path}/resignation"), Some(&blue), json!({})).await.ok(200);
    door.post(&format!("{path}/rematch"), Some(&blue), json!({})).await.refused(409, "NOT_STARTED");
}

#[tokio::test]
async fn the_record_is_exported() {
    let door = Door::open().await;
    let game = door.fake.add_game(&["p1", "p2"], true, false);
    door.fake.tell(&game, vec![moved("h2-h4"), over()]);
    let path = format!("/v1/games/{game}/export");
    let json = door.get(&format!("{path}?format=json"), None).await.ok(200);
    assert_eq!(json["id"], game.as_str());
    assert_eq!(json["events"].as_array().unwrap().len(), 3);
    assert_eq!(json["events"][1]["type"], "move");
    let pgn = door.get(&format!("{path}?format=pgn4"), None).await;
    assert!(pgn.headers["content-type"].to_str().unwrap().starts_with("application/x-chess-pgn"));
    let text = pgn.body.as_str().unwrap().to_owned();
    assert!(text.contains("[Red \"Player0\"]") && text.contains("\n1. h2-h4 {"), "{text}");
    door.get(&format!("{path}?format=xml"), None).await.refused(400, "BAD_REQUEST");
}

#[tokio::test]
async fn lists_are_paged() {
    let door = Door::open().await;
    let player = door.guest("Sunny").await;
    door.fake.add_game(&[&player.id], true, false);
    door.fake.add_game(&[&player.id], false, false);
    let running = door.get("/v1/games", None).await.ok(200);
    assert_eq!(running["next_cursor"], "next");
    assert_eq!(running["items"][0]["seats"]["red"]["player"]["name"], "Player0");
    let over = door.get("/v1/games?status=over&limit=3", None).await.ok(200);
    assert_eq!(over["items"].as_array().unwrap().len(), 3);
    let standing = &over["items"][0]["over"]["standing"][0];
    assert_eq!(
        *standing,
        json!({"seat": "green", "place": 1, "result": 63, "rating_before": 1500.0, "rating_after": 1580.0})
    );

    let games = format!("/v1/players/{}/games", player.id);
    assert_eq!(door.get(&games, None).await.ok(200)["items"].as_array().unwrap().len(), 20);
    let live = format!("{games}?status=running");
    assert_eq!(door.get(&live, None).await.ok(200)["items"].as_array().unwrap().len(), 1);
    assert_eq!(door.get(&live, Some(&player)).await.ok(200)["items"].as_array().unwrap().len(), 2);
    let history = format!("/v1/players/{}/rating-history?class=blitz", player.id);
    let item = &door.get(&history, None).await.ok(200)["items"][0];
    assert_eq!((&item["rating_before"], &item["rating_after"]), (&json!(1500.0), &json!(1580.0)));
    door.get(&format!("{history}&cursor=garbage"), None).await.refused(400, "BAD_REQUEST");
    let ratings = door.get(&format!("/v1/players/{}/ratings", player.id), None).await.ok(200);
    assert_eq!(ratings["rapid"]["rating"], 1526.7);
    assert_eq!(door.get("/v1/leaderboards/blitz?provisional=true", None).await.ok(200)["items"], json!([]));
}

#[tokio::test]
async fn a_service_that_is_away_is_503_and_nothing_internal_is_told() {
    let door = Door::open().await;
    let guest = door.guest("Sunny").await;
    door.fake.go_away(true);
    for path in ["/v1/me", "/v1/time-controls", "/v1/games", "/v1/me/events"] {
        let answer = door.get(path, Some(&guest)).await;
        let told = answer.refused(503, "UNAVAILABLE");
        assert!(!told.contains("10.0.0.7"), "{told}");
        assert_eq!(answer.headers["retry-after"], "1");
    }
    door.get("/v1/rules", None).await.ok(200);
}
