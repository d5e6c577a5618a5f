//! What only Redis does: scripts that come twice, connections that break, slots that move, keys that go.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{Client, cmd};

use super::*;
use crate::store::conformance::{four, opened, ticket};
use crate::ticket::{CancelReason, State};

async fn raw(url: &str) -> MultiplexedConnection {
    Client::open(url).unwrap().get_multiplexed_async_connection().await.unwrap()
}

#[tokio::test]
async fn no_key_stays_behind_once_all_is_closed_and_reported() {
    let url = servers::redis().await;
    let store = RedisStore::open(&url).await.unwrap();
    let (matched, dissolved) = (four(&store, 50).await, four(&store, 50).await);
    let (cancelled, expired) = (opened(&store, ticket(1)).await, opened(&store, ticket(2)).await);
    for four in [&matched, &dissolved] {
        assert!(store.form(four).await.unwrap());
    }
    store.asked(cancelled.id, 60).await.unwrap();
    store.cancel(cancelled.id, cancelled.player.id, 60).await.unwrap();
    store.complete(matched.game, 60).await.unwrap();
    let all = dissolved.seats.iter().map(|(_, ticket)| ticket.id).collect();
    let dissolving = Dissolving { cancelled: all, reason: CancelReason::TooManyGames, now: 60, hold_until: 0 };
    store.dissolve(&dissolved, &dissolving).await.unwrap();
    assert_eq!(store.expire(50, 60).await.unwrap(), [expired.player.id]);
    for ticket in store.unreported(100).await.unwrap() {
        store.reported(ticket.id).await.unwrap();
    }
    store.forget(61).await.unwrap();
    let keys: Vec<String> = cmd("KEYS").arg("*").query_async(&mut raw(&url).await).await.unwrap();
    assert!(keys.is_empty(), "{keys:?}");
}

#[tokio::test]
async fn a_four_whose_answer_was_lost_is_formed_all_the_same() {
    let store = RedisStore::open(&servers::redis().await).await.unwrap();
    let four = four(&store, 50).await;
    assert!(store.form(&four).await.unwrap() && store.form(&four).await.unwrap());
    let other = Four { seats: four.seats.iter().cloned().rev().collect(), ..four.clone() };
    assert!(!store.form(&other).await.unwrap());
}

/// Others wait for Redis while a script runs.
#[tokio::test]
async fn no_script_goes_through_more_tickets_than_it_is_told() {
    let store = RedisStore::open(&servers::redis().await).await.unwrap();
    for opened_ms in 1..=5 {
        opened(&store, ticket(opened_ms)).await;
    }
    let pool = reply::pool_name(ticket(1).pool);
    let part = store.script(&script::POOLS).arg(0).arg("-").arg(3);
    let (next, pools): (String, Vec<(String, u32, String)>) = store.get(part).await.unwrap();
    assert!(!next.is_empty() && pools[0].1 == 3, "{pools:?}");
    let part = store.script(&script::WAITING).arg(&pool).arg(0).arg(9).arg("").arg(3);
    let (next, waiting): (String, Vec<(String, String, String)>) = store.get(part).await.unwrap();
    assert!(!next.is_empty() && waiting.len() == 3, "{waiting:?}");
    let part = store.script(&script::OLDEST).arg(&pool).arg(5).arg("").arg(3);
    let (next, oldest) = reply::oldest(&store.get::<Vec<String>>(part).await.unwrap()).unwrap();
    assert!(!next.is_empty() && oldest.is_none(), "{oldest:?}");
    let part = store.script(&script::EXPIRE).arg(9).arg(9).arg(0).arg(3);
    let (looked_at, players): (u32, Vec<String>) = store.get(part).await.unwrap();
    assert_eq!((looked_at, players.len()), (3, 3));
}

#[tokio::test]
async fn a_name_may_hold_anything() {
    let store = RedisStore::open(&servers::redis().await).await.unwrap();
    for name in ["", " ", "a  b ", "né\n\"ё\" 2 1 0", "{matchmaking}"] {
        let mut ticket = ticket(5);
        ticket.player.name = name.to_owned();
        let ticket = opened(&store, ticket).await;
        assert_eq!(store.ticket(ticket.id).await.unwrap(), Some(ticket));
    }
}

#[tokio::test]
async fn the_clock_is_the_servers() {
    let url = servers::redis().await;
    let store = RedisStore::open(&url).await.unwrap();
    let now = store.clock();
    let (seconds, _): (i64, i64) = cmd("TIME").query_async(&mut raw(&url).await).await.unwrap();
    assert!((now() - seconds * 1000).abs() < 1_500);
    let before = now();
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert!((30..1_000).contains(&(now() - before)));
}

/// Opens and cancels for a while, two replicas taking turns; nothing may be refused, lost or done twice.
async fn work_while(stores: [RedisStore; 2], trouble: impl Future<Output = ()>) {
    let (done, stores) = (Arc::new(AtomicBool::new(false)), stores.map(Arc::new));
    let workers: Vec<_> = (0..4usize)
        .map(|number| {
            let (done, store) = (Arc::clone(&done), stores.clone());
            tokio::spawn(async move {
                let mut rounds = 0usize;
                while !done.load(Ordering::Relaxed) {
                    let store = &store[(number + rounds) % 2];
                    let ticket = ticket(i64::try_from(rounds).unwrap());
                    match store.open(&ticket).await.unwrap() {
                        Opening::Opened => {}
                        Opening::Known(known) => assert_eq!(known, ticket),
                        Opening::AlreadyWaiting(other) => panic!("{other} waits"),
                    }
                    let cancelled = store.cancel(ticket.id, ticket.player.id, 7).await.unwrap();
                    assert!(matches!(cancelled, Cancelling::Cancelled | Cancelling::Already));
                    let stored = store.ticket(ticket.id).await.unwrap().unwrap();
                    assert_eq!(stored.state, State::Cancelled(CancelReason::Player, 7));
                    rounds += 1;
                }
                rounds
            })
        })
        .collect();
    trouble.await;
    done.store(true, Ordering::Relaxed);
    let mut rounds = 0;
    for worker in workers {
        rounds += worker.await.unwrap();
    }
    assert_eq!(stores[0].unreported(1_000_000).await.unwrap().len(), rounds);
    assert!(stores[0].pools(0).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_connections_and_lost_scripts_are_made_good() {
    let url = servers::redis().await;
    let stores = [RedisStore::open(&url).await.unwrap(), RedisStore::open(&url).await.unwrap()];
    let mut connection = raw(&url).await;
    work_while(stores, async {
        for _ in 0..30 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let kill = ["KILL", "TYPE", "NORMAL", "SKIPME", "YES"];
            cmd("CLIENT").arg(&kill).query_async::<()>(&mut connection).await.unwrap();
            cmd("SCRIPT").arg("FLUSH").query_async::<()>(&mut connection).await.unwrap();
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_that_moves_takes_the_tickets_along() {
    let cluster = servers::Cluster::start().await;
    let url = cluster.url();
    let stores = [RedisStore::open(&url).await.unwrap(), RedisStore::open(&url).await.unwrap()];
    work_while(stores, async {
        let slot = cluster.slot(TAG).await;
        let mut holder = cluster.owner(slot).await;
        for _ in 0..4 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let next = (holder + 1) % 3;
            cluster.move_slot(slot, holder, next).await;
            holder = next;
        }
    })
    .await;
}

/// The master ends without a word; what replicas had is there, and after a while all goes on with the other server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failover_is_followed() {
    let watched = servers::Watched::start().await;
    let store = RedisStore::open(&watched.url("?wait_replicas=1")).await.unwrap();
    let (news, drain) = (News::new(), Drain::new());
    store.attend(news.clone(), &drain);
    let four = four(&store, 50).await;
    assert!(store.form(&four).await.unwrap());
    watched.nodes[0].kill();
    let began = std::time::Instant::now();
    let claimed = loop {
        match store.claim(58, 66).await {
            Ok(claimed) => break claimed,
            Err(StoreError::Redis(_)) => assert!(began.elapsed() < Duration::from_secs(20)),
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(claimed, [Four { claimed_until_ms: 66, seats: claimed[0].seats.clone(), ..four }]);
    assert_eq!(claimed[0].seats.len(), 4);
    let waiting = ticket(5);
    let mut listener = news.listen(waiting.player.id);
    tokio::time::timeout(Duration::from_secs(5), async {
        while store.open(&waiting).await.is_err() {}
        listener.changed().await;
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn news_is_heard_again_after_the_line_was_cut() {
    let url = servers::redis().await;
    let store = RedisStore::open(&url).await.unwrap();
    let (news, drain) = (News::new(), Drain::new());
    store.attend(news.clone(), &drain);
    let mut connection = raw(&url).await;
    for _ in 0..3 {
        let waiting = ticket(5);
        let mut listener = news.listen(waiting.player.id);
        loop {
            let heard: Vec<redis::Value> =
                cmd("PUBSUB").arg(&["SHARDNUMSUB", "{matchmaking}:news"]).query_async(&mut connection).await.unwrap();
            if heard.last() == Some(&redis::Value::Int(1)) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // Drops the general alarm after a new subscription.
        while tokio::time::timeout(Duration::from_millis(50), listener.changed()).await.is_ok() {}
        opened(&store, waiting).await;
        tokio::time::timeout(Duration::from_secs(1), listener.changed()).await.unwrap();
        cmd("CLIENT").arg(&["KILL", "TYPE", "PUBSUB"]).query_async::<()>(&mut connection).await.unwrap();
    }
}

#[tokio::test]
async fn a_server_that_throws_things_away_is_refused() {
    let url = servers::redis().await;
    let evict = ["SET", "maxmemory-policy", "allkeys-lru"];
    cmd("CONFIG").arg(&evict).query_async::<()>(&mut raw(&url).await).await.unwrap();
    let Err(error) = RedisStore::open(&url).await else { panic!("it was opened") };
    assert!(error.to_string().contains("allkeys-lru"), "{error}");
}

#[tokio::test]
async fn a_url_that_leads_nowhere_is_said_to() {
    for (url, told, away) in [
        ("nonsense", "FK_REDIS_URL: it has no ://", false),
        ("redis://127.0.0.1:1", "FK_REDIS_URL: Redis cannot be reached", true),
    ] {
        let Err(error) = RedisStore::open(url).await else { panic!("{url} was opened") };
        assert!(error.to_string().contains(told), "{error}");
        assert_eq!(error.passes(), away, "{error}");
    }
}
