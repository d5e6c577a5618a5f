//! What can happen in a game. A game is the list of its facts; each is stored once, as an event of the wire.

use proto::{GameId, PlayerId};
use rules::{Army, EndReason, HowOut};
use timekeeping::TimeControl;

mod wire;

pub(crate) use proto::types::v1::{AbortReason, Visibility};
pub(crate) use wire::{
    Counters, Unreadable, events, fact, player, read_change, to_wire_change, to_wire_player, to_wire_standing,
};

/// A player as seen when sitting down.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Player {
    pub id: PlayerId,
    pub name: String,
    pub guest: bool,
    pub rating: f64,
    pub provisional: bool,
}

/// Who may sit on a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Anyone with the invite code.
    Open,
    /// One player only.
    Reserved(PlayerId),
    /// Nobody: this army is roaming or out in the start position.
    Empty,
}

/// What holds for the whole game.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub rated: bool,
    pub visibility: Visibility,
    pub control: TimeControl,
    pub first_move_ms: i64,
    pub roaming_delay_ms: i64,
    /// None: the start position of the rules.
    pub start_fen4: Option<String>,
    pub invite_code: Option<String>,
    pub maker: Option<PlayerId>,
    pub plans: [Plan; 4],
    pub rematch_of: Option<GameId>,
}

/// A player's rating before and after the game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RatingChange {
    pub army: Army,
    pub player: PlayerId,
    pub before: f64,
    pub after: f64,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fact {
    Created(Settings),
    Seated {
        army: Army,
        player: Player,
    },
    Left {
        army: Army,
        player: Player,
    },
    Started {
        fen4: String,
        seats: Vec<(Army, Player)>,
    },
    Moved(Moved),
    Resigned(Army),
    TimedOut(Army),
    ArmyOut {
        army: Army,
        how: HowOut,
        by: Army,
        points: u32,
    },
    ClockAdjusted {
        army: Army,
        credit_ms: i64,
        outage: String,
    },
    /// First place first.
    Over {
        reason: EndReason,
        standing: Vec<(Army, u32)>,
    },
    Rated(Vec<RatingChange>),
    Aborted {
        reason: AbortReason,
        by: Option<Army>,
    },
}

/// A piece moved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moved {
    pub army: Army,
    /// `from-to`.
    pub from_to: String,
    /// PGN4 long form.
    pub san: String,
    /// As FEN4 prints the piece; empty if nothing was taken.
    pub captured: String,
    pub promoted: bool,
    pub check: Vec<Army>,
    pub by_roaming: bool,
}
