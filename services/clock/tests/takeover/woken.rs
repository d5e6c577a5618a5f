//! A game service that only writes down when it was woken.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use live::LiveStore;
use proto::game::v1 as wire;
use proto::game::v1::game_service_server::{GameService, GameServiceServer};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

/// By game, the first time.
pub(crate) type Woken = Arc<Mutex<HashMap<String, i64>>>;

pub(crate) struct Sleeper {
    store: Arc<dyn LiveStore>,
    woken: Woken,
}

pub(crate) fn service(store: Arc<dyn LiveStore>, woken: Woken) -> GameServiceServer<Sleeper> {
    GameServiceServer::new(Sleeper { store, woken })
}

macro_rules! sleeper {
    ($($method:ident($request:ident) -> $response:ident;)*) => {
        #[tonic::async_trait]
        impl GameService for Sleeper {
            async fn wake(&self, request: Request<wire::WakeRequest>) -> Result<Response<wire::WakeResponse>, Status> {
                let now = self.store.now();
                self.woken.lock().unwrap().entry(request.into_inner().game_id).or_insert(now);
                Ok(Response::new(wire::WakeResponse::default()))
            }

            type WatchGameStream = ReceiverStream<Result<wire::WatchGameResponse, Status>>;
            type WatchPlayerStream = ReceiverStream<Result<wire::WatchPlayerResponse, Status>>;

            async fn watch_game(
                &self,
                _: Request<wire::WatchGameRequest>,
            ) -> Result<Response<Self::WatchGameStream>, Status> {
                Err(Status::unimplemented("nobody watches here"))
            }

            async fn watch_player(
                &self,
                _: Request<wire::WatchPlayerRequest>,
            ) -> Result<Response<Self::WatchPlayerStream>, Status> {
                Err(Status::unimplemented("nobody watches here"))
            }

            $(async fn $method(&self, _: Request<wire::$request>) -> Result<Response<wire::$response>, Status> {
                Err(Status::unimplemented("the clock service only wakes"))
            })*
        }
    };
}

sleeper! {
    create_game(CreateGameRequest) -> CreateGameResponse;
    get_game(GetGameRequest) -> GetGameResponse;
    get_log(GetLogRequest) -> GetLogResponse;
    get_invite(GetInviteRequest) -> GetInviteResponse;
    take_seat(TakeSeatRequest) -> TakeSeatResponse;
    leave_seat(LeaveSeatRequest) -> LeaveSeatResponse;
    make_move(MakeMoveRequest) -> MakeMoveResponse;
    resign(ResignRequest) -> ResignResponse;
    rematch(RematchRequest) -> RematchResponse;
    list_games(ListGamesRequest) -> ListGamesResponse;
    list_player_games(ListPlayerGamesRequest) -> ListPlayerGamesResponse;
    report_presence(ReportPresenceRequest) -> ReportPresenceResponse;
}
