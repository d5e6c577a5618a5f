use live::{LiveStore as _, SqliteLiveStore};
use runtime::{Sqlite, TemporarySqlite};

use crate::suite;

async fn open(sqlite: &Sqlite) -> SqliteLiveStore {
    sqlite.migrate("live", SqliteLiveStore::migrations()).await.unwrap();
    let (reader, writer) = (sqlite.reader.clone(), sqlite.writer.clone());
    SqliteLiveStore::open(reader, writer, runtime::wall_clock_ms).await.unwrap()
}

async fn temporary() -> (SqliteLiveStore, TemporarySqlite) {
    let file = Sqlite::temporary().await.unwrap();
    (open(&file.sqlite).await, file)
}

macro_rules! conforms {
    ($($name:ident)*) => {$(
        #[tokio::test]
        async fn $name() {
            let (store, _file) = temporary().await;
            suite::$name(&store).await;
        }
    )*};
}

conforms! {
    a_log_grows_only_at_its_head
    of_many_writers_one_wins
    readers_are_told_what_was_stored
    a_command_can_be_looked_up
    a_game_has_one_deadline
    the_outbox_keeps_what_was_not_reported
    a_retired_game_leaves_nothing
    holders_share_the_shards
    projections_follow_the_log
    a_gap_between_beats_is_an_outage
}

#[tokio::test]
async fn everything_is_there_after_the_process_died() {
    let (store, file) = temporary().await;
    let game = suite::waiting_game(&store).await;
    store.beat(i64::MAX).await.unwrap();
    let outage = store.beat(-1).await.unwrap().unwrap();
    drop(store);
    let again = open(&Sqlite::open(file.folder()).await.unwrap()).await;
    assert_eq!(again.load(game, 0).await.unwrap().unwrap().events.len(), 1);
    assert_eq!(again.deadlines(10).await.unwrap().len(), 1);
    assert_eq!(again.outages(game.shard(), 0).await.unwrap(), [outage]);
}
