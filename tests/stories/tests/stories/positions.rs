use serde_json::{Value, json};
use stories::{Platform, Player, Record};

/// Yellow is mated, green has resigned; red can castle to either side and has a pawn that is about to queen.
const TWO_LEFT: &str = "R-0,0,1,0-1,0,0,0-1,0,0,0-5,3,0,2-0-{'resigned':(false,false,false,true),'frozen':('','','','2')}-\
    x,x,x,3,dyK,4,x,x,x/x,x,x,8,x,x,x/x,x,x,8,x,x,x/14/14/14/gK,13/5,rP,8/14/13,bK/11,bP,2/x,x,x,8,x,x,x/x,x,x,8,x,x,x/\
    x,x,x,rR,3,rK,2,rR,x,x,x";

async fn game_of_two(red: &Player, blue: &Player, fen4: &str) -> Value {
    let seats = json!({"red": {"me": true}, "blue": {"open": true}, "yellow": null, "green": null});
    let waiting =
        red.post("/v1/games", &json!({"time_control": "10+5", "start_fen4": fen4, "seats": seats})).await.expect(201);
    let (game, code) = (waiting["id"].as_str().unwrap(), waiting["invite_code"].as_str().unwrap());
    blue.sit(game, code, None).await.ok()
}

#[tokio::test]
async fn a_game_from_a_position_has_seats_for_those_who_still_play() {
    let platform = Platform::with(&[("FK_ROAMING_DELAY_MS", "50")]).await;
    let (red, blue) = (platform.guest("Red").await, platform.guest("Blue").await);
    let begun = game_of_two(&red, &blue, TWO_LEFT).await;
    let game = begun["id"].as_str().unwrap();
    assert_eq!((&begun["status"], &begun["turn"]), (&json!("running"), &json!("red")));
    let armies = ["red", "blue", "yellow", "green"].map(|seat| begun["seats"][seat]["army"].as_str().unwrap());
    assert_eq!(armies, ["playing", "playing", "checkmated", "resigned"]);
    assert_eq!((&begun["seats"]["yellow"]["player"], &begun["seats"]["green"]["player"]), (&Value::Null, &Value::Null));
    let (expected, _) = rules::Game::from_fen4(TWO_LEFT).unwrap();
    assert_eq!(begun["fen4"], expected.fen4());

    // A pawn arrives on its eighth line; the suffix may be there or not.
    let mut stream = red.follow(game, 0).await;
    let state = red.play(game, 0, "f7-f8=Q").await.ok();
    assert!(state["fen4"].as_str().unwrap().contains("rD"), "{state}");
    assert_eq!(red.play(game, 0, "f7-f8").await.ok()["v"], state["v"], "the same move in other words");
    let moved = stream.up_to_type("move").await.pop().unwrap();
    assert_eq!((&moved["promoted"], &moved["move"]), (&json!(true), &json!("f7-f8")));
    let blues = blue.get(&format!("/v1/games/{game}?include=legal_moves")).await.ok()["legal_moves"][0].clone();
    blue.play(game, 1, blues.as_str().unwrap()).await.ok();
    let roamed = stream.until(|event| event["by_roaming"] == true).await.pop().unwrap();
    assert_eq!(roamed["seat"], "green");
    Record::of(&red.events(game).await);
}

#[tokio::test]
async fn keys_that_a_position_does_not_know_are_told_to_the_maker() {
    let platform = Platform::start().await;
    let red = platform.guest("Red").await;
    let seats = json!({"red": {"me": true}, "blue": {"open": true}, "yellow": null, "green": null});
    for (fen4, unknown) in [
        (TWO_LEFT.to_owned(), Value::Null),
        (TWO_LEFT.replace("{'resigned'", "{'bananas':(1,2),'resigned'"), json!(["bananas"])),
    ] {
        let wish = json!({"time_control": "10+5", "start_fen4": fen4, "seats": seats});
        let made = red.post("/v1/games", &wish).await.expect(201);
        assert_eq!(made["unknown_fen4_keys"], unknown);
        let (known, _) = rules::Game::from_fen4(TWO_LEFT).unwrap();
        assert_eq!(made["fen4"], known.fen4());
    }
}

#[tokio::test]
async fn castling_is_written_as_people_write_it() {
    let platform = Platform::start().await;
    let (red, blue) = (platform.guest("Red").await, platform.guest("Blue").await);
    for (text, from_to) in [("O-O", "h1-j1"), ("O-O-O", "h1-f1"), ("h1-j1", "h1-j1")] {
        let begun = game_of_two(&red, &blue, TWO_LEFT).await;
        let game = begun["id"].as_str().unwrap();
        let legal = red.get(&format!("/v1/games/{game}?include=legal_moves")).await.ok()["legal_moves"].clone();
        assert!(legal.as_array().unwrap().contains(&json!(from_to)), "{from_to}: {legal}");
        let state = red.play(game, 0, text).await.ok();
        assert_eq!((&state["last_move"]["move"], &state["ply"]), (&json!(from_to), &json!(1)));
        for again in [text, from_to] {
            assert_eq!(red.play(game, 0, again).await.ok()["v"], state["v"], "{again} after {text}");
        }
        Record::of(&red.events(game).await);
    }
}

#[tokio::test]
async fn a_position_with_the_wrong_seats_makes_no_game() {
    let platform = Platform::start().await;
    let red = platform.guest("Red").await;
    let (me, open) = (json!({"me": true}), json!({"open": true}));
    for seats in [
        json!({"red": me, "blue": open, "yellow": open, "green": null}),
        json!({"red": me, "blue": open, "yellow": null, "green": open}),
        json!({"red": me, "blue": null, "yellow": null, "green": null}),
    ] {
        let wishes = json!({"time_control": "3+2", "start_fen4": TWO_LEFT, "seats": seats});
        red.post("/v1/games", &wishes).await.refused(400, "BAD_REQUEST");
    }
    assert_eq!(red.get("/v1/me").await.ok()["games"], json!([]));
}
