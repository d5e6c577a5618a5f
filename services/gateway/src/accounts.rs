//! Signing up and in, and the tokens of bots.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use proto::{Code, PlayerId, Refusal};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::address::ClientAddress;
use crate::app::App;
use crate::auth::{Owner, bearer, identify};
use crate::extract::{Json, Named, NoBody, OptionalJson};
use crate::idempotency::{Created, Creation, IdempotencyHeader, IdempotencyKey, Seed, once};
use crate::identity::Identity;
use crate::metrics;
use crate::name::Name;
use crate::page::Page;
use crate::password::Passwords;
use crate::problem::Problem;
use crate::store::{Enrolled, NameTaken, Scopes, TokenKind, TokenRecord};
use crate::token::{LIFETIME_MS, Token};
use crate::view::moment;
use crate::view::player::Player;

const LONGEST_LABEL: usize = 100;
/// Its body may be left out.
pub(crate) const GUESTS: &str = "/v1/guests";

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_guest))
        .routes(routes!(create_account))
        .routes(routes!(create_session))
        .routes(routes!(end_session))
        .routes(routes!(create_token, list_tokens))
        .routes(routes!(delete_token))
}

/// A wish for a name.
#[derive(Debug, Deserialize, ToSchema)]
struct NewGuest {
    /// 3 to 20 of letters, digits, `_`, `-`. If an account has it, the guest gets one like it.
    #[schema(example = "Sunny", min_length = 3, max_length = 20, pattern = "^[A-Za-z0-9_-]+$")]
    name: Option<String>,
}

/// A name and what proves it.
#[derive(Deserialize, ToSchema)]
struct Credentials {
    /// 3 to 20 of letters, digits, `_`, `-`; unique without case.
    #[schema(example = "Sunny", min_length = 3, max_length = 20, pattern = "^[A-Za-z0-9_-]+$")]
    name: String,
    /// 8 to 200 characters.
    #[schema(example = "correct horse battery", format = Password, min_length = 8, max_length = 200)]
    password: String,
}

/// A player and the token to call with.
#[derive(Debug, Serialize, ToSchema)]
struct Signed {
    player: Player,
    /// Send it as `Authorization: Bearer <token>`.
    #[serde(skip_serializing_if = "String::is_empty")]
    token: String,
    /// The token dies then unless it is used.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// A token for a program.
#[derive(Debug, Deserialize, ToSchema)]
struct NewToken {
    /// What you call it; 1 to 100 characters.
    #[schema(example = "my bot", min_length = 1, max_length = 100, pattern = r"^[^\x00-\x1F\x7F-\x9F]*$")]
    label: String,
    /// What it may do.
    #[schema(min_items = 1)]
    scopes: Vec<Scope>,
}

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Scope {
    /// Read what needs a token.
    Read,
    /// Everything about playing.
    Play,
}

/// A bot's token without the token itself.
#[derive(Debug, Serialize, ToSchema)]
struct BotToken {
    #[schema(format = Uuid)]
    id: String,
    label: String,
    scopes: Vec<Scope>,
    #[schema(format = DateTime)]
    created_at: String,
    /// To the hour.
    #[schema(format = DateTime)]
    last_used_at: String,
    #[schema(format = DateTime)]
    expires_at: String,
}

/// A bot's new token; it is shown only now.
#[derive(Debug, Serialize, ToSchema)]
struct NewBotToken {
    #[serde(flatten)]
    described: BotToken,
    #[serde(skip_serializing_if = "String::is_empty")]
    token: String,
}

impl From<&TokenRecord> for BotToken {
    fn from(record: &TokenRecord) -> Self {
        let label = match &record.kind {
            TokenKind::Bot { label } => label.clone(),
            TokenKind::Session => String::new(),
        };
        let Scopes { read, play } = record.scopes;
        let scopes = [(read, Scope::Read), (play, Scope::Play)];
        Self {
            id: record.id.to_string(),
            label,
            scopes: scopes.into_iter().filter_map(|(has, scope)| has.then_some(scope)).collect(),
            created_at: moment(record.created),
            last_used_at: moment(record.last_used),
            expires_at: moment(record.expires),
        }
    }
}

fn record(seed: &Seed, player: PlayerId, kind: TokenKind, scopes: Scopes) -> TokenRecord {
    let now = runtime::wall_clock_ms();
    TokenRecord {
        id: seed.uuid("token"),
        hash: seed.token().hash(),
        player,
        kind,
        scopes,
        created: now,
        last_used: now,
        expires: now + LIFETIME_MS,
    }
}

fn name(text: &str) -> Result<Name, Refusal> {
    text.parse().map_err(|error| Refusal::bad_request("name", error))
}

fn name_taken(NameTaken: NameTaken) -> Problem {
    Refusal::new(Code::NameTaken, "an account has this name").into()
}

/// Sign up as a guest
#[utoipa::path(
    post, path = "/v1/guests", tag = "accounts", security(()),
    params(IdempotencyHeader),
    request_body(content = NewGuest, description = "May be left out"),
    responses((status = 201, body = Signed, description = "The guest and a token")),
)]
async fn create_guest(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    key: IdempotencyKey,
    OptionalJson(Json { body, asked }): OptionalJson<NewGuest>,
) -> Result<Response, Problem> {
    app.limits.sign_up_from(address).await?;
    let wish = body.name.as_deref().map(name).transpose()?;
    let creation =
        Creation { key, caller: address.to_string(), route: "guests", asked: &asked, secret: false, token: None };
    once(&app, creation, async |seed| {
        let id = PlayerId::from(seed.uuid("player"));
        let token = record(&seed, id, TokenKind::Session, Scopes::ALL);
        let expires_at = moment(token.expires);
        let player = app.store.add_guest(id, wish.unwrap_or_else(Name::generated), token).await?;
        Created::with_token(Signed { player: (&player).into(), token: String::new(), expires_at })
    })
    .await
}

/// Sign up with a password
///
/// Sent with a guest's token, that guest becomes the account and keeps id, ratings, games and the token.
#[utoipa::path(
    post, path = "/v1/accounts", tag = "accounts", security((), ("bearer" = [])),
    params(IdempotencyHeader),
    request_body = Credentials,
    responses(
        (status = 201, body = Signed, description = "The account's player and a token"),
        (status = 409, body = crate::problem::ProblemBody<'static>, content_type = "application/problem+json", description = "`NAME_TAKEN`, `IDEMPOTENCY_KEY_REUSED`"),
    ),
)]
async fn create_account(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    key: IdempotencyKey,
    headers: HeaderMap,
    Json { body: Credentials { name: wanted, password }, asked }: Json<Credentials>,
) -> Result<Response, Problem> {
    app.limits.sign_up_from(address).await?;
    let wanted = name(&wanted)?;
    Passwords::check_form(&password)?;
    let token = bearer(&headers)?;
    let guest = match &token {
        Some(token) => Some(identify(&app, token).await?),
        None => None,
    };
    let caller = guest.as_ref().map_or_else(|| address.to_string(), |guest| guest.id().to_string());
    let creation = Creation { key, caller, route: "accounts", asked: &asked, secret: true, token };
    once(&app, creation, async |seed| match guest {
        Some(guest) => upgrade(&app, &guest, wanted, password).await,
        None => enrol(&app, &seed, wanted, password).await,
    })
    .await
}

async fn enrol(app: &App, seed: &Seed, name: Name, password: String) -> Result<Created, Problem> {
    let id = PlayerId::from(seed.uuid("player"));
    let token = record(seed, id, TokenKind::Session, Scopes::ALL);
    let expires_at = moment(token.expires);
    let hash = app.passwords.hash(password).await?;
    let enrolled = app.store.add_account(id, name, hash, token).await?.map_err(name_taken)?;
    forget_renamed(app, &enrolled).await;
    Created::with_token(Signed { player: (&enrolled.player).into(), token: String::new(), expires_at })
}

async fn upgrade(app: &App, guest: &Identity, name: Name, password: String) -> Result<Created, Problem> {
    if !guest.is_session() {
        return Err(Refusal::new(Code::Forbidden, "a bot's token cannot manage the account").into());
    }
    let expires_at = moment(guest.token.expires);
    let signed = |player: Player| Created::with_token(Signed { player, token: String::new(), expires_at });
    let hash = app.passwords.hash(password.clone()).await?;
    if let Some(enrolled) = app.store.upgrade(guest.id(), name.clone(), hash, runtime::wall_clock_ms()).await? {
        let enrolled = enrolled.map_err(name_taken)?;
        app.identities.forget(guest.id()).await;
        forget_renamed(app, &enrolled).await;
        return signed((&enrolled.player).into());
    }
    // An account already; it may be the same request once more.
    let account = app.store.account(&name).await?.filter(|account| account.player.id == guest.id());
    if let Some(account) = account
        && app.passwords.verify(password, Some(account.password)).await?
    {
        return signed((&account.player).into());
    }
    Err(Refusal::new(Code::Forbidden, "the token belongs to an account already").into())
}

async fn forget_renamed(app: &App, enrolled: &Enrolled) {
    for guest in &enrolled.renamed {
        app.identities.forget(*guest).await;
    }
}

/// Sign in
#[utoipa::path(
    post, path = "/v1/sessions", tag = "accounts", security(()),
    request_body = Credentials,
    responses(
        (status = 201, body = Signed, description = "The account's player and a new token"),
        (status = 401, body = crate::problem::ProblemBody<'static>, content_type = "application/problem+json", description = "`UNAUTHENTICATED`: unknown name or wrong password, which of them is not said"),
    ),
)]
async fn create_session(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    Json { body: Credentials { name: wanted, password }, .. }: Json<Credentials>,
) -> Result<Response, Problem> {
    app.limits.sign_up_from(address).await?;
    let account = match wanted.parse::<Name>() {
        Ok(name) => {
            app.limits.sign_in_to(&name).await?;
            app.store.account(&name).await?
        }
        Err(_) => None,
    };
    let (player, hash) = account.map(|account| (account.player, account.password)).unzip();
    // What cannot be a password was never one, but takes as long to refuse.
    let fits = app.passwords.verify(password.chars().take(201).collect(), hash).await?;
    let Some(player) = player.filter(|_| fits) else {
        metrics::auth_failed();
        return Err(Refusal::new(Code::Unauthenticated, "unknown name or wrong password").into());
    };
    let now = runtime::wall_clock_ms();
    let token = Token::from_bytes(rand::random());
    app.store
        .add_token(TokenRecord {
            id: Uuid::now_v7(),
            hash: token.hash(),
            player: player.id,
            kind: TokenKind::Session,
            scopes: Scopes::ALL,
            created: now,
            last_used: now,
            expires: now + LIFETIME_MS,
        })
        .await?;
    let signed =
        Signed { player: (&player).into(), token: token.expose().to_owned(), expires_at: moment(now + LIFETIME_MS) };
    Ok((StatusCode::CREATED, axum::Json(signed)).into_response())
}

/// Sign out
#[utoipa::path(
    delete, path = "/v1/sessions/current", tag = "accounts", security(("bearer" = [])),
    responses((status = 204, description = "The token is dead")),
)]
async fn end_session(State(app): State<App>, Owner(owner): Owner, _: NoBody) -> Result<StatusCode, Problem> {
    app.identities.revoke(&owner.token).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn account_only(owner: &Identity) -> Result<(), Problem> {
    if owner.player.guest {
        return Err(Refusal::new(Code::Forbidden, "bot tokens are for accounts").into());
    }
    Ok(())
}

/// Make a token for a bot
#[utoipa::path(
    post, path = "/v1/tokens", tag = "accounts", security(("bearer" = [])),
    params(IdempotencyHeader),
    request_body = NewToken,
    responses((status = 201, body = NewBotToken, description = "The token, shown only now")),
)]
async fn create_token(
    State(app): State<App>,
    Owner(owner): Owner,
    key: IdempotencyKey,
    Json { body: NewToken { label, scopes }, asked }: Json<NewToken>,
) -> Result<Response, Problem> {
    account_only(&owner)?;
    if !(1..=LONGEST_LABEL).contains(&label.chars().count()) || label.chars().any(char::is_control) {
        return Err(Refusal::bad_request("label", "must be 1 to 100 printable characters").into());
    }
    let scopes = Scopes { read: scopes.contains(&Scope::Read), play: scopes.contains(&Scope::Play) };
    if !scopes.read && !scopes.play {
        return Err(Refusal::bad_request("scopes", "must name read, play or both").into());
    }
    let caller = owner.id().to_string();
    let creation = Creation { key, caller, route: "tokens", asked: &asked, secret: false, token: None };
    once(&app, creation, async |seed| {
        let token = record(&seed, owner.id(), TokenKind::Bot { label }, scopes);
        let described = BotToken::from(&token);
        app.store.add_token(token).await?;
        Created::with_token(NewBotToken { described, token: String::new() })
    })
    .await
}

/// Your bots' tokens
#[utoipa::path(
    get, path = "/v1/tokens", tag = "accounts", security(("bearer" = [])),
    responses((status = 200, body = Page<BotToken>, description = "All of them, newest first")),
)]
async fn list_tokens(State(app): State<App>, Owner(owner): Owner) -> Result<axum::Json<Page<BotToken>>, Problem> {
    let tokens = app.store.bot_tokens(owner.id(), runtime::wall_clock_ms()).await?;
    Ok(axum::Json(Page { items: tokens.iter().map(BotToken::from).collect(), next_cursor: None }))
}

/// Kill a bot's token
#[utoipa::path(
    delete, path = "/v1/tokens/{id}", tag = "accounts", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "As listed")),
    responses(
        (status = 204, description = "The token is dead"),
        (status = 404, body = crate::problem::ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`"),
    ),
)]
async fn delete_token(
    State(app): State<App>,
    Owner(owner): Owner,
    Named(id): Named<Uuid>,
    _: NoBody,
) -> Result<StatusCode, Problem> {
    let known = app.store.bot_tokens(owner.id(), runtime::wall_clock_ms()).await?;
    let token = known.iter().find(|token| token.id == id).ok_or_else(|| Refusal::not_found("token"))?;
    app.identities.revoke(token).await?;
    Ok(StatusCode::NO_CONTENT)
}
