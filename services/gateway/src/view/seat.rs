use proto::types::v1 as wire;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A seat at the board, in turn order: red, blue, yellow, green.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Seat {
    Red,
    Blue,
    Yellow,
    Green,
}

impl Seat {
    pub(crate) const ALL: [Self; 4] = [Self::Red, Self::Blue, Self::Yellow, Self::Green];

    pub(crate) fn of(seat: wire::Seat) -> Option<Self> {
        match seat {
            wire::Seat::Unspecified => None,
            wire::Seat::Red => Some(Self::Red),
            wire::Seat::Blue => Some(Self::Blue),
            wire::Seat::Yellow => Some(Self::Yellow),
            wire::Seat::Green => Some(Self::Green),
        }
    }

    pub(crate) const fn wire(self) -> wire::Seat {
        match self {
            Self::Red => wire::Seat::Red,
            Self::Blue => wire::Seat::Blue,
            Self::Yellow => wire::Seat::Yellow,
            Self::Green => wire::Seat::Green,
        }
    }

    pub(crate) const fn word(self) -> &'static str {
        self.wire().word()
    }
}

/// One value a seat.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub(crate) struct BySeat<T> {
    pub(crate) red: T,
    pub(crate) blue: T,
    pub(crate) yellow: T,
    pub(crate) green: T,
}

impl<T> BySeat<T> {
    pub(crate) fn from_fn(mut value: impl FnMut(Seat) -> T) -> Self {
        Self { red: value(Seat::Red), blue: value(Seat::Blue), yellow: value(Seat::Yellow), green: value(Seat::Green) }
    }

    /// From a list in turn order; what it lacks is the default.
    pub(crate) fn from_list<U: Copy>(list: &[U], value: impl Fn(U) -> T) -> Self
    where
        T: Default,
    {
        Self::from_fn(|seat| list.get(seat as usize).map(|item| value(*item)).unwrap_or_default())
    }
}

/// What has become of an army.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Army {
    #[default]
    Playing,
    Resigned,
    TimedOut,
    Checkmated,
    Stalemated,
    KingCaptured,
}

impl From<wire::ArmyState> for Army {
    fn from(state: wire::ArmyState) -> Self {
        match state {
            wire::ArmyState::Unspecified | wire::ArmyState::Playing => Self::Playing,
            wire::ArmyState::Resigned => Self::Resigned,
            wire::ArmyState::TimedOut => Self::TimedOut,
            wire::ArmyState::Checkmated => Self::Checkmated,
            wire::ArmyState::Stalemated => Self::Stalemated,
            wire::ArmyState::KingCaptured => Self::KingCaptured,
        }
    }
}

impl Army {
    pub(crate) fn of(number: i32) -> Self {
        wire::ArmyState::try_from(number).unwrap_or_default().into()
    }
}

/// The speed of a time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Class {
    Bullet,
    Blitz,
    Rapid,
}

impl Class {
    pub(crate) fn of(class: wire::Class) -> Option<Self> {
        match class {
            wire::Class::Unspecified => None,
            wire::Class::Bullet => Some(Self::Bullet),
            wire::Class::Blitz => Some(Self::Blitz),
            wire::Class::Rapid => Some(Self::Rapid),
        }
    }

    pub(crate) const fn wire(self) -> wire::Class {
        match self {
            Self::Bullet => wire::Class::Bullet,
            Self::Blitz => wire::Class::Blitz,
            Self::Rapid => wire::Class::Rapid,
        }
    }
}

impl From<timekeeping::Class> for Class {
    fn from(class: timekeeping::Class) -> Self {
        match class {
            timekeeping::Class::Bullet => Self::Bullet,
            timekeeping::Class::Blitz => Self::Blitz,
            timekeeping::Class::Rapid => Self::Rapid,
        }
    }
}

/// Not a class.
#[derive(Debug)]
pub(crate) struct UnknownClass;

impl std::str::FromStr for Class {
    type Err = UnknownClass;

    fn from_str(word: &str) -> Result<Self, UnknownClass> {
        word.parse::<timekeeping::Class>().map(Self::from).map_err(|_| UnknownClass)
    }
}

/// Who sees a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Visibility {
    #[default]
    Private,
    Public,
}

impl Visibility {
    pub(crate) const fn wire(self) -> wire::Visibility {
        match self {
            Self::Private => wire::Visibility::Private,
            Self::Public => wire::Visibility::Public,
        }
    }

    pub(crate) fn of(visibility: wire::Visibility) -> Self {
        if visibility == wire::Visibility::Public { Self::Public } else { Self::Private }
    }
}

/// How far a game has got.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Waiting,
    #[default]
    Running,
    Over,
    Aborted,
}

impl Status {
    pub(crate) const fn wire(self) -> wire::GameStatus {
        match self {
            Self::Waiting => wire::GameStatus::Waiting,
            Self::Running => wire::GameStatus::Running,
            Self::Over => wire::GameStatus::Over,
            Self::Aborted => wire::GameStatus::Aborted,
        }
    }

    pub(crate) fn of(status: wire::GameStatus) -> Self {
        match status {
            wire::GameStatus::Unspecified | wire::GameStatus::Waiting => Self::Waiting,
            wire::GameStatus::Running => Self::Running,
            wire::GameStatus::Over => Self::Over,
            wire::GameStatus::Aborted => Self::Aborted,
        }
    }
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndReason {
    LastPlayer,
    Repetition,
    FiftyMoves,
    BareKings,
}

impl EndReason {
    pub(crate) fn of(reason: wire::EndReason) -> Option<Self> {
        match reason {
            wire::EndReason::Unspecified => None,
            wire::EndReason::LastPlayer => Some(Self::LastPlayer),
            wire::EndReason::Repetition => Some(Self::Repetition),
            wire::EndReason::FiftyMoves => Some(Self::FiftyMoves),
            wire::EndReason::BareKings => Some(Self::BareKings),
        }
    }
}

/// Why a game was aborted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AbortReason {
    NoFirstMove,
    MakerLeft,
    Expired,
}

impl AbortReason {
    pub(crate) fn of(reason: wire::AbortReason) -> Option<Self> {
        match reason {
            wire::AbortReason::Unspecified => None,
            wire::AbortReason::NoFirstMove => Some(Self::NoFirstMove),
            wire::AbortReason::MakerLeft => Some(Self::MakerLeft),
            wire::AbortReason::Expired => Some(Self::Expired),
        }
    }
}
