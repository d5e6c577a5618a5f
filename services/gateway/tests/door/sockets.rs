use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::door::{Door, config, next, say};
use crate::fake::{moved, over};

#[tokio::test]
async fn events_come_as_frames_and_the_socket_closes_after_the_last() {
    let door = Door::open().await;
    let game = door.fake.add_game(&["p"], true, false);
    door.fake.tell(&game, vec![moved("h2-h4")]);
    let mut socket = door.socket(&format!("/v1/games/{game}/socket?after=1"), None).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["move"], "h2-h4");
    door.fake.tell(&game, vec![moved("h4-h5"), over()]);
    assert_eq!(next(&mut socket).await.unwrap()["v"], 3);
    assert_eq!(next(&mut socket).await.unwrap()["type"], "over");
    assert_eq!(next(&mut socket).await.unwrap_err().0, 1000);
}

#[tokio::test]
async fn who_was_told_what_a_failover_lost_is_refused_and_sent_away() {
    let door = Door::open().await;
    let game = door.fake.add_game(&["p"], true, false);
    door.fake.tell(&game, vec![moved("h2-h4")]);
    let mut socket = door.socket(&format!("/v1/games/{game}/socket?after=1"), None).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["move"], "h2-h4");
    door.fake.replace_last(&game, moved("h2-h3"));
    let refused = next(&mut socket).await.unwrap();
    assert_eq!((&refused["type"], &refused["id"]), (&json!("refused"), &json!(null)));
    assert_eq!(refused["code"], "RESYNC");
    assert_eq!(next(&mut socket).await.unwrap_err().0, 1012);
}

#[tokio::test]
async fn a_command_is_answered_after_the_events_it_caused() {
    let door = Door::open().await;
    let red = door.guest("Red").await;
    let game = door.fake.add_game(&[&red.id], false, false);
    let mut socket = door.socket(&format!("/v1/games/{game}/socket?after=1"), Some(&red)).await.unwrap();
    say(&mut socket, &json!({"type": "ping", "id": 0})).await;
    assert_eq!(next(&mut socket).await.unwrap()["v"], 1, "also before anything was told");
    say(&mut socket, &json!({"type": "move", "ply": 0, "move": "h2-h4", "id": {"n": 1}})).await;
    assert_eq!(next(&mut socket).await.unwrap()["v"], 2);
    assert_eq!(next(&mut socket).await.unwrap()["v"], 3);
    assert_eq!(next(&mut socket).await.unwrap(), json!({"type": "ack", "id": {"n": 1}, "ply": 2}));
    say(&mut socket, &json!({"type": "move", "ply": 0, "move": "h2-h4", "id": "late"})).await;
    let refused = next(&mut socket).await.unwrap();
    assert_eq!((&refused["type"], &refused["id"]), (&json!("refused"), &json!("late")));
    assert_eq!((&refused["code"], &refused["ply"]), (&json!("STALE_PLY"), &json!(2)));
    say(&mut socket, &json!({"type": "resign", "id": 7})).await;
    assert_eq!(next(&mut socket).await.unwrap(), json!({"type": "ack", "id": 7, "ply": 2}));
    say(&mut socket, &json!({"type": "ping"})).await;
    let pong = next(&mut socket).await.unwrap();
    assert_eq!((&pong["type"], &pong["v"], &pong["ply"]), (&json!("pong"), &json!(3), &json!(2)));
    assert!(pong["server_now"].as_str().unwrap().ends_with('Z'));
}

#[tokio::test]
async fn frames_that_mean_nothing_are_refused_with_their_id() {
    let door = Door::open().await;
    let red = door.guest("Red").await;
    let game = door.fake.add_game(&[&red.id], true, false);
    let mut socket = door.socket(&format!("/v1/games/{game}/socket?after=1"), Some(&red)).await.unwrap();
    for (frame, id) in [
        ("not json", json!(null)),
        (r#"{"type":"dance","id":"a"}"#, json!("a")),
        (r#"{"type":"move","ply":"1","move":"h2-h4","id":"b"}"#, json!("b")),
        (r#"{"type":"ping","type":"resign","id":"b"}"#, json!("b")),
        (r#"{"type":"move","ply":0,"move":"","id":"c"}"#, json!("c")),
        (r#"{"type":"move","ply":0,"move":"h2-h4h2-h4h2-h4h2-h4","id":"d"}"#, json!("d")),
    ] {
        socket.send(Message::text(frame)).await.unwrap();
        let refused = next(&mut socket).await.unwrap();
        assert_eq!(
            (&refused["type"], &refused["code"], &refused["id"]),
            (&json!("refused"), &json!("BAD_REQUEST"), &id)
        );
        assert_eq!(refused["ply"], 0);
    }
    socket.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["code"], "BAD_REQUEST");
    assert_eq!((door.fake.calls("make_move"), door.fake.calls("resign")), (0, 0));
    let mut visitor = door.socket(&format!("/v1/games/{game}/socket?after=1"), None).await.unwrap();
    say(&mut visitor, &json!({"type": "resign", "id": 1})).await;
    assert_eq!(next(&mut visitor).await.unwrap()["code"], "UNAUTHENTICATED");
}

#[tokio::test]
async fn bytes_that_are_no_frame_close_the_socket_with_the_reason() {
    let door = Door::open().await;
    let game = door.fake.add_game(&["p"], true, false);
    for (bytes, code) in [
        (&[0x81, 2, b'{', b'}'][..], 1002),
        (&[0x83, 0x80, 0, 0, 0, 0], 1002),
        (&[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xff], 1007),
    ] {
        let mut socket = door.socket(&format!("/v1/games/{game}/socket?after=1"), None).await.unwrap();
        tokio::io::AsyncWriteExt::write_all(socket.get_mut(), bytes).await.unwrap();
        assert_eq!(next(&mut socket).await.unwrap_err().0, code, "{bytes:x?}");
    }
}

#[tokio::test]
async fn sockets_that_must_not_be_say_so_by_how_they_close() {
    let door = Door::open().await;
    let red = door.guest("Red").await;
    let game = door.fake.add_game(&[&red.id], false, false);
    let mut dead = red.clone();
    dead.token = "A".repeat(43);
    let mut garbled = red.clone();
    garbled.token = "nonsense".to_owned();
    let unknown = proto::GameId::new();
    for (path, who, code) in [
        (format!("/v1/games/{game}/socket"), Some(&dead), 4401),
        (format!("/v1/games/{game}/socket"), Some(&garbled), 4401),
        (format!("/v1/games/{game}/socket"), None, 4404),
        (format!("/v1/games/{unknown}/socket"), Some(&red), 4404),
        ("/v1/games/nonsense/socket".to_owned(), Some(&red), 4404),
    ] {
        let mut socket = door.socket(&path, who).await.unwrap();
        assert_eq!(next(&mut socket).await.unwrap_err().0, code, "{path}");
    }
    let ahead = door.socket(&format!("/v1/games/{game}/socket?after=9"), Some(&red)).await;
    assert_eq!(ahead.unwrap_err(), 409);
    let malformed = door.socket(&format!("/v1/games/{game}/socket?after=-1"), Some(&red)).await;
    assert_eq!(malformed.unwrap_err(), 400);
    // Without a WebSocket handshake the same is told over HTTP.
    door.get(&format!("/v1/games/{game}/socket"), Some(&red)).await.refused(400, "BAD_REQUEST");
    door.get(&format!("/v1/games/{unknown}/socket"), Some(&red)).await.refused(404, "NOT_FOUND");
    door.get(&format!("/v1/games/{game}/socket"), Some(&dead)).await.refused(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn too_many_or_too_large_frames_close_the_socket() {
    let mut limited = config();
    limited.limits = true;
    let door = Door::open_with(limited).await;
    let game = door.fake.add_game(&["p"], true, false);
    let path = format!("/v1/games/{game}/socket?after=1");
    let mut flooding = door.socket(&path, None).await.unwrap();
    for _ in 0..200 {
        if flooding.send(Message::text(r#"{"type":"ping"}"#)).await.is_err() {
            break;
        }
    }
    let closed = loop {
        if let Err((code, _)) = next(&mut flooding).await {
            break code;
        }
    };
    assert_eq!(closed, 4429);
    let mut large = door.socket(&path, None).await.unwrap();
    large.send(Message::text("x".repeat(5_000))).await.unwrap();
    assert!(matches!(next(&mut large).await.unwrap_err().0, 1009 | 1006));
    assert_eq!(door.get(&format!("/v1/games/{game}"), None).await.status, 200);
}

#[tokio::test]
async fn a_stopping_gateway_says_when_to_come_back() {
    let door = Door::open().await;
    let red = door.guest("Red").await;
    let game = door.fake.add_game(&[&red.id], true, false);
    let mut socket = door.socket(&format!("/v1/games/{game}/socket?after=1"), Some(&red)).await.unwrap();
    say(&mut socket, &json!({"type": "move", "ply": 0, "move": "h2-h4", "id": 1})).await;
    // The command under way is still answered.
    tokio::time::sleep(Duration::from_millis(50)).await;
    door.drain.begin();
    assert_eq!(next(&mut socket).await.unwrap()["v"], 2);
    assert_eq!(next(&mut socket).await.unwrap()["v"], 3);
    assert_eq!(next(&mut socket).await.unwrap()["type"], "ack");
    let (code, reason) = next(&mut socket).await.unwrap_err();
    assert_eq!(code, 1012);
    let wait: u64 = reason.strip_prefix("retry_ms=").unwrap().parse().unwrap();
    assert!((200..=2000).contains(&wait));
    assert!(door.drain.finished(Duration::from_secs(20)).await);
}

#[tokio::test]
async fn a_silent_socket_is_pinged_and_then_dropped() {
    let mut short = config();
    short.pace.ping = Duration::from_millis(100);
    short.pace.silence = Duration::from_secs(2);
    let door = Door::open_with(short).await;
    let game = door.fake.add_game(&["p"], true, false);
    let path = format!("/v1/games/{game}/socket?after=1");
    let mut living = door.socket(&path, None).await.unwrap();
    // Reading answers the pings.
    let heard = tokio::time::timeout(Duration::from_secs(4), async {
        let mut pings = 0;
        while let Some(Ok(frame)) = living.next().await {
            pings += u32::from(frame.is_ping());
        }
        pings
    });
    assert!(heard.await.is_err(), "a living socket stays open");
    let mut silent = door.socket(&path, None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(4)).await;
    let ended = async { while let Some(Ok(_)) = silent.next().await {} };
    tokio::time::timeout(Duration::from_secs(20), ended).await.expect("the silent socket is dropped");
}

#[tokio::test]
async fn a_socket_that_takes_nothing_is_dropped_and_hurts_nobody() {
    let door = Door::open().await;
    let game = door.fake.add_game(&["p"], true, false);
    let mut stuck = door.socket(&format!("/v1/games/{game}/socket?after=1"), None).await.unwrap();
    let mut quick = door.socket(&format!("/v1/games/{game}/socket?after=1"), None).await.unwrap();
    // More than the buffers of the system between them hold.
    let long = "h2-h4".repeat(4_000);
    for _ in 0..60 {
        door.fake.tell(&game, std::iter::repeat_with(|| moved(&long)).take(20).collect());
        for _ in 0..20 {
            next(&mut quick).await.unwrap();
        }
    }
    tokio::time::sleep(Duration::from_secs(4)).await;
    let mut last = 1;
    let code = loop {
        match next(&mut stuck).await {
            Ok(told) => last = told["v"].as_u64().unwrap(),
            Err((code, _)) => break code,
        }
    };
    assert!(matches!(code, 4408 | 1006), "{code}");
    assert!(last < 1_201, "it was cut off before the end, at {last}");
    let mut again = door.socket(&format!("/v1/games/{game}/socket?after={last}"), None).await.unwrap();
    assert_eq!(next(&mut again).await.unwrap()["v"], last + 1);
}

#[tokio::test]
async fn presence_is_told_once_for_all_sockets_of_a_player() {
    let door = Door::open().await;
    let red = door.guest("Red").await;
    let game = door.fake.add_game(&[&red.id], true, false);
    let path = format!("/v1/games/{game}/socket");
    let mut one = door.socket(&path, Some(&red)).await.unwrap();
    let mut two = door.socket(&path, Some(&red)).await.unwrap();
    let spectator = door.guest("Spectator").await;
    let mut three = door.socket(&path, Some(&spectator)).await.unwrap();
    for socket in [&mut one, &mut two, &mut three] {
        next(socket).await.unwrap();
    }
    while door.fake.presence().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    one.close(None).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(door.fake.presence(), [(red.id.clone(), true)]);
    two.close(None).await.unwrap();
    while door.fake.presence().len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(door.fake.presence(), [(red.id.clone(), true), (red.id.clone(), false)]);
}
