//! The events of a game as they come, over NDJSON or a WebSocket, from one gateway.

use std::net::SocketAddr;
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use reqwest::Response;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::door::client;

const OPEN: Duration = Duration::from_secs(10);
/// The gateway shows a sign of life every 7 s on a stream, every 15 s on a socket.
const SILENCE: Duration = Duration::from_secs(25);
const LAST_EVENT: u16 = 1000;
const COME_BACK: u16 = 1012;

pub(crate) enum Feed {
    Stream { response: Response, read: Vec<u8> },
    Socket(Box<WebSocketStream<TcpStream>>),
}

/// What comes over a feed.
pub(crate) enum Heard {
    Event(Value),
    /// An answer to a frame, or passing news.
    Frame(Value),
    /// The gateway says that no event follows.
    Last,
    /// The gateway asks to come back.
    Away,
    /// It broke.
    Broken,
}

/// Why a feed could not be opened.
pub(crate) enum Closed {
    /// To be tried again.
    ForNow,
    /// An answer that is no excuse.
    Refused(String),
}

impl Feed {
    pub(crate) async fn stream(gateway: SocketAddr, game: &str, token: &str, after: u64) -> Result<Feed, Closed> {
        let url = format!("http://{gateway}/v1/games/{game}/events?after={after}");
        let sent = timeout(OPEN, client().get(url).bearer_auth(token).send()).await;
        let response = sent.map_err(|_| Closed::ForNow)?.map_err(|_| Closed::ForNow)?;
        match response.status().as_u16() {
            200 => Ok(Feed::Stream { response, read: Vec::new() }),
            429 | 503 => Err(Closed::ForNow),
            status => Err(Closed::Refused(format!("{status} {}", response.text().await.unwrap_or_default()))),
        }
    }

    pub(crate) async fn socket(gateway: SocketAddr, game: &str, token: &str, after: u64) -> Result<Feed, Closed> {
        let opening = async {
            let mut request = format!("ws://{gateway}/v1/games/{game}/socket?after={after}").into_client_request()?;
            if let Ok(offered) = format!("four-kingdoms.v1, bearer.{token}").parse() {
                request.headers_mut().insert("sec-websocket-protocol", offered);
            }
            client_async(request, TcpStream::connect(gateway).await?).await
        };
        match timeout(OPEN, opening).await {
            Ok(Ok((socket, _))) => Ok(Feed::Socket(Box::new(socket))),
            Ok(Err(Error::Http(response))) if !matches!(response.status().as_u16(), 429 | 503) => {
                let body = response.body().as_deref().unwrap_or_default();
                Err(Closed::Refused(format!("{} {}", response.status(), String::from_utf8_lossy(body))))
            }
            _ => Err(Closed::ForNow),
        }
    }

    pub(crate) const fn is_socket(&self) -> bool {
        matches!(self, Feed::Socket(_))
    }

    /// Sends a frame over a socket; what becomes of it shows in what is heard.
    pub(crate) async fn send(&mut self, frame: &Value) {
        if let Feed::Socket(socket) = self {
            let _ = timeout(OPEN, socket.send(Message::text(frame.to_string()))).await;
        }
    }

    /// What comes next. Nothing is lost if this is dropped before it has come.
    pub(crate) async fn hear(&mut self) -> Heard {
        let heard = match self {
            Feed::Stream { response, read } => timeout(SILENCE, line(response, read)).await,
            Feed::Socket(socket) => timeout(SILENCE, frame(socket)).await,
        };
        heard.unwrap_or(Heard::Broken)
    }
}

async fn line(response: &mut Response, read: &mut Vec<u8>) -> Heard {
    loop {
        if let Some(end) = read.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = read.drain(..=end).collect();
            match serde_json::from_slice(&line) {
                Ok(object) => return sorted(object),
                Err(_) => continue,
            }
        }
        match response.chunk().await {
            Ok(Some(bytes)) => read.extend_from_slice(&bytes),
            // A gateway that goes away may end it without an error.
            Ok(None) => return Heard::Last,
            Err(_) => return Heard::Broken,
        }
    }
}

async fn frame(socket: &mut WebSocketStream<TcpStream>) -> Heard {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                if let Ok(object) = serde_json::from_str(&text) {
                    return sorted(object);
                }
            }
            Some(Ok(Message::Close(Some(frame)))) if u16::from(frame.code) == LAST_EVENT => return Heard::Last,
            Some(Ok(Message::Close(Some(frame)))) if u16::from(frame.code) == COME_BACK => return Heard::Away,
            Some(Ok(Message::Close(_)) | Err(_)) | None => return Heard::Broken,
            Some(Ok(_)) => {}
        }
    }
}

fn sorted(object: Value) -> Heard {
    if object.get("v").is_some() && object["type"] != "pong" { Heard::Event(object) } else { Heard::Frame(object) }
}
