use serde_json::json;
use stories::{Platform, Table, millis};

/// The start position, but yellow has 12 points already.
const YELLOW_AHEAD: &str = "R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,12,0-0-3,yR,yN,yB,yK,yQ,yB,yN,yR,3/3,yP,yP,yP,yP,yP,yP,yP,yP,3/14/\
    gR,gP,10,bP,bR/gN,gP,10,bP,bN/gB,gP,10,bP,bB/gQ,gP,10,bP,bK/gK,gP,10,bP,bQ/gB,gP,10,bP,bB/gN,gP,10,bP,bN/\
    gR,gP,10,bP,bR/14/3,rP,rP,rP,rP,rP,rP,rP,rP,3/3,rR,rN,rB,rQ,rK,rB,rN,rR,3";

const DELAY_MS: i64 = 150;

#[tokio::test]
async fn who_resigns_out_of_turn_keeps_the_points_while_the_army_roams() {
    let platform = Platform::with(&[("FK_ROAMING_DELAY_MS", &DELAY_MS.to_string())]).await;
    let wishes = json!({"time_control": "10+5", "start_fen4": YELLOW_AHEAD});
    let table = Table::of(platform.guests().await, wishes).await;
    let (game, yellow) = (table.game.as_str(), table.player("yellow"));

    // It is red's turn, and stays red's turn.
    let state = table.resign(&["yellow"]).await;
    assert_eq!(
        (&state["turn"], &state["ply"], &state["seats"]["yellow"]["army"]),
        (&json!("red"), &json!(0), &json!("resigned"))
    );
    assert_eq!(table.resign(&["yellow"]).await["v"], state["v"], "resigning again changes nothing");
    let refusal = yellow.play(game, 0, "h13-h12").await.refused(409, "NOT_PLAYING");
    assert_eq!(refusal["ply"], 0);

    // Two rounds; yellow's army moves by itself in each, after the pause.
    let mut stream = table.players[0].follow(game, 0).await;
    for (red, blue, green) in [("d2-d3", "m4-l4", "b11-c11"), ("i2-i3", "m11-l11", "b4-c4")] {
        table.play(&[red, blue]).await;
        let moved = stream.until(|event| event["type"] == "move" && event["seat"] == "yellow").await;
        let [.., before, roamed] = moved.as_slice() else { panic!("{moved:?}") };
        assert_eq!((&before["turn"], &roamed["by_roaming"]), (&json!("yellow"), &json!(true)));
        assert_eq!(millis(&before["deadline"]) - millis(&before["at"]), DELAY_MS);
        let late = millis(&roamed["at"]) - millis(&before["deadline"]);
        assert!(late >= 0, "{} ms early", -late);
        table.play(&[green]).await;
    }

    // The last player gets 20 for each of the three roaming kings; yellow's result is that of the resignation.
    let state = table.resign(&["green", "blue"]).await;
    assert_eq!(state["over"]["reason"], "last_player");
    let record = table.record().await;
    assert_eq!(table.replayed_pgn4().await, record.game.fen4());
    let red = state["seats"]["red"]["points"].as_u64().unwrap();
    assert!(red >= 60, "{state}");
    assert_eq!(state["seats"]["yellow"]["result"], 12);
    let results: Vec<_> = record.standing();
    assert_eq!(results[0], json!({"seat": "red", "place": 1, "result": red}));
    assert_eq!(results[1], json!({"seat": "yellow", "place": 2, "result": 12}));
    let frozen = record.events.iter().filter(|event| event["type"] == "resigned").count();
    assert_eq!(frozen, 3);
}
