//! What a start refuses, and when a replica is ready.

use std::time::Duration;

use live::{LiveStore as _, RedisLiveStore};

use crate::proxy::Proxy;
use crate::servers::{Server, until};

async fn refusal(url: &str) -> String {
    match RedisLiveStore::connect(url).await {
        Ok(_) => panic!("{url} was accepted"),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_server_that_throws_games_away_is_refused() {
    let server = Server::start(&["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"]).await;
    let why = refusal(&server.url()).await;
    assert!(why.contains("maxmemory-policy is allkeys-lru") && why.contains("set it to noeviction"), "{why}");
    server.ask::<()>(&["CONFIG", "SET", "maxmemory-policy", "volatile-ttl"]).await;
    assert!(refusal(&server.url()).await.contains("volatile-ttl"));
}

#[tokio::test]
async fn a_server_of_another_kind_is_refused() {
    let alone = Server::start(&[]).await;
    let why = refusal(&format!("redis+cluster://127.0.0.1:{}", alone.port)).await;
    assert!(why.contains("no node of a cluster"), "{why}");
    let node = Server::start(&["--cluster-enabled", "yes"]).await;
    let why = refusal(&node.url()).await;
    assert!(why.contains("a node of a cluster"), "{why}");
    assert!(refusal("http://127.0.0.1").await.contains("scheme"));
}

#[tokio::test]
async fn all_replicas_go_by_the_servers_clock() {
    let server = Server::start(&[]).await;
    let (one, other) =
        (RedisLiveStore::connect(&server.url()).await.unwrap(), RedisLiveStore::connect(&server.url()).await.unwrap());
    one.ready().await.unwrap();
    assert!((one.now() - other.now()).abs() <= 50);
    let before = one.now();
    let (seconds, micros): (i64, i64) = server.ask(&["TIME"]).await;
    let (truth, after) = (seconds * 1_000 + micros / 1_000, one.now());
    assert!(before - 50 <= truth && truth <= after + 50, "{before} {truth} {after}");
}

#[tokio::test]
async fn who_does_not_know_the_time_is_not_ready_and_does_not_beat() {
    let server = Server::start(&[]).await;
    let proxy = Proxy::start(server.port).await;
    proxy.delay(Duration::from_millis(150));
    let store = RedisLiveStore::connect(&proxy.url()).await.unwrap();
    store.ready().await.unwrap_err();
    store.beat(2_000).await.unwrap_err();
    proxy.delay(Duration::ZERO);
    until("the time is known", || async { store.ready().await.is_ok() }).await;
    assert_eq!(store.beat(2_000).await.unwrap(), None);
}
