//! The log of one game, and the step that appends to it.

use proto::types::v1::Event;
use proto::{GameId, Shard};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection, SqlitePool};

use super::{id, number, unreadable};
use crate::store::{Append, Head, LiveError, Log};

use prost::Message as _;

pub(super) fn head(row: &SqliteRow) -> Result<Head, LiveError> {
    Ok(Head { version: number(row, "version")?, event: id(row, "last_event")? })
}

pub(super) async fn load(reader: &SqlitePool, game: GameId, after: u64) -> Result<Option<Log>, LiveError> {
    // One statement, so that head and events are of one moment.
    let rows = sqlx::query(
        "SELECT live_game.version, last_event, body FROM live_game
         LEFT JOIN live_event ON game = id AND live_event.version > ? WHERE id = ? ORDER BY live_event.version",
    )
    .bind(i64::try_from(after).unwrap_or(i64::MAX))
    .bind(game.to_string())
    .fetch_all(reader)
    .await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let head = head(first)?;
    let mut events = Vec::with_capacity(rows.len());
    for row in &rows {
        if let Some(body) = row.try_get::<Option<&[u8]>, _>("body")? {
            events.push(Event::decode(body).map_err(|_| unreadable("event"))?);
        }
    }
    Ok(Some(Log { head, events }))
}

/// False if the log does not end where the append expects; then nothing was written.
pub(super) async fn append(write: &mut SqliteConnection, append: &Append, now: i64) -> Result<bool, LiveError> {
    let game = append.game.to_string();
    let shard: Shard = append.game.shard();
    let stored = sqlx::query("SELECT version, last_event FROM live_game WHERE id = ?")
        .bind(&game)
        .fetch_optional(&mut *write)
        .await?;
    let stored = stored.as_ref().map(head).transpose()?;
    if stored != append.expected {
        return Ok(false);
    }
    let last = append.events.last().ok_or_else(|| unreadable("an append without events"))?;
    let known = &append.projection;
    sqlx::query(
        "INSERT INTO live_game (id, shard, version, last_event, status, visibility, invite_code, created)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET version = excluded.version, last_event = excluded.last_event,
             status = excluded.status, retire = NULL",
    )
    .bind(&game)
    .bind(shard.index())
    .bind(last.v as i64)
    .bind(&last.id)
    .bind(known.status as i32)
    .bind(known.visibility as i32)
    .bind(&known.invite_code)
    .bind(known.created)
    .execute(&mut *write)
    .await?;
    for event in &append.events {
        sqlx::query("INSERT INTO live_event (game, version, command, body) VALUES (?, ?, ?, ?)")
            .bind(&game)
            .bind(event.v as i64)
            .bind(append.command.to_string())
            .bind(event.encode_to_vec())
            .execute(&mut *write)
            .await?;
    }
    seats(write, append, &game).await?;
    deadline(write, append, &game, shard).await?;
    if append.report {
        sqlx::query(
            "INSERT INTO live_outbox (game, shard, version, attempts, due) VALUES (?, ?, ?, 0, ?)
             ON CONFLICT (game) DO UPDATE SET version = excluded.version, attempts = 0, due = excluded.due",
        )
        .bind(&game)
        .bind(shard.index())
        .bind(last.v as i64)
        .bind(now)
        .execute(&mut *write)
        .await?;
    }
    Ok(true)
}

async fn seats(write: &mut SqliteConnection, append: &Append, game: &str) -> Result<(), LiveError> {
    let players = super::list(append.projection.players.iter().map(|player| format!("\"{player}\"")));
    sqlx::query("DELETE FROM live_seat WHERE game = ? AND player NOT IN (SELECT value FROM json_each(?))")
        .bind(game)
        .bind(&players)
        .execute(&mut *write)
        .await?;
    sqlx::query("INSERT OR IGNORE INTO live_seat (player, game) SELECT value, ? FROM json_each(?)")
        .bind(game)
        .bind(&players)
        .execute(&mut *write)
        .await?;
    Ok(())
}

async fn deadline(write: &mut SqliteConnection, append: &Append, game: &str, shard: Shard) -> Result<(), LiveError> {
    let Some(deadline) = append.deadline else {
        sqlx::query("DELETE FROM live_deadline WHERE game = ?").bind(game).execute(&mut *write).await?;
        return Ok(());
    };
    sqlx::query(
        "INSERT INTO live_deadline (game, shard, kind, ply, due) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (game) DO UPDATE SET kind = excluded.kind, ply = excluded.ply, due = excluded.due",
    )
    .bind(game)
    .bind(shard.index())
    .bind(deadline.kind as i32)
    .bind(deadline.ply)
    .bind(deadline.due)
    .execute(&mut *write)
    .await?;
    Ok(())
}
