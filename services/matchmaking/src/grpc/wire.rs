use std::str::FromStr;

use proto::matchmaking::v1::{self as wire, CancelReason as WireReason, OpenTicketRequest, TicketStatus};
use proto::types::v1::{Class, Seat};
use proto::{InvalidId, Refusal};

use crate::hall::{Request, View};
use crate::ticket::{CancelReason, Pool, State};

const MAX_NAME_BYTES: usize = 200;

pub(super) fn id<T: FromStr<Err = InvalidId>>(field: &str, text: &str) -> Result<T, Refusal> {
    text.parse().map_err(|invalid| Refusal::bad_request(field, invalid))
}

pub(super) fn request(request: OpenTicketRequest) -> Result<Request, Refusal> {
    let ticket = id("ticket_id", &request.ticket_id)?;
    let player = request.player.ok_or_else(|| Refusal::bad_request("player", "missing"))?;
    let time_control = request.time_control.parse().map_err(|why| Refusal::bad_request("time_control", why))?;
    if player.name.is_empty() || player.name.len() > MAX_NAME_BYTES {
        return Err(Refusal::bad_request("player.name", format_args!("expected 1 to {MAX_NAME_BYTES} bytes")));
    }
    Ok(Request {
        ticket,
        player: id("player.id", &player.id)?,
        name: player.name,
        guest: player.guest,
        pool: Pool { time_control, rated: request.rated },
    })
}

pub(super) fn ticket(view: &View) -> wire::Ticket {
    let ticket = &view.ticket;
    let (status, place, reason) = match ticket.state {
        State::Waiting | State::Forming(_) => (TicketStatus::Waiting, None, WireReason::Unspecified),
        State::Matched(place, _) => (TicketStatus::Matched, Some(place), WireReason::Unspecified),
        State::Cancelled(reason, _) => (TicketStatus::Cancelled, None, cancel_reason(reason)),
    };
    wire::Ticket {
        id: ticket.id.to_string(),
        player_id: ticket.player.id.to_string(),
        time_control: ticket.pool.time_control.to_string(),
        class: Class::from(ticket.pool.time_control.class()).into(),
        rated: ticket.pool.rated,
        status: status.into(),
        opened_unix_ms: ticket.opened_ms,
        waited_ms: view.waited_ms,
        rating: ticket.player.rating,
        window_low: view.window.low,
        window_high: view.window.high,
        game_id: place.map(|place| place.game.to_string()).unwrap_or_default(),
        seat: place.map_or(Seat::Unspecified, |place| place.seat).into(),
        reason: reason.into(),
    }
}

const fn cancel_reason(reason: CancelReason) -> WireReason {
    match reason {
        CancelReason::Player => WireReason::Player,
        CancelReason::Expired => WireReason::Expired,
        CancelReason::TooManyGames => WireReason::TooManyGames,
    }
}

pub(super) fn pool((pool, waiting): (Pool, u32)) -> wire::Pool {
    wire::Pool {
        time_control: pool.time_control.to_string(),
        class: Class::from(pool.time_control.class()).into(),
        rated: pool.rated,
        waiting,
    }
}
