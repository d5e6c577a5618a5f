//! Between the wire's enums and the libraries' own types. The wire's zero means "not said" and is an error
//! wherever a value is needed.

use std::time::{SystemTime, UNIX_EPOCH};

use rules::{Army, ArmyState, EndReason};
use timekeeping::{Class, UnixMs};

use crate::types::v1 as wire;

/// A wire enum holds zero or a number that this build does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not specified")]
pub struct NotSpecified(pub &'static str);

/// A system time as the wire carries it.
#[must_use]
pub fn unix_ms(time: SystemTime) -> UnixMs {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| UnixMs::try_from(since.as_millis()).unwrap_or(UnixMs::MAX))
}

impl From<Class> for wire::Class {
    fn from(class: Class) -> Self {
        match class {
            Class::Bullet => Self::Bullet,
            Class::Blitz => Self::Blitz,
            Class::Rapid => Self::Rapid,
        }
    }
}

impl TryFrom<wire::Class> for Class {
    type Error = NotSpecified;

    fn try_from(class: wire::Class) -> Result<Self, NotSpecified> {
        match class {
            wire::Class::Unspecified => Err(NotSpecified("class")),
            wire::Class::Bullet => Ok(Self::Bullet),
            wire::Class::Blitz => Ok(Self::Blitz),
            wire::Class::Rapid => Ok(Self::Rapid),
        }
    }
}

impl wire::Seat {
    /// The four seats in turn order.
    pub const ALL: [Self; 4] = [Self::Red, Self::Blue, Self::Yellow, Self::Green];

    /// The word of the public API; empty for an unspecified seat.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unspecified => "",
            Self::Red => "red",
            Self::Blue => "blue",
            Self::Yellow => "yellow",
            Self::Green => "green",
        }
    }
}

impl From<Army> for wire::Seat {
    fn from(army: Army) -> Self {
        Self::ALL[army.index()]
    }
}

impl TryFrom<wire::Seat> for Army {
    type Error = NotSpecified;

    fn try_from(seat: wire::Seat) -> Result<Self, NotSpecified> {
        Self::ALL.into_iter().find(|army| wire::Seat::from(*army) == seat).ok_or(NotSpecified("seat"))
    }
}

impl From<ArmyState> for wire::ArmyState {
    fn from(state: ArmyState) -> Self {
        match state {
            ArmyState::Playing => Self::Playing,
            ArmyState::Resigned => Self::Resigned,
            ArmyState::TimedOut => Self::TimedOut,
            ArmyState::Checkmated => Self::Checkmated,
            ArmyState::Stalemated => Self::Stalemated,
            ArmyState::KingCaptured => Self::KingCaptured,
        }
    }
}

impl From<EndReason> for wire::EndReason {
    fn from(reason: EndReason) -> Self {
        match reason {
            EndReason::LastPlayer => Self::LastPlayer,
            EndReason::Repetition => Self::Repetition,
            EndReason::FiftyMoves => Self::FiftyMoves,
            EndReason::BareKings => Self::BareKings,
        }
    }
}

impl TryFrom<wire::EndReason> for EndReason {
    type Error = NotSpecified;

    fn try_from(reason: wire::EndReason) -> Result<Self, NotSpecified> {
        match reason {
            wire::EndReason::Unspecified => Err(NotSpecified("reason")),
            wire::EndReason::LastPlayer => Ok(Self::LastPlayer),
            wire::EndReason::Repetition => Ok(Self::Repetition),
            wire::EndReason::FiftyMoves => Ok(Self::FiftyMoves),
            wire::EndReason::BareKings => Ok(Self::BareKings),
        }
    }
}
