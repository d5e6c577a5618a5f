use std::time::Duration;

use serde_json::json;
use stories::{Heard, Platform, Socket, Table, within};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use tokio::time::{Instant, timeout};

/// One WebSocket frame `{"type":"ping"}`, masked with zeros.
fn ping_frame() -> Vec<u8> {
    let text = br#"{"type":"ping"}"#;
    [&[0x81, 0x80 | text.len() as u8, 0, 0, 0, 0][..], text].concat()
}

#[tokio::test]
async fn one_who_never_reads_hurts_nobody_and_can_come_back() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let (game, red) = (table.game.as_str(), &table.players[0]);

    // A socket with hardly any room, whose owner asks and asks and never reads an answer.
    let tcp = TcpSocket::new_v4().unwrap();
    tcp.set_recv_buffer_size(2_048).unwrap();
    let mut tcp = tcp.connect(red.http).await.unwrap();
    let handshake = format!(
        "GET /v1/games/{game}/socket HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: four-kingdoms.v1, bearer.{}\r\n\r\n",
        red.http,
        red.token()
    );
    tcp.write_all(handshake.as_bytes()).await.unwrap();
    let burst = ping_frame().repeat(500);
    let flooding = tokio::spawn(async move {
        let until = Instant::now() + Duration::from_secs(40);
        while Instant::now() < until {
            // Refused means dropped; not taken means that the platform holds back, too.
            if let Ok(Err(_)) = timeout(Duration::from_secs(1), tcp.write_all(&burst)).await {
                return true;
            }
        }
        false
    });

    // The others notice nothing.
    let mut watcher = table.players[1].socket(game, 6).await;
    let rounds = [["d2-d3", "m4-l4", "d13-d12", "b11-c11"], ["d3-d4", "l4-k4", "e13-e12", "c11-d11"]];
    for text in rounds.concat() {
        let asked = Instant::now();
        table.play(&[text]).await;
        let event = within(2.0, "an event for who reads", watcher.event()).await;
        assert_eq!(event["move"], text);
        assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    }
    assert!(within(45.0, "the end of the slow reader", flooding).await.unwrap(), "it was never dropped");
    let mut back = red.socket(game, 10).await;
    let rest: Vec<_> = [back.event().await, back.event().await].iter().map(|event| event["v"].clone()).collect();
    assert_eq!(rest, [11, 12]);
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
