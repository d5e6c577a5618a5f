//! One open WebSocket: events out, commands in.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use proto::GameId;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout};

use crate::app::App;
use crate::command::{self, Asked, Reply};
use crate::contain::contain;
use crate::feed::{End, Line, Next, Reader};
use crate::identity::Identity;
use crate::limits::Place;
use crate::metrics;
use crate::ndjson::death;

/// The largest frame a client may send.
pub(crate) const FRAME_BYTES: usize = 4 * 1024;
/// Frames of one client: 20 a second, 60 at once.
const FRAMES_PER_SECOND: u32 = 20;
const FRAMES_AT_ONCE: u32 = 60;
/// Commands that wait for the one under way.
const COMMANDS: usize = 32;
/// What a command under way gets to be answered when the socket is to close.
const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// What the client gets to answer the closing.
const GOODBYE: Duration = Duration::from_secs(2);

/// How a socket ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Close(u16, String);

impl Close {
    pub(crate) const TOKEN_DEAD: Self = Self(4401, String::new());
    pub(crate) const NOT_FOUND: Self = Self(4404, String::new());
    const FINISHED: Self = Self(1000, String::new());
    const FAULT: Self = Self(1011, String::new());
    const MALFORMED: Self = Self(1002, String::new());
    const NO_TEXT: Self = Self(1007, String::new());
    const FRAME_TOO_LARGE: Self = Self(1009, String::new());
    const TOO_SLOW: Self = Self(4408, String::new());
    const TOO_MANY_FRAMES: Self = Self(4429, String::new());

    /// With a hint when to come back, spread so that not all come at once.
    fn restarting() -> Self {
        Self(1012, format!("retry_ms={}", 200 + rand::random::<u16>() % 1801))
    }
}

/// Whose socket it is and of which game.
pub(crate) struct Seat {
    pub(crate) game: GameId,
    pub(crate) identity: Option<Arc<Identity>>,
    /// Plays in the game.
    pub(crate) sits: bool,
}

/// Closes a socket that was opened only to say why it must not be.
pub(crate) async fn turn_away(socket: WebSocket, close: Close) {
    say_goodbye(socket, close).await;
}

/// Serves a socket to its end.
pub(crate) async fn run(app: App, socket: WebSocket, seat: Seat, reader: Reader, place: Place) {
    let _open = metrics::Open::socket();
    let _place = place;
    let _present = match &seat.identity {
        Some(identity) if seat.sits => Some(app.presences.enter(seat.game, identity.id())),
        _ => None,
    };
    let mut connection = Connection {
        frames: app.config.limits.then(frame_limit),
        app,
        socket,
        seat,
        reader,
        heard: Instant::now(),
        waiting: VecDeque::new(),
        running: None,
        replies: VecDeque::new(),
    };
    if let Some(close) = served(connection.serve()).await {
        if close == Close::TOO_SLOW {
            metrics::dropped("socket");
        }
        say_goodbye(connection.socket, close).await;
    }
}

/// How serving ended; a fault of ours is told to this client and harms no other.
async fn served(serving: impl Future<Output = Option<Close>>) -> Option<Close> {
    contain("socket", serving).await.unwrap_or(Some(Close::FAULT))
}

fn frame_limit() -> DefaultDirectRateLimiter {
    let quota = Quota::per_second(std::num::NonZeroU32::new(FRAMES_PER_SECOND).unwrap_or(std::num::NonZeroU32::MIN));
    RateLimiter::direct(
        quota.allow_burst(std::num::NonZeroU32::new(FRAMES_AT_ONCE).unwrap_or(std::num::NonZeroU32::MIN)),
    )
}

async fn say_goodbye(mut socket: WebSocket, Close(code, reason): Close) {
    let close = Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from(reason) }));
    let farewell = async {
        if socket.send(close).await.is_ok() {
            // Until the client has closed too; what it still sends is too late.
            while let Some(Ok(_)) = socket.recv().await {}
        }
    };
    let _ = timeout(GOODBYE, farewell).await;
}

struct Connection {
    app: App,
    socket: WebSocket,
    seat: Seat,
    reader: Reader,
    frames: Option<DefaultDirectRateLimiter>,
    heard: Instant,
    /// Commands that have not begun.
    waiting: VecDeque<Asked>,
    running: Option<BoxFuture<'static, Reply>>,
    /// Replies that wait for the events before them.
    replies: VecDeque<Reply>,
}

impl Connection {
    /// How to close; `None` if the client is not there any more.
    async fn serve(&mut self) -> Option<Close> {
        let pace = self.app.config.pace;
        let mut ping = interval_at(Instant::now() + pace.ping, pace.ping);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut death = death(&self.app, self.seat.identity.as_ref().map(|identity| identity.token.hash));
        let drain = self.app.drain.clone();
        let mut drained = std::pin::pin!(drain.draining().fuse());
        // Set once the socket is to close; commands under way are still answered.
        let mut closing: Option<(Close, Instant)> = None;
        let mut ended = false;
        loop {
            if let Err(close) = self.reply(ended).await {
                return close;
            }
            if let Some((close, by)) = &closing {
                let idle = self.running.is_none() && self.waiting.is_empty() && self.replies.is_empty();
                if idle || Instant::now() >= *by {
                    let close = close.clone();
                    return self.reply(true).await.err().unwrap_or(Some(close));
                }
            }
            self.start_next();
            let limit = closing.as_ref().map_or_else(|| self.heard + pace.silence, |(_, by)| *by);
            let outcome = tokio::select! {
                next = self.reader.next(), if !ended => match next {
                    Next::Events(lines) => self.send_all(&lines).await,
                    Next::Passing(line) => self.send_all(&[line]).await,
                    Next::End(end) => {
                        let close = match end {
                            End::Finished => Close::FINISHED,
                            End::Gone => Close::NOT_FOUND,
                            End::Lost => Close::restarting(),
                            End::Resync => {
                                self.replies.push_back(Reply::resync());
                                Close::restarting()
                            }
                        };
                        ended = true;
                        closing = Some((close, Instant::now() + LAST_ANSWERS));
                        Ok(())
                    }
                },
                reply = running(&mut self.running) => {
                    self.running = None;
                    self.replies.push_back(reply);
                    Ok(())
                }
                frame = self.socket.recv() => self.heard(frame, closing.is_some()),
                _ = ping.tick() => self.send(Message::Ping(axum::body::Bytes::new())).await,
                () = &mut drained, if closing.is_none() => {
                    closing = Some((Close::restarting(), Instant::now() + LAST_ANSWERS));
                    self.waiting.clear();
                    Ok(())
                }
                () = &mut death => Err(Some(Close::TOKEN_DEAD)),
                () = sleep_until(limit) => if closing.is_some() { Ok(()) } else { Err(None) },
            };
            if let Err(close) = outcome {
                return close;
            }
        }
    }

    /// Sends the replies whose events have gone out; all of them, if no more events come.
    async fn reply(&mut self, ended: bool) -> Result<(), Option<Close>> {
        while let Some(reply) = self.replies.pop_front() {
            if reply.after > self.reader.at() && !ended {
                self.replies.push_front(reply);
                return Ok(());
            }
            if let Some(line) = Line::of(&reply.told_at(self.reader.head().ply)) {
                self.send_all(&[line]).await?;
            }
        }
        Ok(())
    }

    fn start_next(&mut self) {
        if self.running.is_none()
            && let Some(asked) = self.waiting.pop_front()
        {
            let (links, identity) = (self.app.links.clone(), self.seat.identity.clone());
            self.running = Some(command::carry_out(links, self.seat.game, identity, asked).boxed());
        }
    }

    async fn send_all(&mut self, lines: &[Line]) -> Result<(), Option<Close>> {
        for line in lines {
            let text = Utf8Bytes::try_from(line.text()).map_err(|_| None)?;
            self.send(Message::Text(text)).await?;
        }
        Ok(())
    }

    async fn send(&mut self, message: Message) -> Result<(), Option<Close>> {
        match timeout(self.app.config.pace.stalled, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(None),
            Err(_) => Err(Some(Close::TOO_SLOW)),
        }
    }

    fn heard(&mut self, frame: Option<Result<Message, axum::Error>>, closing: bool) -> Result<(), Option<Close>> {
        let message = match frame {
            None => return Err(None),
            Some(Err(error)) => return Err(unreadable(&error)),
            Some(Ok(message)) => message,
        };
        self.heard = Instant::now();
        let asked = match message {
            Message::Close(_) => return Err(None),
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Text(text) => command::read(&text),
            Message::Binary(_) => command::read(""),
        };
        if self.frames.as_ref().is_some_and(|frames| frames.check().is_err()) {
            metrics::limited("frames");
            return Err(Some(Close::TOO_MANY_FRAMES));
        }
        if closing {
            return Ok(());
        }
        let head = self.reader.head();
        match asked {
            Ok(Asked::Ping { id }) => self.replies.push_back(Reply::pong(id, head)),
            Ok(asked) if self.waiting.len() < COMMANDS => self.waiting.push_back(asked),
            Ok(_) => return Err(Some(Close::TOO_MANY_FRAMES)),
            Err(refused) => self.replies.push_back(Reply::malformed(refused)),
        }
        Ok(())
    }
}

async fn running(command: &mut Option<BoxFuture<'static, Reply>>) -> Reply {
    match command {
        Some(command) => command.await,
        None => std::future::pending().await,
    }
}

/// How to close over a frame that cannot be read; `None` if the connection is lost.
fn unreadable(error: &axum::Error) -> Option<Close> {
    // The kind of error is not public in axum; its text begins so in every release of the protocol's crate.
    let closes = [
        ("Space limit exceeded", Close::FRAME_TOO_LARGE),
        ("WebSocket protocol error", Close::MALFORMED),
        ("UTF-8 encoding error", Close::NO_TEXT),
    ];
    let told = error.to_string();
    closes.into_iter().find_map(|(begins, close)| told.starts_with(begins).then_some(close))
}

#[cfg(test)]
mod tests {
    use axum::extract::ws::WebSocketUpgrade;
    use futures::{SinkExt as _, StreamExt as _};
    use tokio_tungstenite::tungstenite;

    use super::*;

    #[tokio::test]
    async fn a_socket_that_panics_is_closed_with_1011() {
        let open = async |upgrade: WebSocketUpgrade| {
            upgrade.on_upgrade(async |mut socket| {
                let close = served(async {
                    socket.recv().await;
                    panic!("a fault of ours")
                });
                let close = close.await.unwrap();
                say_goodbye(socket, close).await;
            })
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(
            async move { axum::serve(listener, axum::Router::new().route("/", axum::routing::get(open))).await },
        );
        let (mut socket, _) = tokio_tungstenite::connect_async(format!("ws://{address}/")).await.unwrap();
        socket.send(tungstenite::Message::text("{}")).await.unwrap();
        let Some(Ok(tungstenite::Message::Close(Some(close)))) = socket.next().await else { panic!("no close") };
        assert_eq!(u16::from(close.code), 1011);
    }
}
