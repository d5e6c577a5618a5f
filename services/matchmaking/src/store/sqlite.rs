mod fours;
mod row;

use async_trait::async_trait;
use proto::{GameId, PlayerId, TicketId};
use runtime::Sqlite;
use sqlx::Row as _;
use sqlx::migrate::Migrator;
use timekeeping::UnixMs;

use super::{Cancelling, Dissolving, Opening, PoolState, Store, StoreError};
use crate::forming::Waiting;
use crate::ticket::{Four, Pool, State, Ticket};

/// The store in the one SQLite file; its tables begin with `matchmaking_`.
#[derive(Debug, Clone)]
pub(crate) struct SqliteStore {
    sqlite: Sqlite,
}

impl SqliteStore {
    /// Brings the tables to their newest form.
    pub(crate) async fn open(sqlite: Sqlite) -> anyhow::Result<Self> {
        let migrations: Migrator = sqlx::migrate!("./migrations/sqlite");
        sqlite.migrate("matchmaking", migrations).await?;
        Ok(Self { sqlite })
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.sqlite.reader).await?;
        Ok(())
    }

    async fn open(&self, ticket: &Ticket) -> Result<Opening, StoreError> {
        let mut transaction = self.sqlite.writer.begin_with("BEGIN IMMEDIATE").await?;
        let known = sqlx::query("SELECT * FROM matchmaking_ticket WHERE ticket_id = ?1")
            .bind(ticket.id.to_string())
            .fetch_optional(&mut *transaction)
            .await?;
        if let Some(row) = known {
            return Ok(Opening::Known(row::ticket(&row)?));
        }
        let other = sqlx::query(
            "SELECT ticket_id FROM matchmaking_ticket WHERE player_id = ?1 AND status IN ('waiting', 'forming')",
        )
        .bind(ticket.player.id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        if let Some(row) = other {
            return Ok(Opening::AlreadyWaiting(row::parsed(&row, "ticket_id")?));
        }
        sqlx::query(
            "INSERT INTO matchmaking_ticket (ticket_id, player_id, player_name, guest, rating, provisional,
                time_control, rated, status, opened_unix_ms, asked_unix_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'waiting', ?9, ?10)",
        )
        .bind(ticket.id.to_string())
        .bind(ticket.player.id.to_string())
        .bind(&ticket.player.name)
        .bind(ticket.player.guest)
        .bind(ticket.player.rating)
        .bind(ticket.player.provisional)
        .bind(ticket.pool.time_control.to_string())
        .bind(ticket.pool.rated)
        .bind(ticket.opened_ms)
        .bind(ticket.asked_ms)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Opening::Opened)
    }

    async fn ticket(&self, id: TicketId) -> Result<Option<Ticket>, StoreError> {
        let row = sqlx::query("SELECT * FROM matchmaking_ticket WHERE ticket_id = ?1")
            .bind(id.to_string())
            .fetch_optional(&self.sqlite.reader)
            .await?;
        row.as_ref().map(row::ticket).transpose()
    }

    async fn open_ticket(&self, player: PlayerId) -> Result<Option<Ticket>, StoreError> {
        let row =
            sqlx::query("SELECT * FROM matchmaking_ticket WHERE player_id = ?1 AND status IN ('waiting', 'forming')")
                .bind(player.to_string())
                .fetch_optional(&self.sqlite.reader)
                .await?;
        row.as_ref().map(row::ticket).transpose()
    }

    async fn newest(&self, player: PlayerId) -> Result<Option<Ticket>, StoreError> {
        let row = sqlx::query(
            "SELECT * FROM matchmaking_ticket WHERE player_id = ?1 ORDER BY opened_unix_ms DESC, ticket_id DESC LIMIT 1",
        )
        .bind(player.to_string())
        .fetch_optional(&self.sqlite.reader)
        .await?;
        row.as_ref().map(row::ticket).transpose()
    }

    async fn cancel(&self, id: TicketId, player: PlayerId, now: UnixMs) -> Result<Cancelling, StoreError> {
        let mut transaction = self.sqlite.writer.begin_with("BEGIN IMMEDIATE").await?;
        let row = sqlx::query("SELECT * FROM matchmaking_ticket WHERE ticket_id = ?1 AND player_id = ?2")
            .bind(id.to_string())
            .bind(player.to_string())
            .fetch_optional(&mut *transaction)
            .await?;
        match row.as_ref().map(row::ticket).transpose()?.map(|ticket| ticket.state) {
            None => return Ok(Cancelling::Unknown),
            Some(State::Cancelled(..)) => return Ok(Cancelling::Already),
            Some(State::Forming(place) | State::Matched(place, _)) => return Ok(Cancelling::Matched(place.game)),
            Some(State::Waiting) => {}
        }
        sqlx::query(
            "UPDATE matchmaking_ticket SET status = 'cancelled', reason = 'player', closed_unix_ms = ?2
             WHERE ticket_id = ?1 AND status = 'waiting'",
        )
        .bind(id.to_string())
        .bind(now)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Cancelling::Cancelled)
    }

    async fn asked(&self, id: TicketId, now: UnixMs) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE matchmaking_ticket SET asked_unix_ms = max(asked_unix_ms, ?2)
             WHERE ticket_id = ?1 AND status IN ('waiting', 'forming')",
        )
        .bind(id.to_string())
        .bind(now)
        .execute(&self.sqlite.writer)
        .await?;
        Ok(())
    }

    async fn pools(&self, asked_since: UnixMs) -> Result<Vec<PoolState>, StoreError> {
        let rows = sqlx::query(
            "SELECT time_control, rated, count(*) AS waiting, min(opened_unix_ms) AS oldest FROM matchmaking_ticket
             WHERE status = 'waiting' AND asked_unix_ms >= ?1 GROUP BY time_control, rated",
        )
        .bind(asked_since)
        .fetch_all(&self.sqlite.reader)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(PoolState {
                    pool: row::pool(row)?,
                    waiting: row.try_get("waiting")?,
                    oldest_ms: row.try_get("oldest")?,
                })
            })
            .collect()
    }

    async fn waiting(&self, pool: Pool, asked_since: UnixMs, now: UnixMs) -> Result<Vec<Waiting>, StoreError> {
        let rows = sqlx::query(
            "SELECT ticket_id, rating, opened_unix_ms FROM matchmaking_ticket
             WHERE status = 'waiting' AND time_control = ?1 AND rated = ?2 AND asked_unix_ms >= ?3
               AND hold_until_unix_ms <= ?4
             ORDER BY opened_unix_ms, ticket_id",
        )
        .bind(pool.time_control.to_string())
        .bind(pool.rated)
        .bind(asked_since)
        .bind(now)
        .fetch_all(&self.sqlite.reader)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(Waiting {
                    ticket: row::parsed(row, "ticket_id")?,
                    rating: row.try_get("rating")?,
                    opened_ms: row.try_get("opened_unix_ms")?,
                })
            })
            .collect()
    }

    async fn oldest(&self, pool: Pool, asked_since: UnixMs) -> Result<Option<UnixMs>, StoreError> {
        Ok(sqlx::query_scalar(
            "SELECT opened_unix_ms FROM matchmaking_ticket
             WHERE status = 'waiting' AND time_control = ?1 AND rated = ?2 AND asked_unix_ms >= ?3
             ORDER BY opened_unix_ms LIMIT 1",
        )
        .bind(pool.time_control.to_string())
        .bind(pool.rated)
        .bind(asked_since)
        .fetch_optional(&self.sqlite.reader)
        .await?)
    }

    async fn form(&self, four: &Four) -> Result<bool, StoreError> {
        let mut transaction = self.sqlite.writer.begin_with("BEGIN IMMEDIATE").await?;
        let formed = fours::form(&mut transaction, four).await?;
        if formed {
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        Ok(formed)
    }

    async fn claim(&self, now: UnixMs, until: UnixMs) -> Result<Vec<Four>, StoreError> {
        // As with expiry: nearly always there is nothing to claim.
        let any: Option<i64> = sqlx::query_scalar(
            "SELECT 1 FROM matchmaking_match WHERE created_unix_ms IS NULL AND claimed_until_unix_ms <= ?1 LIMIT 1",
        )
        .bind(now)
        .fetch_optional(&self.sqlite.reader)
        .await?;
        if any.is_none() {
            return Ok(Vec::new());
        }
        let mut transaction = self.sqlite.writer.begin_with("BEGIN IMMEDIATE").await?;
        let claimed = fours::claim(&mut transaction, now, until).await?;
        transaction.commit().await?;
        Ok(claimed)
    }

    async fn release(&self, four: &Four, until: UnixMs) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE matchmaking_match SET claimed_until_unix_ms = min(claimed_until_unix_ms, ?3)
             WHERE game_id = ?1 AND claimed_until_unix_ms = ?2 AND created_unix_ms IS NULL",
        )
        .bind(four.game.to_string())
        .bind(four.claimed_until_ms)
        .bind(until)
        .execute(&self.sqlite.writer)
        .await?;
        Ok(())
    }

    async fn complete(&self, game: GameId, now: UnixMs) -> Result<bool, StoreError> {
        let mut transaction = self.sqlite.writer.begin_with("BEGIN IMMEDIATE").await?;
        let completed = fours::complete(&mut transaction, game, now).await?;
        transaction.commit().await?;
        Ok(completed)
    }

    async fn dissolve(&self, four: &Four, dissolving: &Dissolving) -> Result<bool, StoreError> {
        let mut transaction = self.sqlite.writer.begin_with("BEGIN IMMEDIATE").await?;
        let dissolved = fours::dissolve(&mut transaction, four, dissolving).await?;
        transaction.commit().await?;
        Ok(dissolved)
    }

    async fn expire(&self, asked_before: UnixMs, now: UnixMs) -> Result<Vec<PlayerId>, StoreError> {
        // Looked for by a reader first: nearly always there is nothing, and the writer is shared.
        let any: Option<i64> = sqlx::query_scalar(
            "SELECT 1 FROM matchmaking_ticket WHERE status = 'waiting' AND asked_unix_ms < ?1 LIMIT 1",
        )
        .bind(asked_before)
        .fetch_optional(&self.sqlite.reader)
        .await?;
        if any.is_none() {
            return Ok(Vec::new());
        }
        let rows = sqlx::query(
            "UPDATE matchmaking_ticket SET status = 'cancelled', reason = 'expired', closed_unix_ms = ?2
             WHERE status = 'waiting' AND asked_unix_ms < ?1 RETURNING player_id",
        )
        .bind(asked_before)
        .bind(now)
        .fetch_all(&self.sqlite.writer)
        .await?;
        rows.iter().map(|row| row::parsed(row, "player_id")).collect()
    }

    async fn unreported(&self, limit: u32) -> Result<Vec<Ticket>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM matchmaking_ticket WHERE reported = 0 AND closed_unix_ms IS NOT NULL
             ORDER BY closed_unix_ms LIMIT ?1",
        )
        .bind(limit)
        .fetch_all(&self.sqlite.reader)
        .await?;
        rows.iter().map(row::ticket).collect()
    }

    async fn reported(&self, id: TicketId) -> Result<(), StoreError> {
        sqlx::query("UPDATE matchmaking_ticket SET reported = 1 WHERE ticket_id = ?1 AND closed_unix_ms IS NOT NULL")
            .bind(id.to_string())
            .execute(&self.sqlite.writer)
            .await?;
        Ok(())
    }

    async fn forget(&self, closed_before: UnixMs) -> Result<(), StoreError> {
        let mut transaction = self.sqlite.writer.begin_with("BEGIN IMMEDIATE").await?;
        fours::forget(&mut transaction, closed_before).await?;
        transaction.commit().await?;
        Ok(())
    }
}
