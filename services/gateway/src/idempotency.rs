//! A creating request that is repeated with its `Idempotency-Key` gets the first answer again.
//!
//! The first request leaves a row with a random seed before it does anything. Ids and tokens it makes are derived
//! from that seed, so a repeat after a crash in the middle makes the same things once more, which changes nothing.
//! Tokens also need the key itself, which is stored only as a hash: nobody can read a token out of the table.
//!
//! Of two requests with one key the second waits for the first, at any gateway: whoever works holds a claim for a moment
//! at a time and renews it, so a repeat after a crash waits no longer than that moment.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use dashmap::DashMap;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::StatusCode;
use http::request::Parts;
use proto::{Code, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tokio::sync::Mutex;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::App;
use crate::problem::Problem;
use crate::store::{Claim, Known, StoreError};
use crate::token::Token;

/// How long answers are remembered.
pub(crate) const REMEMBERED: Duration = Duration::from_secs(24 * 3600);
const LONGEST_KEY: usize = 255;
/// How long a claim outlives who made it, and how often it is renewed.
const CLAIMED: Duration = Duration::from_secs(3);
const RENEWED: Duration = Duration::from_secs(1);
/// Between two looks whether another gateway has answered.
const LOOK: Duration = Duration::from_millis(50);

/// The header `Idempotency-Key`, if the request has it.
#[derive(Debug, Clone)]
pub(crate) struct IdempotencyKey(Option<String>);

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let mut values = parts.headers.get_all("idempotency-key").iter();
        let Some(value) = values.next() else { return Ok(Self(None)) };
        let key = value.to_str().ok().filter(|key| (1..=LONGEST_KEY).contains(&key.len()) && !key.contains(' '));
        match (key, values.next()) {
            (Some(key), None) => Ok(Self(Some(key.to_owned()))),
            _ => Err(Refusal::bad_request("Idempotency-Key", "must be one value of 1 to 255 visible ASCII characters")
                .into()),
        }
    }
}

/// The header as it is described.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "described only")]
pub(crate) struct IdempotencyHeader {
    /// Repeats with the same key, caller and body get the first answer for 24 h.
    #[param(rename = "Idempotency-Key", nullable = false, min_length = 1, max_length = 255, pattern = "^[!-~]+$")]
    key: Option<String>,
}

/// Keys whose first request is under way in this process.
#[derive(Debug, Clone)]
pub(crate) struct Answers {
    turns: Arc<DashMap<[u8; 32], Arc<Mutex<()>>>>,
    me: Uuid,
}

/// What a request makes its ids and tokens from.
#[derive(Debug, Clone)]
pub(crate) struct Seed {
    bytes: [u8; 32],
    key: String,
}

/// A request that creates something.
pub(crate) struct Creation<'a> {
    pub(crate) key: IdempotencyKey,
    /// Player or address.
    pub(crate) caller: String,
    pub(crate) route: &'static str,
    /// The body, in any spelling.
    pub(crate) asked: &'a Value,
    /// The body holds a password, which must not be recognisable in what is stored.
    pub(crate) secret: bool,
    /// The token to show, if it is not one that the request makes.
    pub(crate) token: Option<Token>,
}

/// What was created.
pub(crate) struct Created {
    body: Value,
    token: bool,
}

impl Created {
    pub(crate) fn new(body: impl Serialize) -> Result<Self, Problem> {
        Ok(Self { body: to_value(body)?, token: false })
    }

    /// The answer shows the token, which is not kept.
    pub(crate) fn with_token(body: impl Serialize) -> Result<Self, Problem> {
        Ok(Self { body: to_value(body)?, token: true })
    }
}

/// The first answer as it is kept.
#[derive(Debug, Serialize, Deserialize)]
enum Kept {
    Created { body: Value, token: bool },
    Refused { code: String, detail: String, ply: Option<u32>, ticket_id: Option<String>, game_id: Option<String> },
}

impl Seed {
    fn random() -> Self {
        Self { bytes: rand::random(), key: String::new() }
    }

    /// The id of a thing that this request makes.
    pub(crate) fn uuid(&self, thing: &str) -> Uuid {
        let digest = self.derive(thing);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// The token that this request makes.
    pub(crate) fn token(&self) -> Token {
        Token::from_bytes(self.derive("token"))
    }

    fn derive(&self, thing: &str) -> [u8; 32] {
        mac(&self.bytes, &[thing.as_bytes(), b"\0", self.key.as_bytes()])
    }
}

/// Does the work, or answers what was answered before. Two requests with one key run one after the other.
/// Refusals that depend on the moment (limits, faults) are not kept.
pub(crate) async fn once(
    app: &App,
    creation: Creation<'_>,
    work: impl AsyncFnOnce(Seed) -> Result<Created, Problem>,
) -> Result<Response, Problem> {
    let IdempotencyKey(Some(key)) = &creation.key else {
        let seed = Seed::random();
        let token = creation.token.clone().unwrap_or_else(|| seed.token());
        return work(seed).await.map(|created| show(created, &token));
    };
    let row: [u8; 32] = Sha256::digest(format!("{}\0{}\0{key}", creation.caller, creation.route)).into();
    let turn = app.answers.turn(row);
    let result = {
        let _turn = turn.lock().await;
        answer(app, &creation, key, row, work).await
    };
    drop(turn);
    app.answers.leave(row);
    result
}

async fn answer(
    app: &App,
    creation: &Creation<'_>,
    key: &str,
    row: [u8; 32],
    work: impl AsyncFnOnce(Seed) -> Result<Created, Problem>,
) -> Result<Response, Problem> {
    let fingerprint = fingerprint(app, creation, key).await?;
    let known = claim(app, row, fingerprint).await?;
    let seed = Seed { bytes: known.seed, key: key.to_owned() };
    let token = creation.token.clone().unwrap_or_else(|| seed.token());
    if let Some((_, answer)) = known.answer {
        return again(&answer, &token);
    }
    let done = tokio::select! {
        done = work(seed) => done,
        never = renew(app, row, fingerprint) => match never {},
    };
    let (kept, result) = match done {
        Ok(created) => {
            let kept = Kept::Created { body: created.body.clone(), token: created.token };
            (kept, Ok(show(created, &token)))
        }
        Err(Problem(refusal)) if is_final(refusal.code) => {
            let Refusal { code, detail, ply, ticket_id, game_id, .. } = refusal.clone();
            (Kept::Refused { code: code.to_string(), detail, ply, ticket_id, game_id }, Err(Problem(refusal)))
        }
        Err(problem) => {
            // Not answered: the next one may try, anywhere.
            let _ = hold(app, row, fingerprint, Duration::ZERO).await;
            return Err(problem);
        }
    };
    let status = result.as_ref().map_or_else(|problem: &Problem| problem.0.code.http_status(), |_| 201);
    let text = to_value(kept)?.to_string();
    // Without it, a repeat does everything again, with the same outcome.
    if let Err(error) = app.store.keep_answer(row, status, text).await {
        tracing::warn!(%error, "an answer could not be kept for repeats");
    }
    result
}

/// Waits for the turn or for the answer of who has it.
async fn claim(app: &App, row: [u8; 32], fingerprint: [u8; 32]) -> Result<Known, Problem> {
    loop {
        let known = hold(app, row, fingerprint, CLAIMED).await?;
        if !bool::from(known.fingerprint.ct_eq(&fingerprint)) {
            let why = "this Idempotency-Key came with another body before";
            return Err(Refusal::new(Code::IdempotencyKeyReused, why).into());
        }
        if known.claimed || known.answer.is_some() {
            return Ok(known);
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn renew(app: &App, row: [u8; 32], fingerprint: [u8; 32]) -> Infallible {
    loop {
        tokio::time::sleep(RENEWED).await;
        if let Err(error) = hold(app, row, fingerprint, CLAIMED).await {
            tracing::warn!(%error, "a claim could not be renewed");
        }
    }
}

async fn hold(app: &App, row: [u8; 32], fingerprint: [u8; 32], lasts: Duration) -> Result<Known, StoreError> {
    let claim = Claim { by: app.answers.me, lasts };
    app.store.open_answer(row, fingerprint, rand::random(), claim, runtime::wall_clock_ms()).await
}

fn again(kept: &str, shown: &Token) -> Result<Response, Problem> {
    match serde_json::from_str(kept) {
        Ok(Kept::Created { body, token }) => Ok(show(Created { body, token }, shown)),
        Ok(Kept::Refused { code, detail, ply, ticket_id, game_id }) => {
            let code = code.parse().unwrap_or(Code::Internal);
            Err(Problem(Refusal { code, detail, ply, ticket_id, game_id, retry_after_ms: None }))
        }
        Err(error) => {
            tracing::error!(%error, "a kept answer cannot be read");
            Err(Refusal::unavailable().into())
        }
    }
}

fn show(Created { mut body, token }: Created, shown: &Token) -> Response {
    if token && let Some(object) = body.as_object_mut() {
        object.insert("token".to_owned(), Value::from(shown.expose()));
    }
    (StatusCode::CREATED, axum::Json(body)).into_response()
}

const fn is_final(code: Code) -> bool {
    matches!(code.http_status(), 400 | 404 | 409 | 422)
}

async fn fingerprint(app: &App, creation: &Creation<'_>, key: &str) -> Result<[u8; 32], Problem> {
    let text = creation.asked.to_string();
    if creation.secret {
        let salt = Sha256::digest(format!("fingerprint\0{}\0{key}", creation.caller)).into();
        return Ok(app.passwords.stretch(text, salt).await?);
    }
    Ok(mac(key.as_bytes(), &[text.as_bytes()]))
}

fn to_value(body: impl Serialize) -> Result<Value, Problem> {
    serde_json::to_value(body).map_err(|error| {
        tracing::error!(%error, "an answer cannot be written");
        Refusal::new(Code::Internal, "something went wrong on our side").into()
    })
}

fn mac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

impl Default for Answers {
    fn default() -> Self {
        Self { turns: Arc::default(), me: Uuid::now_v7() }
    }
}

impl Answers {
    fn turn(&self, row: [u8; 32]) -> Arc<Mutex<()>> {
        Arc::clone(&self.turns.entry(row).or_default())
    }

    /// The last one out takes the lock away.
    fn leave(&self, row: [u8; 32]) {
        self.turns.remove_if(&row, |_, turn| Arc::strong_count(turn) == 1);
    }

    /// Locks of requests whose client hung up.
    pub(crate) fn sweep(&self) {
        self.turns.retain(|_, turn| Arc::strong_count(turn) > 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_things_and_needs_the_key() {
        let seed = Seed { bytes: [1; 32], key: "k".to_owned() };
        assert_eq!(seed.token(), seed.clone().token());
        assert_eq!(seed.uuid("game"), seed.uuid("game"));
        assert_ne!(seed.uuid("game"), seed.uuid("player"));
        let other = Seed { bytes: [1; 32], key: "K".to_owned() };
        assert_ne!(seed.token(), other.token());
        assert_ne!(Seed::random().token(), Seed::random().token());
    }
}
