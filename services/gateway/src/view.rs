//! The JSON shapes of the public API, made from what the services answer.

pub(crate) mod event;
pub(crate) mod game;
pub(crate) mod news;
pub(crate) mod player;
pub(crate) mod record;
pub(crate) mod seat;
pub(crate) mod ticket;

use time::OffsetDateTime;
use time::format_description::FormatItem;
use time::macros::format_description;

const RFC3339_MS: &[FormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

/// A moment as RFC 3339, UTC, to the millisecond.
pub(crate) fn moment(unix_ms: i64) -> String {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(unix_ms) * 1_000_000)
        .ok()
        .and_then(|time| time.format(RFC3339_MS).ok())
        .unwrap_or_default()
}

/// A rating as shown: one decimal.
pub(crate) fn one_decimal(rating: f64) -> f64 {
    (rating * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_ratings_have_one_form() {
        assert_eq!(moment(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(moment(1_795_996_800_007), "2026-11-30T00:00:00.007Z");
        assert_eq!(moment(i64::MAX), "");
        assert_eq!(serde_json::to_string(&one_decimal(1500.0)).unwrap(), "1500.0");
        assert_eq!(serde_json::to_string(&one_decimal(1526.67)).unwrap(), "1526.7");
    }
}
