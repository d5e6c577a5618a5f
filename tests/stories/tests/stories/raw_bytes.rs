use stories::{Caller, Platform, Table, within_reason};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// What comes back until the platform hangs up.
async fn answer_to(caller: &Caller, bytes: &[u8]) -> String {
    let mut tcp = TcpStream::connect(caller.http).await.unwrap();
    // It may hang up before it has everything.
    let _ = tcp.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = within_reason("the platform hangs up", tcp.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn bytes_that_are_no_request_are_refused_or_cut_off() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let caller = platform.visitor();
    let long_path = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(100_000));
    let many_headers = format!("GET /v1/games HTTP/1.1\r\nHost: x\r\n{}\r\n", "X-A: b\r\n".repeat(5_000));
    let noise: Vec<u8> = (0..5_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"hello\r\n\r\n",
        b"GET /v1/games HTTP/9.9\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nHost : x\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nHost: x\r\n bad\x01: y\r\n\r\n",
        b"POST /v1/guests HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/guests HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        long_path.as_bytes(),
        many_headers.as_bytes(),
        &noise,
    ] {
        let answer = answer_to(&caller, bytes).await;
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        let is_refusal = answer.starts_with("HTTP/1.1 4") || answer.starts_with("HTTP/1.1 505");
        assert!(is_refusal || !answer.starts_with("HTTP/1.1"), "{shown}: {answer}");
    }
    assert_eq!(table.play(&["d2-d3"]).await["ply"], 1);
    assert!(!platform.log().contains("panicked"), "{}", platform.log());
}

/// A POST of which the body is still to come.
const HEAD: &str = "POST /v1/guests HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n";

#[tokio::test]
async fn who_dawdles_over_a_request_is_cut_off() {
    let platform = Platform::start().await;
    let answer = answer_to(&platform.visitor(), format!("{HEAD}Content-Length: 100\r\n\r\n{{").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("REQUEST_TIMEOUT"), "{answer}");
}

#[tokio::test]
async fn a_body_in_broken_chunks_is_malformed() {
    let platform = Platform::start().await;
    let request = format!("{HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n");
    let answer = answer_to(&platform.visitor(), request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("BAD_REQUEST"), "{answer}");
}

#[tokio::test]
async fn handshakes_that_are_none_are_refused() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let (caller, token) = (platform.visitor(), table.players[0].token());
    let full = [
        "Connection: Upgrade, close",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    for left_out in full {
        let headers = full.iter().filter(|header| **header != left_out).map(|header| format!("{header}\r\n"));
        let request = format!(
            "GET /v1/games/{}/socket HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n{}\r\n",
            table.game,
            headers.collect::<String>()
        );
        let answer = answer_to(&caller, request.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 4") && answer.contains("\"code\":\""), "without {left_out}: {answer}");
    }
}
