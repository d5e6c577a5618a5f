use serde_json::json;
use stories::{Heard, Platform, Socket, Table, millis};
use tokio_tungstenite::tungstenite::Message;

#[tokio::test]
async fn a_whole_exchange_goes_over_one_socket() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let game = table.game.as_str();
    let (mut red, mut blue) = (table.players[0].socket(game, 6).await, table.players[1].socket(game, 6).await);

    for _ in 0..8 {
        let mut socket = table.players[0].socket(game, 6).await;
        socket.send(&json!({"type": "ping"})).await;
        let pong = socket.frame("pong").await;
        assert_eq!((&pong["v"], &pong["ply"]), (&json!(6), &json!(0)), "also when nothing was told yet");
        assert!(millis(&pong["server_now"]) > 0);
    }

    // First what happened, then the answer.
    red.send(&json!({"type": "move", "ply": 0, "move": "d2-d4", "id": "a"})).await;
    let mut heard = Vec::new();
    while heard.last().is_none_or(|frame: &serde_json::Value| frame["type"] != "ack") {
        match red.hear().await {
            Heard::Frame(frame) if frame["type"] == "presence" => {}
            Heard::Frame(frame) => heard.push(frame),
            Heard::Closed(code, reason) => panic!("{code} {reason}"),
        }
    }
    assert_eq!((heard.len(), &heard[0]["type"], &heard[0]["v"]), (2, &json!("move"), &json!(7)), "{heard:?}");
    assert_eq!(heard[1], json!({"type": "ack", "id": "a", "ply": 1}));
    assert_eq!(blue.event().await, heard[0]);

    for (frame, code) in [
        (json!({"type": "move", "ply": 1, "move": "g2-g3", "id": "b"}), "NOT_YOUR_TURN"),
        (json!({"type": "move", "ply": 0, "move": "g2-g3", "id": "c"}), "STALE_PLY"),
    ] {
        red.send(&frame).await;
        let refused = red.frame("refused").await;
        assert_eq!(
            (&refused["id"], &refused["code"], &refused["ply"]),
            (&frame["id"], &json!(code), &json!(1)),
            "{refused}"
        );
    }
    blue.send(&json!({"type": "move", "ply": 1, "move": "m7-j7", "id": {"any": ["thing"]}})).await;
    let refused = blue.frame("refused").await;
    assert_eq!((&refused["code"], &refused["id"]), (&json!("ILLEGAL_MOVE"), &json!({"any": ["thing"]})));
    blue.send(&json!({"type": "resign", "id": 1})).await;
    assert_eq!(blue.event().await["type"], "resigned");
    assert_eq!(blue.frame("ack").await["id"], 1);
    blue.send(&json!({"type": "move", "ply": 1, "move": "m4-l4", "id": 2})).await;
    assert_eq!(blue.frame("refused").await["code"], "NOT_PLAYING");
    table.record().await;
}

#[tokio::test]
async fn players_see_each_other_come_and_go() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let mut red = table.players[0].socket(&table.game, 6).await;
    // Presence is told once and not kept: a first event shows that red's socket hears what happens.
    table.play(&["d2-d4"]).await;
    red.event().await;
    let mut blue = Some(table.players[1].socket(&table.game, 7).await);
    for connected in [true, false] {
        let news = loop {
            let news = red.frame("presence").await;
            if news["seat"] == "blue" {
                break news;
            }
        };
        assert_eq!(news, json!({"type": "presence", "seat": "blue", "connected": connected}));
        blue.take();
    }
}

#[tokio::test]
async fn frames_that_make_no_sense_change_nothing() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let (game, player) = (table.game.as_str(), &table.players[0]);
    let before = table.state().await["v"].clone();
    for frame in [
        Message::text("not json"),
        Message::text("[]"),
        Message::text("7"),
        Message::text("{}"),
        Message::text(r#"{"type":"dance"}"#),
        Message::text(r#"{"type":"ping","type":"resign"}"#),
        Message::text(r#"["resign"]"#),
        Message::text(r#"{"type":"move"}"#),
        Message::text(r#"{"type":"move","ply":"0","move":"d2-d4"}"#),
        Message::text(r#"{"type":"move","ply":-1,"move":"d2-d4"}"#),
        Message::text(r#"{"type":"move","ply":1e99,"move":"d2-d4"}"#),
        Message::text(r#"{"type":"move","ply":0,"move":7}"#),
        Message::text(r#"{"type":"move","ply":0,"move":""}"#),
        Message::text(format!(r#"{{"type":"move","ply":0,"move":"{}"}}"#, "h".repeat(500))),
        Message::text(format!("{}1{}", "[".repeat(400), "]".repeat(400))),
        Message::binary(vec![0, 1, 2]),
        Message::text("x".repeat(1 << 20)),
    ] {
        let shown = frame.to_string().chars().take(60).collect::<String>();
        let mut socket = player.socket(game, 6).await;
        socket.send_raw(frame).await;
        // Refused with a code or cut off, never ignored.
        loop {
            match socket.hear().await {
                Heard::Frame(frame) if frame["type"] == "presence" => {}
                Heard::Frame(frame) => {
                    assert_eq!(frame["type"], "refused", "{shown}: {frame}");
                    let code = frame["code"].as_str().unwrap_or_default();
                    assert!(["BAD_REQUEST", "TOO_LARGE"].contains(&code), "{shown}: {frame}");
                    break;
                }
                Heard::Closed(..) => break,
            }
        }
        assert_eq!(table.state().await["v"], before, "{shown}");
    }
    // A browser cannot see why a handshake is refused, so the socket opens and closes with the reason.
    let here = format!("/v1/games/{game}/socket");
    let stranger = "A".repeat(43);
    for (path, token, code) in [
        (here.as_str(), "nonsense", 4401),
        (here.as_str(), stranger.as_str(), 4401),
        ("/v1/games/nonsense/socket", player.token(), 4404),
        ("/v1/games/0192f0c1-2345-7abc-8def-0123456789ab/socket", player.token(), 4404),
    ] {
        let mut socket = Socket::open(player.http, path, Some(token)).await.unwrap();
        assert_eq!(socket.hear().await, Heard::Closed(code, String::new()), "{path}");
    }
    player.get(&here).await.refused(400, "BAD_REQUEST");
}
