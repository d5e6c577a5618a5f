use proto::types::v1::Seat;
use proto::{GameId, PlayerId, TicketId};
use timekeeping::{TimeControl, UnixMs};

/// Which games a ticket is for. Only tickets of one pool meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Pool {
    pub(crate) time_control: TimeControl,
    pub(crate) rated: bool,
}

/// Who waits, as others will see them in the game.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Player {
    pub(crate) id: PlayerId,
    pub(crate) name: String,
    pub(crate) guest: bool,
    /// In the class of the pool, when the ticket was opened.
    pub(crate) rating: f64,
    pub(crate) provisional: bool,
}

/// One player's wish for a game.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ticket {
    pub(crate) id: TicketId,
    pub(crate) player: Player,
    pub(crate) pool: Pool,
    pub(crate) opened_ms: UnixMs,
    /// When somebody last asked after it.
    pub(crate) asked_ms: UnixMs,
    pub(crate) state: State,
}

/// Where a ticket stands. Others see a forming ticket as waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Waiting,
    /// One of a four whose game is being made; it can no longer be cancelled.
    Forming(Place),
    Matched(Place, UnixMs),
    Cancelled(CancelReason, UnixMs),
}

/// Where a matched player sits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) game: GameId,
    pub(crate) seat: Seat,
}

/// Why a ticket led to no game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CancelReason {
    Player,
    Expired,
    TooManyGames,
}

impl Ticket {
    /// Neither matched nor cancelled.
    pub(crate) const fn is_open(&self) -> bool {
        matches!(self.state, State::Waiting | State::Forming(_))
    }

    /// When it was matched or cancelled.
    pub(crate) const fn closed_ms(&self) -> Option<UnixMs> {
        match self.state {
            State::Waiting | State::Forming(_) => None,
            State::Matched(_, at) | State::Cancelled(_, at) => Some(at),
        }
    }

    /// How long it has waited, or waited until it closed.
    pub(crate) fn waited_ms(&self, now: UnixMs) -> i64 {
        (self.closed_ms().unwrap_or(now) - self.opened_ms).max(0)
    }
}

/// Four tickets that shall have a game.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Four {
    /// Chosen when the four is formed, so that its game can be made again and again and is one game.
    pub(crate) game: GameId,
    pub(crate) pool: Pool,
    pub(crate) formed_ms: UnixMs,
    /// Until then only the holder of this value sees to the four.
    pub(crate) claimed_until_ms: UnixMs,
    /// In turn order.
    pub(crate) seats: Vec<(Seat, Ticket)>,
}
