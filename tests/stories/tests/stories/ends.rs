use serde_json::{Value, json};
use stories::{Platform, Record};

/// Two play a game from a position with two armies; blue's last piece can be taken.
async fn play(platform: &Platform, fen4: &str, moves: &[&str]) -> (Value, Record) {
    let players = [platform.guest("Red").await, platform.guest("Blue").await];
    let seats = json!({"red": {"me": true}, "blue": {"open": true}, "yellow": null, "green": null});
    let wishes = json!({"time_control": "10+5", "start_fen4": fen4, "seats": seats});
    let waiting = players[0].post("/v1/games", &wishes).await.expect(201);
    let game = waiting["id"].as_str().unwrap();
    players[1].sit(game, waiting["invite_code"].as_str().unwrap(), None).await.ok();
    let mut state = Value::Null;
    for (ply, text) in moves.iter().enumerate() {
        state = players[ply % 2].play(game, ply as u64, text).await.ok();
    }
    let record = Record::of(&players[0].events(game).await);
    assert_eq!(state["over"]["reason"], record.first("over")["reason"]);
    assert_eq!(state["fen4"], record.game.fen4());
    (state, record)
}

const EMPTY: &str = "x,x,x,8,x,x,x/x,x,x,8,x,x,x/x,x,x,8,x,x,x";

#[tokio::test]
async fn bare_kings_end_on_points() {
    let platform = Platform::start().await;
    let fen4 = format!(
        "R-0,0,1,1-0,0,0,0-0,0,0,0-1,2,0,0-0-{EMPTY}/14/14/bK,13/14/14/14/14/14/x,x,x,8,x,x,x/x,x,x,rK,bN,6,x,x,x/x,x,x,8,x,x,x"
    );
    let (state, record) = play(&platform, &fen4, &["d2-e2"]).await;
    assert_eq!(state["over"]["reason"], "bare_kings");
    assert_eq!(record.standing()[0], json!({"seat": "red", "place": 1, "result": 4}), "1 and a knight, no bonus");
    assert_eq!(record.first("move")["captured"], "bN");
}

#[tokio::test]
async fn the_same_position_for_the_third_time_ends_on_points() {
    let platform = Platform::start().await;
    let fen4 = format!(
        "R-0,0,1,1-0,0,0,0-0,0,0,0-1,2,0,0-0-{EMPTY}/14/14/bK,13/13,bR/14/14/14/14/x,x,x,8,x,x,x/x,x,x,rK,7,x,x,x/x,x,x,8,x,x,x"
    );
    let around = ["d2-e2", "n8-n9", "e2-d2", "n9-n8"];
    let (state, record) = play(&platform, &fen4, &[around, around].concat()).await;
    assert_eq!((&state["over"]["reason"], &state["ply"]), (&json!("repetition"), &json!(8)));
    assert_eq!(record.standing()[0]["seat"], "blue");
}
