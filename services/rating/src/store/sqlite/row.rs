//! From rows to values. What cannot be read was not written by us: a corrupt row, not a bad request.

use std::str::FromStr;

use proto::types::v1::Player;
use ratings::Standing;
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

use crate::store::{HistoryEntry, Rated, StoreError, SummarySeat};
use crate::word::Word;

/// A text column that holds a value with one printed form.
pub(super) fn parsed<T: FromStr>(row: &SqliteRow, column: &'static str) -> Result<T, StoreError> {
    row.try_get::<String, _>(column)?.parse().map_err(|_| StoreError::Corrupt(column))
}

/// A text column that holds a word, or nothing.
pub(super) fn word<T: Word>(row: &SqliteRow, column: &'static str) -> Result<Option<T>, StoreError> {
    let word: Option<String> = row.try_get(column)?;
    word.map(|word| T::from_word(&word).ok_or(StoreError::Corrupt(column))).transpose()
}

/// A number that is never negative.
pub(super) fn count(row: &SqliteRow, column: &'static str) -> Result<u32, StoreError> {
    u32::try_from(row.try_get::<i64, _>(column)?).map_err(|_| StoreError::Corrupt(column))
}

pub(super) fn rated(row: &SqliteRow) -> Result<Rated, StoreError> {
    Ok(Rated {
        player: parsed(row, "player_id")?,
        class: parsed(row, "class")?,
        standing: Standing { rating: row.try_get("rating")?, games: count(row, "games")? },
    })
}

pub(super) fn history_entry(row: &SqliteRow) -> Result<HistoryEntry, StoreError> {
    Ok(HistoryEntry {
        number: row.try_get("number")?,
        sequence: count(row, "sequence")?.into(),
        game: parsed(row, "game_id")?,
        class: parsed(row, "class")?,
        place: count(row, "place")?,
        before: Standing { rating: row.try_get("rating_before")?, games: count(row, "games_before")? },
        after: row.try_get("rating_after")?,
        at_ms: row.try_get("at_unix_ms")?,
    })
}

pub(super) fn summary_seat(row: &SqliteRow) -> Result<SummarySeat, StoreError> {
    let before: Option<f64> = row.try_get("rating_before")?;
    let after: Option<f64> = row.try_get("rating_after")?;
    Ok(SummarySeat {
        seat: word(row, "seat")?.ok_or(StoreError::Corrupt("seat"))?,
        player: Player {
            id: row.try_get("player_id")?,
            name: row.try_get("player_name")?,
            guest: row.try_get("guest")?,
            rating: row.try_get("shown_rating")?,
            provisional: row.try_get("provisional")?,
        },
        points: count(row, "points")?,
        result: count(row, "result")?,
        place: row.try_get::<Option<u32>, _>("place")?,
        army: word(row, "army")?,
        rating: before.zip(after),
    })
}
