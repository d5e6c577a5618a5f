//! The steps of a four from forming to its game, each inside a transaction of the caller's.

use proto::GameId;
use proto::types::v1::Seat;
use sqlx::{Row as _, SqliteConnection};
use timekeeping::UnixMs;

use super::row;
use crate::store::{Dissolving, StoreError, word};
use crate::ticket::{Four, State, Ticket};

/// False if not all four still wait; the caller rolls back.
pub(super) async fn form(connection: &mut SqliteConnection, four: &Four) -> Result<bool, StoreError> {
    sqlx::query(
        "INSERT INTO matchmaking_match (game_id, time_control, rated, formed_unix_ms, claimed_until_unix_ms)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )
    .bind(four.game.to_string())
    .bind(four.pool.time_control.to_string())
    .bind(four.pool.rated)
    .bind(four.formed_ms)
    .bind(four.claimed_until_ms)
    .execute(&mut *connection)
    .await?;
    for (seat, ticket) in &four.seats {
        let bound = sqlx::query(
            "UPDATE matchmaking_ticket SET status = 'forming', game_id = ?2, seat = ?3
             WHERE ticket_id = ?1 AND status = 'waiting'",
        )
        .bind(ticket.id.to_string())
        .bind(four.game.to_string())
        .bind(seat.word())
        .execute(&mut *connection)
        .await?;
        if bound.rows_affected() != 1 {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) async fn claim(
    connection: &mut SqliteConnection,
    now: UnixMs,
    until: UnixMs,
) -> Result<Vec<Four>, StoreError> {
    let claimed = sqlx::query(
        "UPDATE matchmaking_match SET claimed_until_unix_ms = ?2
         WHERE created_unix_ms IS NULL AND claimed_until_unix_ms <= ?1
         RETURNING game_id, time_control, rated, formed_unix_ms, claimed_until_unix_ms",
    )
    .bind(now)
    .bind(until)
    .fetch_all(&mut *connection)
    .await?;
    let mut fours = Vec::with_capacity(claimed.len());
    for of_match in &claimed {
        let game: GameId = row::parsed(of_match, "game_id")?;
        fours.push(Four {
            game,
            pool: row::pool(of_match)?,
            formed_ms: of_match.try_get("formed_unix_ms")?,
            claimed_until_ms: of_match.try_get("claimed_until_unix_ms")?,
            seats: seats(connection, game).await?,
        });
    }
    fours.sort_by_key(|four| (four.formed_ms, four.game));
    Ok(fours)
}

async fn seats(connection: &mut SqliteConnection, game: GameId) -> Result<Vec<(Seat, Ticket)>, StoreError> {
    let rows = sqlx::query("SELECT * FROM matchmaking_ticket WHERE game_id = ?1")
        .bind(game.to_string())
        .fetch_all(connection)
        .await?;
    let mut seats = Vec::with_capacity(rows.len());
    for row in &rows {
        let ticket = row::ticket(row)?;
        let State::Forming(place) = ticket.state else { return Err(StoreError::Corrupt("status")) };
        seats.push((place.seat, ticket));
    }
    seats.sort_by_key(|(seat, _)| *seat as i32);
    Ok(seats)
}

pub(super) async fn complete(connection: &mut SqliteConnection, game: GameId, now: UnixMs) -> Result<bool, StoreError> {
    let completed =
        sqlx::query("UPDATE matchmaking_match SET created_unix_ms = ?2 WHERE game_id = ?1 AND created_unix_ms IS NULL")
            .bind(game.to_string())
            .bind(now)
            .execute(&mut *connection)
            .await?;
    if completed.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query(
        "UPDATE matchmaking_ticket SET status = 'matched', closed_unix_ms = ?2
         WHERE game_id = ?1 AND status = 'forming'",
    )
    .bind(game.to_string())
    .bind(now)
    .execute(connection)
    .await?;
    Ok(true)
}

pub(super) async fn dissolve(
    connection: &mut SqliteConnection,
    four: &Four,
    dissolving: &Dissolving,
) -> Result<bool, StoreError> {
    let game = four.game;
    let claimed: Option<i64> = sqlx::query_scalar(
        "SELECT 1 FROM matchmaking_match
         WHERE game_id = ?1 AND claimed_until_unix_ms = ?2 AND created_unix_ms IS NULL",
    )
    .bind(game.to_string())
    .bind(four.claimed_until_ms)
    .fetch_optional(&mut *connection)
    .await?;
    if claimed.is_none() {
        return Ok(false);
    }
    for ticket in &dissolving.cancelled {
        sqlx::query(
            "UPDATE matchmaking_ticket SET status = 'cancelled', reason = ?3, closed_unix_ms = ?4, game_id = NULL,
                seat = NULL
             WHERE ticket_id = ?1 AND game_id = ?2 AND status = 'forming'",
        )
        .bind(ticket.to_string())
        .bind(game.to_string())
        .bind(word::of_reason(dissolving.reason))
        .bind(dissolving.now)
        .execute(&mut *connection)
        .await?;
    }
    sqlx::query(
        "UPDATE matchmaking_ticket SET status = 'waiting', game_id = NULL, seat = NULL, hold_until_unix_ms = ?2
         WHERE game_id = ?1 AND status = 'forming'",
    )
    .bind(game.to_string())
    .bind(dissolving.hold_until)
    .execute(&mut *connection)
    .await?;
    sqlx::query("DELETE FROM matchmaking_match WHERE game_id = ?1").bind(game.to_string()).execute(connection).await?;
    Ok(true)
}

pub(super) async fn forget(connection: &mut SqliteConnection, closed_before: UnixMs) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM matchmaking_ticket WHERE reported = 1 AND closed_unix_ms < ?1")
        .bind(closed_before)
        .execute(&mut *connection)
        .await?;
    sqlx::query(
        "DELETE FROM matchmaking_match WHERE created_unix_ms < ?1
         AND NOT EXISTS (SELECT 1 FROM matchmaking_ticket t WHERE t.game_id = matchmaking_match.game_id)",
    )
    .bind(closed_before)
    .execute(connection)
    .await?;
    Ok(())
}
