//! Every error answer is `application/problem+json` (RFC 9457). Handlers return a [`Problem`]; the outermost layer
//! writes its body, since only there the request id is known, and does the same for errors of the framework.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use proto::{Code, Refusal};
use serde::Serialize;
use utoipa::ToSchema;

/// The body of an error answer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem, description = "Why a request was refused (RFC 9457). Clients branch on `code`.")]
pub(crate) struct ProblemBody<'a> {
    /// Names the kind of problem, one URN a code.
    #[schema(example = "urn:four-kingdoms:problem:NOT_FOUND")]
    r#type: String,
    /// The same for every occurrence of the code.
    title: &'static str,
    /// The HTTP status, once more.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What exactly was wrong.
    detail: &'a str,
    /// The stable word to branch on.
    #[schema(example = "NOT_FOUND")]
    code: &'static str,
    /// Names this request in the logs; also in the header `x-request-id`.
    request_id: &'a str,
    /// The game's current ply, in refusals about a game.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    ply: Option<u32>,
    /// The open ticket that is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, value_type = Option<String>)]
    ticket_id: Option<&'a str>,
    /// The game that is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, value_type = Option<String>)]
    game_id: Option<&'a str>,
    /// How long to wait; the header `Retry-After` says the same in seconds, rounded up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    retry_after_ms: Option<u64>,
}

/// A refusal on its way out.
#[derive(Debug, Clone)]
pub(crate) struct Problem(pub(crate) Refusal);

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self(refusal)
    }
}

impl From<tonic::Status> for Problem {
    fn from(status: tonic::Status) -> Self {
        let refusal = Refusal::from(&status);
        match refusal.code {
            Code::Internal => {
                tracing::error!(rpc.code = ?status.code(), rpc.message = status.message(), "a service failed");
            }
            Code::Unavailable => {
                tracing::warn!(rpc.code = ?status.code(), rpc.message = status.message(), "a service is unavailable");
            }
            _ => {}
        }
        Self(refusal)
    }
}

impl From<crate::store::StoreError> for Problem {
    fn from(error: crate::store::StoreError) -> Self {
        tracing::error!(%error, "the account store failed");
        Self(Refusal::unavailable())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = status(self.0.code).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

fn status(code: Code) -> StatusCode {
    StatusCode::from_u16(code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Writes the body of an error answer; others pass.
pub(crate) fn render(response: Response, request_id: &str) -> Response {
    let Some(Problem(refusal)) = response.extensions().get().cloned().or_else(|| of_framework(&response)) else {
        return response;
    };
    let (mut parts, _) = response.into_parts();
    let body = ProblemBody {
        r#type: format!("urn:four-kingdoms:problem:{}", refusal.code),
        title: refusal.code.title(),
        status: refusal.code.http_status(),
        detail: &refusal.detail,
        code: refusal.code.as_str(),
        request_id,
        ply: refusal.ply,
        ticket_id: refusal.ticket_id.as_deref(),
        game_id: refusal.game_id.as_deref(),
        retry_after_ms: refusal.retry_after_ms,
    };
    parts.status = status(refusal.code);
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    if refusal.code != Code::MethodNotAllowed {
        parts.headers.remove(ALLOW);
    }
    if refusal.code == Code::Unauthenticated {
        parts.headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(ms) = refusal.retry_after_ms {
        parts.headers.insert(RETRY_AFTER, HeaderValue::from(ms.div_ceil(1000).max(1)));
    } else if refusal.code == Code::Unavailable {
        parts.headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    let body = serde_json::to_vec(&body).unwrap_or_default();
    Response::from_parts(parts, Body::from(body))
}

/// Errors that no handler of ours made.
fn of_framework(response: &Response) -> Option<Problem> {
    let code = match response.status().as_u16() {
        ..400 => return None,
        401 => Code::Unauthenticated,
        403 => Code::Forbidden,
        404 => Code::NotFound,
        405 => Code::MethodNotAllowed,
        408 => Code::RequestTimeout,
        413 => Code::TooLarge,
        415 => Code::UnsupportedMediaType,
        431 => Code::HeadersTooLarge,
        400..500 => Code::BadRequest,
        503 => Code::Unavailable,
        _ => Code::Internal,
    };
    Some(Problem(Refusal::new(code, code.title().to_lowercase())))
}
