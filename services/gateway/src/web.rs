//! The web client, embedded in the binary.

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use proto::Refusal;
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::problem::Problem;

/// Nothing from anywhere else, nothing inline.
const POLICY: &str = "default-src 'self'; connect-src 'self'; img-src 'self' data:; object-src 'none'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

#[derive(RustEmbed)]
#[folder = "../../clients/web/app"]
#[allow_missing = true]
struct Files;

/// Marks answers that may be compressed: none with a secret in it, none that is a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compressible;

impl Compressible {
    pub(crate) fn mark(mut response: Response) -> Response {
        response.extensions_mut().insert(Self);
        response
    }
}

/// A file of the web client, or 404: what no route takes ends here.
pub(crate) async fn file(method: Method, uri: Uri, headers: HeaderMap) -> Result<Response, Problem> {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    let readable = matches!(method, Method::GET | Method::HEAD);
    match Files::get(path).filter(|_| readable) {
        Some(file) => Ok(serve(&file, &headers)),
        None => Err(Refusal::not_found("page").into()),
    }
}

fn serve(file: &EmbeddedFile, headers: &HeaderMap) -> Response {
    let tag = tag(file);
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut response = if known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut response = axum::body::Bytes::from(file.data.to_vec()).into_response();
        let kind = file.metadata.mimetype();
        let kind = if kind.starts_with("text/") { format!("{kind}; charset=utf-8") } else { kind.to_owned() };
        if let Ok(kind) = HeaderValue::from_str(&kind) {
            response.headers_mut().insert(CONTENT_TYPE, kind);
        }
        response
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    Compressible::mark(response)
}

/// The hash of what is in the file.
fn tag(file: &EmbeddedFile) -> String {
    let hex: String = file.metadata.sha256_hash().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{hex}\"")
}
