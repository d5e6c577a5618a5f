//! What handlers take out of a request; everything malformed is refused here and names its place.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use futures::StreamExt as _;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use proto::{Code, Refusal};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::app::App;
use crate::problem::Problem;

/// The largest body.
const BODY_BYTES: usize = 64 * 1024;

/// A JSON body, and the same as a value for comparing requests.
#[derive(Debug)]
pub(crate) struct Json<T> {
    pub(crate) body: T,
    pub(crate) asked: Value,
}

/// As [`Json`]; no body at all counts as `{}`.
#[derive(Debug)]
pub(crate) struct OptionalJson<T>(pub(crate) Json<T>);

/// No body, or an object of which nothing is used.
#[derive(Debug)]
pub(crate) struct NoBody;

/// A JSON object; a derived reader alone would take a list of the members too.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) T);

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

impl FromRequest<App> for NoBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        #[derive(Deserialize)]
        struct Nothing {}
        OptionalJson::<Nothing>::from_request(request, app).await.map(|_| Self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Object<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(members)).map(Object)
            }
        }

        deserializer.deserialize_map(Members(PhantomData))
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

pub(crate) fn too_large_body() -> Problem {
    Refusal::new(Code::TooLarge, format!("the body may have {BODY_BYTES} bytes at most")).into()
}

/// Reads the whole body.
async fn read(request: Request, app: &App) -> Result<Vec<u8>, Problem> {
    let mut body = request.into_body().into_data_stream();
    let mut kept = Vec::new();
    let mut too_large = false;
    let mut whole = true;
    let reading = async {
        while let Some(chunk) = body.next().await {
            let Ok(chunk) = chunk else {
                whole = false;
                break;
            };
            if kept.len() + chunk.len() > BODY_BYTES {
                too_large = true;
                break;
            }
            kept.extend_from_slice(&chunk);
        }
    };
    let in_time = tokio::time::timeout(app.config.pace.body, reading).await.is_ok();
    if too_large {
        return Err(too_large_body());
    }
    if !in_time {
        return Err(Refusal::new(Code::RequestTimeout, "the body did not arrive in time").into());
    }
    if !whole {
        return Err(Refusal::bad_request("body", "it broke off or is malformed").into());
    }
    Ok(kept)
}

/// How the readers put it, and how we do: without the names that our types happen to have.
const TERMS: [(&str, &str); 11] = [
    ("invalid type: map", "invalid type: object"),
    ("invalid type: sequence", "invalid type: array"),
    ("expected a sequence", "expected an array"),
    ("expected u32", "expected a whole number from 0 to 4294967295"),
    ("expected u64", "expected a whole number from 0 to 18446744073709551615"),
    ("expected variant identifier", "expected a string"),
    ("unknown variant", "unknown value"),
    ("duplicate field", "more than one"),
    ("invalid digit found in string", "expected a whole number, 0 or more"),
    ("cannot parse integer from empty string", "expected a whole number, 0 or more"),
    ("number too large to fit in target type", "the number is too large"),
];

/// What is wrong, told to somebody who knows JSON.
pub(crate) fn in_terms_of_json(error: &impl fmt::Display) -> String {
    TERMS.iter().fold(error.to_string(), |told, (theirs, ours)| told.replace(theirs, ours))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<Json<T>, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let Object(body) = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        // Where it cannot be told, what it is in can.
        let field = match path.trim_end_matches(['?', '.']) {
            "" => "body",
            field => field,
        };
        Refusal::bad_request(field, in_terms_of_json(&error.into_inner()))
    })?;
    let malformed = |error: serde_json::Error| Refusal::bad_request("body", error);
    reader.end().map_err(malformed)?;
    let asked = serde_json::from_slice(bytes).map_err(malformed)?;
    Ok(Json { body, asked })
}

impl<T: DeserializeOwned> FromRequestParts<App> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        axum::extract::Query::try_from_uri(&parts.uri).map(|axum::extract::Query(query)| Self(query)).map_err(|error| {
            let text = error.body_text();
            let told = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
            Refusal::bad_request("query", in_terms_of_json(&told)).into()
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
