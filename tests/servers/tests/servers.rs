//! The servers are there, are private, and end with the process that asked for them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use redis::{Client, cmd};
use sqlx::{Connection as _, PgConnection};

#[tokio::test]
async fn databases_are_fresh_and_apart() {
    let (first, second) = (servers::postgres().await, servers::postgres().await);
    assert_ne!(first, second);
    for url in [first, second] {
        let mut connection = PgConnection::connect(&url).await.unwrap();
        sqlx::query("CREATE TABLE thing (id integer)").execute(&mut connection).await.unwrap();
    }
}

#[tokio::test]
async fn each_redis_is_empty_and_apart() {
    for url in [servers::redis().await, servers::redis().await] {
        let mut connection = Client::open(url).unwrap().get_multiplexed_async_connection().await.unwrap();
        let set: bool = cmd("SET").arg(&["key", "value", "NX"]).query_async(&mut connection).await.unwrap();
        assert!(set);
    }
}

#[tokio::test]
async fn a_cluster_serves_every_slot() {
    let url = servers::redis_cluster().await;
    let hosts = url.strip_prefix("redis+cluster://").unwrap();
    let mut found = 0;
    for host in hosts.split(',') {
        let client = Client::open(format!("redis://{host}")).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        for key in ["a", "b", "c", "d"] {
            let set = cmd("SET").arg(&[key, "value"]).query_async::<()>(&mut connection).await;
            found += usize::from(set.is_ok());
        }
    }
    assert_eq!(found, 4);
}

#[tokio::test]
async fn a_replica_takes_over_when_the_master_is_gone() {
    let url = servers::redis_sentinel().await;
    let sentinel = url.trim_start_matches("redis+sentinel://").trim_end_matches("/main");
    let client = Client::open(format!("redis://{sentinel}")).unwrap();
    let mut sentinel = client.get_multiplexed_async_connection().await.unwrap();
    let mut master = async || -> (String, u16) {
        cmd("SENTINEL").arg(&["GET-MASTER-ADDR-BY-NAME", "main"]).query_async(&mut sentinel).await.unwrap()
    };
    let first = master().await;
    let client = Client::open(format!("redis://{}:{}", first.0, first.1)).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    // There is no answer: the server ends.
    let _ = cmd("SHUTDOWN").arg("NOSAVE").query_async::<()>(&mut connection).await;
    while master().await == first {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}
