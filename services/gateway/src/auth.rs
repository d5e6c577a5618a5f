//! Who is calling. Each extractor is one promise about the caller; handlers take the one they need.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::HeaderMap;
use http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL};
use http::request::Parts;
use proto::{Code, PlayerId, Refusal};

use crate::app::App;
use crate::identity::Identity;
use crate::metrics;
use crate::problem::Problem;
use crate::token::Token;

/// Anybody; a token that is sent must be good.
#[derive(Debug, Clone)]
pub(crate) struct Visitor(pub(crate) Option<Arc<Identity>>);

/// A caller with the scope `read`.
#[derive(Debug, Clone)]
pub(crate) struct Reader(pub(crate) Arc<Identity>);

/// A caller with the scope `play`.
#[derive(Debug, Clone)]
pub(crate) struct Playing(pub(crate) Arc<Identity>);

/// A caller with a token from signing up or in, who may manage the account.
#[derive(Debug, Clone)]
pub(crate) struct Owner(pub(crate) Arc<Identity>);

impl Visitor {
    /// As the services want it: empty for a visitor.
    pub(crate) fn viewer(&self) -> String {
        self.id().map(|id| id.to_string()).unwrap_or_default()
    }

    pub(crate) fn id(&self) -> Option<PlayerId> {
        self.0.as_ref().map(|identity| identity.id())
    }
}

impl FromRequestParts<App> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Some(token) = bearer(&parts.headers)? else { return Ok(Self(None)) };
        let identity = identify(app, &token).await?;
        if !identity.scopes().read {
            return Err(missing_scope("read"));
        }
        Ok(Self(Some(identity)))
    }
}

impl FromRequestParts<App> for Reader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let identity = caller(parts, app).await?;
        if identity.scopes().read { Ok(Self(identity)) } else { Err(missing_scope("read")) }
    }
}

impl FromRequestParts<App> for Playing {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let identity = caller(parts, app).await?;
        if identity.scopes().play { Ok(Self(identity)) } else { Err(missing_scope("play")) }
    }
}

impl FromRequestParts<App> for Owner {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let identity = caller(parts, app).await?;
        if identity.is_session() {
            Ok(Self(identity))
        } else {
            Err(Refusal::new(Code::Forbidden, "a bot's token cannot manage the account").into())
        }
    }
}

async fn caller(parts: &Parts, app: &App) -> Result<Arc<Identity>, Problem> {
    let token = bearer(&parts.headers)?.ok_or_else(|| unauthenticated("send Authorization: Bearer <token>"))?;
    identify(app, &token).await
}

/// Looks a token up and counts the request against it.
pub(crate) async fn identify(app: &App, token: &Token) -> Result<Arc<Identity>, Problem> {
    let identity = app.identities.of(token.hash()).await?;
    app.limits.request_with(token.hash()).await?;
    Ok(identity)
}

/// The token of the `Authorization` header, if there is one.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<Option<Token>, Problem> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let token = value.to_str().ok().and_then(|text| text.split_once(' ')).and_then(|(scheme, token)| {
        if scheme.eq_ignore_ascii_case("bearer") { Token::parse(token.trim()) } else { None }
    });
    match (token, values.next()) {
        (Some(token), None) => Ok(Some(token)),
        _ => Err(unauthenticated("the Authorization header holds no token of ours")),
    }
}

/// The token that a browser offers as a WebSocket subprotocol, else that of the `Authorization` header.
pub(crate) fn socket_bearer(headers: &HeaderMap) -> Result<Option<Token>, Problem> {
    let offered = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|line| line.to_str().ok());
    let mut tokens = offered.flat_map(|line| line.split(',')).filter_map(|word| word.trim().strip_prefix("bearer."));
    match tokens.next() {
        Some(text) => Token::parse(text).map(Some).ok_or_else(|| unauthenticated("the subprotocol holds no token")),
        None => bearer(headers),
    }
}

fn unauthenticated(why: &str) -> Problem {
    metrics::auth_failed();
    Refusal::new(Code::Unauthenticated, why).into()
}

fn missing_scope(scope: &str) -> Problem {
    Refusal::new(Code::Forbidden, format!("the token lacks the scope {scope}")).into()
}
