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
    let cluster = servers::Cluster::start().await;
    let mut found = 0;
    for node in &cluster.nodes {
        let client = Client::open(format!("redis://{}", node.address())).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        for key in ["a", "b", "c", "d"] {
            let set = cmd("SET").arg(&[key, "value"]).query_async::<()>(&mut connection).await;
            found += usize::from(set.is_ok());
        }
    }
    assert_eq!(found, 4);
}

#[tokio::test]
async fn a_server_keeps_what_it_has_on_its_disk() {
    let redis = servers::Redis::start(&servers::deployed("redis.conf")).await;
    redis.ask::<()>(&["SET", "key", "value"]).await;
    redis.kill();
    assert!(Client::open(redis.url()).unwrap().get_multiplexed_async_connection().await.is_err());
    redis.restart("").await;
    assert_eq!(redis.ask::<String>(&["GET", "key"]).await, "value");

    let postgres = servers::Postgres::start().await;
    let url = postgres.database().await;
    postgres.kill();
    assert!(PgConnection::connect(&url).await.is_err());
    postgres.restart().await;
    PgConnection::connect(&url).await.unwrap();
}

#[tokio::test]
async fn a_replica_takes_over_when_the_master_is_gone() {
    let watched = servers::Watched::start().await;
    watched.nodes[0].kill();
    loop {
        let about: String = watched.nodes[1].ask(&["INFO", "replication"]).await;
        if about.contains("role:master") {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}
