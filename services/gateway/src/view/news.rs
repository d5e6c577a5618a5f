use proto::game::v1 as game;
use proto::game::v1::watch_player_response::Notice;
use serde::Serialize;
use utoipa::ToSchema;

use super::game::Standing;
use super::moment;
use super::seat::{EndReason, Seat};
use super::ticket::Ticket;

/// What a player hears of all their games and tickets.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum News {
    /// A ticket of the player changed, or is open.
    Ticket(Ticket),
    GameStarted {
        game_id: String,
        seat: Option<Seat>,
    },
    YourTurn {
        game_id: String,
        seat: Option<Seat>,
        ply: u32,
        deadline: Option<String>,
    },
    GameOver {
        game_id: String,
        /// Aborted games have neither reason nor standing.
        aborted: bool,
        reason: Option<EndReason>,
        standing: Vec<Standing>,
    },
    /// Somebody wants to play again.
    Rematch {
        /// The game that is over.
        game_id: String,
        /// Who called.
        seat: Option<Seat>,
        /// The waiting game of the rematch.
        new_game_id: String,
    },
}

impl News {
    /// `None` for a notice of a kind that this build does not know.
    pub(crate) fn of(told: game::WatchPlayerResponse) -> Option<Self> {
        let game_id = told.game_id;
        Some(match told.notice? {
            Notice::GameStarted(started) => Self::GameStarted { game_id, seat: Seat::of(started.seat()) },
            Notice::YourTurn(turn) => Self::YourTurn {
                game_id,
                seat: Seat::of(turn.seat()),
                ply: turn.ply,
                deadline: turn.deadline_unix_ms.map(moment),
            },
            Notice::GameOver(over) => Self::GameOver {
                game_id,
                aborted: over.aborted,
                reason: EndReason::of(over.reason()),
                standing: Standing::of(&over.standing, &[]),
            },
            Notice::Rematch(offer) => {
                Self::Rematch { game_id, seat: Seat::of(offer.seat()), new_game_id: offer.new_game_id }
            }
        })
    }
}
