mod books;
mod columns;
mod lists;
#[cfg(test)]
mod tests;

use std::time::Duration;

use async_trait::async_trait;
use proto::types::v1::Event;
use proto::{GameId, PlayerId};
use runtime::Postgres;
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use timekeeping::{Class, UnixMs};

use super::{
    ClosedTicket, HistoryEntry, Rated, RatedGame, RecordQuery, Recorded, Store, StoreError, Summary, recording, row,
};
use crate::record::Record;
use runtime::Instant;

#[cfg(test)]
pub(super) use tests::fresh;

/// How often a transaction is begun again that another one got in the way of, and after which pause.
const ATTEMPTS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(20);

/// The store in PostgreSQL; its tables are in the schema of this service.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    pool: PgPool,
}

impl PostgresStore {
    /// Brings the schema to its newest form.
    ///
    /// # Errors
    /// If the schema is of a newer release or cannot be written.
    pub async fn migrate(postgres: &Postgres) -> anyhow::Result<()> {
        postgres.migrate(migrations()).await
    }

    /// On a schema in its newest form.
    ///
    /// # Errors
    /// If the schema is older or newer than this build.
    pub async fn open(postgres: Postgres) -> anyhow::Result<Self> {
        postgres.verify(&migrations()).await?;
        Ok(Self { pool: postgres.pool })
    }

    async fn record_once(&self, record: &Record, now: UnixMs) -> Result<Recorded, StoreError> {
        let mut transaction = self.pool.begin().await?;
        let recorded = recording::record(&mut books::Books(&mut transaction), record, now).await?;
        if matches!(recorded, Recorded::Known(_)) {
            transaction.rollback().await?;
        } else {
            transaction.commit().await?;
        }
        Ok(recorded)
    }
}

fn migrations() -> Migrator {
    sqlx::migrate!("./migrations/postgres")
}

/// Whether the same transaction may well succeed now that the one in its way is over: the same game was recorded
/// meanwhile, or the server chose this one to give way.
fn may_succeed_now(error: &StoreError) -> bool {
    let StoreError::Database(error) = error else { return false };
    error.as_database_error().is_some_and(|error| {
        error.constraint() == Some("record_key") || matches!(error.code().as_deref(), Some("40001" | "40P01"))
    })
}

#[async_trait]
impl Store for PostgresStore {
    async fn record(&self, record: &Record, now: UnixMs) -> Result<Recorded, StoreError> {
        for attempt in 1..ATTEMPTS {
            match self.record_once(record, now).await {
                Err(error) if may_succeed_now(&error) => tokio::time::sleep(PAUSE * attempt).await,
                answer => return answer,
            }
        }
        self.record_once(record, now).await
    }

    async fn log(&self, game: GameId) -> Result<Option<Vec<Event>>, StoreError> {
        let log: Option<Vec<u8>> = sqlx::query_scalar("SELECT log FROM log WHERE game_id = $1")
            .bind(game.uuid())
            .fetch_optional(&self.pool)
            .await?;
        log.as_deref().map(recording::decode).transpose()
    }

    async fn ratings(&self, players: &[PlayerId], class: Option<Class>) -> Result<Vec<Rated>, StoreError> {
        let rows = sqlx::query(
            "SELECT player_id, class, rating, games FROM player
             WHERE player_id = ANY ($1) AND ($2::text IS NULL OR class = $2)",
        )
        .bind(players.iter().map(|player| player.uuid()).collect::<Vec<_>>())
        .bind(class.map(Class::as_str))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(row::rated).collect()
    }

    async fn history(
        &self,
        player: PlayerId,
        class: Option<Class>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<HistoryEntry>, StoreError> {
        lists::history(&self.pool, player, class, before.unwrap_or(i64::MAX), limit).await
    }

    async fn leaderboard(
        &self,
        class: Class,
        include_provisional: bool,
        after: Option<(f64, PlayerId)>,
        limit: u32,
    ) -> Result<Vec<Rated>, StoreError> {
        lists::leaderboard(&self.pool, class, include_provisional, after, limit).await
    }

    async fn records(&self, query: &RecordQuery) -> Result<Vec<Summary>, StoreError> {
        lists::records(&self.pool, query).await
    }

    async fn aborts(&self, player: PlayerId, since: UnixMs) -> Result<Vec<UnixMs>, StoreError> {
        let ended: Vec<Instant> = sqlx::query_scalar(
            "SELECT ended_at FROM record WHERE abort_player_id = $1 AND ended_at >= $2 ORDER BY ended_at DESC",
        )
        .bind(player.uuid())
        .bind(Instant(since))
        .fetch_all(&self.pool)
        .await?;
        Ok(ended.into_iter().map(Instant::unix_ms).collect())
    }

    async fn keep_ticket(&self, ticket: &ClosedTicket) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO ticket (ticket_id, player_id, time_control, class, rated, rating, opened_at, closed_at,
                game_id, outcome)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (ticket_id) DO NOTHING",
        )
        .bind(ticket.ticket.uuid())
        .bind(ticket.player.uuid())
        .bind(ticket.time_control.to_string())
        .bind(ticket.time_control.class().as_str())
        .bind(ticket.rated)
        .bind(ticket.rating)
        .bind(Instant(ticket.opened_ms))
        .bind(Instant(ticket.closed_ms))
        .bind(ticket.outcome.game().map(GameId::uuid))
        .bind(ticket.outcome.word())
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn rated_games(&self, class: Class, after: u64, limit: u32) -> Result<Vec<RatedGame>, StoreError> {
        lists::rated_games(&self.pool, class, after, limit).await
    }
}
