use std::net::SocketAddr;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::within_reason;

/// What comes over a socket.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// A text frame.
    Frame(Value),
    /// The end, with close code and reason; 1006 if the connection just broke.
    Closed(u16, String),
}

/// A game's WebSocket.
pub struct Socket {
    stream: WebSocketStream<TcpStream>,
}

impl Socket {
    /// Offers the protocol and, as browsers do, the token beside it.
    pub async fn open(http: SocketAddr, path: &str, token: Option<&str>) -> Result<Socket, String> {
        let mut request = format!("ws://{http}{path}").into_client_request().unwrap();
        let offered =
            token.map_or_else(|| "four-kingdoms.v1".to_owned(), |token| format!("four-kingdoms.v1, bearer.{token}"));
        request.headers_mut().insert("sec-websocket-protocol", offered.parse().unwrap());
        let tcp = TcpStream::connect(http).await.map_err(|error| error.to_string())?;
        match within_reason("a WebSocket", client_async(request, tcp)).await {
            Ok((stream, response)) => {
                let chosen = response.headers().get("sec-websocket-protocol").map(|value| value.to_str().unwrap());
                assert_eq!(chosen, Some("four-kingdoms.v1"), "the token is never echoed");
                Ok(Socket { stream })
            }
            Err(Error::Http(response)) => {
                let body = response.body().as_deref().unwrap_or_default();
                Err(format!("{}: {}", response.status().as_u16(), String::from_utf8_lossy(body)))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Sends a JSON frame.
    pub async fn send(&mut self, frame: &Value) {
        self.send_raw(Message::text(frame.to_string())).await;
    }

    /// Sends any frame. What happens to it shows in what is heard afterwards.
    pub async fn send_raw(&mut self, message: Message) {
        let _ = self.stream.send(message).await;
    }

    /// The next frame or the end. Pings are answered on the way.
    pub async fn hear(&mut self) -> Heard {
        within_reason("the next frame of a socket", async {
            loop {
                match self.stream.next().await {
                    Some(Ok(Message::Text(text))) => return Heard::Frame(serde_json::from_str(&text).unwrap()),
                    Some(Ok(Message::Close(Some(frame)))) => {
                        return Heard::Closed(frame.code.into(), frame.reason.to_string());
                    }
                    Some(Ok(Message::Close(None))) => return Heard::Closed(1005, String::new()),
                    Some(Ok(Message::Binary(_))) => panic!("a binary frame"),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Heard::Closed(1006, error.to_string()),
                    None => return Heard::Closed(1006, String::new()),
                }
            }
        })
        .await
    }

    /// The next frame of a type; others are skipped.
    pub async fn frame(&mut self, kind: &str) -> Value {
        loop {
            match self.hear().await {
                Heard::Frame(frame) if frame["type"] == kind => return frame,
                Heard::Frame(_) => {}
                Heard::Closed(code, reason) => panic!("closed with {code} {reason} before {kind}"),
            }
        }
    }

    /// The next event; passing news and answers are skipped.
    pub async fn event(&mut self) -> Value {
        loop {
            match self.hear().await {
                Heard::Frame(frame) if is_event(&frame) => return frame,
                Heard::Frame(_) => {}
                Heard::Closed(code, reason) => panic!("closed with {code} {reason} instead of an event"),
            }
        }
    }

    /// All events until the end, and the end.
    pub async fn to_end(&mut self) -> (Vec<Value>, u16, String) {
        let mut events = Vec::new();
        loop {
            match self.hear().await {
                Heard::Frame(frame) if is_event(&frame) => events.push(frame),
                Heard::Frame(_) => {}
                Heard::Closed(code, reason) => return (events, code, reason),
            }
        }
    }
}

fn is_event(frame: &Value) -> bool {
    frame.get("v").is_some() && frame["type"] != "pong"
}
