//! Stand-ins for the game and the rating service that note what they are asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use proto::game::v1::game_service_client::GameServiceClient;
use proto::game::v1::game_service_server::{GameService, GameServiceServer};
use proto::game::v1::{
    CreateGameRequest, CreateGameResponse, GetGameRequest, GetGameResponse, GetInviteRequest, GetInviteResponse,
    GetLogRequest, GetLogResponse, LeaveSeatRequest, LeaveSeatResponse, ListGamesRequest, ListGamesResponse,
    ListPlayerGamesRequest, ListPlayerGamesResponse, MakeMoveRequest, MakeMoveResponse, RematchRequest,
    RematchResponse, ReportPresenceRequest, ReportPresenceResponse, ResignRequest, ResignResponse, TakeSeatRequest,
    TakeSeatResponse, WakeRequest, WakeResponse, WatchGameRequest, WatchGameResponse, WatchPlayerRequest,
    WatchPlayerResponse,
};
use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::rating::v1::rating_service_server::{RatingService, RatingServiceServer};
use proto::rating::v1::{
    GetLeaderboardRequest, GetLeaderboardResponse, GetRatingsRequest, GetRatingsResponse, GetRecordRequest,
    GetRecordResponse, ListAbortsRequest, ListAbortsResponse, ListRatingHistoryRequest, ListRatingHistoryResponse,
    ListRecordsRequest, ListRecordsResponse, Rating, RecordGameRequest, RecordGameResponse, RecordTicketRequest,
    RecordTicketResponse,
};
use proto::types::v1::GameStatus;
use runtime::Drain;
use runtime::grpc::Link;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tonic::codegen::BoxStream;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

pub(crate) struct Neighbours {
    created: Mutex<Vec<CreateGameRequest>>,
    running: Mutex<HashMap<String, usize>>,
    aborts: Mutex<HashMap<String, i64>>,
    keep: mpsc::UnboundedSender<RecordTicketRequest>,
    kept: tokio::sync::Mutex<mpsc::UnboundedReceiver<RecordTicketRequest>>,
}

impl Neighbours {
    pub(crate) fn shared() -> Arc<Self> {
        let (keep, kept) = mpsc::unbounded_channel();
        Arc::new(Self {
            created: Mutex::default(),
            running: Mutex::default(),
            aborts: Mutex::default(),
            keep,
            kept: kept.into(),
        })
    }

    pub(crate) fn created(&self) -> Vec<CreateGameRequest> {
        self.created.lock().unwrap().clone()
    }

    pub(crate) fn let_play(&self, player: &str, games: usize) {
        self.running.lock().unwrap().insert(player.to_owned(), games);
    }

    pub(crate) fn let_abort(&self, player: &str, at_unix_ms: i64) {
        self.aborts.lock().unwrap().insert(player.to_owned(), at_unix_ms);
    }

    pub(crate) async fn next_kept(&self) -> RecordTicketRequest {
        self.kept.lock().await.recv().await.unwrap()
    }
}

/// Serves on a free port until the drain begins; answers the URL.
pub(crate) async fn serve(routes: Routes, drain: &Drain) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let serving = runtime::grpc::serve("test", listener, routes, drain.clone());
    drain.spawn("test", async { serving.await.unwrap() });
    url
}

pub(crate) fn game(neighbours: &Arc<Neighbours>) -> Routes {
    Routes::new(GameServiceServer::new(Game(Arc::clone(neighbours))))
}

pub(crate) fn rating(neighbours: &Arc<Neighbours>) -> Routes {
    Routes::new(RatingServiceServer::new(Rated(Arc::clone(neighbours))))
}

pub(crate) fn game_client(link: Link) -> GameServiceClient<Link> {
    GameServiceClient::new(link)
}

pub(crate) fn rating_client(link: Link) -> RatingServiceClient<Link> {
    RatingServiceClient::new(link)
}

/// Fills a service up with calls that nobody makes here.
macro_rules! service {
    (impl $service:ident for $fake:ident { $($made:item)* } $($method:ident: $request:ty => $answer:ty;)*) => {
        #[tonic::async_trait]
        impl $service for $fake {
            $($made)*
            $(async fn $method(&self, _: Request<$request>) -> Result<Response<$answer>, Status> {
                Err(Status::unimplemented("nobody calls this here"))
            })*
        }
    };
}

struct Game(Arc<Neighbours>);

service! {
    impl GameService for Game {
        type WatchGameStream = BoxStream<WatchGameResponse>;
        type WatchPlayerStream = BoxStream<WatchPlayerResponse>;

        async fn create_game(&self, request: Request<CreateGameRequest>) -> Result<Response<CreateGameResponse>, Status> {
            let mut created = self.0.created.lock().unwrap();
            if created.iter().all(|game| game.game_id != request.get_ref().game_id) {
                created.push(request.into_inner());
            }
            Ok(Response::new(CreateGameResponse { game: Some(proto::game::v1::Game::default()), ..Default::default() }))
        }

        async fn list_player_games(
            &self,
            request: Request<ListPlayerGamesRequest>,
        ) -> Result<Response<ListPlayerGamesResponse>, Status> {
            let running = self.0.running.lock().unwrap().get(&request.get_ref().player_id).copied().unwrap_or(0);
            let of = |status: GameStatus| proto::game::v1::Game { status: status.into(), ..Default::default() };
            // Waiting games do not count.
            let mut games = vec![of(GameStatus::Waiting); 20];
            games.extend(vec![of(GameStatus::Running); running]);
            Ok(Response::new(ListPlayerGamesResponse { games }))
        }
    }
    get_game: GetGameRequest => GetGameResponse;
    get_log: GetLogRequest => GetLogResponse;
    get_invite: GetInviteRequest => GetInviteResponse;
    take_seat: TakeSeatRequest => TakeSeatResponse;
    leave_seat: LeaveSeatRequest => LeaveSeatResponse;
    make_move: MakeMoveRequest => MakeMoveResponse;
    resign: ResignRequest => ResignResponse;
    rematch: RematchRequest => RematchResponse;
    list_games: ListGamesRequest => ListGamesResponse;
    watch_game: WatchGameRequest => Self::WatchGameStream;
    watch_player: WatchPlayerRequest => Self::WatchPlayerStream;
    report_presence: ReportPresenceRequest => ReportPresenceResponse;
    wake: WakeRequest => WakeResponse;
}

struct Rated(Arc<Neighbours>);

service! {
    impl RatingService for Rated {
        async fn get_ratings(&self, request: Request<GetRatingsRequest>) -> Result<Response<GetRatingsResponse>, Status> {
            let request = request.into_inner();
            let rating = |player_id: String| {
                Rating { player_id, class: request.class, rating: 1510.5, games: 7, provisional: true }
            };
            Ok(Response::new(GetRatingsResponse { ratings: request.player_ids.into_iter().map(rating).collect() }))
        }

        async fn list_aborts(&self, request: Request<ListAbortsRequest>) -> Result<Response<ListAbortsResponse>, Status> {
            let at = self.0.aborts.lock().unwrap().get(&request.get_ref().player_id).copied();
            Ok(Response::new(ListAbortsResponse { at_unix_ms: at.into_iter().collect() }))
        }

        async fn record_ticket(
            &self,
            request: Request<RecordTicketRequest>,
        ) -> Result<Response<RecordTicketResponse>, Status> {
            let _ = self.0.keep.send(request.into_inner());
            Ok(Response::new(RecordTicketResponse {}))
        }
    }
    record_game: RecordGameRequest => RecordGameResponse;
    get_record: GetRecordRequest => GetRecordResponse;
    list_rating_history: ListRatingHistoryRequest => ListRatingHistoryResponse;
    get_leaderboard: GetLeaderboardRequest => GetLeaderboardResponse;
    list_records: ListRecordsRequest => ListRecordsResponse;
}
