//! Wake-ups may be lost; who listens gets to know, and the log is the truth.

use std::time::Duration;

use live::{LiveStore as _, RedisLiveStore, Wakeup, WakeupKind};
use proto::GameId;
use tokio::sync::broadcast;

use crate::suite::{append, stored};
use servers::{NONE, Proxy, Redis};

const SOON: Duration = Duration::from_secs(30);

async fn news_of(game: GameId, wakeups: &mut broadcast::Receiver<Wakeup>) {
    let heard = async {
        loop {
            let wakeup = wakeups.recv().await.unwrap();
            if wakeup.game == game && matches!(wakeup.kind, WakeupKind::Events(_)) {
                return;
            }
        }
    };
    tokio::time::timeout(SOON, heard).await.expect("news of the game");
}

#[tokio::test]
async fn a_subscription_that_was_cut_is_made_again_and_told() {
    let server = Redis::start(NONE).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    let (mut wakeups, mut interruptions) = (store.wakeups(), store.interruptions());
    interruptions.borrow_and_update();
    server.ask::<()>(&["CLIENT", "KILL", "TYPE", "pubsub"]).await;
    tokio::time::timeout(SOON, interruptions.changed()).await.expect("an interruption").unwrap();
    let game = GameId::new();
    stored(&store, append(game, None)).await;
    news_of(game, &mut wakeups).await;
}

#[tokio::test]
async fn a_subscription_that_died_silently_is_noticed() {
    let server = Redis::start(NONE).await;
    let proxy = Proxy::start(server.port).await;
    let store = RedisLiveStore::connect(&proxy.url()).await.unwrap();
    let other = RedisLiveStore::connect(&server.url()).await.unwrap();
    let (mut wakeups, mut interruptions) = (store.wakeups(), store.interruptions());
    interruptions.borrow_and_update();
    proxy.freeze();
    let missed = GameId::new();
    let head = stored(&other, append(missed, None)).await;
    tokio::time::timeout(SOON, interruptions.changed()).await.expect("an interruption").unwrap();
    // What was missed stands in the log; what comes is heard.
    assert_eq!(store.heads(&[missed]).await.unwrap(), [(missed, head)]);
    stored(&other, append(missed, Some(head))).await;
    news_of(missed, &mut wakeups).await;
}

#[tokio::test]
async fn nothing_interrupts_what_works() {
    let server = Redis::start(NONE).await;
    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
    let mut interruptions = store.interruptions();
    interruptions.borrow_and_update();
    tokio::time::timeout(Duration::from_secs(3), interruptions.changed()).await.unwrap_err();
}
