use serde_json::{Value, json};
use stories::{Platform, Player};

fn seats(red: &Value) -> Value {
    let open = json!({"open": true});
    json!({"red": red, "blue": open, "yellow": open, "green": open})
}

async fn waiting_game(maker: &Player, red: &Value) -> (String, String) {
    let game = maker.post("/v1/games", &json!({"time_control": "3.0+2", "seats": seats(red)})).await.expect(201);
    assert_eq!(
        (&game["status"], &game["time_control"], &game["rated"]),
        (&json!("waiting"), &json!("3+2"), &json!(false))
    );
    for unset in ["turn", "clock", "over"] {
        assert_eq!(game[unset], Value::Null, "{unset}");
    }
    (game["id"].as_str().unwrap().to_owned(), game["invite_code"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn friends_choose_seats_change_their_minds_and_begin() {
    let platform = Platform::start().await;
    let [ada, bob, cleo, dan] = platform.guests().await;
    let (game, code) = waiting_game(&ada, &json!({"me": true})).await;
    let invite = bob.get(&format!("/v1/invites/{code}")).await.ok();
    assert_eq!(invite["id"], game.as_str());
    assert_eq!(invite["free_seats"], json!(["blue", "yellow", "green"]));
    assert_eq!(invite["seats"]["red"]["player"]["name"], "Ada");

    // Nobody moves before all have come.
    ada.play(&game, 0, "d2-d4").await.refused(409, "NOT_STARTED");
    ada.resign(&game).await.refused(409, "NOT_STARTED");

    let mut stream = ada.follow(&game, 0).await;
    bob.sit(&game, &code, Some("yellow")).await.ok();
    let again = bob.sit(&game, &code, Some("yellow")).await.ok();
    assert_eq!((&again["v"], &again["seats"]["yellow"]["player"]["id"]), (&json!(3), &json!(bob.id)));
    cleo.sit(&game, &code, Some("yellow")).await.refused(409, "SEAT_TAKEN");
    cleo.sit(&game, "wrong-code", Some("blue")).await.refused(404, "NOT_FOUND");
    cleo.sit(&game, &code, Some("blue")).await.ok();
    // Bob leaves, twice, and Dan sits down in his place.
    for _ in 0..2 {
        bob.delete(&format!("/v1/games/{game}/seats/me")).await.expect(204);
    }
    dan.sit(&game, &code, Some("yellow")).await.ok();
    assert_eq!(ada.get(&format!("/v1/invites/{code}")).await.ok()["free_seats"], json!(["green"]));
    // Any seat is the one that is left.
    let begun = bob.sit(&game, &code, None).await.ok();
    assert_eq!((&begun["status"], &begun["turn"]), (&json!("running"), &json!("red")));
    assert_eq!(begun["seats"]["green"]["player"]["id"], bob.id.as_str());
    bob.get(&format!("/v1/invites/{code}")).await.refused(404, "NOT_FOUND");
    platform.guest("Eve").await.sit(&game, &code, None).await.refused(409, "SEAT_TAKEN");

    let events = stream.up_to_type("started").await;
    let told: Vec<_> = events.iter().map(|event| (event["type"].as_str().unwrap(), event["seat"].as_str())).collect();
    assert_eq!(
        told,
        [
            ("created", None),
            ("seated", Some("red")),
            ("seated", Some("yellow")),
            ("seated", Some("blue")),
            ("left", Some("yellow")),
            ("seated", Some("yellow")),
            ("seated", Some("green")),
            ("started", None)
        ]
    );
    assert_eq!((&events[4]["player"]["id"], &events[5]["player"]["id"]), (&json!(bob.id), &json!(dan.id)));
    assert_eq!(events[7]["seats"]["yellow"]["id"], dan.id.as_str());
    assert!(!json!(events).to_string().contains(&code), "the log tells nobody the invite code");
}

#[tokio::test]
async fn the_makers_leaving_ends_a_waiting_game() {
    let platform = Platform::start().await;
    let [ada, bob, ..] = platform.guests().await;
    let (game, code) = waiting_game(&ada, &json!({"me": true})).await;
    bob.sit(&game, &code, None).await.ok();
    let mut stream = bob.follow(&game, 0).await;
    ada.delete(&format!("/v1/games/{game}/seats/me")).await.expect(204);
    let events = stream.to_end().await;
    assert_eq!(events.last().unwrap()["type"], "aborted");
    assert_eq!(bob.state(&game).await["status"], "aborted");
    bob.get(&format!("/v1/invites/{code}")).await.refused(404, "NOT_FOUND");
    platform.guest("Eve").await.sit(&game, &code, None).await.refused(409, "GAME_OVER");
    let me = bob.get("/v1/me").await.ok();
    assert_eq!(me["games"], json!([]));
}

#[tokio::test]
async fn a_maker_may_watch_four_others_play() {
    let platform = Platform::start().await;
    let eve = platform.guest("Eve").await;
    let (game, code) = waiting_game(&eve, &json!({"open": true})).await;
    for player in platform.guests().await {
        player.sit(&game, &code, None).await.ok();
    }
    let state = eve.state(&game).await;
    assert_eq!(state["status"], "running");
    eve.play(&game, 0, "d2-d4").await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn computer_players_are_not_there_yet() {
    let platform = Platform::start().await;
    let ada = platform.guest("Ada").await;
    let wishes = json!({"time_control": "3+2", "seats": seats(&json!({"computer": "easy"}))});
    ada.post("/v1/games", &wishes).await.refused(422, "NOT_AVAILABLE");
    let ticket = json!({"time_control": "3+2", "rated": false, "fill_with_computers_after_s": 10});
    ada.post("/v1/tickets", &ticket).await.refused(422, "NOT_AVAILABLE");
    assert_eq!(ada.get("/v1/me").await.ok()["ticket"], Value::Null);
}
