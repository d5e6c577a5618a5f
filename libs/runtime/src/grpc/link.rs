use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full};
use opentelemetry::propagation::Injector;
use tonic::Status;
use tonic::body::Body;
use tonic::transport::Channel;
use tonic::transport::Error;
use tower::{BoxError, Service, ServiceExt as _};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use super::Pace;

const TIMEOUT: &str = "grpc-timeout";
/// Pauses between tries; together they outlast the time in which a dead replica is noticed.
const PAUSES_MS: [u64; 6] = [25, 50, 100, 250, 500, 1000];

/// The channel to another service: gives every call a deadline, carries the trace along, makes a call again
/// that the service could not take, and asks another replica when the first one stands still.
#[derive(Debug, Clone)]
pub struct Link {
    channel: Channel,
    pace: Pace,
}

impl Link {
    pub(crate) fn new(channel: Channel, pace: Pace) -> Self {
        Self { channel, pace }
    }
}

impl Service<Request<Body>> for Link {
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, BoxError>> + Send>>;

    /// Readiness of a replica is waited for in the call, where it has a deadline.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let Self { channel, pace } = self.clone();
        let (mut head, body) = request.into_parts();
        let own = head.headers.get(TIMEOUT).and_then(time_limit);
        // Whoever sets a deadline knows how long the answer takes, as of a long poll.
        let (limit, patience) = own.map_or((pace.call, Some(pace.patience)), |own| (own, None));
        let context = Span::current().context();
        opentelemetry::global::get_text_map_propagator(|propagator| {
            propagator.inject_context(&context, &mut Headers(&mut head.headers));
        });
        Box::pin(async move {
            if own.is_none() {
                head.headers.insert(TIMEOUT, HeaderValue::try_from(format!("{}m", limit.as_millis()))?);
            }
            // All our requests are one message; a body that cannot be read is sent as far as it goes and refused there.
            let message = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
            match tokio::time::timeout(limit, call(channel, head, message, patience)).await {
                Ok(answer) => Ok(answer?),
                // Also when no replica was healthy in all that time.
                Err(_) => Err(Status::deadline_exceeded("no answer in time").into()),
            }
        })
    }
}

/// One attempt after the other, and another one whenever for so long none was answered; the first answer counts.
async fn call(
    channel: Channel,
    head: Parts,
    message: Bytes,
    patience: Option<Duration>,
) -> Result<Response<Body>, Error> {
    let attempt_after = |pause| {
        let request = Request::from_parts(head.clone(), Body::new(Full::new(message.clone())));
        let channel = channel.clone();
        async move {
            tokio::time::sleep(pause).await;
            attempt(channel, request).await
        }
    };
    let mut pauses = PAUSES_MS.into_iter();
    let mut under_way = FuturesUnordered::from_iter([attempt_after(Duration::ZERO)]);
    loop {
        tokio::select! {
            Some(answer) = under_way.next() => match pauses.next() {
                Some(pause) if is_worth_repeating(&answer) => under_way.push(attempt_after(jittered(pause))),
                _ => return answer,
            },
            () = tokio::time::sleep(patience.unwrap_or_default()), if patience.is_some() => {
                under_way.push(attempt_after(Duration::ZERO));
            }
        }
    }
}

/// A `grpc-timeout` header: up to eight digits and a unit.
fn time_limit(header: &HeaderValue) -> Option<Duration> {
    let text = header.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let amount: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(amount.checked_mul(3600)?),
        "M" => Duration::from_secs(amount.checked_mul(60)?),
        "S" => Duration::from_secs(amount),
        "m" => Duration::from_millis(amount),
        "u" => Duration::from_micros(amount),
        "n" => Duration::from_nanos(amount),
        _ => return None,
    })
}

async fn attempt(mut channel: Channel, request: Request<Body>) -> Result<Response<Body>, Error> {
    channel.ready().await?.call(request).await
}

/// Whether no replica took the call: the connection failed, or the status is UNAVAILABLE at once.
fn is_worth_repeating(answer: &Result<Response<Body>, Error>) -> bool {
    let unavailable = HeaderValue::from(tonic::Code::Unavailable as i32);
    match answer {
        Ok(answer) => answer.headers().get("grpc-status") == Some(&unavailable),
        Err(error) => !is_timeout(error),
    }
}

fn is_timeout(error: &Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.is::<tonic::TimeoutExpired>() {
            return true;
        }
        cause = error.source();
    }
    false
}

fn jittered(ms: u64) -> Duration {
    Duration::from_millis(ms).mul_f64(0.5 + rand::random::<f64>() / 2.0)
}

struct Headers<'a>(&'a mut HeaderMap);

impl Injector for Headers<'_> {
    fn set(&mut self, key: &str, value: String) {
        if let (Ok(key), Ok(value)) = (HeaderName::from_bytes(key.as_bytes()), HeaderValue::from_str(&value)) {
            self.0.insert(key, value);
        }
    }
}
