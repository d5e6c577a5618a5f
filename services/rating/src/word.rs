//! The words by which the store and analysts know what the wire numbers.

use proto::types::v1::{AbortReason, ArmyState, EndReason, Seat, Visibility};

/// An enum of the wire whose values are stored as words; "unspecified" has none.
pub(crate) trait Word: Copy + PartialEq + Sized + 'static {
    /// Each value with its word.
    const WORDS: &'static [(Self, &'static str)];

    fn word(self) -> Option<&'static str> {
        Self::WORDS.iter().find(|(value, _)| *value == self).map(|(_, word)| *word)
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, known)| *known == word).map(|(value, _)| *value)
    }
}

impl Word for Seat {
    const WORDS: &'static [(Self, &'static str)] =
        &[(Self::Red, "red"), (Self::Blue, "blue"), (Self::Yellow, "yellow"), (Self::Green, "green")];
}

impl Word for ArmyState {
    const WORDS: &'static [(Self, &'static str)] = &[
        (Self::Playing, "playing"),
        (Self::Resigned, "resigned"),
        (Self::TimedOut, "timed_out"),
        (Self::Checkmated, "checkmated"),
        (Self::Stalemated, "stalemated"),
        (Self::KingCaptured, "king_captured"),
    ];
}

impl Word for EndReason {
    const WORDS: &'static [(Self, &'static str)] = &[
        (Self::LastPlayer, "last_player"),
        (Self::Repetition, "repetition"),
        (Self::FiftyMoves, "fifty_moves"),
        (Self::BareKings, "bare_kings"),
    ];
}

impl Word for AbortReason {
    const WORDS: &'static [(Self, &'static str)] =
        &[(Self::NoFirstMove, "no_first_move"), (Self::MakerLeft, "maker_left"), (Self::Expired, "expired")];
}

impl Word for Visibility {
    const WORDS: &'static [(Self, &'static str)] = &[(Self::Private, "private"), (Self::Public, "public")];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_comes_back() {
        for number in 1..=6 {
            let army = ArmyState::try_from(number).unwrap();
            assert_eq!(ArmyState::from_word(army.word().unwrap()), Some(army));
        }
        for number in 1..=4 {
            let (seat, reason) = (Seat::try_from(number).unwrap(), EndReason::try_from(number).unwrap());
            assert_eq!(Seat::from_word(seat.word()), Some(seat));
            assert_eq!(EndReason::from_word(reason.word().unwrap()), Some(reason));
        }
        for number in 1..=3 {
            let reason = AbortReason::try_from(number).unwrap();
            assert_eq!(AbortReason::from_word(reason.word().unwrap()), Some(reason));
        }
        assert_eq!(Visibility::Unspecified.word(), None);
        assert_eq!(Visibility::from_word("Public"), None);
    }
}
