//! The words by which stores know seats and reasons.

use proto::types::v1::Seat;

use crate::ticket::CancelReason;

const REASONS: [(CancelReason, &str); 3] = [
    (CancelReason::Player, "player"),
    (CancelReason::Expired, "expired"),
    (CancelReason::TooManyGames, "too_many_games"),
];

pub(super) const fn of_reason(reason: CancelReason) -> &'static str {
    match reason {
        CancelReason::Player => REASONS[0].1,
        CancelReason::Expired => REASONS[1].1,
        CancelReason::TooManyGames => REASONS[2].1,
    }
}

pub(super) fn reason(word: &str) -> Option<CancelReason> {
    REASONS.into_iter().find(|(_, known)| *known == word).map(|(reason, _)| reason)
}

pub(super) fn seat(word: &str) -> Option<Seat> {
    Seat::ALL.into_iter().find(|seat| seat.word() == word)
}
