use proto::matchmaking::v1 as wire;
use serde::Serialize;
use utoipa::ToSchema;

use super::seat::{Class, Seat};
use super::{moment, one_decimal};

/// Where a ticket stands.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TicketStatus {
    Waiting,
    Matched,
    Cancelled,
}

/// Why a ticket was cancelled.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CancelReason {
    /// By its player.
    Player,
    /// Nobody asked after it for 60 s.
    Expired,
    /// Its player sat in as many games as allowed when a four was found.
    TooManyGames,
}

/// The ratings that are accepted by now; it widens with the wait.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Window {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A wish to play.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ticket {
    #[schema(format = Uuid)]
    pub(crate) id: String,
    pub(crate) status: TicketStatus,
    #[schema(example = "3+2")]
    pub(crate) time_control: String,
    #[schema(nullable = false)]
    pub(crate) class: Option<Class>,
    pub(crate) rated: bool,
    #[schema(format = DateTime)]
    pub(crate) opened_at: String,
    pub(crate) waited_ms: i64,
    /// The player's when the ticket was opened.
    pub(crate) rating: f64,
    pub(crate) window: Window,
    /// Once matched.
    #[schema(format = Uuid)]
    pub(crate) game_id: Option<String>,
    /// Once matched.
    pub(crate) seat: Option<Seat>,
    /// Once cancelled.
    pub(crate) reason: Option<CancelReason>,
}

impl From<&wire::Ticket> for Ticket {
    fn from(ticket: &wire::Ticket) -> Self {
        Self {
            id: ticket.id.clone(),
            status: match ticket.status() {
                wire::TicketStatus::Unspecified | wire::TicketStatus::Waiting => TicketStatus::Waiting,
                wire::TicketStatus::Matched => TicketStatus::Matched,
                wire::TicketStatus::Cancelled => TicketStatus::Cancelled,
            },
            time_control: ticket.time_control.clone(),
            class: Class::of(ticket.class()),
            rated: ticket.rated,
            opened_at: moment(ticket.opened_unix_ms),
            waited_ms: ticket.waited_ms,
            rating: one_decimal(ticket.rating),
            window: Window { low: one_decimal(ticket.window_low), high: one_decimal(ticket.window_high) },
            game_id: Some(ticket.game_id.clone()).filter(|id| !id.is_empty()),
            seat: Seat::of(ticket.seat()),
            reason: match ticket.reason() {
                wire::CancelReason::Unspecified => None,
                wire::CancelReason::Player => Some(CancelReason::Player),
                wire::CancelReason::Expired => Some(CancelReason::Expired),
                wire::CancelReason::TooManyGames => Some(CancelReason::TooManyGames),
            },
        }
    }
}
