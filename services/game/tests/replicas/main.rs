//! Two replicas of the game service on one live store, without a network between.

#![allow(clippy::unwrap_used, reason = "a test")]

mod branches;
mod creation;
mod lost_answers;
mod news;
mod outbox;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use live::{Home, LiveStore};
use proto::game::v1::game_service_client::GameServiceClient;
use proto::game::v1::watch_game_response::Item;
use proto::game::v1::{CreateGameRequest, GetGameRequest, MakeMoveRequest, WatchGameRequest, WatchGameResponse};
use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::types::v1::{Event, Player, Seat, Visibility, event};
use proto::{Code, GameId, PlayerId, Refusal};
use runtime::{Drain, Readiness, Sqlite, TemporarySqlite, wall_clock_ms};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::service::Routes;
use tonic::{Status, Streaming};

/// Far longer than a replica needs to look where logs end.
const PATIENCE: Duration = Duration::from_secs(60);

type Replica = GameServiceClient<Routes>;

/// A running game on one store, two replicas that serve it, and who plays.
struct Bench {
    /// If it is the store.
    file: Option<TemporarySqlite>,
    store: Arc<dyn LiveStore>,
    rating: Rating,
    here: Replica,
    there: Replica,
    game: GameId,
    players: Vec<PlayerId>,
}

impl Bench {
    /// On a file.
    async fn new() -> Bench {
        let file = Sqlite::temporary().await.unwrap();
        let Sqlite { reader, writer } = file.sqlite.clone();
        let store = live::open(Home::Sqlite { reader, writer, clock: wall_clock_ms }).await.unwrap();
        Bench { file: Some(file), ..Bench::on(store).await }
    }

    async fn on(store: Arc<dyn LiveStore>) -> Bench {
        let drain = Drain::new();
        let rating = Rating::start(&drain).await;
        let (here, there) = (replica(&store, &rating.url, &drain).await, replica(&store, &rating.url, &drain).await);
        let players: Vec<PlayerId> = (0..4).map(|_| PlayerId::new()).collect();
        let game = GameId::new();
        here.clone().create_game(of_four(game, &players)).await.unwrap();
        Bench { file: None, store, rating, here, there, game, players }
    }

    /// Lets the army whose turn it is at this ply move.
    async fn play(&self, replica: &Replica, ply: u32, text: &str) -> Result<u64, Refusal> {
        let player_id = self.players[ply as usize % 4].to_string();
        let request = MakeMoveRequest { game_id: self.game.to_string(), player_id, ply, r#move: text.to_owned() };
        let answer = replica.clone().make_move(request).await.map_err(|status| Refusal::from(&status))?;
        Ok(answer.into_inner().game.unwrap().v)
    }

    async fn watch(
        &self,
        replica: &Replica,
        after: u64,
        after_id: &str,
    ) -> Result<Streaming<WatchGameResponse>, Status> {
        let (game_id, after_id) = (self.game.to_string(), after_id.to_owned());
        let request = WatchGameRequest { game_id, viewer_id: String::new(), after, after_id };
        Ok(replica.clone().watch_game(request).await?.into_inner())
    }

    async fn log(&self) -> Vec<Event> {
        self.store.load(self.game, 0).await.unwrap().unwrap().events
    }

    /// As a failover does: all after this version is gone.
    async fn cut_back_to(&self, version: u64) {
        let (game, version) = (self.game.to_string(), i64::try_from(version).unwrap());
        let last = self.log().await[usize::try_from(version).unwrap() - 1].id.clone();
        let writer = &self.file.as_ref().unwrap().sqlite.writer;
        sqlx::query("DELETE FROM live_event WHERE game = ? AND version > ?")
            .bind(&game)
            .bind(version)
            .execute(writer)
            .await
            .unwrap();
        sqlx::query("UPDATE live_game SET version = ?, last_event = ? WHERE id = ?")
            .bind(version)
            .bind(last)
            .bind(&game)
            .execute(writer)
            .await
            .unwrap();
    }

    async fn moves_at(&self, replica: &Replica) -> (u64, u32, String) {
        let request = GetGameRequest { game_id: self.game.to_string(), ..GetGameRequest::default() };
        let game = replica.clone().get_game(request).await.unwrap().into_inner().game.unwrap();
        (game.v, game.ply, game.fen4)
    }
}

/// A game of these four that starts at once.
fn of_four(game: GameId, players: &[PlayerId]) -> CreateGameRequest {
    let seats = [Seat::Red, Seat::Blue, Seat::Yellow, Seat::Green];
    let seated = seats.into_iter().zip(players).map(|(seat, id)| event::Seated {
        seat: seat.into(),
        player: Some(Player { id: id.to_string(), name: format!("player {seat:?}"), ..Player::default() }),
    });
    CreateGameRequest {
        game_id: game.to_string(),
        visibility: Visibility::Public.into(),
        time_control: "10+0".to_owned(),
        seated: seated.collect(),
        ..CreateGameRequest::default()
    }
}

/// A rating service that has no records, and takes none for a reason that can be given.
#[derive(Debug, Clone)]
struct Rating {
    url: String,
    says: Arc<Mutex<Code>>,
    /// Rises with every report.
    reports: watch::Sender<u64>,
}

impl Rating {
    async fn start(drain: &Drain) -> Rating {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let rating = Rating { url, says: Arc::new(Mutex::new(Code::Unavailable)), reports: watch::channel(0).0 };
        let answering = rating.clone();
        let answer = async move |request: axum::extract::Request| {
            let code =
                if request.uri().path().ends_with("/RecordGame") { answering.reported() } else { Code::NotFound };
            Status::from(Refusal::new(code, "no")).into_http::<axum::body::Body>()
        };
        let routes = Routes::from(axum::Router::new().fallback(answer));
        let until = drain.clone();
        drain.spawn("rating", async move { runtime::grpc::serve("rating", listener, routes, until).await.unwrap() });
        rating
    }

    fn reported(&self) -> Code {
        self.reports.send_modify(|reports| *reports += 1);
        *self.says.lock().unwrap()
    }
}

async fn replica(store: &Arc<dyn LiveStore>, rating: &str, drain: &Drain) -> Replica {
    let config = game::Config { first_move_ms: 600_000, roaming_delay_ms: 600_000 };
    let rating = RatingServiceClient::new(runtime::grpc::connect(rating).unwrap());
    let readiness = Readiness::new(drain.clone());
    GameServiceClient::new(game::build(config, Arc::clone(store), rating, &readiness, drain).await.unwrap())
}

async fn next(stream: &mut Streaming<WatchGameResponse>) -> Result<Vec<Event>, Refusal> {
    loop {
        let told = tokio::time::timeout(PATIENCE, stream.message()).await.expect("the stream is silent");
        let told = told.map_err(|status| Refusal::from(&status))?.expect("the stream goes on");
        if let Some(Item::Events(log)) = told.item {
            return Ok(log.events);
        }
    }
}

/// Reads until a move at this version has been told; returns its event.
async fn until(stream: &mut Streaming<WatchGameResponse>, v: u64) -> Event {
    loop {
        if let Some(event) = next(stream).await.unwrap().into_iter().find(|event| event.v == v) {
            return event;
        }
    }
}
