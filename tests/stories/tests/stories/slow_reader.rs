use serde_json::json;
use stories::{Heard, Platform, Player, Socket, Table, in_time, within_reason};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use tokio::time::Instant;

/// One WebSocket frame `{"type":"ping"}`, masked with zeros.
fn ping_frame() -> Vec<u8> {
    let text = br#"{"type":"ping"}"#;
    [&[0x81, 0x80 | text.len() as u8, 0, 0, 0, 0][..], text].concat()
}

#[tokio::test]
async fn one_who_never_reads_hurts_nobody_and_can_come_back() {
    let platform = Platform::start().await;
    in_time(2_000, async || {
        let table = Table::of_guests(&platform, "10+5").await;
        let flooding = tokio::spawn(flood(table.players[0].clone(), table.game.clone()));
        // The others notice nothing.
        let (game, mut slowest) = (table.game.as_str(), 0);
        let mut watcher = table.players[1].socket(game, 6).await;
        let rounds = [["d2-d3", "m4-l4", "d13-d12", "b11-c11"], ["d3-d4", "l4-k4", "e13-e12", "c11-d11"]];
        for text in rounds.concat() {
            let asked = Instant::now();
            table.play(&[text]).await;
            assert_eq!(watcher.event().await["move"], text);
            slowest = slowest.max(asked.elapsed().as_millis() as i64);
        }
        within_reason("the slow reader is dropped", flooding).await.unwrap();
        let mut back = table.players[0].socket(game, 10).await;
        let rest: Vec<_> = [back.event().await, back.event().await].iter().map(|event| event["v"].clone()).collect();
        assert_eq!(rest, [11, 12]);
        slowest
    })
    .await;
}

/// A socket with hardly any room, whose owner asks and asks and never reads an answer, until it is dropped.
async fn flood(player: Player, game: String) {
    let tcp = TcpSocket::new_v4().unwrap();
    tcp.set_recv_buffer_size(2_048).unwrap();
    let mut tcp = tcp.connect(player.http).await.unwrap();
    let handshake = format!(
        "GET /v1/games/{game}/socket HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: four-kingdoms.v1, bearer.{}\r\n\r\n",
        player.http,
        player.token()
    );
    tcp.write_all(handshake.as_bytes()).await.unwrap();
    let burst = ping_frame().repeat(500);
    // Not taken means that the platform holds back; refused means dropped.
    while tcp.write_all(&burst).await.is_ok() {}
}

#[tokio::test]
async fn too_many_frames_close_the_socket() {
    let platform = Platform::with(&[("FK_LIMITS", "on")]).await;
    let table = Table::of_guests(&platform, "10+5").await;
    let mut socket: Socket = table.players[0].socket(&table.game, 6).await;
    for _ in 0..2_000 {
        socket.send(&json!({"type": "ping"})).await;
    }
    let closed = loop {
        if let Heard::Closed(code, _) = socket.hear().await {
            break code;
        }
    };
    assert_eq!(closed, 4429);
}
