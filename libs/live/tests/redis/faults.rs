//! What goes wrong with one server.

use std::time::Duration;

use live::{Append, Appended, Head, LeaseKind, LiveError, LiveStore as _, OutboxEntry, RedisLiveStore};
use proto::types::v1::{GameStatus, Visibility};
use proto::{CommandId, GameId, PlayerId};
use tokio::time::Instant;

use crate::suite::{all, append, projection, stored};
use servers::{NONE, Proxy, Redis, deployed, until};

#[tokio::test]
async fn a_lost_answer_is_looked_up_by_its_command() {
    let server = Redis::start(NONE).await;
    let proxy = Proxy::start(server.port).await;
    let store = RedisLiveStore::connect(&proxy.url()).await.unwrap();
    let game = GameId::new();
    let head = stored(&store, append(game, None)).await;
    let step = append(game, Some(head));
    proxy.swallow_answer_to(&step.events[0].id);
    let error = store.append(step.clone()).await.unwrap_err();
    assert!(matches!(error, LiveError::Unavailable(_)), "{error:?}");
    assert_eq!(store.caused_by(game, step.command).await.unwrap(), Some(2));
    assert_eq!(store.append(step).await.unwrap(), Appended::Conflict, "it was stored once");
    assert_eq!(store.load(game, 0).await.unwrap().unwrap().events.len(), 2);
}

#[tokio::test]
async fn a_lost_question_is_asked_again() {
    let server = Redis::start(NONE).await;
    let proxy = Proxy::start(server.port).await;
    let store = RedisLiveStore::connect(&proxy.url()).await.unwrap();
    let game = GameId::new();
    stored(&store, append(game, None)).await;
    proxy.swallow_answer_to(&game.to_string());
    assert_eq!(store.load(game, 0).await.unwrap().unwrap().events.len(), 1);
}

#[tokio::test]
async fn forgotten_scripts_are_loaded_again_under_load() {
    let server = Redis::start(NONE).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    let play = async |moves: u64| {
        let game = GameId::new();
        let mut head = stored(&store, append(game, None)).await;
        for _ in 1..moves {
            head = stored(&store, append(game, Some(head))).await;
        }
        assert_eq!(store.load(game, 0).await.unwrap().unwrap().head.version, moves);
    };
    let forget = async {
        for _ in 0..20 {
            server.ask::<()>(&["SCRIPT", "FLUSH"]).await;
        }
    };
    futures::join!(futures::future::join_all((0..8).map(|_| play(60))), forget);
}

#[tokio::test]
async fn a_server_that_is_a_replica_for_a_while_is_waited_for() {
    let server = Redis::start(&["--replica-serve-stale-data", "no"]).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    let game = GameId::new();
    let head = stored(&store, append(game, None)).await;
    // Nobody listens on port 1, so it answers READONLY to writes and MASTERDOWN to reads.
    server.ask::<()>(&["REPLICAOF", "127.0.0.1", "1"]).await;
    let back = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        server.ask::<()>(&["REPLICAOF", "NO", "ONE"]).await;
    };
    let (head, log, ()) = futures::join!(stored(&store, append(game, Some(head))), store.load(game, 0), back);
    assert!(log.unwrap().unwrap().head.version <= 2);
    assert_eq!(head.version, 2);
}

#[tokio::test]
async fn a_server_without_replicas_is_waited_for() {
    let server = Redis::start(&["--min-replicas-to-write", "1"]).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    let game = GameId::new();
    let back = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        server.ask::<()>(&["CONFIG", "SET", "min-replicas-to-write", "0"]).await;
    };
    futures::join!(stored(&store, append(game, None)), back);
}

#[tokio::test]
async fn what_was_accepted_survives_the_death_of_the_server() {
    let server = Redis::start(&deployed("redis.conf")).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    let mut heads: Vec<(GameId, Head)> = Vec::new();
    for _ in 0..500 {
        let game = GameId::new();
        heads.push((game, stored(&store, append(game, None)).await));
    }
    server.kill();
    let started = Instant::now();
    let error = store.append(append(GameId::new(), None)).await.unwrap_err();
    assert!(matches!(error, LiveError::Unavailable(_)), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(20), "a refusal took {:?}", started.elapsed());
    // Until it has loaded all commands, it answers LOADING to whatever it hears after each 1024 of them.
    server.restart("--key-load-delay 80").await;
    assert!(server.ask::<String>(&["INFO", "persistence"]).await.contains("\nloading:1"));
    stored(&store, append(GameId::new(), None)).await;
    let games: Vec<GameId> = heads.iter().map(|(game, _)| *game).collect();
    let mut found = store.heads(&games).await.unwrap();
    found.sort_by_key(|(game, _)| *game);
    heads.sort_by_key(|(game, _)| *game);
    assert!(found == heads, "{} of {} are there", found.len(), heads.len());
}

#[tokio::test]
async fn a_server_that_stands_still_is_given_up_and_taken_back() {
    let server = Redis::start(NONE).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    let game = GameId::new();
    let head = stored(&store, append(game, None)).await;
    server.stop();
    let started = Instant::now();
    let step = append(game, Some(head));
    store.append(step.clone()).await.unwrap_err();
    assert!(store.heads(&[game]).await.is_err());
    assert!(started.elapsed() < Duration::from_secs(20), "two refusals took {:?}", started.elapsed());
    server.go_on();
    until("it answers", || async { store.heads(&[game]).await.is_ok() }).await;
    // The step may have been carried out when the server went on, and then not again.
    if store.caused_by(game, step.command).await.unwrap().is_none() {
        store.append(step).await.unwrap();
    }
    assert_eq!(store.load(game, 0).await.unwrap().unwrap().events.len(), 2);
}

#[tokio::test]
async fn an_outage_has_one_id_however_many_beat() {
    let server = Redis::start(&deployed("redis.conf")).await;
    let mut stores = Vec::new();
    for _ in 0..3 {
        stores.push(RedisLiveStore::connect(&server.url()).await.unwrap());
        stores.last().unwrap().beat(500).await.unwrap();
    }
    server.kill();
    tokio::time::sleep(Duration::from_millis(600)).await;
    server.restart("").await;
    let beats = futures::future::join_all(stores.iter().map(|store| store.beat(500))).await;
    let told: Vec<_> = beats.into_iter().filter_map(Result::unwrap).collect();
    assert!(!told.is_empty());
    for shard in all() {
        let known = stores[0].outages(shard, 0).await.unwrap();
        assert_eq!(known.len(), 1, "one gap is one outage");
        for store in &stores {
            store.beat(60_000).await.unwrap();
            assert_eq!(store.outages(shard, 0).await.unwrap(), known);
        }
    }
}

#[tokio::test]
async fn an_outage_lasts_until_the_server_answers_again() {
    let server = Redis::start(&deployed("redis.conf")).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    store.beat(500).await.unwrap();
    server.kill();
    // Asked for while nobody is there, and repeated until somebody is.
    let (beaten, back) = tokio::join!(store.beat(500), async {
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        let back = store.now();
        server.restart("").await;
        back
    });
    // The beat may have given up just before; then the next one ends the gap.
    let outage = match beaten {
        Ok(Some(outage)) => outage,
        _ => store.beat(500).await.unwrap().unwrap(),
    };
    assert!(outage.to >= back, "{outage:?} ended before {back}");
}

const RECORD: &str = include_str!("../../../../docs/decisions/live-state-in-redis.md");

/// A key as the record's table writes it.
fn pattern(key: &str) -> String {
    let words = key.split(':').map(|word| match word.trim_end_matches('}') {
        id if id.parse::<PlayerId>().is_ok() => word.replace(id, "<id>"),
        code if code.starts_with("code-") => word.replace(code, "<code>"),
        shard if shard.strip_prefix("{s").is_some_and(|number| number.parse::<u8>().is_ok()) => "{sN}".to_owned(),
        "deadlines" | "outbox" if key.starts_with("{leases}") => "<kind>".to_owned(),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(":")
}

#[tokio::test]
async fn nothing_is_left_of_games_that_have_retired() {
    let server = Redis::start(NONE).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    for visibility in [Visibility::Public, Visibility::Private] {
        for last in [GameStatus::Over, GameStatus::Aborted] {
            let (game, players) = (GameId::new(), vec![PlayerId::new(), PlayerId::new()]);
            let invite_code = Some(format!("code-{last:?}-{visibility:?}"));
            let known = live::Projection { visibility, players, invite_code, ..projection(GameStatus::Waiting) };
            let deadline = Some(live::Deadline { game, kind: proto::game::v1::DeadlineKind::Flag, ply: 0, due: 9 });
            let head = stored(&store, Append { deadline, projection: known.clone(), ..append(game, None) }).await;
            let over = live::Projection { status: last, ..known };
            stored(&store, Append { projection: over, report: true, ..append(game, Some(head)) }).await;
        }
    }
    store.beat(2_000).await.unwrap();
    let owed = store.outbox(&all(), store.now() + 1, 10).await.unwrap();
    assert_eq!(owed.len(), 4);
    for entry in &owed {
        store.report_failed(entry, 1, Some(0)).await.unwrap();
        store.reported(entry, 0).await.unwrap();
    }
    store.lease(LeaseKind::Outbox, "holder", store.now() + 60_000).await.unwrap();
    for key in server.ask::<Vec<String>>(&["KEYS", "*"]).await {
        assert!(RECORD.contains(&format!("`{}`", pattern(&key))), "{key} is not in the record's table");
    }
    store.release(LeaseKind::Outbox, "holder").await.unwrap();
    assert_eq!(store.retire(1).await.unwrap(), 4);
    let keys: Vec<String> = server.ask(&["KEYS", "*"]).await;
    // The shards' heartbeats are for ever, and the comparison's lease ends by itself.
    let kept = |key: &&String| key.ends_with("}:heartbeat") || *key == "{leases}:comparing";
    let left: Vec<_> = keys.iter().filter(|key| !kept(key)).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_long_log_is_searched_whole() {
    let server = Redis::start(NONE).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    let game = GameId::new();
    let first = append(game, None);
    let command = first.command;
    let mut head = stored(&store, first).await;
    for _ in 0..200 {
        head = stored(&store, append(game, Some(head))).await;
    }
    assert_eq!(store.caused_by(game, command).await.unwrap(), Some(1));
    assert_eq!(store.caused_by(game, CommandId::new()).await.unwrap(), None);
}

/// What takes memory is refused, what gives it back is not; and nobody is charged for the time in between.
#[tokio::test]
async fn a_server_without_memory_still_lets_games_go() {
    let server = Redis::start(NONE).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    let game = GameId::new();
    let over = Append { report: true, projection: projection(GameStatus::Over), ..append(game, None) };
    stored(&store, over).await;
    store.beat(2_000).await.unwrap();
    server.ask::<()>(&["CONFIG", "SET", "maxmemory", "1"]).await;
    store.append(append(GameId::new(), None)).await.unwrap_err();
    store.beat(2_000).await.unwrap_err();
    let shards = store.lease(LeaseKind::Outbox, "holder", store.now() + 60_000).await.unwrap();
    let [entry] = store.outbox(&shards, store.now() + 1, 10).await.unwrap()[..] else { panic!("one game is owed") };
    store.report_failed(&entry, 1, Some(0)).await.unwrap();
    store.reported(&OutboxEntry { attempts: 1, ..entry }, 0).await.unwrap();
    store.release(LeaseKind::Outbox, "holder").await.unwrap();
    assert_eq!(store.retire(i64::MAX).await.unwrap(), 1);
    assert_eq!(store.load(game, 0).await.unwrap(), None);
    server.ask::<()>(&["CONFIG", "SET", "maxmemory", "0"]).await;
    stored(&store, append(GameId::new(), None)).await;
}
