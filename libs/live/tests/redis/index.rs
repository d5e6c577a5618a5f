//! What lies in other slots than its game, and who puts it right.

use std::time::Duration;

use live::{Append, LiveStore as _, Projection, RedisLiveStore};
use proto::types::v1::GameStatus;
use proto::{GameId, PlayerId};

use crate::suite::{append, projection, stored};
use servers::{NONE, Proxy, Redis, until};

fn waiting(player: PlayerId, code: &str) -> Projection {
    Projection { players: vec![player], invite_code: Some(code.into()), ..projection(GameStatus::Waiting) }
}

#[tokio::test]
async fn a_process_that_dies_after_an_append_leaves_the_index_to_a_sweeper() {
    let server = Redis::start(NONE).await;
    let proxy = Proxy::start(server.port).await;
    let dying = RedisLiveStore::connect(&proxy.url()).await.unwrap();
    // Scripts are known from here on, so the next request with the game's id is the append itself.
    stored(&dying, append(GameId::new(), None)).await;
    let (game, player) = (GameId::new(), PlayerId::new());
    proxy.freeze_after(&game.to_string());
    let step = Append { projection: waiting(player, "code"), ..append(game, None) };
    tokio::select! {
        outcome = dying.append(step) => panic!("it got through: {outcome:?}"),
        () = proxy.happened() => {}
    }
    drop(dying);
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    until("the append stands", || async { store.load(game, 0).await.unwrap().is_some() }).await;
    assert_eq!(
        server.ask::<u64>(&["EXISTS", &format!("{{player:{player}}}:games")]).await,
        0,
        "it was indexed already"
    );
    let found = async || store.games_of(player).await.unwrap() == [(game, GameStatus::Waiting)];
    until("a sweeper has followed the game", found).await;
    assert_eq!(store.invited("code").await.unwrap(), Some(game));
    let owed: Vec<String> = server.ask(&["KEYS", "*:unindexed"]).await;
    assert!(owed.is_empty(), "{owed:?}");
}

#[tokio::test]
async fn what_the_index_lost_comes_back() {
    let server = Redis::start(NONE).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    let (game, player) = (GameId::new(), PlayerId::new());
    stored(&store, Append { projection: waiting(player, "code"), ..append(game, None) }).await;
    let keys = [format!("{{player:{player}}}:games"), "{invite:code}:game".into(), "{leases}:comparing".into()];
    assert_eq!(server.ask::<u64>(&["DEL", &keys[0], &keys[1], &keys[2]]).await, 3);
    assert_eq!(store.games_of(player).await.unwrap(), []);
    let _another = RedisLiveStore::connect(&server.url()).await.unwrap();
    let found = async || store.games_of(player).await.unwrap() == [(game, GameStatus::Waiting)];
    until("the index was compared with the games", found).await;
    assert_eq!(store.invited("code").await.unwrap(), Some(game));
    for key in &keys {
        assert!(server.ask::<i64>(&["PTTL", key]).await > 0, "{key} would stay for ever");
    }
}

#[tokio::test]
async fn a_wrong_entry_is_a_hint_and_no_more() {
    let server = Redis::start(NONE).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    let (game, player, stranger) = (GameId::new(), PlayerId::new(), PlayerId::new());
    stored(&store, Append { projection: waiting(player, "code"), ..append(game, None) }).await;
    for id in [game, GameId::new()] {
        server.ask::<()>(&["SADD", &format!("{{player:{stranger}}}:games"), &id.to_string()]).await;
        server.ask::<()>(&["SET", "{invite:other}:game", &id.to_string()]).await;
    }
    assert_eq!(store.games_of(stranger).await.unwrap(), []);
    assert_eq!(store.invited("other").await.unwrap(), None);
}

#[tokio::test]
async fn of_many_who_change_a_games_seats_the_last_one_is_indexed() {
    let server = Redis::start(NONE).await;
    let stores =
        [RedisLiveStore::connect(&server.url()).await.unwrap(), RedisLiveStore::connect(&server.url()).await.unwrap()];
    let (game, players) = (GameId::new(), [PlayerId::new(), PlayerId::new(), PlayerId::new()]);
    let mut head = stored(&stores[0], Append { projection: waiting(players[0], "a"), ..append(game, None) }).await;
    let mut tasks = Vec::new();
    let stores = stores.map(std::sync::Arc::new);
    for i in 0..60 {
        let step = Append { projection: waiting(players[i % 3], "a"), ..append(game, Some(head)) };
        head = live::Head { version: head.version + 1, event: step.events[0].id.parse().unwrap() };
        // The next step is taken before this one's writer has come to the index.
        let store = std::sync::Arc::clone(&stores[i % 2]);
        tasks.push(tokio::spawn(async move { store.append(step).await }));
        until("it is stored", || async { stores[0].heads(&[game]).await.unwrap() == [(game, head)] }).await;
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    for (i, player) in players.into_iter().enumerate() {
        let stored: Vec<String> = server.ask(&["SMEMBERS", &format!("{{player:{player}}}:games")]).await;
        assert_eq!(stored.len(), usize::from(i == 59 % 3), "player {i}");
    }
    let unindexed: Vec<String> = server.ask(&["KEYS", "*:unindexed"]).await;
    assert!(unindexed.is_empty());
    tokio::time::timeout(Duration::from_secs(10), stores[0].games_of(players[2])).await.unwrap().unwrap();
}
