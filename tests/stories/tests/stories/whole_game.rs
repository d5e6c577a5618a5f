use rules::EndReason;
use serde_json::{Value, json};
use stories::{Heard, Platform, Record, SEATS, Table, millis};

/// The shortest game that was found in which three armies are mated.
const MOVES: [&str; 15] = [
    "g2-g3", "m6-k6", "h13-h11", "b7-c7", "e1-g2", "n7-i2", "h14-h12", "a6-c8", "m7-k7", "h12-n6", "c8-i2", "i14-b7",
    "a8-b7", "n6-i11", "b7-i14",
];

#[tokio::test]
async fn four_guests_meet_by_an_invite_and_play_until_one_is_left() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "3+2").await;
    let (game, visitor) = (table.game.as_str(), platform.visitor());

    let mut streams = Vec::new();
    let mut sockets = Vec::new();
    for player in &table.players {
        streams.push(player.follow(game, 0).await);
        sockets.push(player.socket(game, 0).await);
    }
    let state = table.play(&MOVES).await;

    // All four were told the same, over either door, and both doors close after the last event.
    let events = streams[0].to_end().await;
    for stream in &mut streams[1..] {
        assert_eq!(stream.to_end().await, events);
    }
    for socket in &mut sockets {
        let (heard, code, _) = socket.to_end().await;
        assert_eq!((heard, code), (events.clone(), 1000));
    }
    let record = Record::of(&events);
    let seated = ["seated"; 4];
    assert_eq!(record.types()[..6], [&["created"], &seated[..], &["started"]].concat());
    let moves: Vec<&Value> =
        events.iter().filter(|event| event["type"] == "move").map(|event| &event["move"]).collect();
    assert_eq!(moves, MOVES);
    assert_eq!(record.types().last(), Some(&"over"));

    // The rules tell the same game.
    assert_eq!(record.game.over(), Some(EndReason::LastPlayer));
    assert_eq!(state["fen4"], record.game.fen4());
    assert_eq!(state["over"]["reason"], "last_player");
    let first = json!({"seat": "green", "place": 1, "result": 74, "rating_before": null, "rating_after": null});
    assert_eq!(state["over"]["standing"][0], first);
    assert_eq!(
        ["status", "rated", "visibility", "class", "v", "ply", "turn", "clock", "in_check"]
            .map(|member| &state[member]),
        [
            &json!("over"),
            &json!(false),
            &json!("private"),
            &json!("blitz"),
            &json!(events.len()),
            &json!(15),
            &Value::Null,
            &Value::Null,
            &json!([])
        ]
    );
    let last = events.iter().rfind(|event| event["type"] == "move").unwrap();
    assert_eq!(state["last_move"], json!({"seat": "green", "move": "b7-i14", "san": last["san"]}));
    for (seat, player) in SEATS.iter().zip(&table.players) {
        let shown = &state["seats"][seat];
        assert_eq!(shown["player"]["id"], player.id.as_str());
        assert_eq!(shown["player"]["guest"], true);
        assert_eq!(shown["computer"], Value::Null);
        assert_eq!(shown["army"], record.events.last().unwrap()["armies"][seat]);
        assert_eq!(shown["points"], shown["result"]);
    }

    // What is over stays over, and can be read again.
    let green = table.player("green");
    let refusal = green.play(game, 15, "b11-c11").await.refused(409, "GAME_OVER");
    assert_eq!(refusal["ply"], 15);
    green.resign(game).await.refused(409, "GAME_OVER");
    assert_eq!(green.follow(game, 0).await.to_end().await, events);
    assert_eq!(green.follow(game, events.len() as u64).await.to_end().await, Vec::<Value>::new());
    let Heard::Closed(1000, _) = green.socket(game, events.len() as u64).await.hear().await else {
        panic!("nothing is left to tell");
    };

    // The record, in both forms.
    let export = green.get(&format!("/v1/games/{game}/export?format=json")).await.ok();
    assert_eq!(export["events"], json!(events));
    assert_eq!(export["id"], game);
    assert_eq!(table.replayed_pgn4().await, record.game.fen4());

    // It is on the pages of those who played, and nobody else's business.
    let games = format!("/v1/players/{}/games", green.id);
    let listed = stories::eventually("the record", async || {
        let page = green.get(&games).await.ok();
        page["items"].get(0).cloned()
    })
    .await;
    assert_eq!((&listed["id"], &listed["status"]), (&json!(game), &json!("over")));
    assert_eq!(visitor.get(&games).await.ok(), json!({"items": [], "next_cursor": null}));
}

#[tokio::test]
async fn time_is_charged_to_the_mover_and_given_back_by_the_increment() {
    let platform = Platform::with(&[("FK_FIRST_MOVE_MS", "30000")]).await;
    let table = Table::of_guests(&platform, "3+2").await;
    table.play(&["d2-d3", "m4-l4", "d13-d12", "b11-c11", "d3-d4"]).await;
    let record = table.record().await;
    let moves: Vec<&Value> = record.events.iter().filter(|event| event["type"] == "move").collect();
    // First moves have a time of their own: nothing is charged and nothing added.
    assert_eq!(moves[3]["remaining_ms"], json!({"red": 180_000, "blue": 180_000, "yellow": 180_000, "green": 180_000}));
    assert_eq!(millis(&moves[0]["deadline"]) - millis(&moves[0]["at"]), 30_000);
    // Red's second move is on the clock.
    assert_eq!(millis(&moves[3]["deadline"]) - millis(&moves[3]["clock_runs_from"]), 180_000);
    let taken = millis(&moves[4]["at"]) - millis(&moves[3]["clock_runs_from"]);
    assert_eq!(moves[4]["remaining_ms"]["red"], 180_000 - taken + 2_000);
    let state = table.state().await;
    assert_eq!(state["clock"]["first_move"], false);
    assert_eq!(state["clock"]["deadline"], moves[4]["deadline"]);
    assert!(millis(&state["clock"]["server_now"]) >= millis(&moves[4]["at"]));
}
