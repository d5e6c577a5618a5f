//! The caller's own page and news.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::Response;
use futures::StreamExt as _;
use proto::game::v1::{ListPlayerGamesRequest, WatchPlayerRequest, WatchPlayerResponse};
use proto::matchmaking::v1::{GetOpenTicketRequest, WatchTicketsRequest, WatchTicketsResponse};
use proto::types::v1 as types;
use serde::Serialize;
use tonic::Streaming;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::address::ClientAddress;
use crate::app::App;
use crate::auth::Reader;
use crate::backoff::Backoff;
use crate::contain;
use crate::ndjson::{self, Lines};
use crate::players::ratings_of;
use crate::problem::Problem;
use crate::view::game::Game;
use crate::view::news::News;
use crate::view::player::{Player, Ratings};
use crate::view::ticket::Ticket;

/// A stream that has lived so long did not break for having been opened.
const STEADY: Duration = Duration::from_secs(5);

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(get_me)).routes(routes!(watch_me))
}

/// The caller.
#[derive(Debug, Serialize, ToSchema)]
struct Me {
    player: Player,
    ratings: Ratings,
    /// The open one.
    ticket: Option<Ticket>,
    /// Running ones, newest first.
    games: Vec<Game>,
    /// Those that wait for players, newest first.
    waiting_games: Vec<Game>,
}

/// Who you are
#[utoipa::path(
    get, path = "/v1/me", tag = "accounts", security(("bearer" = [])),
    responses((status = 200, body = Me, description = "You, your ratings, open ticket and live games")),
)]
async fn get_me(State(app): State<App>, Reader(caller): Reader) -> Result<axum::Json<Me>, Problem> {
    let player_id = caller.id().to_string();
    let (ratings, ticket, games) = tokio::try_join!(
        ratings_of(&app, caller.id()),
        app.links.get_open_ticket(GetOpenTicketRequest { player_id: player_id.clone() }),
        app.links.list_player_games(ListPlayerGamesRequest { player_id }),
    )?;
    let of = |status| {
        let games = games.games.iter().filter(move |game| game.status() == status);
        games.map(Game::from).collect()
    };
    Ok(axum::Json(Me {
        player: (&caller.player).into(),
        ratings,
        ticket: ticket.ticket.as_ref().map(Ticket::from),
        games: of(types::GameStatus::Running),
        waiting_games: of(types::GameStatus::Waiting),
    }))
}

/// Your news, live
///
/// NDJSON: one object a line, an empty line every 7 s. Begins with the open ticket, if there is one, and with
/// `game_started` of each running game, and `your_turn` if you are to move; these come again when something may have
/// been missed.
#[utoipa::path(
    get, path = "/v1/me/events", tag = "accounts", security(("bearer" = [])),
    responses((status = 200, body = News, content_type = "application/x-ndjson", description = "One of these a line, without end")),
)]
async fn watch_me(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    Reader(caller): Reader,
) -> Result<Response, Problem> {
    let place = app.limits.open(Some(caller.id()), address)?;
    let player_id = caller.id().to_string();
    // Nothing that happens after the answer's head is missed.
    let (games, tickets) = tokio::try_join!(
        app.links.watch_player(WatchPlayerRequest { player_id: player_id.clone() }),
        app.links.watch_tickets(WatchTicketsRequest { player_id }),
    )?;
    let (lines, response) = ndjson::open(&app, "me", Some(caller.token.hash), place);
    let telling = tell(app.clone(), caller.id().to_string(), games, tickets, lines);
    contain::spawn(&app.drain, "me", telling);
    Ok(response)
}

async fn tell(
    app: App,
    player_id: String,
    games: Streaming<WatchPlayerResponse>,
    tickets: Streaming<WatchTicketsResponse>,
    mut lines: Lines,
) {
    let (mut games, mut tickets) = (Some(games), Some(tickets));
    let (mut backoff, mut opened) = (Backoff::default(), Instant::now());
    loop {
        let (Some(game_news), Some(ticket_news)) = (&mut games, &mut tickets) else {
            tokio::select! {
                () = backoff.pause() => {}
                () = lines.keep() => return,
            }
            if games.is_none() {
                let request = WatchPlayerRequest { player_id: player_id.clone() };
                games = app.links.watch_player(request).await.ok();
            }
            if tickets.is_none() {
                let request = WatchTicketsRequest { player_id: player_id.clone() };
                tickets = app.links.watch_tickets(request).await.ok();
            }
            opened = Instant::now();
            continue;
        };
        let news = tokio::select! {
            told = game_news.next() => match told {
                Some(Ok(told)) => News::of(told),
                _ => { games = None; None }
            },
            told = ticket_news.next() => match told {
                Some(Ok(told)) => told.ticket.as_ref().map(|ticket| News::Ticket(ticket.into())),
                _ => { tickets = None; None }
            },
            () = lines.keep() => return,
        };
        if opened.elapsed() > STEADY {
            backoff = Backoff::default();
        }
        if let Some(news) = news
            && !lines.send_json(&news).await
        {
            return;
        }
    }
}
