//! The wire: requests become commands, states become answers. No decisions here.

use std::sync::Arc;

use futures::future::try_join_all;
use proto::game::v1 as wire;
use proto::game::v1::game_service_server::GameService;
use proto::types::v1::{Seat, SeatPlan, seat_plan};
use proto::{Code, GameId, PlayerId, Refusal};
use rules::Army;
use runtime::Drain;
use tonic::{Request, Response, Status};

use crate::decide::{Command, Creation};
use crate::fact::{self, Plan, Player};
use crate::failure::unavailable;
use crate::fanout::{After, Fanout, watch_game, watch_player};
use crate::games::Games;
use crate::state::State;
use crate::{games, rematch, view};

/// Longest text taken for a move, a position or a code.
const LONGEST_TEXT: usize = 4096;

pub(crate) struct Grpc {
    games: Arc<Games>,
    fanout: Arc<Fanout>,
    drain: Drain,
}

impl Grpc {
    pub(crate) fn new(games: Arc<Games>, fanout: Arc<Fanout>, drain: Drain) -> Self {
        Self { games, fanout, drain }
    }

    fn view(&self, state: &State, viewer: Option<PlayerId>, legal_moves: bool) -> wire::Game {
        view::game(state, viewer, self.games.store.now(), legal_moves)
    }

    fn seen(&self, state: &State, viewer: PlayerId) -> Option<wire::Game> {
        Some(self.view(state, Some(viewer), false))
    }
}

fn id<T: std::str::FromStr>(field: &str, text: &str) -> Result<T, Refusal> {
    text.parse().map_err(|_| Refusal::bad_request(field, "expected a UUID"))
}

/// An unknown game is told from a malformed id nowhere: both are not found.
fn game_id(text: &str) -> Result<GameId, Refusal> {
    text.parse().map_err(|_| Refusal::not_found("game"))
}

fn optional<T: std::str::FromStr>(field: &str, text: &str) -> Result<Option<T>, Refusal> {
    if text.is_empty() { Ok(None) } else { id(field, text).map(Some) }
}

fn viewer(text: &str) -> Result<Option<PlayerId>, Refusal> {
    optional("viewer_id", text)
}

fn short<'a>(field: &str, text: &'a str) -> Result<&'a str, Refusal> {
    if text.len() > LONGEST_TEXT { Err(Refusal::bad_request(field, "too long")) } else { Ok(text) }
}

fn player(player: Option<&proto::types::v1::Player>) -> Result<Player, Refusal> {
    player.and_then(fact::player).ok_or_else(|| Refusal::bad_request("player", "expected a player with an id"))
}

fn army(seat: i32) -> Option<Army> {
    Seat::try_from(seat).ok().and_then(|seat| Army::try_from(seat).ok())
}

fn plans(seats: &[SeatPlan]) -> Result<Option<[Plan; 4]>, Refusal> {
    if seats.is_empty() {
        return Ok(None);
    }
    let mut plans = [None; 4];
    for plan in seats {
        let army = army(plan.seat).ok_or_else(|| Refusal::bad_request("seats", "a seat without a name"))?;
        plans[army.index()] = Some(match &plan.occupant {
            Some(seat_plan::Occupant::Open(_)) => Plan::Open,
            Some(seat_plan::Occupant::ReservedForPlayerId(player)) => Plan::Reserved(id("seats", player)?),
            Some(seat_plan::Occupant::None(_)) => Plan::Empty,
            None => return Err(Refusal::bad_request("seats", "a seat without an occupant")),
        });
    }
    match plans {
        [Some(red), Some(blue), Some(yellow), Some(green)] => Ok(Some([red, blue, yellow, green])),
        _ => Err(Refusal::bad_request("seats", "expected red, blue, yellow and green")),
    }
}

fn creation(request: &wire::CreateGameRequest, games: &Games) -> Result<Creation, Refusal> {
    let seated = request.seated.iter().map(|seated| {
        let army = army(seated.seat).ok_or_else(|| Refusal::bad_request("seated", "a seat without a name"))?;
        Ok((army, player(seated.player.as_ref())?))
    });
    let maker = viewer(&request.maker_player_id)?;
    Ok(Creation {
        id: id("game_id", &request.game_id)?,
        rated: request.rated,
        visibility: match request.visibility() {
            proto::types::v1::Visibility::Unspecified => {
                return Err(Refusal::bad_request("visibility", "not specified"));
            }
            given => given,
        },
        control: request.time_control.parse().map_err(|error| Refusal::bad_request("time_control", error))?,
        first_move_ms: games.config.first_move_ms,
        roaming_delay_ms: games.config.roaming_delay_ms,
        start_fen4: Some(short("start_fen4", &request.start_fen4)?.to_owned()).filter(|fen4| !fen4.is_empty()),
        invite_code: maker.map(|_| games::invite_code()),
        maker,
        seated: seated.collect::<Result<_, Refusal>>()?,
        plans: plans(&request.seats)?,
        rematch_of: None,
        make_until: request.make_until_unix_ms,
    })
}

#[tonic::async_trait]
impl GameService for Grpc {
    async fn create_game(
        &self,
        request: Request<wire::CreateGameRequest>,
    ) -> Result<Response<wire::CreateGameResponse>, Status> {
        let creation = creation(request.get_ref(), &self.games)?;
        let maker = creation.maker;
        let read = creation.start_fen4.as_deref().and_then(|fen4| rules::Game::from_fen4(fen4).ok());
        let unknown_fen4_keys = read.map(|(_, unknown)| unknown).unwrap_or_default();
        let state = self.games.create(creation).await?;
        let game = Some(self.view(&state, maker, false));
        Ok(Response::new(wire::CreateGameResponse { game, unknown_fen4_keys }))
    }

    async fn get_game(
        &self,
        request: Request<wire::GetGameRequest>,
    ) -> Result<Response<wire::GetGameResponse>, Status> {
        let request = request.get_ref();
        let viewer = viewer(&request.viewer_id)?;
        let state = self.games.visible(game_id(&request.game_id)?, viewer).await?;
        let game = Some(self.view(&state, viewer, request.include_legal_moves));
        Ok(Response::new(wire::GetGameResponse { game }))
    }

    async fn get_log(&self, request: Request<wire::GetLogRequest>) -> Result<Response<wire::GetLogResponse>, Status> {
        let request = request.get_ref();
        let (id, viewer) = (game_id(&request.game_id)?, viewer(&request.viewer_id)?);
        let state = self.games.visible(id, viewer).await?;
        let mut events = self.games.log(id, 0).await?;
        // State and events of one moment.
        events.retain(|event| event.v <= state.version());
        Ok(Response::new(wire::GetLogResponse { game: Some(self.view(&state, viewer, false)), events }))
    }

    async fn get_invite(
        &self,
        request: Request<wire::GetInviteRequest>,
    ) -> Result<Response<wire::GetInviteResponse>, Status> {
        let unknown = || Refusal::not_found("invite");
        let found = self.games.store.invited(short("invite_code", &request.get_ref().invite_code)?).await;
        let id = found.map_err(unavailable)?.ok_or_else(unknown)?;
        let state = self.games.find(id).await?.ok_or_else(unknown)?;
        Ok(Response::new(wire::GetInviteResponse { game: Some(self.view(&state, None, false)) }))
    }

    async fn take_seat(
        &self,
        request: Request<wire::TakeSeatRequest>,
    ) -> Result<Response<wire::TakeSeatResponse>, Status> {
        let request = request.get_ref();
        let (id, player) = (game_id(&request.game_id)?, player(request.player.as_ref())?);
        let who = player.id;
        let state = self.games.find(id).await?.ok_or_else(|| Refusal::not_found("game"))?;
        if state.army_of(who).is_none() {
            self.games.check_number_of_games(who).await?;
            self.games.check_start(&state, who).await?;
        }
        let invite_code = short("invite_code", &request.invite_code)?.to_owned();
        let command = Command::TakeSeat { player, seat: army(request.seat), invite_code };
        let state = self.games.execute(id, command).await?;
        Ok(Response::new(wire::TakeSeatResponse { game: self.seen(&state, who) }))
    }

    async fn leave_seat(
        &self,
        request: Request<wire::LeaveSeatRequest>,
    ) -> Result<Response<wire::LeaveSeatResponse>, Status> {
        let request = request.get_ref();
        let player = id("player_id", &request.player_id)?;
        self.games.execute(game_id(&request.game_id)?, Command::Leave { player }).await?;
        Ok(Response::new(wire::LeaveSeatResponse {}))
    }

    async fn make_move(
        &self,
        request: Request<wire::MakeMoveRequest>,
    ) -> Result<Response<wire::MakeMoveResponse>, Status> {
        let request = request.get_ref();
        let player = id("player_id", &request.player_id)?;
        let text = short("move", &request.r#move)?.to_owned();
        let command = Command::Move { player, ply: request.ply, text };
        let state = self.games.execute(game_id(&request.game_id)?, command).await?;
        Ok(Response::new(wire::MakeMoveResponse { game: self.seen(&state, player) }))
    }

    async fn resign(&self, request: Request<wire::ResignRequest>) -> Result<Response<wire::ResignResponse>, Status> {
        let request = request.get_ref();
        let player = id("player_id", &request.player_id)?;
        let state = self.games.execute(game_id(&request.game_id)?, Command::Resign { player }).await?;
        Ok(Response::new(wire::ResignResponse { game: self.seen(&state, player) }))
    }

    async fn rematch(&self, request: Request<wire::RematchRequest>) -> Result<Response<wire::RematchResponse>, Status> {
        let request = request.get_ref();
        let player = player(request.player.as_ref())?;
        let who = player.id;
        let state = rematch::call(&self.games, game_id(&request.game_id)?, player).await?;
        Ok(Response::new(wire::RematchResponse { game: self.seen(&state, who) }))
    }

    async fn list_games(
        &self,
        request: Request<wire::ListGamesRequest>,
    ) -> Result<Response<wire::ListGamesResponse>, Status> {
        let request = request.get_ref();
        let before = cursor(request.status, &request.cursor)?;
        let limit = request.limit.clamp(1, 100);
        let listed = self.games.store.public_games(request.status(), before, limit).await.map_err(unavailable)?;
        let last = listed.last().filter(|_| listed.len() == limit as usize);
        let next_cursor = last.map(|(created, id)| format!("{}.{created}.{id}", request.status)).unwrap_or_default();
        let found = try_join_all(listed.iter().map(|(_, id)| self.games.find(*id))).await?;
        let games = found.iter().flatten().map(|state| self.view(state, None, false)).collect();
        Ok(Response::new(wire::ListGamesResponse { games, next_cursor }))
    }

    async fn list_player_games(
        &self,
        request: Request<wire::ListPlayerGamesRequest>,
    ) -> Result<Response<wire::ListPlayerGamesResponse>, Status> {
        let player = id("player_id", &request.get_ref().player_id)?;
        let games = self.games.store.games_of(player).await.map_err(unavailable)?;
        let found = try_join_all(games.iter().map(|(id, _)| self.games.find(*id))).await?;
        let games = found.iter().flatten().map(|state| self.view(state, Some(player), false)).collect();
        Ok(Response::new(wire::ListPlayerGamesResponse { games }))
    }

    type WatchGameStream = crate::fanout::Watch<wire::WatchGameResponse>;

    async fn watch_game(
        &self,
        request: Request<wire::WatchGameRequest>,
    ) -> Result<Response<Self::WatchGameStream>, Status> {
        let request = request.get_ref();
        let (id, viewer) = (game_id(&request.game_id)?, viewer(&request.viewer_id)?);
        let after = After { v: request.after, id: optional("after_id", &request.after_id)? };
        Ok(Response::new(watch_game(&self.fanout, id, viewer, after, &self.drain).await?))
    }

    type WatchPlayerStream = crate::fanout::Watch<wire::WatchPlayerResponse>;

    async fn watch_player(
        &self,
        request: Request<wire::WatchPlayerRequest>,
    ) -> Result<Response<Self::WatchPlayerStream>, Status> {
        let player = id("player_id", &request.get_ref().player_id)?;
        Ok(Response::new(watch_player(&self.fanout, player, &self.drain)))
    }

    async fn report_presence(
        &self,
        request: Request<wire::ReportPresenceRequest>,
    ) -> Result<Response<wire::ReportPresenceResponse>, Status> {
        let request = request.get_ref();
        let (id, player) = (game_id(&request.game_id)?, id("player_id", &request.player_id)?);
        let state = self.games.visible(id, Some(player)).await?;
        if let Some(army) = state.army_of(player) {
            let presence = wire::passing::Presence { seat: Seat::from(army).into(), connected: request.connected };
            let news = wire::Passing { news: Some(wire::passing::News::Presence(presence)) };
            self.games.store.tell(id, news).await.map_err(unavailable)?;
        }
        Ok(Response::new(wire::ReportPresenceResponse {}))
    }

    async fn wake(&self, request: Request<wire::WakeRequest>) -> Result<Response<wire::WakeResponse>, Status> {
        let request = request.get_ref();
        let id = game_id(&request.game_id)?;
        // What is due is decided by the game alone; the kind and ply only tell a stale call from an early one.
        let state = match self.games.execute(id, Command::Settle).await {
            Ok(state) => state,
            Err(refusal) if refusal.code == Code::NotFound => return Ok(Response::new(wire::WakeResponse::default())),
            Err(refusal) => return Err(refusal.into()),
        };
        let same = |due: &crate::state::Due| due.kind == request.kind() && state.ply() == request.ply;
        let not_before_unix_ms = state.due().filter(same).map(|due| due.at);
        Ok(Response::new(wire::WakeResponse { not_before_unix_ms }))
    }
}

/// A cursor is good for the list that gave it only.
fn cursor(status: i32, text: &str) -> Result<Option<(i64, GameId)>, Refusal> {
    if text.is_empty() {
        return Ok(None);
    }
    let of_list = text.split_once('.').filter(|(list, _)| *list == status.to_string());
    let parsed = of_list
        .and_then(|(_, place)| place.split_once('.'))
        .and_then(|(created, id)| Some((created.parse().ok()?, id.parse().ok()?)));
    parsed.map(Some).ok_or_else(|| Refusal::bad_request("cursor", "not one that was given for this list"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_good_for_its_own_list() {
        let id = GameId::new();
        let given = format!("2.17.{id}");
        assert_eq!(cursor(2, &given).unwrap(), Some((17, id)));
        assert_eq!(cursor(1, &given).unwrap_err().code, Code::BadRequest);
        assert_eq!(cursor(2, &format!("17.{id}")).unwrap_err().code, Code::BadRequest);
    }
}
