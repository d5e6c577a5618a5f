use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use proto::game::v1::{DeadlineKind, Passing};
use proto::types::v1::GameStatus;
use proto::{CommandId, GameId, PlayerId, Shard};
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqlitePool};
use tokio::sync::broadcast;

use crate::store::{
    Append, Appended, Deadline, Head, Lease, LeaseKind, LiveError, LiveStore, Log, Outage, OutboxEntry, Wakeup,
    WakeupKind,
};

mod log;
mod shards;

/// Wake-ups a reader may be behind before it has to read the logs.
const WAKEUPS: usize = 8192;

/// Live state in the platform's one SQLite file; for one process.
pub struct SqliteLiveStore {
    reader: SqlitePool,
    writer: SqlitePool,
    clock: Box<dyn Fn() -> i64 + Send + Sync>,
    wakeups: broadcast::Sender<Wakeup>,
    beats: Arc<Beats>,
}

/// This process is the only one that beats, so it need not read anything back for every command.
struct Beats {
    last: AtomicI64,
    outages: RwLock<Vec<Outage>>,
}

impl SqliteLiveStore {
    /// The tables; to be applied before the store is opened.
    #[must_use]
    pub fn migrations() -> Migrator {
        sqlx::migrate!("./migrations/sqlite")
    }

    /// Opens the store on a migrated file. `clock` gives milliseconds since 1970.
    ///
    /// # Errors
    /// [`LiveError`] if the file cannot be read.
    pub async fn open(
        reader: SqlitePool,
        writer: SqlitePool,
        clock: impl Fn() -> i64 + Send + Sync + 'static,
    ) -> Result<Self, LiveError> {
        let outages = sqlx::query("SELECT id, from_time, to_time FROM live_outage ORDER BY to_time")
            .fetch_all(&reader)
            .await?
            .iter()
            .map(shards::outage)
            .collect::<Result<_, _>>()?;
        let (wakeups, _) = broadcast::channel(WAKEUPS);
        Ok(Self {
            reader,
            writer,
            clock: Box::new(clock),
            wakeups,
            beats: Arc::new(Beats { last: AtomicI64::new(0), outages: RwLock::new(outages) }),
        })
    }
}

impl From<sqlx::Error> for LiveError {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => Self::Unreadable(error.to_string()),
            other => Self::Unavailable(Box::new(other)),
        }
    }
}

fn unreadable(what: &str) -> LiveError {
    LiveError::Unreadable(what.to_owned())
}

fn id<T: std::str::FromStr>(row: &SqliteRow, column: &str) -> Result<T, LiveError> {
    row.try_get::<&str, _>(column)?.parse().map_err(|_| unreadable(column))
}

fn number<T: TryFrom<i64>>(row: &SqliteRow, column: &str) -> Result<T, LiveError> {
    T::try_from(row.try_get::<i64, _>(column)?).map_err(|_| unreadable(column))
}

fn deadline(row: &SqliteRow) -> Result<Deadline, LiveError> {
    let kind = DeadlineKind::try_from(number::<i32>(row, "kind")?).map_err(|_| unreadable("kind"))?;
    Ok(Deadline { game: id(row, "game")?, kind, ply: number(row, "ply")?, due: row.try_get("due")? })
}

fn entry(row: &SqliteRow) -> Result<OutboxEntry, LiveError> {
    Ok(OutboxEntry { game: id(row, "game")?, version: number(row, "version")?, attempts: number(row, "attempts")? })
}

/// A list of values as one parameter, for `IN (SELECT value FROM json_each(?))`.
fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn shard_list(shards: &[Shard]) -> String {
    list(shards.iter().map(|shard| shard.index().to_string()))
}

fn id_list(games: &[GameId]) -> String {
    list(games.iter().map(|game| format!("\"{game}\"")))
}

#[async_trait]
impl LiveStore for SqliteLiveStore {
    fn now(&self) -> i64 {
        (self.clock)()
    }

    #[tracing::instrument(name = "live.load", skip_all, fields(game.id = %game))]
    async fn load(&self, game: GameId, after: u64) -> Result<Option<Log>, LiveError> {
        log::load(&self.reader, game, after).await
    }

    #[tracing::instrument(name = "live.append", skip_all, fields(game.id = %append.game))]
    async fn append(&self, append: Append) -> Result<Appended, LiveError> {
        let mut transaction = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        if !log::append(&mut transaction, &append, self.now()).await? {
            return Ok(Appended::Conflict);
        }
        transaction.commit().await?;
        // Told only now that it is stored; nobody listening is no error.
        let kind = WakeupKind::Events(Arc::new(append.events));
        let _ = self.wakeups.send(Wakeup { game: append.game, kind });
        Ok(Appended::Done)
    }

    async fn caused_by(&self, game: GameId, command: CommandId) -> Result<Option<u64>, LiveError> {
        let row = sqlx::query("SELECT max(version) AS version FROM live_event WHERE game = ? AND command = ?")
            .bind(game.to_string())
            .bind(command.to_string())
            .fetch_one(&self.reader)
            .await?;
        let version: Option<i64> = row.try_get("version")?;
        version.map(|version| u64::try_from(version).map_err(|_| unreadable("version"))).transpose()
    }

    async fn heads(&self, games: &[GameId]) -> Result<Vec<(GameId, Head)>, LiveError> {
        sqlx::query("SELECT id, version, last_event FROM live_game WHERE id IN (SELECT value FROM json_each(?))")
            .bind(id_list(games))
            .fetch_all(&self.reader)
            .await?
            .iter()
            .map(|row| Ok((id(row, "id")?, log::head(row)?)))
            .collect()
    }

    fn wakeups(&self) -> broadcast::Receiver<Wakeup> {
        self.wakeups.subscribe()
    }

    async fn tell(&self, game: GameId, news: Passing) -> Result<(), LiveError> {
        let _ = self.wakeups.send(Wakeup { game, kind: WakeupKind::Passing(news) });
        Ok(())
    }

    async fn due(&self, shards: &[Shard], now: i64, limit: u32) -> Result<Vec<Deadline>, LiveError> {
        sqlx::query(
            "SELECT game, kind, ply, due FROM live_deadline
             WHERE due <= ? AND shard IN (SELECT value FROM json_each(?)) ORDER BY due LIMIT ?",
        )
        .bind(now)
        .bind(shard_list(shards))
        .bind(limit)
        .fetch_all(&self.reader)
        .await?
        .iter()
        .map(deadline)
        .collect()
    }

    async fn deadlines(&self, limit: u32) -> Result<Vec<Deadline>, LiveError> {
        sqlx::query("SELECT game, kind, ply, due FROM live_deadline ORDER BY due LIMIT ?")
            .bind(limit)
            .fetch_all(&self.reader)
            .await?
            .iter()
            .map(deadline)
            .collect()
    }

    async fn lease(&self, kind: LeaseKind, holder: &str, until: i64) -> Result<Vec<Shard>, LiveError> {
        shards::lease(&self.writer, kind, holder, until, self.now()).await
    }

    async fn release(&self, kind: LeaseKind, holder: &str) -> Result<(), LiveError> {
        shards::release(&self.writer, kind, holder).await
    }

    async fn leases(&self, kind: LeaseKind) -> Result<Vec<Lease>, LiveError> {
        shards::leases(&self.reader, kind, self.now()).await
    }

    async fn outbox(&self, shards: &[Shard], now: i64, limit: u32) -> Result<Vec<OutboxEntry>, LiveError> {
        sqlx::query(
            "SELECT game, version, attempts FROM live_outbox
             WHERE due <= ? AND shard IN (SELECT value FROM json_each(?)) ORDER BY due LIMIT ?",
        )
        .bind(now)
        .bind(shard_list(shards))
        .bind(limit)
        .fetch_all(&self.reader)
        .await?
        .iter()
        .map(entry)
        .collect()
    }

    async fn reported(&self, entry: &OutboxEntry, retire: i64) -> Result<(), LiveError> {
        let (game, version) = (entry.game.to_string(), entry.version as i64);
        let mut transaction = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        let done = sqlx::query("DELETE FROM live_outbox WHERE game = ? AND version = ?")
            .bind(&game)
            .bind(version)
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() > 0 {
            sqlx::query("UPDATE live_game SET retire = ? WHERE id = ? AND version = ?")
                .bind(retire)
                .bind(&game)
                .bind(version)
                .execute(&mut *transaction)
                .await?;
        }
        Ok(transaction.commit().await?)
    }

    async fn report_failed(&self, entry: &OutboxEntry, attempts: u32, retry: Option<i64>) -> Result<(), LiveError> {
        sqlx::query("UPDATE live_outbox SET attempts = ?, due = ? WHERE game = ? AND version = ?")
            .bind(attempts)
            .bind(retry)
            .bind(entry.game.to_string())
            .bind(entry.version as i64)
            .execute(&self.writer)
            .await?;
        Ok(())
    }

    async fn outbox_size(&self) -> Result<(u64, u64), LiveError> {
        let row = sqlx::query("SELECT count(due) AS waiting, count(*) - count(due) AS parked FROM live_outbox")
            .fetch_one(&self.reader)
            .await?;
        Ok((number(&row, "waiting")?, number(&row, "parked")?))
    }

    async fn beat(&self, gap_ms: i64) -> Result<Option<Outage>, LiveError> {
        let (writer, beats, now) = (self.writer.clone(), Arc::clone(&self.beats), self.now());
        // A caller that goes away must not leave an outage in the file that is not in the memory.
        let beat = tokio::spawn(async move {
            let outage = shards::beat(&writer, gap_ms, now).await?;
            // Before the beat shows: whoever sees it must see what it ended.
            if let Some(outage) = &outage {
                beats.outages.write().unwrap_or_else(PoisonError::into_inner).push(outage.clone());
            }
            beats.last.fetch_max(now, Ordering::SeqCst);
            Ok(outage)
        });
        beat.await.map_err(|error| LiveError::Unavailable(Box::new(error)))?
    }

    fn beaten(&self, _: Shard) -> i64 {
        self.beats.last.load(Ordering::SeqCst)
    }

    async fn last_beat(&self) -> Result<Option<i64>, LiveError> {
        let row = sqlx::query("SELECT at FROM live_heartbeat").fetch_optional(&self.reader).await?;
        Ok(row.map(|row| row.try_get("at")).transpose()?)
    }

    async fn outages(&self, _: Shard, since: i64) -> Result<Vec<Outage>, LiveError> {
        let outages = self.beats.outages.read().unwrap_or_else(PoisonError::into_inner);
        let first = outages.partition_point(|outage| outage.to <= since);
        Ok(outages[first..].to_vec())
    }

    async fn invited(&self, code: &str) -> Result<Option<GameId>, LiveError> {
        let row = sqlx::query("SELECT id FROM live_game WHERE invite_code = ? AND status = ?")
            .bind(code)
            .bind(GameStatus::Waiting as i32)
            .fetch_optional(&self.reader)
            .await?;
        row.map(|row| id(&row, "id")).transpose()
    }

    async fn public_games(
        &self,
        status: GameStatus,
        before: Option<(i64, GameId)>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, LiveError> {
        let (created, game) = before.map_or((i64::MAX, String::new()), |(created, game)| (created, game.to_string()));
        sqlx::query(
            "SELECT created, id FROM live_game WHERE status = ? AND visibility = ? AND (created, id) < (?, ?)
             ORDER BY created DESC, id DESC LIMIT ?",
        )
        .bind(status as i32)
        .bind(proto::types::v1::Visibility::Public as i32)
        .bind(created)
        .bind(game)
        .bind(limit)
        .fetch_all(&self.reader)
        .await?
        .iter()
        .map(|row| Ok((row.try_get("created")?, id(row, "id")?)))
        .collect()
    }

    async fn games_of(&self, player: PlayerId) -> Result<Vec<(GameId, GameStatus)>, LiveError> {
        sqlx::query(
            "SELECT live_game.id, status FROM live_seat JOIN live_game ON live_game.id = live_seat.game
             WHERE player = ? AND status IN (?, ?) ORDER BY created DESC, live_game.id DESC",
        )
        .bind(player.to_string())
        .bind(GameStatus::Waiting as i32)
        .bind(GameStatus::Running as i32)
        .fetch_all(&self.reader)
        .await?
        .iter()
        .map(|row| {
            let status = GameStatus::try_from(number::<i32>(row, "status")?).map_err(|_| unreadable("status"))?;
            Ok((id(row, "id")?, status))
        })
        .collect()
    }

    async fn running(&self) -> Result<Vec<GameId>, LiveError> {
        sqlx::query("SELECT id FROM live_game WHERE status = ?")
            .bind(GameStatus::Running as i32)
            .fetch_all(&self.reader)
            .await?
            .iter()
            .map(|row| id(row, "id"))
            .collect()
    }

    async fn retire(&self, now: i64) -> Result<u64, LiveError> {
        let done = sqlx::query("DELETE FROM live_game WHERE retire < ?").bind(now).execute(&self.writer).await?;
        Ok(done.rows_affected())
    }
}
