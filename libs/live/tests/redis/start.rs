//! What a start refuses, and when a replica is ready.

use std::time::Duration;

use live::{LiveStore as _, RedisLiveStore};

use crate::suite;
use servers::{NONE, Proxy, Redis, deployed, until};

async fn refusal(url: &str) -> String {
    match RedisLiveStore::connect(url).await {
        Ok(_) => panic!("{url} was accepted"),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_server_that_throws_games_away_is_refused() {
    let server = Redis::start(&["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"]).await;
    let why = refusal(&server.url()).await;
    assert!(why.contains("maxmemory-policy is allkeys-lru") && why.contains("set it to noeviction"), "{why}");
    server.ask::<()>(&["CONFIG", "SET", "maxmemory-policy", "volatile-ttl"]).await;
    assert!(refusal(&server.url()).await.contains("volatile-ttl"));
}

#[tokio::test]
async fn a_server_that_forgets_what_it_accepted_is_refused_unless_that_may_be() {
    let server = Redis::start(&deployed("redis.conf")).await;
    let url = format!("redis://{}", server.address());
    RedisLiveStore::connect(&url).await.unwrap();
    for (setting, value, lost) in
        [("appendfsync", "everysec", "the last second of accepted moves"), ("appendonly", "no", "every game")]
    {
        server.ask::<()>(&["CONFIG", "SET", setting, value]).await;
        let why = refusal(&url).await;
        let named = why.contains(&format!("its {setting} is {value}")) && why.contains(lost);
        assert!(named && why.contains("durability=relaxed"), "{why}");
        RedisLiveStore::connect(&format!("{url}?durability=relaxed")).await.unwrap();
    }
    // Who may not ask for the settings sees at least whether there is a log.
    server.ask::<()>(&["ACL", "SETUSER", "default", "-config"]).await;
    assert!(refusal(&url).await.contains("its appendonly is no"));
}

#[tokio::test]
async fn a_server_of_another_kind_is_refused() {
    let alone = Redis::start(NONE).await;
    let why = refusal(&format!("redis+cluster://{}", alone.address())).await;
    assert!(why.contains("no node of a cluster"), "{why}");
    let node = Redis::start(&["--cluster-enabled", "yes"]).await;
    let why = refusal(&node.url()).await;
    assert!(why.contains("a node of a cluster"), "{why}");
    assert!(refusal("http://127.0.0.1").await.contains("scheme"));
}

/// Every command of every script and call is on the list.
#[tokio::test]
async fn the_deployed_user_may_do_what_is_needed() {
    let server = Redis::start(&[deployed("redis.conf"), deployed("users.conf")].concat()).await;
    let url = format!("redis://four-kingdoms:change-me@{}", server.address());
    let conforms = async |number: usize| {
        // Nobody may empty the server, so each test gets its own database; the user has a right to `select`.
        RedisLiveStore::connect(&format!("{url}/{number}")).await.unwrap()
    };
    suite::a_log_grows_only_at_its_head(&conforms(1).await).await;
    suite::readers_are_told_what_was_stored(&conforms(2).await).await;
    suite::a_command_can_be_looked_up(&conforms(3).await).await;
    suite::a_game_has_one_deadline(&conforms(4).await).await;
    suite::the_outbox_keeps_what_was_not_reported(&conforms(5).await).await;
    suite::a_retired_game_leaves_nothing(&conforms(6).await).await;
    suite::holders_share_the_shards(&conforms(7).await).await;
    suite::projections_follow_the_log(&conforms(8).await).await;
    suite::a_gap_between_beats_is_an_outage(&conforms(9).await).await;
    let wrong = format!("redis://four-kingdoms:guess@{}", server.address());
    for url in [server.url(), wrong] {
        let why = refusal(&url).await;
        assert!(why.contains("login") && !why.contains("guess"), "{why}");
    }
}

#[tokio::test]
async fn all_replicas_go_by_the_servers_clock() {
    let server = Redis::start(NONE).await;
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
    let server = Redis::start(NONE).await;
    let proxy = Proxy::start(server.port).await;
    proxy.delay(Duration::from_millis(150));
    let store = RedisLiveStore::connect(&proxy.url()).await.unwrap();
    store.ready().await.unwrap_err();
    store.beat(2_000).await.unwrap_err();
    proxy.delay(Duration::ZERO);
    until("the time is known", || async { store.ready().await.is_ok() }).await;
    assert_eq!(store.beat(2_000).await.unwrap(), None);
}
