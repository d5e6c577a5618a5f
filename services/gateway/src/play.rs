//! A game in progress or on record: its state, commands to it, its record.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use proto::game::v1 as game;
use proto::{GameId, Refusal};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::{Playing, Visitor};
use crate::export::{self, Record};
use crate::extract::{Json, Named, NoBody, Query};
use crate::problem::{Problem, ProblemBody};
use crate::view::game::Game;

/// Of the text of a move; what is longer is none.
pub(crate) const LONGEST_MOVE: usize = 16;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_game))
        .routes(routes!(make_move))
        .routes(routes!(resign))
        .routes(routes!(export_game))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Include {
    /// What to add to the state.
    #[param(inline, nullable = false)]
    include: Option<Extra>,
}

/// What can be added to the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Extra {
    /// Of the army to move.
    LegalMoves,
}

/// The state of a game
#[utoipa::path(
    get, path = "/v1/games/{id}", tag = "playing", security((), ("bearer" = [])),
    params(("id" = Uuid, Path, description = "The game"), Include),
    responses(
        (status = 200, body = Game, description = "The state"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`: no such game, or not for you"),
    ),
)]
async fn get_game(
    State(app): State<App>,
    visitor: Visitor,
    Named(id): Named<GameId>,
    Query(Include { include }): Query<Include>,
) -> Result<axum::Json<Game>, Problem> {
    let wants_moves = include == Some(Extra::LegalMoves);
    let request =
        game::GetGameRequest { game_id: id.to_string(), viewer_id: visitor.viewer(), include_legal_moves: wants_moves };
    let found = app.links.get_game(request).await?.game.unwrap_or_default();
    Ok(axum::Json(if wants_moves { Game::with_legal_moves(&found) } else { Game::from(&found) }))
}

/// A move of yours.
#[derive(Debug, Deserialize, ToSchema)]
struct NewMove {
    /// The number of moves made so far, as you know it.
    ply: u32,
    /// `from-to`; castling is the king's move, or `O-O`, `O-O-O`.
    #[schema(example = "h2-h4", min_length = 1, max_length = 16)]
    r#move: String,
}

/// Refuses what cannot be a move.
pub(crate) fn check_move(text: &str) -> Result<(), Refusal> {
    if text.is_empty() || text.len() > LONGEST_MOVE {
        return Err(Refusal::bad_request("move", "must be a move like h2-h4"));
    }
    Ok(())
}

/// Move
///
/// The same move for the same ply again changes nothing and gets 200.
#[utoipa::path(
    post, path = "/v1/games/{id}/moves", tag = "playing", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The game")),
    request_body = NewMove,
    responses(
        (status = 200, body = Game, description = "The state after it"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`: no such game, or not for you"),
        (status = 409, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`GAME_OVER`, `NOT_STARTED`, `NOT_PLAYING`, `STALE_PLY`, `NOT_YOUR_TURN`"),
        (status = 422, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`ILLEGAL_MOVE`"),
    ),
)]
async fn make_move(
    State(app): State<App>,
    Playing(caller): Playing,
    Named(id): Named<GameId>,
    Json { body: NewMove { ply, r#move }, .. }: Json<NewMove>,
) -> Result<axum::Json<Game>, Problem> {
    check_move(&r#move)?;
    let request = game::MakeMoveRequest { game_id: id.to_string(), player_id: caller.id().to_string(), ply, r#move };
    let game = app.links.make_move(request).await?.game.unwrap_or_default();
    Ok(axum::Json(Game::from(&game)))
}

/// Resign
///
/// Again: nothing changes.
#[utoipa::path(
    post, path = "/v1/games/{id}/resignation", tag = "playing", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 200, body = Game, description = "The state after it"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`: no such game, or not for you"),
        (status = 409, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`GAME_OVER`, `NOT_STARTED`, `NOT_PLAYING`"),
    ),
)]
async fn resign(
    State(app): State<App>,
    Playing(caller): Playing,
    Named(id): Named<GameId>,
    _: NoBody,
) -> Result<axum::Json<Game>, Problem> {
    let request = game::ResignRequest { game_id: id.to_string(), player_id: caller.id().to_string() };
    let game = app.links.resign(request).await?.game.unwrap_or_default();
    Ok(axum::Json(Game::from(&game)))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ExportFormat {
    /// As what; PGN4 if left out.
    #[param(inline, nullable = false)]
    format: Option<Format>,
}

/// What a record can be exported as.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    /// Text that other four-player chess programs read.
    #[default]
    Pgn4,
    /// The state and every event.
    Json,
}

/// The record of a game
#[utoipa::path(
    get, path = "/v1/games/{id}/export", tag = "playing", security((), ("bearer" = [])),
    params(("id" = Uuid, Path, description = "The game"), ExportFormat),
    responses(
        (status = 200, description = "The record so far", content(
            (Record = "application/json"),
            (String = "application/x-chess-pgn"),
        )),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`: no such game, or not for you"),
    ),
)]
async fn export_game(
    State(app): State<App>,
    visitor: Visitor,
    Named(id): Named<GameId>,
    Query(ExportFormat { format }): Query<ExportFormat>,
) -> Result<Response, Problem> {
    let request = game::GetLogRequest { game_id: id.to_string(), viewer_id: visitor.viewer() };
    let log = app.links.get_log(request).await?;
    let game = log.game.unwrap_or_default();
    match format.unwrap_or_default() {
        Format::Json => Ok(axum::Json(Record::of(&game, &log.events)).into_response()),
        Format::Pgn4 => {
            let mut response = export::pgn4(&game, &log.events)?.into_response();
            let headers = response.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-chess-pgn; charset=utf-8"));
            if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"{id}.pgn4\"")) {
                headers.insert(CONTENT_DISPOSITION, name);
            }
            Ok(response)
        }
    }
}
