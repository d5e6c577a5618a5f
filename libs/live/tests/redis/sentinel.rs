//! A master dies, and Sentinels make its replica the master.

use std::time::Duration;

use live::{Append, Appended, Head, LiveStore as _, RedisLiveStore};
use proto::GameId;
use tokio::time::Instant;

use crate::suite::{append, stored};
use servers::{Watched, deployed, replicated, until};

/// Appends until it no longer can; returns the heads that were acknowledged.
async fn play(store: &RedisLiveStore, game: GameId, mut head: Head, time: Duration) -> Vec<Head> {
    let (end, mut acknowledged) = (Instant::now() + time, Vec::new());
    while Instant::now() < end {
        head = stored(store, append(game, Some(head))).await;
        acknowledged.push(head);
    }
    acknowledged
}

/// Appends as the game service does until one gets through; returns how long that took.
async fn until_it_plays_again(store: &RedisLiveStore, game: GameId) -> Duration {
    let started = Instant::now();
    loop {
        if let Ok(log) = store.load(game, u64::MAX).await
            && let Ok(Appended::Done) = store.append(append(game, log.map(|log| log.head))).await
        {
            return started.elapsed();
        }
        assert!(started.elapsed() < Duration::from_secs(60), "no failover");
    }
}

#[tokio::test]
async fn a_failover_is_followed_and_what_it_loses_is_measured() {
    let watched = Watched::start().await;
    let store = RedisLiveStore::connect(&watched.url("")).await.unwrap();
    let mut interruptions = store.interruptions();
    interruptions.borrow_and_update();
    let game = GameId::new();
    let first = stored(&store, append(game, None)).await;
    let early = play(&store, game, first, Duration::from_millis(300)).await;
    // The master goes on without its replica for a moment, as when a network breaks; then it dies.
    watched.nodes[1].stop();
    watched.nodes[0].ask::<()>(&["CLIENT", "KILL", "TYPE", "replica"]).await;
    let late = play(&store, game, *early.last().unwrap(), Duration::from_millis(300)).await;
    watched.nodes[0].kill();
    watched.nodes[1].go_on();
    let pause = until_it_plays_again(&store, game).await;

    let log = store.load(game, 0).await.unwrap().unwrap();
    let kept = |head: &Head| log.events.iter().any(|event| event.id == head.event.to_string());
    let lost = early.iter().chain(&late).filter(|head| !kept(head)).count();
    eprintln!(
        "an asynchronous failover took {pause:?} and lost {lost} of {} acknowledged appends; {} came in the last 300 ms, \
         in which the master had no replica",
        early.len() + late.len(),
        late.len(),
    );
    assert!(early.iter().all(kept), "what the replica had is there");
    // Whoever still has the branch that was lost cannot append to what replaced it.
    if let Some(head) = late.iter().rfind(|head| !kept(head)) {
        let of_the_lost_branch = append(game, Some(*head));
        assert_eq!(store.append(of_the_lost_branch).await.unwrap(), Appended::Conflict);
    }
    tokio::time::timeout(Duration::from_secs(30), interruptions.changed()).await.expect("an interruption").unwrap();
}

#[tokio::test]
async fn a_failover_loses_nothing_that_a_replica_has_acknowledged() {
    let watched = Watched::start().await;
    let store = RedisLiveStore::connect(&watched.url("?wait_replicas=1")).await.unwrap();
    let games: Vec<GameId> = (0..8).map(|_| GameId::new()).collect();
    let mut heads = Vec::new();
    for game in &games {
        heads.push((*game, stored(&store, append(*game, None)).await));
    }
    let played = heads.iter().map(|(game, head)| play(&store, *game, *head, Duration::from_millis(500)));
    let acknowledged: Vec<Vec<Head>> = futures::future::join_all(played).await;
    watched.nodes[0].kill();
    let pause = until_it_plays_again(&store, games[0]).await;
    let mut count = 0;
    for (game, heads) in games.iter().zip(&acknowledged) {
        let log = store.load(*game, 0).await.unwrap().unwrap();
        count += heads.len();
        for head in heads {
            assert!(
                log.events.iter().any(|event| event.id == head.event.to_string()),
                "an acknowledged append is gone"
            );
        }
    }
    eprintln!("with wait_replicas=1 a failover took {pause:?} and lost none of {count} acknowledged appends");
}

#[tokio::test]
async fn a_master_without_a_replica_soon_takes_no_more() {
    let nodes = replicated(1, &[deployed("redis.conf"), deployed("replicated.conf")].concat()).await;
    let store = RedisLiveStore::connect(&nodes[0].durable_url()).await.unwrap();
    let (game, mut acknowledged) = (GameId::new(), 0);
    let mut head = stored(&store, append(game, None)).await;
    nodes[1].stop();
    let started = Instant::now();
    loop {
        let step = append(game, Some(head));
        let next = Head { version: head.version + 1, event: step.events[0].id.parse().unwrap() };
        match store.append(step).await {
            Ok(appended) => assert_eq!(appended, Appended::Done),
            Err(_) => break,
        }
        (head, acknowledged) = (next, acknowledged + 1);
        assert!(started.elapsed() < Duration::from_secs(30), "it takes whatever comes");
    }
    // Of these, the last two seconds were spent on asking again.
    let refused = started.elapsed();
    eprintln!("a master without its replica took {acknowledged} appends more and refused after {refused:?}");
    nodes[1].go_on();
    until("it takes moves again", || async { store.append(append(GameId::new(), None)).await.is_ok() }).await;
}

#[tokio::test]
async fn the_outbox_and_deadlines_fail_over_with_their_games() {
    let watched = Watched::start().await;
    let store = RedisLiveStore::connect(&watched.url("?wait_replicas=1")).await.unwrap();
    let game = GameId::new();
    let deadline = live::Deadline { game, kind: proto::game::v1::DeadlineKind::Flag, ply: 3, due: 5 };
    stored(&store, Append { deadline: Some(deadline), report: true, ..append(game, None) }).await;
    watched.nodes[0].kill();
    until_it_plays_again(&store, GameId::new()).await;
    assert_eq!(store.deadlines(10).await.unwrap(), [deadline]);
    assert_eq!(store.outbox_size().await.unwrap(), (1, 0));
}
