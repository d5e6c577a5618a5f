#![allow(clippy::unwrap_used, reason = "a test")]
//! A master becomes a replica while connections to it are open, or is still called the master.

use redis_link::{Call, Link};
use servers::{NONE, Redis, replicated};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

async fn set(link: &Link, value: &str) {
    link.call(Call::command("SET", "key").arg(value)).await.unwrap();
}

async fn make_replica(of: &Redis, server: &Redis) {
    server.ask::<()>(&["REPLICAOF", "127.0.0.1", &of.port.to_string()]).await;
}

/// As a name that leads elsewhere from some moment on: only new connections follow it.
async fn name(leads_to: watch::Receiver<u16>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let server = *leads_to.borrow();
            tokio::spawn(async move {
                let mut server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
                copy_bidirectional(&mut client, &mut server).await
            });
        }
    });
    port
}

#[tokio::test]
async fn a_name_that_leads_to_a_new_master_is_followed() {
    let nodes = replicated(1, &[]).await;
    let (leads_to, resolved) = watch::channel(nodes[0].port);
    let port = name(resolved).await;
    let link = Link::new(&format!("redis://127.0.0.1:{port}?durability=relaxed"), Vec::new()).unwrap();
    set(&link, "old").await;
    nodes[1].ask::<()>(&["REPLICAOF", "NO", "ONE"]).await;
    make_replica(&nodes[1], &nodes[0]).await;
    leads_to.send_replace(nodes[1].port);
    // The connection to the old one is open and says READONLY.
    set(&link, "new").await;
    assert_eq!(nodes[1].ask::<String>(&["GET", "key"]).await, "new");
}

/// A Sentinel that says the same to whatever it is asked, once it may.
async fn sentinel(named: u16, mut may_answer: watch::Receiver<bool>, answered: watch::Sender<bool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut question = [0; 1024];
            if client.read(&mut question).await.unwrap() == 0 {
                continue;
            }
            may_answer.wait_for(|may| *may).await.unwrap();
            let named = named.to_string();
            let answer = format!("*2\r\n$9\r\n127.0.0.1\r\n${}\r\n{named}\r\n", named.len());
            client.write_all(answer.as_bytes()).await.unwrap();
            answered.send_replace(true);
        }
    });
    port
}

#[tokio::test]
async fn a_sentinel_that_names_the_master_of_old_is_not_believed() {
    let (old, new) = (Redis::start(NONE).await, Redis::start(NONE).await);
    make_replica(&new, &old).await;
    // The one that is right answers second.
    let (first, then) = watch::channel(false);
    let stale = sentinel(old.port, watch::channel(true).1, first).await;
    let right = sentinel(new.port, then, watch::channel(false).0).await;
    let url = format!("redis+sentinel://127.0.0.1:{stale},127.0.0.1:{right}/main?durability=relaxed");
    let link = Link::new(&url, Vec::new()).unwrap();
    link.ask_directions().await.unwrap();
    assert_eq!(link.owner(0).unwrap().address.port, new.port);
    set(&link, "found").await;
    assert_eq!(new.ask::<String>(&["GET", "key"]).await, "found");
}
