//! The web client, embedded in the binary.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use proto::Refusal;
use rust_embed::RustEmbed;
use sha2::{Digest as _, Sha256};

use crate::problem::Problem;

/// Nothing from anywhere else, nothing inline.
const POLICY: &str = "default-src 'self'; connect-src 'self'; img-src 'self'; object-src 'none'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const PAGE: &str = "index.html";
/// Before the hash of all files, which is before the name of one: `/assets/<hash>/main.js`.
const ASSETS: &str = "/assets/";
/// What such an address answers never changes.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_FIRST: HeaderValue = HeaderValue::from_static("no-cache");

#[derive(RustEmbed)]
#[folder = "../../clients/web/app"]
#[allow_missing = true]
struct Files;

/// What every address of a file begins with; another file or another letter in one makes it another.
static CURRENT: LazyLock<String> = LazyLock::new(|| {
    let mut names: Vec<_> = Files::iter().collect();
    names.sort_unstable();
    let mut hash = Sha256::new();
    for (name, file) in names.iter().filter_map(|name| Some((name, Files::get(name)?))) {
        hash.update(name.as_bytes());
        hash.update(file.metadata.sha256_hash());
    }
    hex(&hash.finalize()[..8])
});

/// Marks answers that may be compressed: none with a secret in it, none that is a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compressible;

impl Compressible {
    pub(crate) fn mark(mut response: Response) -> Response {
        response.extensions_mut().insert(Self);
        response
    }
}

/// Whether a path leads to one of the page's many files.
pub(crate) fn is_asset(path: &str) -> bool {
    path.starts_with(ASSETS)
}

/// The page, a file of it, or 404: what no route takes ends here.
pub(crate) async fn file(method: Method, uri: Uri, headers: HeaderMap) -> Result<Response, Problem> {
    let found = match uri.path() {
        _ if !matches!(method, Method::GET | Method::HEAD) => None,
        "/" => page(),
        path => path
            .strip_prefix(ASSETS)
            .and_then(|rest| rest.split_once('/'))
            .and_then(|(version, name)| asset(version, name)),
    };
    found.map(|found| found.answer(&headers)).ok_or_else(|| Refusal::not_found("page").into())
}

struct Found {
    bytes: Cow<'static, [u8]>,
    kind: String,
    keep: HeaderValue,
}

/// The page refers to its files where they may be kept for good, and is asked for each time itself.
fn page() -> Option<Found> {
    static REFERRING: LazyLock<Option<String>> = LazyLock::new(|| {
        let file = Files::get(PAGE)?;
        Some(String::from_utf8_lossy(&file.data).replace("=\"./", &format!("=\"{ASSETS}{}/", *CURRENT)))
    });
    let text = REFERRING.as_ref()?;
    Some(Found { bytes: Cow::Borrowed(text.as_bytes()), kind: "text/html; charset=utf-8".to_owned(), keep: ASK_FIRST })
}

/// Under the hash of another version the files of this one, not to be kept: a page from before an update, or from a
/// replica on the other side of it, still gets what it asks for.
fn asset(version: &str, name: &str) -> Option<Found> {
    let file = Files::get(name).filter(|_| name != PAGE)?;
    let kind = file.metadata.mimetype();
    let kind = if kind.starts_with("text/") { format!("{kind}; charset=utf-8") } else { kind.to_owned() };
    let keep = if version == *CURRENT { FOREVER } else { ASK_FIRST };
    Some(Found { bytes: file.data, kind, keep })
}

impl Found {
    fn answer(self, headers: &HeaderMap) -> Response {
        let tag = format!("\"{}\"", hex(&Sha256::digest(&self.bytes)[..16]));
        let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut response = if known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let mut response = self.bytes.into_response();
            if let Ok(kind) = HeaderValue::from_str(&self.kind) {
                response.headers_mut().insert(CONTENT_TYPE, kind);
            }
            response
        };
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, self.keep);
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        // Weak, since the same file may come compressed.
        if let Ok(tag) = HeaderValue::from_str(&format!("W/{tag}")) {
            headers.insert(ETAG, tag);
        }
        Compressible::mark(response)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
