//! Stand-ins for the three services: they remember what they are told and invent no rules.

mod game;
mod matchmaking;
mod rating;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use proto::game::v1::game_service_server::GameServiceServer;
use proto::game::v1::{self as game_wire, Game, Passing};
use proto::matchmaking::v1::Ticket;
use proto::matchmaking::v1::matchmaking_service_server::MatchmakingServiceServer;
use proto::rating::v1::rating_service_server::RatingServiceServer;
use proto::types::v1 as types;
use proto::types::v1::event::What;
use runtime::{Drain, grpc};
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// What a watcher is sent.
#[derive(Debug, Clone)]
pub(crate) enum Told {
    Events(Vec<types::Event>),
    Passing(Passing),
    /// The stream ends, as if the replica had gone.
    Broken,
}

#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) game: Game,
    pub(crate) events: Vec<types::Event>,
    told: broadcast::Sender<Told>,
}

/// All three services.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fake(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    games: Mutex<HashMap<String, Kept>>,
    tickets: Mutex<HashMap<String, Ticket>>,
    /// Names of the calls that came.
    calls: Mutex<Vec<String>>,
    presence: Mutex<Vec<(String, bool)>>,
    away: AtomicBool,
    slow: AtomicBool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

impl Fake {
    /// Listens; the address to call.
    pub(crate) async fn listen(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let routes = Routes::new(GameServiceServer::new(self.clone()))
            .add_service(MatchmakingServiceServer::new(self.clone()))
            .add_service(RatingServiceServer::new(self.clone()));
        tokio::spawn(grpc::serve("fake", listener, routes, Drain::new()));
        format!("http://{address}")
    }

    /// From now on every call is answered `UNAVAILABLE`.
    pub(crate) fn go_away(&self, away: bool) {
        self.0.away.store(away, Ordering::SeqCst);
    }

    /// From now on creating a game takes a while.
    pub(crate) fn be_slow(&self) {
        self.0.slow.store(true, Ordering::SeqCst);
    }

    pub(crate) fn calls(&self, name: &str) -> usize {
        locked(&self.0.calls).iter().filter(|call| *call == name).count()
    }

    pub(crate) fn presence(&self) -> Vec<(String, bool)> {
        locked(&self.0.presence).clone()
    }

    pub(crate) fn games(&self) -> usize {
        locked(&self.0.games).len()
    }

    fn called(&self, name: &str) -> Result<(), Status> {
        locked(&self.0.calls).push(name.to_owned());
        if self.0.away.load(Ordering::SeqCst) { Err(Status::unavailable("10.0.0.7:7001 is down")) } else { Ok(()) }
    }

    /// Adds an event to a game, to the log and to what watchers are told.
    pub(crate) fn tell(&self, game_id: &str, what: Vec<What>) {
        let mut games = locked(&self.0.games);
        let kept = games.get_mut(game_id).unwrap();
        let events = kept.append(what);
        let _ = kept.told.send(Told::Events(events));
    }

    /// Adds an event that watchers are not told of.
    pub(crate) fn tell_nobody(&self, game_id: &str, what: Vec<What>) {
        locked(&self.0.games).get_mut(game_id).unwrap().append(what);
    }

    pub(crate) fn pass(&self, game_id: &str, news: game_wire::passing::News) {
        let _ = locked(&self.0.games)[game_id].told.send(Told::Passing(Passing { news: Some(news) }));
    }

    pub(crate) fn break_streams(&self, game_id: &str) {
        let _ = locked(&self.0.games)[game_id].told.send(Told::Broken);
    }

    /// The last event is gone, as by a failover, and another one stands there; watchers must come back to see.
    pub(crate) fn replace_last(&self, game_id: &str, what: What) {
        let mut games = locked(&self.0.games);
        let kept = games.get_mut(game_id).unwrap();
        kept.events.pop();
        kept.game.v -= 1;
        kept.append(vec![what]);
        let _ = kept.told.send(Told::Broken);
    }

    /// A running public game with these players on red, blue, ...
    pub(crate) fn add_game(&self, players: &[&str], public: bool, rated: bool) -> String {
        let id = proto::GameId::new().to_string();
        let visibility = if public { types::Visibility::Public } else { types::Visibility::Private };
        let settings = types::Settings {
            rated,
            visibility: visibility.into(),
            time_control: "3+2".to_owned(),
            invite_code: "HIDDENCODE".to_owned(),
            ..Default::default()
        };
        let seat = |(index, seat): (usize, types::Seat)| game_wire::SeatState {
            seat: seat.into(),
            exists: true,
            player: players.get(index).map(|id| types::Player { id: (*id).to_owned(), ..named(index) }),
            army: types::ArmyState::Playing.into(),
            ..Default::default()
        };
        let game = Game {
            id: id.clone(),
            status: types::GameStatus::Running.into(),
            rated,
            visibility: visibility.into(),
            time_control: "3+2".to_owned(),
            class: types::Class::Blitz.into(),
            turn: types::Seat::Red.into(),
            fen4: "R-...".to_owned(),
            seats: types::Seat::ALL.into_iter().enumerate().map(seat).collect(),
            clock: Some(game_wire::ClockState { deadline_unix_ms: 9, ..Default::default() }),
            ..Default::default()
        };
        let mut kept = Kept { game, events: Vec::new(), told: broadcast::channel(1024).0 };
        kept.append(vec![What::Created(types::event::Created { settings: Some(settings) })]);
        locked(&self.0.games).insert(id.clone(), kept);
        id
    }
}

fn named(index: usize) -> types::Player {
    types::Player { name: format!("Player{index}"), rating: 1523.456, provisional: true, ..Default::default() }
}

impl Kept {
    fn append(&mut self, what: Vec<What>) -> Vec<types::Event> {
        let command_id = proto::CommandId::new().to_string();
        let mut added = Vec::new();
        for what in what {
            self.game.v += 1;
            if let What::Moved(_) = what {
                self.game.ply += 1;
            }
            let after = types::Counters {
                ply: self.game.ply,
                turn: self.game.turn,
                points: vec![0; 4],
                armies: vec![1; 4],
                remaining_ms: vec![180_000; 4],
                deadline_unix_ms: None,
                clock_runs_from_unix_ms: None,
            };
            added.push(types::Event {
                v: self.game.v,
                id: proto::EventId::new().to_string(),
                previous_id: added.last().or(self.events.last()).map(|event| event.id.clone()).unwrap_or_default(),
                command_id: command_id.clone(),
                schema: 1,
                at_unix_ms: 1_000,
                after: Some(after),
                what: Some(what),
            });
        }
        self.events.extend(added.clone());
        added
    }
}

/// A move of red, whatever the rules say.
pub(crate) fn moved(text: &str) -> What {
    What::Moved(types::event::Moved {
        seat: types::Seat::Red.into(),
        r#move: text.to_owned(),
        san: text.to_owned(),
        ..Default::default()
    })
}

/// The end of a game.
pub(crate) fn over() -> What {
    What::Over(types::event::Over { reason: types::EndReason::LastPlayer.into(), standing: Vec::new() })
}

fn answer<T>(value: T) -> Result<Response<T>, Status> {
    Ok(Response::new(value))
}

fn inside<T>(request: Request<T>) -> T {
    request.into_inner()
}
