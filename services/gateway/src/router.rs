//! From the listener to a handler: what every request passes, outermost first.

use std::any::Any;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{Extensions, HeaderMap, HeaderValue, Method, StatusCode, Version};
use proto::{Code, Refusal};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::address::ClientAddress;
use crate::app::App;
use crate::problem::{self, Problem};
use crate::web::{self, Compressible};
use crate::{docs, metrics, rest};

/// All header names and values of a request.
const HEADER_BYTES: usize = 12 * 1024;
const LONGEST_REQUEST_ID: usize = 128;
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// For answers that are no pages.
const NO_PAGE: &str = "default-src 'none'; frame-ancestors 'none'";
/// The documentation page styles itself inline.
const DOCS_PAGE: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/// The whole door.
pub(crate) fn build(app: App) -> anyhow::Result<Router> {
    let (api, document) = docs::api();
    let cors = cors(&app.config.cors_origins);
    let compressible =
        |_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions| extensions.get::<Compressible>().is_some();
    Ok(api
        .merge(docs::routes(&document)?)
        .fallback(web::file)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(app.clone(), guard))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), rest::throw_away))
        .layer(CompressionLayer::new().compress_when(compressible))
        .layer(cors)
        .layer(from_fn(harden))
        .layer(from_fn(observe))
        .with_state(app))
}

async fn wrong_method(method: Method) -> Problem {
    Refusal::new(Code::MethodNotAllowed, format!("{method} is not for this path")).into()
}

#[expect(clippy::needless_pass_by_value, reason = "what a panic handler is given")]
fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
    tracing::error!(panic.message = text, "a handler panicked");
    Problem(Refusal::new(Code::Internal, "something went wrong on our side")).into_response()
}

/// Names the request, writes it down and counts it, and gives every error its body.
async fn observe(request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = request_id(request.headers());
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!(
        "http", otel.name = format!("{method} {route}"), otel.kind = "server", http.method = %method, http.route = route,
        request.id = id, http.status = tracing::field::Empty
    );
    let answered = async {
        let response = problem::render(next.run(request).await, &id);
        let (status, took) = (response.status(), began.elapsed());
        tracing::Span::current().record("http.status", status.as_u16());
        let elapsed_ms = took.as_millis() as u64;
        if status.is_server_error() {
            tracing::warn!(http.status = status.as_u16(), elapsed_ms, "a request failed");
        } else {
            tracing::debug!(http.status = status.as_u16(), elapsed_ms, "answered");
        }
        metrics::answered(&route, &method, status.as_u16(), took);
        response
    };
    let mut response = answered.instrument(span).await;
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// The caller's own name for the request, if it is a sane one.
fn request_id(headers: &HeaderMap) -> String {
    let sane = |id: &&str| {
        (1..=LONGEST_REQUEST_ID).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    let sent = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(sane);
    sent.map_or_else(|| Uuid::now_v7().to_string(), str::to_owned)
}

/// Tells browsers to trust answers with as little as possible.
async fn harden(request: Request, next: Next) -> Response {
    let docs = request.uri().path().starts_with("/docs");
    let api = request.uri().path().starts_with("/v1/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    let policy = HeaderValue::from_static(if docs { DOCS_PAGE } else { NO_PAGE });
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(policy);
    if api {
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    response
}

fn cors(origins: &[HeaderValue]) -> CorsLayer {
    if origins.is_empty() {
        return CorsLayer::new();
    }
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins.iter().cloned()))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers([AUTHORIZATION, CONTENT_TYPE, REQUEST_ID, HeaderName::from_static("idempotency-key")])
        .expose_headers([REQUEST_ID, RETRY_AFTER])
        .max_age(Duration::from_secs(3600))
}

/// Stops what is too large, too often, or too slow.
async fn guard(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    request: Request,
    next: Next,
) -> Response {
    let bytes: usize = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if bytes > HEADER_BYTES {
        return Problem(Refusal::new(Code::HeadersTooLarge, format!("more than {HEADER_BYTES} bytes"))).into_response();
    }
    let counted = if web::is_asset(request.uri().path()) {
        app.limits.file_to(address)
    } else {
        app.limits.request_from(address).await
    };
    if let Err(refusal) = counted {
        return Problem(refusal).into_response();
    }
    match tokio::time::timeout(app.config.pace.answer, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem(Refusal::unavailable()).into_response(),
    }
}
