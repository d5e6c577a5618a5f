//! A finished or aborted game, as read from its log.

mod reader;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;

use proto::types::v1::{AbortReason, ArmyState, EndReason, Event, Player, RatingChange, Seat, Visibility};
use proto::{EventId, GameId, PlayerId};
use ratings::Standing;
use timekeeping::{TimeControl, UnixMs};

/// What a finished game's log tells. Made by [`Record::read`] only, so its parts agree with each other.
#[derive(Debug, Clone)]
pub struct Record {
    /// Which game.
    pub game: GameId,
    /// Whether it counts for ratings, if it is over.
    pub rated: bool,
    /// Who may see it.
    pub visibility: Visibility,
    /// Its time control; the class follows from it.
    pub time_control: TimeControl,
    /// The position it began with, unless the usual one.
    pub start_fen4: Option<String>,
    /// The game it is a rematch of.
    pub rematch_of: Option<GameId>,
    /// When it was made.
    pub created_ms: UnixMs,
    /// When play began, if it did.
    pub started_ms: Option<UnixMs>,
    /// When it was over or aborted.
    pub ended_ms: UnixMs,
    /// How it ended.
    pub ending: Ending,
    /// Red, blue, yellow, green.
    pub seats: [SeatRecord; 4],
    /// In order.
    pub moves: Vec<MoveRecord>,
    /// The whole log.
    pub events: Vec<Event>,
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By the rules.
    Over(EndReason),
    /// Without a result.
    Aborted {
        /// Why.
        reason: AbortReason,
        /// The player who made no first move, if that was the reason.
        culprit: Option<PlayerId>,
    },
}

/// One seat at the end of a game.
#[derive(Debug, Clone, Default)]
pub struct SeatRecord {
    /// Who sat there, as others saw them then.
    pub player: Option<(PlayerId, Player)>,
    /// What had become of the army; none if play never began.
    pub army: Option<ArmyState>,
    /// What the army scored.
    pub points: u32,
    /// What counts for the player.
    pub result: u32,
    /// 1 to 4; none in an aborted game.
    pub place: Option<u32>,
}

/// One move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveRecord {
    /// Whose army.
    pub seat: Seat,
    /// `from-to`.
    pub mv: String,
    /// PGN4 long form.
    pub san: String,
    /// The piece taken.
    pub captured: Option<String>,
    /// A pawn became a queen.
    pub promoted: bool,
    /// Drawn by chance.
    pub by_roaming: bool,
    /// When it was made.
    pub at_ms: UnixMs,
    /// What the mover's clock showed after it.
    pub remaining_ms: i64,
}

impl Record {
    /// The players in the order of their places, if this game changes ratings.
    #[must_use]
    pub fn players_by_place(&self) -> Option<[PlayerId; 4]> {
        if !self.rated || !matches!(self.ending, Ending::Over(_)) {
            return None;
        }
        let mut by_place = [None; 4];
        for seat in &self.seats {
            let place = usize::try_from(seat.place?).ok()?;
            *by_place.get_mut(place.checked_sub(1)?)? = seat.player.as_ref().map(|(id, _)| *id);
        }
        match by_place {
            [Some(first), Some(second), Some(third), Some(fourth)] => Some([first, second, third, fourth]),
            _ => None,
        }
    }

    /// The first version at which another log of the same game tells something else.
    #[must_use]
    pub fn contradiction(&self, other: &[Event]) -> Option<u64> {
        self.events.iter().zip(other).find(|(own, other)| own.id != other.id).map(|(own, _)| own.v)
    }
}

/// What one rated game did to one player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Where the player sat.
    pub seat: Seat,
    /// Who.
    pub player: PlayerId,
    /// The numbers before.
    pub before: Standing,
    /// The rating after.
    pub after: f64,
}

impl From<&Change> for RatingChange {
    fn from(change: &Change) -> Self {
        Self {
            seat: change.seat.into(),
            player_id: change.player.to_string(),
            before: change.before.rating,
            after: change.after,
        }
    }
}

/// Ids of events are compared as text; this says that a text is one.
fn is_event_id(text: &str) -> bool {
    text.parse::<EventId>().is_ok()
}
