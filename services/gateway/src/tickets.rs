//! Finding a game with strangers.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use proto::matchmaking::v1::{CancelTicketRequest, GetTicketRequest, ListPoolsRequest, OpenTicketRequest};
use proto::types::v1 as types;
use proto::{Code, Refusal, TicketId};
use serde::{Deserialize, Serialize};
use timekeeping::TimeControl;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::{Playing, Reader};
use crate::extract::{Json, Named, NoBody, Query};
use crate::idempotency::{Created, Creation, IdempotencyHeader, IdempotencyKey, once};
use crate::page::Page;
use crate::problem::{Problem, ProblemBody};
use crate::view::seat::Class;
use crate::view::ticket::Ticket;

const LONGEST_WAIT_S: u32 = 25;
const LONGEST_FILL_S: u32 = 3600;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_time_controls))
        .routes(routes!(create_ticket))
        .routes(routes!(get_ticket, cancel_ticket))
}

/// A published time control.
#[derive(Debug, Serialize, ToSchema)]
struct PublishedControl {
    #[schema(example = "3+2")]
    time_control: String,
    class: Class,
    /// Time for the whole game.
    base_ms: i64,
    /// Added after each own move.
    increment_ms: i64,
    /// Passes in each own turn before the clock runs.
    delay_ms: i64,
    waiting: Waiting,
}

/// How many players wait.
#[derive(Debug, Serialize, ToSchema)]
struct Waiting {
    rated: u32,
    casual: u32,
}

/// A wish to play.
#[derive(Debug, Deserialize, ToSchema)]
struct NewTicket {
    /// From the published list.
    #[schema(example = "3+2", pattern = r"^[0-9]+(\.[0-9]+)?\+[0-9]+d?$")]
    time_control: String,
    rated: bool,
    /// Not available yet.
    #[schema(minimum = 0, maximum = 3600)]
    fill_with_computers_after_s: Option<u32>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Wait {
    /// Answer as soon as the ticket changes, or after so many seconds.
    #[param(nullable = false, minimum = 0, maximum = 25, default = 0)]
    wait_s: Option<u32>,
}

/// The published time controls
///
/// With the number of players who wait for each. Any other valid control can be used for private games.
#[utoipa::path(
    get, path = "/v1/time-controls", tag = "finding a game", security(()),
    responses((status = 200, body = Page<PublishedControl>, description = "All of them")),
)]
async fn list_time_controls(State(app): State<App>) -> Result<axum::Json<Page<PublishedControl>>, Problem> {
    let pools = app.links.list_pools(ListPoolsRequest {}).await?.pools;
    let waiting = |control: &str, rated: bool| {
        let pool = pools.iter().find(|pool| pool.time_control == control && pool.rated == rated);
        pool.map_or(0, |pool| pool.waiting)
    };
    let published = |control: &TimeControl| {
        let time_control = control.to_string();
        PublishedControl {
            class: control.class().into(),
            base_ms: control.base_ms(),
            increment_ms: control.increment_ms(),
            delay_ms: control.delay_ms(),
            waiting: Waiting { rated: waiting(&time_control, true), casual: waiting(&time_control, false) },
            time_control,
        }
    };
    Ok(axum::Json(Page { items: app.config.time_controls.iter().map(published).collect(), next_cursor: None }))
}

/// Look for a game
///
/// One open ticket a player. Ask after it at least once a minute, or it expires.
#[utoipa::path(
    post, path = "/v1/tickets", tag = "finding a game", security(("bearer" = [])),
    params(IdempotencyHeader),
    request_body = NewTicket,
    responses(
        (status = 201, body = Ticket, description = "The ticket"),
        (status = 409, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`ALREADY_WAITING` with `ticket_id`, `TOO_MANY_GAMES`, `IDEMPOTENCY_KEY_REUSED`"),
        (status = 422, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_AVAILABLE`: computer players"),
    ),
)]
async fn create_ticket(
    State(app): State<App>,
    Playing(caller): Playing,
    key: IdempotencyKey,
    Json { body: NewTicket { time_control, rated, fill_with_computers_after_s }, asked }: Json<NewTicket>,
) -> Result<Response, Problem> {
    let control: TimeControl = time_control.parse().map_err(|error| Refusal::bad_request("time_control", error))?;
    if !app.config.time_controls.contains(&control) {
        return Err(Refusal::bad_request("time_control", "is not in the published list").into());
    }
    if let Some(seconds) = fill_with_computers_after_s {
        if seconds > LONGEST_FILL_S {
            return Err(Refusal::bad_request("fill_with_computers_after_s", "must be 0 to 3600").into());
        }
        return Err(Refusal::new(Code::NotAvailable, "computer players are not available yet").into());
    }
    let id = caller.id().to_string();
    let creation = Creation { key, caller: id.clone(), route: "tickets", asked: &asked, secret: false, token: None };
    once(&app, creation, async |seed| {
        // Name and kind; the rating is matchmaking's to read.
        let player = types::Player {
            id,
            name: caller.player.name.clone(),
            guest: caller.player.guest,
            rating: 0.0,
            provisional: false,
        };
        let request = OpenTicketRequest {
            ticket_id: TicketId::from(seed.uuid("ticket")).to_string(),
            player: Some(player),
            time_control: control.to_string(),
            rated,
        };
        let ticket = app.links.open_ticket(request).await?.ticket.unwrap_or_default();
        Created::new(Ticket::from(&ticket))
    })
    .await
}

/// A ticket of yours
#[utoipa::path(
    get, path = "/v1/tickets/{id}", tag = "finding a game", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The ticket"), Wait),
    responses(
        (status = 200, body = Ticket, description = "The ticket, changed or not"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`"),
    ),
)]
async fn get_ticket(
    State(app): State<App>,
    Reader(caller): Reader,
    Named(id): Named<TicketId>,
    Query(Wait { wait_s }): Query<Wait>,
) -> Result<axum::Json<Ticket>, Problem> {
    let wait_s = wait_s.unwrap_or(0);
    if wait_s > LONGEST_WAIT_S {
        return Err(Refusal::bad_request("wait_s", "must be 0 to 25").into());
    }
    let ask = |wait_ms| {
        app.links.get_ticket(GetTicketRequest {
            ticket_id: id.to_string(),
            player_id: caller.id().to_string(),
            wait_ms,
        })
    };
    let ticket = tokio::select! {
        ticket = ask(i64::from(wait_s) * 1000) => ticket?,
        () = app.drain.draining(), if wait_s > 0 => ask(0).await?,
    };
    Ok(axum::Json(Ticket::from(&ticket)))
}

/// Stop looking
#[utoipa::path(
    delete, path = "/v1/tickets/{id}", tag = "finding a game", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The ticket")),
    responses(
        (status = 204, description = "The ticket is cancelled, now or before"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`"),
        (status = 409, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`ALREADY_MATCHED` with `game_id`"),
    ),
)]
async fn cancel_ticket(
    State(app): State<App>,
    Playing(caller): Playing,
    Named(id): Named<TicketId>,
    _: NoBody,
) -> Result<StatusCode, Problem> {
    let request = CancelTicketRequest { ticket_id: id.to_string(), player_id: caller.id().to_string() };
    app.links.cancel_ticket(request).await?;
    Ok(StatusCode::NO_CONTENT)
}
