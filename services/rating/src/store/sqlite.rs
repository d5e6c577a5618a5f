mod books;
mod columns;
mod lists;

use async_trait::async_trait;
use proto::types::v1::Event;
use proto::{GameId, PlayerId};
use runtime::Sqlite;
use sqlx::migrate::Migrator;
use timekeeping::{Class, UnixMs};

use super::{
    ClosedTicket, HistoryEntry, Rated, RatedGame, RecordQuery, Recorded, Store, StoreError, Summary, recording, row,
};
use crate::record::Record;

/// The store in the one SQLite file; its tables begin with `rating_`.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    sqlite: Sqlite,
}

impl SqliteStore {
    /// Brings the tables to their newest form.
    ///
    /// # Errors
    /// If the file is of a newer release or cannot be written.
    pub async fn migrate(sqlite: &Sqlite) -> anyhow::Result<()> {
        let migrations: Migrator = sqlx::migrate!("./migrations/sqlite");
        sqlite.migrate("rating", migrations).await
    }

    /// On tables in their newest form.
    #[must_use]
    pub fn new(sqlite: Sqlite) -> Self {
        Self { sqlite }
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn record(&self, record: &Record, now: UnixMs) -> Result<Recorded, StoreError> {
        let mut transaction = self.sqlite.writer.begin_with("BEGIN IMMEDIATE").await?;
        let recorded = recording::record(&mut books::Books(&mut transaction), record, now).await?;
        if matches!(recorded, Recorded::Known(_)) {
            transaction.rollback().await?;
        } else {
            transaction.commit().await?;
        }
        Ok(recorded)
    }

    async fn log(&self, game: GameId) -> Result<Option<Vec<Event>>, StoreError> {
        let log: Option<Vec<u8>> = sqlx::query_scalar("SELECT log FROM rating_log WHERE game_id = ?1")
            .bind(game.to_string())
            .fetch_optional(&self.sqlite.reader)
            .await?;
        log.as_deref().map(recording::decode).transpose()
    }

    async fn ratings(&self, players: &[PlayerId], class: Option<Class>) -> Result<Vec<Rated>, StoreError> {
        let mut rated = Vec::new();
        for player in players {
            let rows = sqlx::query(
                "SELECT player_id, class, rating, games FROM rating_player
                 WHERE player_id = ?1 AND (?2 IS NULL OR class = ?2)",
            )
            .bind(player.to_string())
            .bind(class.map(Class::as_str))
            .fetch_all(&self.sqlite.reader)
            .await?;
            for row in &rows {
                rated.push(row::rated(row)?);
            }
        }
        Ok(rated)
    }

    async fn history(
        &self,
        player: PlayerId,
        class: Option<Class>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<HistoryEntry>, StoreError> {
        lists::history(&self.sqlite.reader, player, class, before.unwrap_or(i64::MAX), limit).await
    }

    async fn leaderboard(
        &self,
        class: Class,
        include_provisional: bool,
        after: Option<(f64, PlayerId)>,
        limit: u32,
    ) -> Result<Vec<Rated>, StoreError> {
        let (rating, player) =
            after.map_or((f64::INFINITY, String::new()), |(rating, player)| (rating, player.to_string()));
        lists::leaderboard(&self.sqlite.reader, class, include_provisional, rating, &player, limit).await
    }

    async fn records(&self, query: &RecordQuery) -> Result<Vec<Summary>, StoreError> {
        // One connection and one transaction, so that the seats belong to the same state as the games.
        let mut transaction = self.sqlite.reader.begin().await?;
        lists::records(&mut transaction, query).await
    }

    async fn aborts(&self, player: PlayerId, since: UnixMs) -> Result<Vec<UnixMs>, StoreError> {
        Ok(sqlx::query_scalar(
            "SELECT ended_unix_ms FROM rating_record WHERE abort_player_id = ?1 AND ended_unix_ms >= ?2
             ORDER BY ended_unix_ms DESC",
        )
        .bind(player.to_string())
        .bind(since)
        .fetch_all(&self.sqlite.reader)
        .await?)
    }

    async fn keep_ticket(&self, ticket: &ClosedTicket) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO rating_ticket (ticket_id, player_id, time_control, class, rated, rating, opened_unix_ms,
                closed_unix_ms, game_id, outcome)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (ticket_id) DO NOTHING",
        )
        .bind(ticket.ticket.to_string())
        .bind(ticket.player.to_string())
        .bind(ticket.time_control.to_string())
        .bind(ticket.time_control.class().as_str())
        .bind(ticket.rated)
        .bind(ticket.rating)
        .bind(ticket.opened_ms)
        .bind(ticket.closed_ms)
        .bind(ticket.outcome.game().map(|game| game.to_string()))
        .bind(ticket.outcome.word())
        .execute(&self.sqlite.writer)
        .await?;
        Ok(())
    }

    async fn rated_games(&self, class: Class, after: u64, limit: u32) -> Result<Vec<RatedGame>, StoreError> {
        lists::rated_games(&self.sqlite.reader, class, after, limit).await
    }
}
