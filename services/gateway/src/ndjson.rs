//! Long answers of one JSON object a line, with an empty line now and then to show that they live.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use futures::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use runtime::Drain;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::app::App;
use crate::feed::Line;
use crate::limits::Place;
use crate::metrics;
use crate::token::TokenHash;

/// Lines on their way to one reader.
const QUEUE: usize = 32;

const LAST_WRITE: Duration = Duration::from_millis(20);

type Death = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where the lines of a stream go in.
pub(crate) struct Lines {
    to: mpsc::Sender<Bytes>,
    /// The answer is cut off instead of ended, so that the reader knows that it lacks something.
    cut: Arc<AtomicBool>,
    blank: Interval,
    death: Death,
    drain: Drain,
    stalled: Duration,
    kind: &'static str,
    _place: Place,
    _open: metrics::Open,
}

/// Opens a stream; it ends when the token dies.
pub(crate) fn open(app: &App, kind: &'static str, token: Option<TokenHash>, place: Place) -> (Lines, Response) {
    let (to, from) = mpsc::channel(QUEUE);
    let cut = Arc::new(AtomicBool::new(false));
    let pace = app.config.pace;
    let mut blank = interval_at(Instant::now() + pace.blank_line, pace.blank_line);
    blank.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let lines = Lines {
        to,
        cut: Arc::clone(&cut),
        blank,
        death: death(app, token),
        drain: app.drain.clone(),
        stalled: pace.stalled,
        kind,
        _place: place,
        _open: metrics::Open::stream(kind),
    };
    let body = stream::unfold((from, cut), |(mut from, cut)| async move {
        let item = match from.recv().await {
            Some(bytes) => Ok(bytes),
            None if cut.swap(false, Ordering::SeqCst) => {
                // What is in the buffers goes out before the connection breaks.
                tokio::time::sleep(LAST_WRITE).await;
                Err(io::Error::other("the stream is cut off"))
            }
            None => return None,
        };
        Some((item, (from, cut)))
    });
    let headers = [(CONTENT_TYPE, "application/x-ndjson"), (CACHE_CONTROL, "no-store")];
    (lines, (headers, Body::from_stream(body)).into_response())
}

/// Resolves when the token is dead; never for a visitor.
pub(crate) fn death(app: &App, token: Option<TokenHash>) -> Death {
    let identities = app.identities.clone();
    Box::pin(async move {
        match token {
            Some(token) => identities.death(token).await,
            None => std::future::pending().await,
        }
    })
}

impl Lines {
    /// Writes empty lines; resolves when the stream must end: reader gone, token dead, or, cut off, shutting down.
    pub(crate) async fn keep(&mut self) {
        loop {
            tokio::select! {
                // If the queue is full there is news enough.
                _ = self.blank.tick() => drop(self.to.try_send(Bytes::from_static(b"\n"))),
                () = &mut self.death => return,
                // Who watches must not take this for the end of what is watched.
                () = self.drain.draining() => return self.cut.store(true, Ordering::SeqCst),
                () = self.to.closed() => return,
            }
        }
    }

    /// False if the stream must end.
    pub(crate) async fn send(&mut self, line: &Line) -> bool {
        tokio::select! {
            sent = self.to.send_timeout(line.bytes(), self.stalled) => match sent {
                Ok(()) => true,
                Err(mpsc::error::SendTimeoutError::Closed(_)) => false,
                Err(mpsc::error::SendTimeoutError::Timeout(_)) => {
                    metrics::dropped(self.kind);
                    self.cut.store(true, Ordering::SeqCst);
                    false
                }
            },
            () = &mut self.death => false,
        }
    }

    /// False if the stream must end.
    pub(crate) async fn send_json(&mut self, told: &impl Serialize) -> bool {
        match Line::of(told) {
            Some(line) => self.send(&line).await,
            None => true,
        }
    }

    /// Ends the stream as broken off.
    pub(crate) fn cut(self) {
        self.cut.store(true, Ordering::SeqCst);
    }
}
