use stories::{Caller, Platform, Socket, Table, in_time, within_reason};
use tokio::time::Instant;

async fn refused_socket(caller: &Caller, path: &str) -> String {
    match Socket::open(caller.http, path, caller.token.as_deref()).await {
        Ok(_) => panic!("{path}: opened"),
        Err(refusal) => refusal,
    }
}

#[tokio::test]
async fn coming_back_with_after_brings_exactly_the_rest() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let (game, blue) = (table.game.as_str(), table.player("blue"));
    table.play(&["d2-d4", "m4-l4", "d13-d12", "b11-c11"]).await;
    let record = table.record().await;
    let head = record.events.len() as u64;
    assert_eq!(head, 10);

    for after in 0..=head {
        let mut stream = blue.follow(game, after).await;
        let mut socket = blue.socket(game, after).await;
        for expected in &record.events[after as usize..] {
            assert_eq!(stream.event().await.as_ref(), Some(expected));
            assert_eq!(socket.event().await, *expected);
        }
    }

    // Whoever is away while others play misses nothing and hears nothing twice.
    let mut stream = blue.follow(game, 0).await;
    let mut heard = stream.up_to(head).await;
    drop(stream);
    table.play(&["d4-d5", "l4-k4"]).await;
    let mut stream = blue.follow(game, head).await;
    let mut socket = blue.socket(game, head).await;
    table.play(&["d12-d11"]).await;
    let rest = stream.up_to(head + 3).await;
    for event in &rest {
        assert_eq!(socket.event().await, *event);
    }
    heard.extend(rest);
    assert_eq!(heard, table.record().await.events);

    // Nobody can have seen what has not happened.
    for beyond in [head + 4, u64::from(u32::MAX), u64::MAX / 2] {
        let path = format!("/v1/games/{game}/events?after={beyond}");
        blue.get(&path).await.refused(409, "RESYNC");
        let refusal = refused_socket(blue, &format!("/v1/games/{game}/socket?after={beyond}")).await;
        assert!(refusal.starts_with("409") && refusal.contains("RESYNC"), "{refusal}");
    }
    for nonsense in ["-1", "x", "1.5", "99999999999999999999999"] {
        blue.get(&format!("/v1/games/{game}/events?after={nonsense}")).await.refused(400, "BAD_REQUEST");
        let refusal = refused_socket(blue, &format!("/v1/games/{game}/socket?after={nonsense}")).await;
        assert!(refusal.starts_with("400") && refusal.contains("BAD_REQUEST"), "{refusal}");
    }
}

#[tokio::test]
async fn a_quiet_stream_shows_that_it_lives() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let mut stream = table.players[0].follow(&table.game, 6).await;
    let mut mine = table.players[0].stream("/v1/me/events").await;
    // It begins with what is under way.
    mine.notice("your_turn").await;
    in_time(8_000, async || {
        let began = Instant::now();
        let (line, mine) = tokio::join!(
            within_reason("an empty line in a game", stream.line()),
            within_reason("an empty line in the news", mine.line()),
        );
        assert_eq!((line.as_deref(), mine.as_deref()), (Some(""), Some("")));
        began.elapsed().as_millis() as i64
    })
    .await;
}

#[tokio::test]
async fn a_stream_is_not_held_back_to_be_compressed() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let path = format!("/v1/games/{}/events", table.game);
    for path in [path.as_str(), "/v1/me/events"] {
        let request = table.players[0].request(reqwest::Method::GET, path).header("accept-encoding", "gzip, br");
        let head = request.send().await.unwrap();
        assert_eq!((head.status().as_u16(), head.headers().get("content-encoding")), (200, None), "{path}");
    }
}

#[tokio::test]
async fn a_hundred_spectators_see_every_move() {
    let platform = Platform::start().await;
    let wishes = serde_json::json!({"time_control": "10+5", "visibility": "public"});
    let table = Table::of(platform.guests().await, wishes).await;
    let visitor = platform.visitor();
    let mut sockets = futures::future::join_all((0..100).map(|_| visitor.socket(&table.game, 6))).await;
    let moves = ["d2-d4", "m4-l4", "d13-d12", "b11-c11", "d4-d5"];
    table.play(&moves).await;
    for socket in &mut sockets {
        for text in moves {
            assert_eq!(socket.event().await["move"], text);
        }
    }
}
