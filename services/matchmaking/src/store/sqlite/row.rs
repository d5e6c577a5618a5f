//! From rows to values. What cannot be read was not written by us.

use std::str::FromStr;

use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

use crate::store::{StoreError, word};
use crate::ticket::{CancelReason, Place, Player, Pool, State, Ticket};

/// A text column that holds a value with one printed form.
pub(super) fn parsed<T: FromStr>(row: &SqliteRow, column: &'static str) -> Result<T, StoreError> {
    row.try_get::<String, _>(column)?.parse().map_err(|_| StoreError::Corrupt(column))
}

pub(super) fn pool(row: &SqliteRow) -> Result<Pool, StoreError> {
    Ok(Pool { time_control: parsed(row, "time_control")?, rated: row.try_get("rated")? })
}

pub(super) fn ticket(row: &SqliteRow) -> Result<Ticket, StoreError> {
    let closed = || row.try_get::<Option<i64>, _>("closed_unix_ms")?.ok_or(StoreError::Corrupt("closed_unix_ms"));
    let state = match row.try_get::<String, _>("status")?.as_str() {
        "waiting" => State::Waiting,
        "forming" => State::Forming(place(row)?),
        "matched" => State::Matched(place(row)?, closed()?),
        "cancelled" => State::Cancelled(reason(row)?, closed()?),
        _ => return Err(StoreError::Corrupt("status")),
    };
    Ok(Ticket {
        id: parsed(row, "ticket_id")?,
        player: Player {
            id: parsed(row, "player_id")?,
            name: row.try_get("player_name")?,
            guest: row.try_get("guest")?,
            rating: row.try_get("rating")?,
            provisional: row.try_get("provisional")?,
        },
        pool: pool(row)?,
        opened_ms: row.try_get("opened_unix_ms")?,
        asked_ms: row.try_get("asked_unix_ms")?,
        state,
    })
}

fn place(row: &SqliteRow) -> Result<Place, StoreError> {
    let seat = word::seat(row.try_get("seat")?).ok_or(StoreError::Corrupt("seat"))?;
    Ok(Place { game: parsed(row, "game_id")?, seat })
}

fn reason(row: &SqliteRow) -> Result<CancelReason, StoreError> {
    word::reason(row.try_get("reason")?).ok_or(StoreError::Corrupt("reason"))
}
