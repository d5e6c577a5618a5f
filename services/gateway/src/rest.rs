//! What a handler has left of a body. A client that is still sending may not see an answer, and its connection takes
//! no further request; so the rest is thrown away first, within bounds.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, BodyDataStream, Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures::{Stream, StreamExt as _};
use http::header::CONNECTION;
use http::{HeaderValue, StatusCode};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::app::App;
use crate::extract::too_large_body;

/// How much is thrown away at most.
const THROWN_AWAY_BYTES: u64 = 4 * 1024 * 1024;

/// A body that comes back when it is dropped before its end.
struct Lent {
    body: Option<BodyDataStream>,
    back: Option<oneshot::Sender<BodyDataStream>>,
}

impl Stream for Lent {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let polled = body.poll_next_unpin(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.body = None;
        }
        polled
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (Some(body), Some(back)) = (self.body.take(), self.back.take()) {
            let _ = back.send(body);
        }
    }
}

/// Answers once the body is out of the way, or closes the connection behind the answer.
pub(crate) async fn throw_away(State(app): State<App>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    if request.body().size_hint().lower() > THROWN_AWAY_BYTES {
        // Nobody takes that much, and it is not waited for.
        return ([(CONNECTION, "close")], too_large_body()).into_response();
    }
    let (back, mut returned) = oneshot::channel();
    let lend = |body: Body| Body::from_stream(Lent { body: Some(body.into_data_stream()), back: Some(back) });
    let mut response = next.run(request.map(lend)).await;
    if let Ok(rest) = returned.try_recv() {
        // Who was too slow once does not get more time.
        let gone = response.status() != StatusCode::REQUEST_TIMEOUT
            && timeout(app.config.pace.body, ends(rest)).await.unwrap_or(false);
        if !gone {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
    }
    response
}

/// Whether a body ends within bounds.
async fn ends(mut body: BodyDataStream) -> bool {
    let mut left = THROWN_AWAY_BYTES;
    while let Some(chunk) = body.next().await {
        match chunk.ok().and_then(|chunk| left.checked_sub(chunk.len() as u64)) {
            Some(less) => left = less,
            None => return false,
        }
    }
    true
}
