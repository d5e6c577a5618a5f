//! What goes wrong with a cluster.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use live::{Append, LiveStore as _, RedisLiveStore};
use proto::types::v1::GameStatus;
use proto::{GameId, PlayerId, Shard};
use tokio::time::Instant;

use crate::suite::{all, append, deadline, projection, stored};
use servers::{Cluster, until};

fn game_of(shard: Shard) -> GameId {
    std::iter::repeat_with(GameId::new).find(|game| game.shard() == shard).unwrap()
}

async fn slot_of(cluster: &Cluster, shard: Shard) -> u16 {
    cluster.slot(&format!("{{s{}}}", shard.index())).await
}

#[tokio::test]
async fn a_slot_moves_under_load_and_nothing_is_lost() {
    let cluster = Cluster::start().await;
    let store = RedisLiveStore::connect(&cluster.url()).await.unwrap();
    let shard = Shard::all().next().unwrap();
    let slot = slot_of(&cluster, shard).await;
    let from = cluster.owner(slot).await;
    let to = (from + 1) % 3;
    let mut interruptions = store.interruptions();
    interruptions.borrow_and_update();
    let done = AtomicBool::new(false);
    let play = async || {
        let (game, mut slowest) = (game_of(shard), Duration::ZERO);
        let mut head = stored(&store, append(game, None)).await;
        while !done.load(Ordering::SeqCst) {
            let started = Instant::now();
            head = stored(&store, append(game, Some(head))).await;
            slowest = slowest.max(started.elapsed());
            assert_eq!(store.heads(&[game]).await.unwrap(), [(game, head)]);
        }
        let log = store.load(game, 0).await.unwrap().unwrap();
        assert_eq!((log.head, log.events.len() as u64), (head, head.version));
        (head.version, slowest)
    };
    let moving = async {
        for (from, to) in [(from, to), (to, from), (from, to)] {
            cluster.move_slot(slot, from, to).await;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        done.store(true, Ordering::SeqCst);
    };
    let (games, ()) = futures::join!(futures::future::join_all((0..4).map(|_| play())), moving);
    let (moves, slowest) =
        (games.iter().map(|(moves, _)| moves).sum::<u64>(), games.iter().map(|(_, slow)| slow).max());
    eprintln!("a slot moved three times under {moves} appends, of which the slowest took {slowest:?}");
    assert_eq!(cluster.owner(slot).await, to);
    for error in ["ASK", "TRYAGAIN"] {
        assert!(cluster.has_answered(error).await, "nobody met {error}");
    }

    // Wake-ups have moved, too.
    let heard = async || {
        let mut wakeups = store.wakeups();
        stored(&store, append(game_of(shard), None)).await;
        tokio::time::timeout(Duration::from_millis(200), wakeups.recv()).await.is_ok()
    };
    until("news comes from the slot's new place", heard).await;
    assert!(interruptions.has_changed().unwrap());
}

#[tokio::test]
async fn a_slot_that_moved_unnoticed_is_followed() {
    let cluster = Cluster::start().await;
    let store = RedisLiveStore::connect(&cluster.url()).await.unwrap();
    let (game, player) = (GameId::new(), PlayerId::new());
    let known = live::Projection { players: vec![player], ..projection(GameStatus::Running) };
    stored(&store, Append { projection: known, ..append(game, None) }).await;
    let slot = cluster.slot(&format!("{{player:{player}}}")).await;
    let from = cluster.owner(slot).await;
    cluster.move_slot(slot, from, (from + 1) % 3).await;
    assert_eq!(store.games_of(player).await.unwrap(), [(game, GameStatus::Running)]);
    assert!(cluster.has_answered("MOVED").await, "nobody met MOVED");
}

#[tokio::test]
async fn a_dead_node_takes_only_its_own_games_with_it() {
    let cluster = Cluster::start().await;
    let store = RedisLiveStore::connect(&cluster.url()).await.unwrap();
    let mut owners = Vec::new();
    for shard in all() {
        owners.push((shard, cluster.owner(slot_of(&cluster, shard).await).await));
    }
    // The node of the first shard keeps the platform's time.
    let clock = owners[0].1;
    let dead = (clock + 1) % 3;
    let of = |wanted: usize| owners.iter().find(|(_, owner)| *owner == wanted).unwrap().0;
    let (lost, kept) = (game_of(of(dead)), game_of(of(clock)));
    store.beat(60_000).await.unwrap();
    let due = |game| Some(deadline(game, 1, 9));
    stored(&store, Append { deadline: due(lost), ..append(lost, None) }).await;
    let head = stored(&store, Append { deadline: due(kept), ..append(kept, None) }).await;
    cluster.nodes[dead].kill();
    let started = Instant::now();
    let (failed, stored) =
        futures::join!(store.load(lost, 0), stored(&store, Append { deadline: due(kept), ..append(kept, Some(head)) }));
    failed.unwrap_err();
    assert_eq!(stored.version, 2);
    assert!(started.elapsed() < Duration::from_secs(5), "it took {:?}", started.elapsed());
    // What concerns all shards goes on with those that are left, and without delay.
    let (started, now) = (Instant::now(), store.now());
    store.beat(60_000).await.unwrap();
    assert!(store.beaten(lost.shard()) < now && now <= store.beaten(kept.shard()));
    assert_eq!(store.outages(kept.shard(), 0).await.unwrap(), []);
    assert_eq!(store.due(&all(), 9, 10).await.unwrap().len(), 1);
    assert_eq!(store.heads(&[lost, kept]).await.unwrap().len(), 1);
    assert_eq!(store.running().await.unwrap(), [kept]);
    store.ready().await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(4), "it took {:?}", started.elapsed());
}

#[tokio::test]
async fn a_replica_takes_over_the_shards_of_its_master() {
    let mut cluster = Cluster::start().await;
    let shard = Shard::all().next().unwrap();
    let master = cluster.owner(slot_of(&cluster, shard).await).await;
    cluster.add_replica_of(master).await;
    let wait = format!("{}&wait_replicas=1", cluster.url());
    let store = RedisLiveStore::connect(&wait).await.unwrap();
    let mut interruptions = store.interruptions();
    let game = game_of(shard);
    let mut head = stored(&store, append(game, None)).await;
    for _ in 0..100 {
        head = stored(&store, append(game, Some(head))).await;
    }
    interruptions.borrow_and_update();
    cluster.nodes[master].kill();
    let started = Instant::now();
    until("the replica is the master", || async { store.load(game, 0).await.is_ok() }).await;
    eprintln!("a cluster's failover took {:?}", started.elapsed());
    assert_eq!(store.heads(&[game]).await.unwrap(), [(game, head)]);
    stored(&store, append(game, Some(head))).await;
    tokio::time::timeout(Duration::from_secs(30), interruptions.changed()).await.expect("an interruption").unwrap();
    // The time is another server's now.
    until("the time is known", || async { store.ready().await.is_ok() }).await;
    store.beat(2_000).await.unwrap();
}

#[tokio::test]
async fn nothing_is_left_in_a_cluster_either() {
    let cluster = Cluster::start().await;
    let store = RedisLiveStore::connect(&cluster.url()).await.unwrap();
    let mut games = Vec::new();
    for i in 0..40 {
        let game = GameId::new();
        let known = live::Projection {
            players: (0..4).map(|_| PlayerId::new()).collect(),
            invite_code: Some(format!("code{i}")),
            ..projection(GameStatus::Waiting)
        };
        let head = stored(&store, Append { projection: known.clone(), ..append(game, None) }).await;
        let over = live::Projection { status: GameStatus::Over, ..known };
        stored(&store, Append { projection: over, report: true, ..append(game, Some(head)) }).await;
        games.push(game);
    }
    for entry in store.outbox(&all(), store.now() + 1, 100).await.unwrap() {
        store.reported(&entry, 0).await.unwrap();
    }
    assert_eq!(store.retire(1).await.unwrap(), games.len() as u64);
    let mut left = cluster.keys().await;
    left.retain(|key| key != "{leases}:comparing");
    assert!(left.is_empty(), "{left:?}");
}
