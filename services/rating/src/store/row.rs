//! From rows to values, whatever the database. What cannot be read was not written by us: a corrupt row, not a bad
//! request.

use std::str::FromStr;

use proto::PlayerId;
use proto::types::v1::Player;
use ratings::Standing;
use sqlx::types::Uuid;
use timekeeping::UnixMs;

use super::{HistoryEntry, Rated, RatedGame, StoreError, Summary, SummarySeat};
use crate::record::Change;
use crate::word::Word;

/// A row as a database gives it: named columns, any of which may be empty.
pub(super) trait Columns {
    /// An id; a corrupt one is an error.
    fn id<T: From<Uuid> + FromStr>(&self, column: &'static str) -> Result<Option<T>, StoreError>;

    /// A time; databases differ in what they add to the stem of the column's name.
    fn time(&self, stem: &'static str) -> Result<Option<UnixMs>, StoreError>;

    fn text(&self, column: &'static str) -> Result<Option<String>, StoreError>;

    fn whole(&self, column: &'static str) -> Result<Option<i64>, StoreError>;

    fn real(&self, column: &'static str) -> Result<Option<f64>, StoreError>;

    fn flag(&self, column: &'static str) -> Result<Option<bool>, StoreError>;
}

/// A column that is never empty.
fn present<T>(value: Result<Option<T>, StoreError>, column: &'static str) -> Result<T, StoreError> {
    value?.ok_or(StoreError::Corrupt(column))
}

fn id<T: From<Uuid> + FromStr>(row: &impl Columns, column: &'static str) -> Result<T, StoreError> {
    present(row.id(column), column)
}

fn real(row: &impl Columns, column: &'static str) -> Result<f64, StoreError> {
    present(row.real(column), column)
}

/// A text column that holds a value with one printed form.
fn parsed<T: FromStr>(row: &impl Columns, column: &'static str) -> Result<T, StoreError> {
    present(row.text(column), column)?.parse().map_err(|_| StoreError::Corrupt(column))
}

/// A text column that holds a word, or nothing.
fn word<T: Word>(row: &impl Columns, column: &'static str) -> Result<Option<T>, StoreError> {
    row.text(column)?.map(|word| T::from_word(&word).ok_or(StoreError::Corrupt(column))).transpose()
}

/// A number that is never negative, or nothing.
fn count_or_none(row: &impl Columns, column: &'static str) -> Result<Option<u32>, StoreError> {
    row.whole(column)?.map(|count| u32::try_from(count).map_err(|_| StoreError::Corrupt(column))).transpose()
}

fn count(row: &impl Columns, column: &'static str) -> Result<u32, StoreError> {
    present(count_or_none(row, column), column)
}

fn sequence(row: &impl Columns) -> Result<u64, StoreError> {
    u64::try_from(present(row.whole("sequence"), "sequence")?).map_err(|_| StoreError::Corrupt("sequence"))
}

pub(super) fn rated(row: &impl Columns) -> Result<Rated, StoreError> {
    Ok(Rated {
        player: id(row, "player_id")?,
        class: parsed(row, "class")?,
        standing: Standing { rating: real(row, "rating")?, games: count(row, "games")? },
    })
}

pub(super) fn change(row: &impl Columns) -> Result<Change, StoreError> {
    Ok(Change {
        seat: present(word(row, "seat"), "seat")?,
        player: id(row, "player_id")?,
        before: standing_before(row)?,
        after: real(row, "rating_after")?,
    })
}

fn standing_before(row: &impl Columns) -> Result<Standing, StoreError> {
    Ok(Standing { rating: real(row, "rating_before")?, games: count(row, "games_before")? })
}

pub(super) fn history_entry(row: &impl Columns) -> Result<HistoryEntry, StoreError> {
    Ok(HistoryEntry {
        number: present(row.whole("number"), "number")?,
        sequence: sequence(row)?,
        game: id(row, "game_id")?,
        class: parsed(row, "class")?,
        place: count(row, "place")?,
        before: standing_before(row)?,
        after: real(row, "rating_after")?,
        at_ms: present(row.time("ended"), "ended")?,
    })
}

/// Without its seats.
pub(super) fn summary(row: &impl Columns) -> Result<Summary, StoreError> {
    let ending = match (word(row, "end_reason")?, word(row, "abort_reason")?) {
        (Some(reason), None) => Ok(reason),
        (None, Some(reason)) => Err(reason),
        _ => return Err(StoreError::Corrupt("end_reason")),
    };
    Ok(Summary {
        game: id(row, "game_id")?,
        ending,
        rated: present(row.flag("rated"), "rated")?,
        visibility: present(word(row, "visibility"), "visibility")?,
        time_control: parsed(row, "time_control")?,
        plies: count(row, "plies")?,
        started_ms: row.time("started")?,
        ended_ms: present(row.time("ended"), "ended")?,
        seats: Vec::new(),
    })
}

/// The seats of a list's games, each game's in turn order, into their summaries.
pub(super) fn take_seats<R: Columns>(summaries: &mut [Summary], seats: &[R]) -> Result<(), StoreError> {
    for row in seats {
        let game = id(row, "game_id")?;
        if let Some(summary) = summaries.iter_mut().find(|summary| summary.game == game) {
            summary.seats.push(summary_seat(row)?);
        }
    }
    Ok(())
}

fn summary_seat(row: &impl Columns) -> Result<SummarySeat, StoreError> {
    let (before, after) = (row.real("rating_before")?, row.real("rating_after")?);
    Ok(SummarySeat {
        seat: present(word(row, "seat"), "seat")?,
        player: Player {
            id: id::<PlayerId>(row, "player_id")?.to_string(),
            name: present(row.text("player_name"), "player_name")?,
            guest: present(row.flag("guest"), "guest")?,
            rating: real(row, "shown_rating")?,
            provisional: present(row.flag("provisional"), "provisional")?,
        },
        points: count(row, "points")?,
        result: count(row, "result")?,
        place: count_or_none(row, "place")?,
        army: word(row, "army")?,
        rating: before.zip(after),
    })
}

pub(super) fn rated_game(row: &impl Columns) -> Result<RatedGame, StoreError> {
    Ok(RatedGame {
        sequence: sequence(row)?,
        by_place: [id(row, "first")?, id(row, "second")?, id(row, "third")?, id(row, "fourth")?],
    })
}
