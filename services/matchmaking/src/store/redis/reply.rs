//! From what the scripts answer to values. What cannot be read was not written by us.

use std::str::FromStr;

use proto::types::v1::Seat;
use timekeeping::UnixMs;

use crate::forming::Waiting;
use crate::store::{Cancelling, Opening, PoolState, StoreError, word};
use crate::ticket::{Four, Place, Player, Pool, State, Ticket};

const CORRUPT: StoreError = StoreError::Corrupt("a ticket in Redis");

/// A value in its one printed form.
pub(super) fn parsed<T: FromStr>(text: &str) -> Result<T, StoreError> {
    text.parse().map_err(|_| CORRUPT)
}

/// The name of a pool.
pub(super) fn pool_name(pool: Pool) -> String {
    format!("{}/{}", pool.time_control, u8::from(pool.rated))
}

fn pool(name: &str) -> Result<Pool, StoreError> {
    let (time_control, rated) = name.split_once('/').ok_or(CORRUPT)?;
    Ok(Pool { time_control: parsed(time_control)?, rated: rated == "1" })
}

/// What of a ticket never changes. When it was opened has leading zeros, so that later is later in the order of
/// letters; the name is last, as it may hold anything.
pub(super) fn facts(ticket: &Ticket) -> String {
    let Player { id, name, guest, rating, provisional } = &ticket.player;
    let (pool, opened_ms, guest, provisional) =
        (pool_name(ticket.pool), ticket.opened_ms, u8::from(*guest), u8::from(*provisional));
    format!("{id} {pool} {opened_ms:016} {rating} {guest} {provisional} {name}")
}

/// From id, facts, state, and when it was asked after while it is open; from nothing if there is no ticket.
pub(super) fn ticket(reply: &[String]) -> Result<Option<Ticket>, StoreError> {
    let [id, facts, state, asked] = reply else {
        return if reply.is_empty() { Ok(None) } else { Err(CORRUPT) };
    };
    let mut facts = facts.splitn(7, ' ');
    let mut fact = || facts.next().ok_or(CORRUPT);
    let (player, of_pool, opened, rating, guest, provisional, name) =
        (fact()?, fact()?, fact()?, fact()?, fact()?, fact()?, fact()?);
    let state = self::state(state)?;
    let closed_ms = match state {
        State::Matched(_, at) | State::Cancelled(_, at) => Some(at),
        State::Waiting | State::Forming(_) => None,
    };
    Ok(Some(Ticket {
        id: parsed(id)?,
        player: Player {
            id: parsed(player)?,
            name: name.to_owned(),
            guest: guest == "1",
            rating: parsed(rating)?,
            provisional: provisional == "1",
        },
        pool: pool(of_pool)?,
        opened_ms: parsed(opened)?,
        asked_ms: closed_ms.map_or_else(|| parsed(asked), Ok)?,
        state,
    }))
}

fn state(text: &str) -> Result<State, StoreError> {
    let words: Vec<_> = text.split(' ').collect();
    Ok(match words.as_slice() {
        ["waiting", _] => State::Waiting,
        ["forming", game, seat] => State::Forming(place(game, seat)?),
        ["matched", game, seat, at] => State::Matched(place(game, seat)?, parsed(at)?),
        ["cancelled", reason, at] => State::Cancelled(word::reason(reason).ok_or(CORRUPT)?, parsed(at)?),
        _ => return Err(CORRUPT),
    })
}

fn place(game: &str, seat: &str) -> Result<Place, StoreError> {
    Ok(Place { game: parsed(game)?, seat: word::seat(seat).ok_or(CORRUPT)? })
}

pub(super) fn opening(reply: &[String]) -> Result<Opening, StoreError> {
    match reply {
        [word] if word == "opened" => Ok(Opening::Opened),
        [word, other] if word == "waiting" => Ok(Opening::AlreadyWaiting(parsed(other)?)),
        [word, known @ ..] if word == "known" => Ok(Opening::Known(ticket(known)?.ok_or(CORRUPT)?)),
        _ => Err(CORRUPT),
    }
}

pub(super) fn cancelling(reply: &[String]) -> Result<Cancelling, StoreError> {
    match reply {
        [word] if word == "cancelled" => Ok(Cancelling::Cancelled),
        [word] if word == "already" => Ok(Cancelling::Already),
        [word] if word == "unknown" => Ok(Cancelling::Unknown),
        [word, game] if word == "matched" => Ok(Cancelling::Matched(parsed(game)?)),
        _ => Err(CORRUPT),
    }
}

pub(super) fn waiting((ticket, rating, opened): (String, String, String)) -> Result<Waiting, StoreError> {
    Ok(Waiting { ticket: parsed(&ticket)?, rating: parsed(&rating)?, opened_ms: parsed(&opened)? })
}

pub(super) fn pool_state((name, waiting, oldest): (String, u32, String)) -> Result<PoolState, StoreError> {
    Ok(PoolState { pool: pool(&name)?, waiting, oldest_ms: parsed(&oldest)? })
}

/// Where to go on, and when the oldest ticket up to there was opened.
pub(super) fn oldest(reply: &[String]) -> Result<(String, Option<UnixMs>), StoreError> {
    match reply {
        [next] => Ok((next.clone(), None)),
        [next, opened] => Ok((next.clone(), Some(parsed(opened)?))),
        _ => Err(CORRUPT),
    }
}

/// A four as claimed: its game, when it was formed, its pool, its tickets.
pub(super) type Claimed = (String, String, String, Vec<Vec<String>>);

pub(super) fn four((game, formed, of_pool, tickets): Claimed, claimed_until_ms: UnixMs) -> Result<Four, StoreError> {
    let mut seats: Vec<(Seat, Ticket)> = Vec::with_capacity(tickets.len());
    for reply in &tickets {
        let ticket = ticket(reply)?.ok_or(CORRUPT)?;
        let State::Forming(place) = ticket.state else { return Err(CORRUPT) };
        seats.push((place.seat, ticket));
    }
    seats.sort_by_key(|(seat, _)| *seat as i32);
    Ok(Four { game: parsed(&game)?, pool: pool(&of_pool)?, formed_ms: parsed(&formed)?, claimed_until_ms, seats })
}
