//! What handlers take out of a request; everything malformed is refused here and names its place.

use std::str::FromStr;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use futures::StreamExt as _;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use proto::{Code, Refusal};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::App;
use crate::problem::Problem;

/// The largest body.
const BODY_BYTES: usize = 64 * 1024;
const THROWN_AWAY_BYTES: usize = 4 * 1024 * 1024;

/// A JSON body, and the same as a value for comparing requests.
#[derive(Debug)]
pub(crate) struct Json<T> {
    pub(crate) body: T,
    pub(crate) asked: Value,
}

/// As [`Json`]; no body at all counts as `{}`.
#[derive(Debug)]
pub(crate) struct OptionalJson<T>(pub(crate) Json<T>);

/// The query string.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

/// The one parameter of the path; what cannot be one names nothing that exists.
#[derive(Debug)]
pub(crate) struct Named<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let typed = check_content_type(request.headers());
        let bytes = read(request, app).await?;
        typed?;
        parse(&bytes)
    }
}

impl<T: DeserializeOwned> FromRequest<App> for OptionalJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let typed = check_content_type(request.headers());
        let bytes = read(request, app).await?;
        if bytes.is_empty() {
            return parse(b"{}").map(Self);
        }
        typed?;
        parse(&bytes).map(Self)
    }
}

fn check_content_type(headers: &HeaderMap) -> Result<(), Problem> {
    let declared = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    Err(Refusal::new(Code::UnsupportedMediaType, "send the body as Content-Type: application/json").into())
}

/// Reads the whole body. One that is too large is taken in and thrown away up to a point, since a client that is
/// still sending would not see the answer.
async fn read(request: Request, app: &App) -> Result<Vec<u8>, Problem> {
    let mut body = request.into_body().into_data_stream();
    let mut kept = Vec::new();
    let mut length = 0;
    let mut whole = true;
    let reading = async {
        while let Some(chunk) = body.next().await {
            let Ok(chunk) = chunk else {
                whole = false;
                break;
            };
            length += chunk.len();
            if length <= BODY_BYTES {
                kept.extend_from_slice(&chunk);
            } else if length > THROWN_AWAY_BYTES {
                break;
            }
        }
    };
    let in_time = tokio::time::timeout(app.config.pace.body, reading).await.is_ok();
    if length > BODY_BYTES {
        return Err(Refusal::new(Code::TooLarge, format!("the body may have {BODY_BYTES} bytes at most")).into());
    }
    if !in_time {
        return Err(Refusal::new(Code::RequestTimeout, "the body did not arrive in time").into());
    }
    if !whole {
        return Err(Refusal::bad_request("body", "it broke off or is malformed").into());
    }
    Ok(kept)
}

/// Without the names that our types happen to have.
fn in_terms_of_json(told: &str) -> String {
    let Some((before, named)) = told.split_once("expected struct ") else { return told.to_owned() };
    let after = named.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
    format!("{before}expected an object{}", after.strip_prefix(" with 0 elements").unwrap_or(after))
}

/// Objects only; the derived readers would take lists too.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<Json<T>, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let body = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        // Where it cannot be told, what it is in can.
        let field = match path.trim_end_matches(['?', '.']) {
            "" => "body",
            field => field,
        };
        Refusal::bad_request(field, in_terms_of_json(&error.into_inner().to_string()))
    })?;
    let malformed = |error: serde_json::Error| Refusal::bad_request("body", error);
    reader.end().map_err(malformed)?;
    let asked: Value = serde_json::from_slice(bytes).map_err(malformed)?;
    if !asked.is_object() {
        return Err(Refusal::bad_request("body", "must be an object").into());
    }
    Ok(Json { body, asked })
}

impl<T: DeserializeOwned> FromRequestParts<App> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        axum::extract::Query::try_from_uri(&parts.uri).map(|axum::extract::Query(query)| Self(query)).map_err(|error| {
            let text = error.body_text();
            let told = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text).to_owned();
            Refusal::bad_request("query", told).into()
        })
    }
}

impl<T: FromStr + Send> FromRequestParts<App> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let nothing = || Problem(Refusal::new(Code::NotFound, "nothing has this id"));
        match Path::<String>::from_request_parts(parts, app).await {
            Ok(Path(text)) => text.parse().map(Self).map_err(|_| nothing()),
            Err(error) if error.status() == StatusCode::INTERNAL_SERVER_ERROR => {
                tracing::error!(%error, "a route has not exactly one parameter");
                Err(Refusal::new(Code::Internal, "something went wrong on our side").into())
            }
            Err(_) => Err(nothing()),
        }
    }
}
