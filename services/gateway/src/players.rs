//! Players as others see them.

use axum::extract::State;
use proto::game::v1 as game;
use proto::rating::v1 as rating;
use proto::types::v1 as types;
use proto::{Code, PlayerId, Refusal};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Visitor;
use crate::extract::{Named, Query};
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, ProblemBody};
use crate::store;
use crate::view::player::{Leader, Player, Profile, RatingChange, Ratings};
use crate::view::record::GameSummary;
use crate::view::seat::{Class, Status};

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_player))
        .routes(routes!(get_ratings))
        .routes(routes!(list_rating_history))
        .routes(routes!(list_player_games))
        .routes(routes!(get_leaderboard))
}

async fn known(app: &App, id: PlayerId) -> Result<store::Player, Problem> {
    let found = app.store.players(&[id]).await?.into_iter().next();
    found.ok_or_else(|| Refusal::not_found("player").into())
}

/// A player
#[utoipa::path(
    get, path = "/v1/players/{id}", tag = "players", security(()),
    params(("id" = Uuid, Path, description = "The player")),
    responses(
        (status = 200, body = Profile, description = "The player"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`"),
    ),
)]
async fn get_player(State(app): State<App>, Named(id): Named<PlayerId>) -> Result<axum::Json<Profile>, Problem> {
    Ok(axum::Json(Profile::from(&known(&app, id).await?)))
}

/// A player's ratings by class
#[utoipa::path(
    get, path = "/v1/players/{id}/ratings", tag = "players", security(()),
    params(("id" = Uuid, Path, description = "The player")),
    responses(
        (status = 200, body = Ratings, description = "Without rated games: 1500, provisional"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`"),
    ),
)]
async fn get_ratings(State(app): State<App>, Named(id): Named<PlayerId>) -> Result<axum::Json<Ratings>, Problem> {
    known(&app, id).await?;
    ratings_of(&app, id).await.map(axum::Json)
}

/// In all classes.
pub(crate) async fn ratings_of(app: &App, id: PlayerId) -> Result<Ratings, Problem> {
    let request =
        rating::GetRatingsRequest { player_ids: vec![id.to_string()], class: types::Class::Unspecified.into() };
    Ok(Ratings::of(&app.links.get_ratings(request).await?.ratings))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct WhichClass {
    /// All of them if left out.
    #[param(inline, nullable = false)]
    class: Option<Class>,
}

/// How a player's rating changed
#[utoipa::path(
    get, path = "/v1/players/{id}/rating-history", tag = "players", security(()),
    params(("id" = Uuid, Path, description = "The player"), WhichClass, PageQuery),
    responses(
        (status = 200, body = Page<RatingChange>, description = "Newest first"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`"),
    ),
)]
async fn list_rating_history(
    State(app): State<App>,
    Named(id): Named<PlayerId>,
    Query(WhichClass { class }): Query<WhichClass>,
    Query(page): Query<PageQuery>,
) -> Result<axum::Json<Page<RatingChange>>, Problem> {
    let (limit, cursor) = page.checked()?;
    known(&app, id).await?;
    let class = class.map_or(types::Class::Unspecified, Class::wire).into();
    let request = rating::ListRatingHistoryRequest { player_id: id.to_string(), class, limit, cursor };
    let found = app.links.list_rating_history(request).await?;
    Ok(axum::Json(Page::new(found.items.iter().map(RatingChange::from).collect(), found.next_cursor)))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct WhichGames {
    /// How far the games have got; over and aborted ones if left out.
    #[param(inline, nullable = false)]
    status: Option<Status>,
}

/// A player's games
///
/// Public ones, and private ones for those who play or played in them.
#[utoipa::path(
    get, path = "/v1/players/{id}/games", tag = "players", security((), ("bearer" = [])),
    params(("id" = Uuid, Path, description = "The player"), WhichGames, PageQuery),
    responses(
        (status = 200, body = Page<GameSummary>, description = "Newest first"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`"),
    ),
)]
async fn list_player_games(
    State(app): State<App>,
    visitor: Visitor,
    Named(id): Named<PlayerId>,
    Query(WhichGames { status }): Query<WhichGames>,
    Query(page): Query<PageQuery>,
) -> Result<axum::Json<Page<GameSummary>>, Problem> {
    let (limit, cursor) = page.checked()?;
    known(&app, id).await?;
    if let Some(live @ (Status::Waiting | Status::Running)) = status {
        // A player has few of these; they make one page.
        let request = game::ListPlayerGamesRequest { player_id: id.to_string() };
        let games = app.links.list_player_games(request).await?.games;
        let viewer = visitor.viewer();
        let shown = games.iter().filter(|game| game.status() == live.wire() && may_see(game, &viewer));
        return Ok(axum::Json(Page { items: shown.map(GameSummary::from).collect(), next_cursor: None }));
    }
    let request = rating::ListRecordsRequest {
        player_id: id.to_string(),
        viewer_id: visitor.viewer(),
        status: status.map_or(types::GameStatus::Unspecified, Status::wire).into(),
        limit,
        cursor,
    };
    let found = app.links.list_records(request).await?;
    Ok(axum::Json(Page::new(found.items.iter().map(GameSummary::from).collect(), found.next_cursor)))
}

fn may_see(game: &game::Game, viewer: &str) -> bool {
    let sits = |seat: &game::SeatState| seat.player.as_ref().is_some_and(|player| player.id == viewer);
    game.visibility() == types::Visibility::Public || game.seats.iter().any(sits)
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct WhichLeaders {
    /// Players with fewer than 30 rated games as well.
    #[param(nullable = false, default = false)]
    provisional: Option<bool>,
}

/// The best players of a class
#[utoipa::path(
    get, path = "/v1/leaderboards/{class}", tag = "players", security(()),
    params(("class" = inline(Class), Path, description = "The class"), WhichLeaders, PageQuery),
    responses(
        (status = 200, body = Page<Leader>, description = "Best first"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`: no such class"),
    ),
)]
async fn get_leaderboard(
    State(app): State<App>,
    Named(class): Named<Class>,
    Query(WhichLeaders { provisional }): Query<WhichLeaders>,
    Query(page): Query<PageQuery>,
) -> Result<axum::Json<Page<Leader>>, Problem> {
    let (limit, cursor) = page.checked()?;
    let include_provisional = provisional.unwrap_or(false);
    let request = rating::GetLeaderboardRequest { class: class.wire().into(), include_provisional, limit, cursor };
    let found = app.links.get_leaderboard(request).await?;
    let rated = |item: &rating::LeaderboardItem| item.rating.clone().unwrap_or_default();
    let ids: Vec<PlayerId> = found.items.iter().filter_map(|item| rated(item).player_id.parse().ok()).collect();
    let players = app.store.players(&ids).await?;
    let leader = |item: &rating::LeaderboardItem| {
        let rating = rated(item);
        let player = players.iter().find(|player| player.id.to_string() == rating.player_id)?;
        Some(Leader { rank: item.rank, player: Player::from(player), rating: (&rating).into() })
    };
    let items: Vec<Leader> = found.items.iter().filter_map(leader).collect();
    if items.len() < found.items.len() {
        let unknown = found.items.len() - items.len();
        tracing::warn!(players.unknown = unknown, code = %Code::NotFound, "rated players without a name are left out");
    }
    Ok(axum::Json(Page::new(items, found.next_cursor)))
}
