//! How a game ends and who stands where (rules, sections 6 and 7).

use std::fmt;

use crate::Army;

/// Why a game is over (rules, section 6).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndReason {
    /// At most one army is playing.
    LastPlayer,
    /// The same position for the third time.
    Repetition,
    /// Fifty moves of every army in play without a capture, a pawn move or a change of an army's state.
    FiftyMoves,
    /// Nothing but kings in every army in play.
    BareKings,
}

impl EndReason {
    /// The word of interfaces and logs: `last_player`, `repetition`, `fifty_moves`, `bare_kings`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            EndReason::LastPlayer => "last_player",
            EndReason::Repetition => "repetition",
            EndReason::FiftyMoves => "fifty_moves",
            EndReason::BareKings => "bare_kings",
        }
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// All four armies by result, highest first; equal results by turn order reversed (rules, section 7).
///
/// ```
/// use rules::{Army::*, standing};
/// assert_eq!(standing([0, 0, 0, 0]), [Green, Yellow, Blue, Red]);
/// assert_eq!(standing([5, 20, 5, 0]), [Blue, Yellow, Red, Green]);
/// ```
#[must_use]
pub fn standing(results: [u32; 4]) -> [Army; 4] {
    let mut order = Army::ALL;
    order.sort_by_key(|army| (std::cmp::Reverse(results[army.index()]), std::cmp::Reverse(*army)));
    order
}
