use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::{Stream, StreamExt as _, stream};
use proto::game::v1::game_service_server::GameService;
use proto::game::v1::{self as wire, Game, watch_game_response::Item};
use proto::types::v1 as types;
use proto::types::v1::event::What;
use proto::{Code, Refusal};
use tokio::sync::broadcast;
use tonic::{Request, Response, Status};

use super::{Fake, Kept, Told, answer, inside, locked, moved};

type Answer<T> = Result<Response<T>, Status>;
type Watch<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl Fake {
    fn seen<T>(&self, id: &str, viewer: &str, see: impl FnOnce(&mut Kept) -> T) -> Result<T, Status> {
        let mut games = locked(&self.0.games);
        let kept = games.get_mut(id).filter(|kept| may_see(&kept.game, viewer));
        kept.map(see).ok_or_else(|| Refusal::not_found("game").into())
    }
}

fn may_see(game: &Game, viewer: &str) -> bool {
    let sits = |seat: &wire::SeatState| seat.player.as_ref().is_some_and(|player| player.id == viewer);
    game.visibility() == types::Visibility::Public || game.seats.iter().any(sits)
}

fn seat_of(game: &Game, player: &str) -> Option<types::Seat> {
    let sits = |seat: &&wire::SeatState| seat.player.as_ref().is_some_and(|p| p.id == player);
    game.seats.iter().find(sits).map(wire::SeatState::seat)
}

#[tonic::async_trait]
impl GameService for Fake {
    async fn create_game(&self, request: Request<wire::CreateGameRequest>) -> Answer<wire::CreateGameResponse> {
        self.called("create_game")?;
        let asked = inside(request);
        if self.0.slow.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        let mut games = locked(&self.0.games);
        let kept = games.entry(asked.game_id.clone()).or_insert_with(|| {
            let seat = |seat: types::Seat| wire::SeatState {
                seat: seat.into(),
                exists: true,
                player: asked.seated.iter().find(|one| one.seat() == seat).and_then(|one| one.player.clone()),
                army: types::ArmyState::Playing.into(),
                ..Default::default()
            };
            let game = Game {
                id: asked.game_id.clone(),
                status: types::GameStatus::Waiting.into(),
                visibility: asked.visibility,
                time_control: asked.time_control.clone(),
                class: types::Class::Blitz.into(),
                invite_code: format!("CODE{}", &asked.game_id[..8]),
                seats: types::Seat::ALL.map(seat).to_vec(),
                ..Default::default()
            };
            let mut kept = Kept { game, events: Vec::new(), told: broadcast::channel(1024).0 };
            kept.append(vec![What::Created(types::event::Created { settings: None })]);
            kept
        });
        answer(wire::CreateGameResponse { game: Some(kept.game.clone()), ..Default::default() })
    }

    async fn get_game(&self, request: Request<wire::GetGameRequest>) -> Answer<wire::GetGameResponse> {
        self.called("get_game")?;
        let asked = inside(request);
        let mut game = self.seen(&asked.game_id, &asked.viewer_id, |kept| kept.game.clone())?;
        if asked.include_legal_moves {
            game.legal_moves = vec!["h2-h4".to_owned()];
        }
        answer(wire::GetGameResponse { game: Some(game) })
    }

    async fn get_log(&self, request: Request<wire::GetLogRequest>) -> Answer<wire::GetLogResponse> {
        self.called("get_log")?;
        let asked = inside(request);
        let log = self.seen(&asked.game_id, &asked.viewer_id, |kept| (kept.game.clone(), kept.events.clone()))?;
        answer(wire::GetLogResponse { game: Some(log.0), events: log.1 })
    }

    async fn get_invite(&self, request: Request<wire::GetInviteRequest>) -> Answer<wire::GetInviteResponse> {
        self.called("get_invite")?;
        let code = inside(request).invite_code;
        let games = locked(&self.0.games);
        let game = games.values().map(|kept| &kept.game).find(|game| !code.is_empty() && game.invite_code == code);
        let game = game.cloned().ok_or_else(|| Refusal::not_found("invite"))?;
        answer(wire::GetInviteResponse { game: Some(game) })
    }

    async fn take_seat(&self, request: Request<wire::TakeSeatRequest>) -> Answer<wire::TakeSeatResponse> {
        self.called("take_seat")?;
        let asked = inside(request);
        let mut games = locked(&self.0.games);
        let kept = games.get_mut(&asked.game_id).filter(|kept| kept.game.invite_code == asked.invite_code);
        let kept = kept.ok_or_else(|| Refusal::not_found("game"))?;
        let wanted = asked.seat();
        let fits = |seat: &&mut wire::SeatState| {
            seat.player.is_none() && (wanted == types::Seat::Unspecified || seat.seat() == wanted)
        };
        let seat = kept.game.seats.iter_mut().find(fits).ok_or_else(|| Refusal::new(Code::SeatTaken, "taken"))?;
        seat.player = asked.player;
        answer(wire::TakeSeatResponse { game: Some(kept.game.clone()) })
    }

    async fn leave_seat(&self, request: Request<wire::LeaveSeatRequest>) -> Answer<wire::LeaveSeatResponse> {
        self.called("leave_seat")?;
        let asked = inside(request);
        let mut games = locked(&self.0.games);
        let kept = games.get_mut(&asked.game_id).ok_or_else(|| Refusal::not_found("game"))?;
        let seat = seat_of(&kept.game, &asked.player_id).ok_or_else(|| Refusal::new(Code::Forbidden, "not seated"))?;
        let sat = kept.game.seats.iter_mut().find(|one| one.seat() == seat).unwrap().player.take();
        let events = kept.append(vec![What::Left(types::event::Left { seat: seat.into(), player: sat })]);
        let _ = kept.told.send(Told::Events(events));
        answer(wire::LeaveSeatResponse {})
    }

    async fn make_move(&self, request: Request<wire::MakeMoveRequest>) -> Answer<wire::MakeMoveResponse> {
        self.called("make_move")?;
        let asked = inside(request);
        let (game, events, told) = self.seen(&asked.game_id, &asked.player_id, |kept| {
            let ply = kept.game.ply;
            if seat_of(&kept.game, &asked.player_id).is_none() {
                return Err(Refusal::new(Code::Forbidden, "not seated").at_ply(ply));
            }
            if asked.ply != ply {
                return Err(Refusal::new(Code::StalePly, "stale").at_ply(ply));
            }
            if asked.r#move == "a4-a4" {
                return Err(Refusal::new(Code::IllegalMove, "illegal").at_ply(ply));
            }
            let events = kept.append(vec![moved(&asked.r#move), moved("roaming")]);
            Ok((kept.game.clone(), events, kept.told.clone()))
        })??;
        // The watchers hear of it after the mover has the answer.
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let _ = told.send(Told::Events(events));
        });
        answer(wire::MakeMoveResponse { game: Some(game) })
    }

    async fn resign(&self, request: Request<wire::ResignRequest>) -> Answer<wire::ResignResponse> {
        self.called("resign")?;
        let asked = inside(request);
        let game = self.seen(&asked.game_id, &asked.player_id, |kept| kept.game.clone())?;
        answer(wire::ResignResponse { game: Some(game) })
    }

    async fn rematch(&self, request: Request<wire::RematchRequest>) -> Answer<wire::RematchResponse> {
        self.called("rematch")?;
        let asked = inside(request);
        Err(Refusal::new(Code::NotStarted, format!("{} is not over", asked.game_id)).at_ply(4).into())
    }

    async fn list_games(&self, request: Request<wire::ListGamesRequest>) -> Answer<wire::ListGamesResponse> {
        self.called("list_games")?;
        let asked = inside(request);
        let games = locked(&self.0.games);
        let listed = games.values().map(|kept| &kept.game).filter(|game| game.status() == asked.status());
        answer(wire::ListGamesResponse { games: listed.cloned().collect(), next_cursor: "next".to_owned() })
    }

    async fn list_player_games(
        &self,
        request: Request<wire::ListPlayerGamesRequest>,
    ) -> Answer<wire::ListPlayerGamesResponse> {
        self.called("list_player_games")?;
        let player = inside(request).player_id;
        let games = locked(&self.0.games);
        let mine = games.values().map(|kept| &kept.game).filter(|game| seat_of(game, &player).is_some());
        answer(wire::ListPlayerGamesResponse { games: mine.cloned().collect() })
    }

    type WatchGameStream = Watch<wire::WatchGameResponse>;

    async fn watch_game(&self, request: Request<wire::WatchGameRequest>) -> Answer<Self::WatchGameStream> {
        self.called("watch_game")?;
        let asked = inside(request);
        let found = self.seen(&asked.game_id, &asked.viewer_id, |kept| {
            let after = usize::try_from(asked.after).unwrap();
            let last = after.checked_sub(1).map(|last| kept.events.get(last).map(|event| event.id.clone()));
            let same = last.is_none_or(|id| id.is_some_and(|id| asked.after_id.is_empty() || asked.after_id == id));
            same.then(|| (kept.events[after..].to_vec(), kept.told.subscribe()))
        })?;
        let (backlog, told) = found.ok_or_else(|| Refusal::new(Code::Resync, "after: not in the log"))?;
        let live = stream::unfold(told, |mut told| async move {
            match told.recv().await {
                Ok(Told::Events(events)) => Some((Item::Events(types::EventLog { events }), told)),
                Ok(Told::Passing(passing)) => Some((Item::Passing(passing), told)),
                Ok(Told::Broken) | Err(_) => None,
            }
        });
        let all = stream::iter([Item::Events(types::EventLog { events: backlog })]).chain(live);
        answer(Box::pin(all.map(|item| Ok(wire::WatchGameResponse { item: Some(item) }))) as Self::WatchGameStream)
    }

    type WatchPlayerStream = Watch<wire::WatchPlayerResponse>;

    async fn watch_player(&self, request: Request<wire::WatchPlayerRequest>) -> Answer<Self::WatchPlayerStream> {
        self.called("watch_player")?;
        drop(request);
        let started = wire::WatchPlayerResponse {
            game_id: proto::GameId::new().to_string(),
            notice: Some(wire::watch_player_response::Notice::GameStarted(wire::watch_player_response::GameStarted {
                seat: types::Seat::Green.into(),
            })),
        };
        answer(Box::pin(stream::iter([Ok(started)]).chain(stream::pending())) as Self::WatchPlayerStream)
    }

    async fn report_presence(
        &self,
        request: Request<wire::ReportPresenceRequest>,
    ) -> Answer<wire::ReportPresenceResponse> {
        self.called("report_presence")?;
        let asked = inside(request);
        locked(&self.0.presence).push((asked.player_id, asked.connected));
        answer(wire::ReportPresenceResponse {})
    }

    async fn wake(&self, _: Request<wire::WakeRequest>) -> Answer<wire::WakeResponse> {
        Err(Status::unimplemented("not the gateway's"))
    }
}
