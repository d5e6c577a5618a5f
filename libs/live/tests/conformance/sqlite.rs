use live::{Append, LiveStore as _, SqliteLiveStore};
use proto::GameId;
use proto::types::v1::GameStatus;
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

suite::for_each!(conforms);

#[tokio::test]
async fn everything_is_there_after_the_process_died() {
    let (store, file) = temporary().await;
    let game = GameId::new();
    let deadline = Some(suite::deadline(game, 7, 9_000));
    let known = suite::projection(GameStatus::Waiting);
    suite::stored(&store, Append { deadline, projection: known, ..suite::append(game, None) }).await;
    store.beat(i64::MAX).await.unwrap();
    let outage = store.beat(-1).await.unwrap().unwrap();
    drop(store);
    let again = open(&Sqlite::open(file.folder()).await.unwrap()).await;
    assert_eq!(again.load(game, 0).await.unwrap().unwrap().events.len(), 1);
    assert_eq!(again.deadlines(10).await.unwrap().len(), 1);
    assert_eq!(again.outages(game.shard(), 0).await.unwrap(), [outage]);
}
