//! Making, joining and leaving games among friends, and the list of public ones.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use proto::game::v1 as game;
use proto::rating::v1::ListRecordsRequest;
use proto::types::v1 as types;
use proto::types::v1::seat_plan::Occupant;
use proto::{Code, GameId, Refusal};
use serde::Deserialize;
use timekeeping::TimeControl;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::{Playing, Reader};
use crate::extract::{Json, Named, NoBody, Object, Query};
use crate::idempotency::{Created, Creation, IdempotencyHeader, IdempotencyKey, once};
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, ProblemBody};
use crate::view::game::{Game, Invite};
use crate::view::record::GameSummary;
use crate::view::seat::{Class, Seat, Status, Visibility};
use crate::wish::{SeatWish, SeatWishes};

const LONGEST_FEN4: usize = 4096;
const LONGEST_CODE: usize = 64;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_game, list_games))
        .routes(routes!(get_invite))
        .routes(routes!(take_seat))
        .routes(routes!(leave_seat))
        .routes(routes!(call_rematch))
}

/// A game among friends.
#[derive(Debug, Deserialize, ToSchema)]
struct NewGame {
    /// `"<minutes>+<seconds>"`, or with a `d` for a delay.
    #[schema(example = "3+2", pattern = r"^[0-9]+(\.[0-9]+)?\+[0-9]+d?$")]
    time_control: String,
    #[schema(value_type = SeatWishes)]
    seats: Object<SeatWishes>,
    /// Where to start, if not from the start position. Only playing armies have seats then, the others are null.
    #[schema(min_length = 1, max_length = 4096)]
    start_fen4: Option<String>,
    visibility: Option<Visibility>,
}

/// Make a game among friends
///
/// Unrated; it waits until all seats are taken, for an hour at most. Its maker need not play.
#[utoipa::path(
    post, path = "/v1/games", tag = "finding a game", security(("bearer" = [])),
    params(IdempotencyHeader),
    request_body = NewGame,
    responses(
        (status = 201, body = Game, description = "The game, with its `invite_code` while it waits"),
        (status = 409, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`TOO_MANY_GAMES`, `IDEMPOTENCY_KEY_REUSED`"),
        (status = 422, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_AVAILABLE`: computer players"),
    ),
)]
async fn create_game(
    State(app): State<App>,
    Playing(caller): Playing,
    key: IdempotencyKey,
    Json { body: NewGame { time_control, seats: Object(seats), start_fen4, visibility }, asked }: Json<NewGame>,
) -> Result<Response, Problem> {
    let control: TimeControl = time_control.parse().map_err(|error| Refusal::bad_request("time_control", error))?;
    if start_fen4.as_ref().is_some_and(|fen4| fen4.is_empty() || fen4.len() > LONGEST_FEN4) {
        return Err(Refusal::new(Code::BadPosition, "start_fen4: must be 1 to 4096 bytes").into());
    }
    let seats = seats.checked(start_fen4.is_some())?;
    if seats.iter().any(|(_, wish)| matches!(wish, Some(SeatWish::Computer(_)))) {
        return Err(Refusal::new(Code::NotAvailable, "computer players are not available yet").into());
    }
    let id = caller.id().to_string();
    let creation = Creation { key, caller: id.clone(), route: "games", asked: &asked, secret: false, token: None };
    once(&app, creation, async |seed| {
        let player = app.links.seated(&caller, Some(control.class().into())).await?;
        let mine = seats.iter().filter(|(_, wish)| *wish == Some(SeatWish::Me));
        let request = game::CreateGameRequest {
            game_id: GameId::from(seed.uuid("game")).to_string(),
            rated: false,
            visibility: visibility.unwrap_or_default().wire().into(),
            time_control: control.to_string(),
            start_fen4: start_fen4.unwrap_or_default(),
            seated: mine
                .map(|(seat, _)| types::event::Seated { seat: seat.wire().into(), player: Some(player.clone()) })
                .collect(),
            maker_player_id: id.clone(),
            seats: seats.iter().map(|(seat, wish)| plan(*seat, *wish, &id)).collect(),
            make_until_unix_ms: None,
        };
        let made = app.links.create_game(request).await?;
        let game = Game::from(&made.game.unwrap_or_default());
        Created::new(Game { unknown_fen4_keys: made.unknown_fen4_keys, ..game })
    })
    .await
}

fn plan(seat: Seat, wish: Option<SeatWish>, maker: &str) -> types::SeatPlan {
    let occupant = match wish {
        None => Occupant::None(true),
        Some(SeatWish::Me) => Occupant::ReservedForPlayerId(maker.to_owned()),
        Some(SeatWish::Open | SeatWish::Computer(_)) => Occupant::Open(true),
    };
    types::SeatPlan { seat: seat.wire().into(), occupant: Some(occupant) }
}

/// The waiting game behind an invite code
#[utoipa::path(
    get, path = "/v1/invites/{invite_code}", tag = "finding a game", security(("bearer" = [])),
    params(("invite_code" = String, Path, description = "As the maker of the game was told")),
    responses(
        (status = 200, body = Invite, description = "The game and its free seats"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`: no waiting game has this code"),
    ),
)]
async fn get_invite(
    State(app): State<App>,
    _caller: Reader,
    Named(invite_code): Named<String>,
) -> Result<axum::Json<Invite>, Problem> {
    if invite_code.len() > LONGEST_CODE {
        return Err(Refusal::not_found("invite").into());
    }
    let found = app.links.get_invite(game::GetInviteRequest { invite_code }).await?;
    let game = Game::from(&found.game.unwrap_or_default());
    Ok(axum::Json(Invite { free_seats: game.free_seats(), game }))
}

/// Which seat to take.
#[derive(Debug, Deserialize, ToSchema)]
struct SeatChoice {
    #[schema(min_length = 1, max_length = 64)]
    invite_code: String,
    /// Any free one if left out.
    seat: Option<Seat>,
}

/// Sit down
///
/// The game starts when all seats are taken. Sitting down again changes nothing.
#[utoipa::path(
    post, path = "/v1/games/{id}/seats", tag = "finding a game", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The game")),
    request_body = SeatChoice,
    responses(
        (status = 200, body = Game, description = "The game with you in it"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`: no such game, or not its code"),
        (status = 409, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`SEAT_TAKEN`, `GAME_OVER`, `TOO_MANY_GAMES`"),
    ),
)]
async fn take_seat(
    State(app): State<App>,
    Playing(caller): Playing,
    Named(id): Named<GameId>,
    Json { body: SeatChoice { invite_code, seat }, .. }: Json<SeatChoice>,
) -> Result<axum::Json<Game>, Problem> {
    if invite_code.is_empty() || invite_code.len() > LONGEST_CODE {
        return Err(Refusal::bad_request("invite_code", "is not one of ours").into());
    }
    // The rating to show is that of the game's class; a game that no longer waits is the game service's to judge.
    let invite = app.links.get_invite(game::GetInviteRequest { invite_code: invite_code.clone() }).await;
    let class = match invite {
        Ok(found) => found.game.and_then(|game| Class::of(game.class())),
        Err(Problem(refusal)) if refusal.code == Code::NotFound => None,
        Err(problem) => return Err(problem),
    };
    let request = game::TakeSeatRequest {
        game_id: id.to_string(),
        invite_code,
        seat: seat.map_or(types::Seat::Unspecified, Seat::wire).into(),
        player: Some(app.links.seated(&caller, class).await?),
    };
    let taken = app.links.take_seat(request).await?;
    Ok(axum::Json(Game::from(&taken.game.unwrap_or_default())))
}

/// Leave a waiting game
///
/// Its maker's leaving aborts it.
#[utoipa::path(
    delete, path = "/v1/games/{id}/seats/me", tag = "finding a game", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 204, description = "You do not sit in the game"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`"),
        (status = 409, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`GAME_OVER`"),
    ),
)]
async fn leave_seat(
    State(app): State<App>,
    Playing(caller): Playing,
    Named(id): Named<GameId>,
    _: NoBody,
) -> Result<StatusCode, Problem> {
    let request = game::LeaveSeatRequest { game_id: id.to_string(), player_id: caller.id().to_string() };
    app.links.leave_seat(request).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Call a rematch
///
/// The new game has the same players, time control and visibility, seats turned by one; it starts when all called.
#[utoipa::path(
    post, path = "/v1/games/{id}/rematch", tag = "finding a game", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The game that is over")),
    responses(
        (status = 200, body = Game, description = "The new game"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`"),
        (status = 409, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_STARTED`: not over yet, `GAME_OVER`, `TOO_MANY_GAMES`"),
    ),
)]
async fn call_rematch(
    State(app): State<App>,
    Playing(caller): Playing,
    Named(id): Named<GameId>,
    _: NoBody,
) -> Result<axum::Json<Game>, Problem> {
    let old = app.links.game_seen_by(caller.id().to_string(), id.to_string()).await?;
    let player = app.links.seated(&caller, Class::of(old.class())).await?;
    let request = game::RematchRequest { game_id: id.to_string(), player: Some(player) };
    let new = app.links.rematch(request).await?;
    Ok(axum::Json(Game::from(&new.game.unwrap_or_default())))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct WhichGames {
    /// How far the games have got; running ones if left out.
    #[param(inline, nullable = false)]
    status: Option<Status>,
}

/// Public games
#[utoipa::path(
    get, path = "/v1/games", tag = "finding a game", security(()),
    params(WhichGames, PageQuery),
    responses((status = 200, body = Page<GameSummary>, description = "Newest first")),
)]
async fn list_games(
    State(app): State<App>,
    Query(WhichGames { status }): Query<WhichGames>,
    Query(page): Query<PageQuery>,
) -> Result<axum::Json<Page<GameSummary>>, Problem> {
    let (limit, cursor) = page.checked()?;
    let status = status.unwrap_or_default();
    if matches!(status, Status::Waiting | Status::Running) {
        let request = game::ListGamesRequest { status: status.wire().into(), limit, cursor };
        let found = app.links.list_games(request).await?;
        let items = found.games.iter().map(GameSummary::from).collect();
        return Ok(axum::Json(Page::new(items, found.next_cursor)));
    }
    let request = ListRecordsRequest {
        player_id: String::new(),
        viewer_id: String::new(),
        status: status.wire().into(),
        limit,
        cursor,
    };
    let found = app.links.list_records(request).await?;
    let items = found.items.iter().map(GameSummary::from).collect();
    Ok(axum::Json(Page::new(items, found.next_cursor)))
}
