//! Following a game: as NDJSON, or over a WebSocket that also takes commands.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use http::HeaderMap;
use proto::game::v1 as game;
use proto::{Code, GameId, PlayerId, Refusal};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::address::ClientAddress;
use crate::app::App;
use crate::auth::{Visitor, identify, socket_bearer};
use crate::command::Reply;
use crate::contain;
use crate::extract::{Named, Query};
use crate::feed::{End, Head, Line, Next, Reader};
use crate::identity::Identity;
use crate::ndjson::{self, Lines};
use crate::problem::{Problem, ProblemBody};
use crate::socket::{self, Close, Seat};
use crate::view::event::{Event, Passing};

pub(crate) const SUBPROTOCOL: &str = "four-kingdoms.v1";

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(watch_game)).routes(routes!(open_socket))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct From {
    /// The version you have seen; everything after it is sent.
    #[param(nullable = false, minimum = 0, default = 0)]
    after: Option<u64>,
}

/// A line of a game's stream.
#[derive(utoipa::ToSchema, serde::Serialize)]
#[serde(untagged)]
#[expect(dead_code, clippy::large_enum_variant, reason = "describes what streams send")]
enum GameLine {
    /// Has `v`; will be told again to who comes back with an earlier `after`.
    Event(Event),
    /// Has no `v` and is never told again.
    Passing(Passing),
}

/// A game that the viewer may see, and a reader of it from `after` on.
struct Admitted {
    game: game::Game,
    reader: Reader,
}

async fn admit(app: &App, viewer: Option<PlayerId>, id: GameId, after: u64) -> Result<Admitted, Problem> {
    let viewer = viewer.map(|id| id.to_string()).unwrap_or_default();
    let game = app.links.game_seen_by(viewer.clone(), id.to_string()).await?;
    if after > game.v {
        let why = format!("after: the game is at version {}", game.v);
        return Err(Refusal::new(Code::Resync, why).at_ply(game.ply).into());
    }
    let seen = Head { v: game.v, ply: game.ply, ..Head::default() };
    let reader = app.feeds.read(id, viewer, after, seen);
    Ok(Admitted { game, reader })
}

/// The events of a game, live
///
/// NDJSON: one object a line, an empty line every 7 s. Ends after `aborted`, after `over` of an unrated game, after
/// `rated` of a rated one. An answer that breaks off sooner can be taken up again with `after`;
/// but if its last line is `{"type":"refused","code":"RESYNC"}`, what was told is void, and the client starts from 0.
#[utoipa::path(
    get, path = "/v1/games/{id}/events", tag = "playing", security((), ("bearer" = [])),
    params(("id" = Uuid, Path, description = "The game"), From),
    responses(
        (status = 200, body = GameLine, content_type = "application/x-ndjson", description = "One of these a line"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`: no such game, or not for you"),
        (status = 409, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`RESYNC`: `after` is beyond the game's head"),
    ),
)]
async fn watch_game(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    visitor: Visitor,
    Named(id): Named<GameId>,
    Query(From { after }): Query<From>,
) -> Result<Response, Problem> {
    let place = app.limits.open(visitor.id(), address)?;
    let Admitted { reader, .. } = admit(&app, visitor.id(), id, after.unwrap_or(0)).await?;
    let token = visitor.0.as_ref().map(|identity| identity.token.hash);
    let (lines, response) = ndjson::open(&app, "game", token, place);
    contain::spawn(&app.drain, "game", tell(reader, lines));
    Ok(response)
}

async fn tell(mut reader: Reader, mut lines: Lines) {
    loop {
        let next = tokio::select! {
            next = reader.next() => next,
            () = lines.keep() => return,
        };
        let told = match next {
            Next::Events(events) => events,
            Next::Passing(news) => vec![news],
            Next::End(End::Finished) => return,
            Next::End(End::Resync) => {
                if let Some(line) = Line::of(&Reply::resync().told_at(reader.head().ply)) {
                    lines.send(&line).await;
                }
                return lines.cut();
            }
            Next::End(End::Gone | End::Lost) => return lines.cut(),
        };
        for line in &told {
            if !lines.send(line).await {
                return;
            }
        }
    }
}

/// A game over a WebSocket
///
/// Sends one event of the game a text frame, as the NDJSON stream does, and takes `{"type":"move","ply":n,"move":"h2-h4","id":"any"}`,
/// `{"type":"resign","id":...}` and `{"type":"ping"}`. Browsers pass the token as the subprotocol `bearer.<token>` beside
/// `four-kingdoms.v1`. A dead token closes with 4401, an unknown game with 4404.
#[utoipa::path(
    get, path = "/v1/games/{id}/socket", tag = "playing", security((), ("bearer" = [])),
    params(("id" = Uuid, Path, description = "The game"), From),
    responses(
        (status = 101, description = "The socket is open"),
        (status = 404, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`NOT_FOUND`, when the request asks for no socket"),
        (status = 409, body = ProblemBody<'static>, content_type = "application/problem+json", description = "`RESYNC`: `after` is beyond the game's head"),
    ),
)]
async fn open_socket(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    id: Result<Named<GameId>, Problem>,
    Query(From { after }): Query<From>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let place = app.limits.open(None, address)?;
    let admitted = async {
        let identity = who(&app, &headers).await?;
        let Named(id) = id?;
        let admitted = admit(&app, identity.as_ref().map(|identity| identity.id()), id, after.unwrap_or(0)).await?;
        Ok((id, identity, admitted))
    };
    let admitted: Result<_, Problem> = admitted.await;
    let upgrade = match upgrade {
        Ok(upgrade) => {
            upgrade.protocols([SUBPROTOCOL]).max_frame_size(socket::FRAME_BYTES).max_message_size(socket::FRAME_BYTES)
        }
        Err(_) => {
            admitted?;
            return Err(Refusal::bad_request("Upgrade", "this is the address of a WebSocket").into());
        }
    };
    let (id, identity, Admitted { game, reader }) = match admitted {
        Ok(admitted) => admitted,
        // A browser sees only how a socket closes.
        Err(Problem(refusal)) if matches!(refusal.code, Code::Unauthenticated | Code::NotFound) => {
            let close = if refusal.code == Code::NotFound { Close::NOT_FOUND } else { Close::TOKEN_DEAD };
            return Ok(upgrade.on_upgrade(move |socket| socket::turn_away(socket, close)));
        }
        Err(problem) => return Err(problem),
    };
    let place = match &identity {
        Some(identity) => {
            drop(place);
            app.limits.open(Some(identity.id()), address)?
        }
        None => place,
    };
    let seat = Seat { game: id, sits: sits(&game, identity.as_deref()), identity };
    Ok(upgrade.on_upgrade(async move |socket| {
        let drain = app.drain.clone();
        contain::spawn(&drain, "socket", socket::run(app, socket, seat, reader, place));
    }))
}

async fn who(app: &App, headers: &HeaderMap) -> Result<Option<Arc<Identity>>, Problem> {
    let Some(token) = socket_bearer(headers)? else { return Ok(None) };
    let identity = identify(app, &token).await?;
    if !identity.scopes().read {
        return Err(Refusal::new(Code::Forbidden, "the token lacks the scope read").into());
    }
    Ok(Some(identity))
}

fn sits(game: &game::Game, identity: Option<&Identity>) -> bool {
    let Some(me) = identity.map(|identity| identity.id().to_string()) else { return false };
    game.seats.iter().any(|seat| seat.player.as_ref().is_some_and(|player| player.id == me))
}
