//! What happens to deadlines when the replica that waits for them dies.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use live::{Append, Appended, Deadline, Home, LeaseKind, LiveStore, Projection};
use proto::game::v1::DeadlineKind;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::types::v1::{Event, GameStatus, Visibility};
use proto::{CommandId, EventId, GameId};
use runtime::{Drain, Readiness, Sqlite, wall_clock_ms};
use tokio::net::TcpListener;
use tonic::service::Routes;

mod woken;

/// Deadlines every so often, over all shards.
const GAMES: usize = 40;
const EVERY_MS: i64 = 100;
/// What the platform promises when a replica takes over.
const LATENESS_MS: i64 = 2_000;

async fn game_with_deadline(store: &dyn LiveStore, due: i64) -> GameId {
    let game = GameId::new();
    let event = Event { v: 1, id: EventId::new().to_string(), schema: 1, ..Event::default() };
    let projection = Projection {
        status: GameStatus::Running,
        visibility: Visibility::Public,
        invite_code: None,
        players: Vec::new(),
        created: 1,
    };
    let append = Append {
        game,
        expected: None,
        command: CommandId::new(),
        events: vec![event],
        deadline: Some(Deadline { game, kind: DeadlineKind::Flag, ply: 4, due }),
        projection,
        report: false,
    };
    assert_eq!(store.append(append).await.unwrap(), Appended::Done);
    game
}

/// A replica of the clock service in a runtime of its own, so that it can die without giving its leases back.
fn replica(store: Arc<dyn LiveStore>, game: String) -> tokio::runtime::Runtime {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let link = runtime::grpc::connect(&game).unwrap();
        let drain = Drain::new();
        let _routes = clock::build(store, GameServiceClient::new(link), &Readiness::new(drain.clone()), &drain);
    });
    runtime
}

async fn holders(store: &dyn LiveStore) -> usize {
    let leases = store.leases(LeaseKind::Deadlines).await.unwrap();
    leases.into_iter().map(|lease| lease.holder).collect::<HashSet<_>>().len()
}

#[tokio::test]
async fn a_replica_takes_a_dead_ones_deadlines_within_two_seconds() {
    let file = Sqlite::temporary().await.unwrap();
    let Sqlite { reader, writer } = file.sqlite.clone();
    let store = live::open(Home::Sqlite { reader, writer, clock: wall_clock_ms }).await.unwrap();
    let woken: Arc<Mutex<HashMap<String, i64>>> = Arc::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let game = Drain::new();
    let service = woken::service(Arc::clone(&store), Arc::clone(&woken));
    game.spawn("game", {
        let game = game.clone();
        async move { runtime::grpc::serve("game", listener, Routes::new(service), game).await.unwrap() }
    });

    let dying = tokio::task::spawn_blocking({
        let (store, url) = (Arc::clone(&store), url.clone());
        move || replica(store, url)
    });
    let staying = tokio::task::spawn_blocking({
        let (store, url) = (Arc::clone(&store), url.clone());
        move || replica(store, url)
    });
    let (dying, staying) = (dying.await.unwrap(), staying.await.unwrap());
    // Until both have a share.
    while holders(&*store).await < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut due = HashMap::new();
    let first = wall_clock_ms() + 500;
    for n in 0..GAMES {
        let at = first + n as i64 * EVERY_MS;
        due.insert(game_with_deadline(&*store, at).await.to_string(), at);
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    dying.shutdown_background();

    let give_up = wall_clock_ms() + 20_000;
    while woken.lock().unwrap().len() < GAMES {
        assert!(wall_clock_ms() < give_up, "only {:?} of {GAMES} were woken", woken.lock().unwrap().len());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let woken = woken.lock().unwrap();
    let late = due.iter().map(|(game, due)| woken[game] - due).collect::<Vec<_>>();
    assert!(late.iter().all(|late| *late >= 0), "woken too early: {late:?}");
    assert!(late.iter().all(|late| *late <= LATENESS_MS), "late by {:?} ms", late.iter().max());
    staying.shutdown_background();
    game.begin();
}
