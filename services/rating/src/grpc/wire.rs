use std::str::FromStr;

use proto::rating::v1::{HistoryItem, ListRecordsRequest, Rating, RecordSeat, RecordSummary, RecordTicketRequest};
use proto::types::v1::{AbortReason, ArmyState, Class as WireClass, EndReason, GameStatus};
use proto::{InvalidId, PlayerId, Refusal};
use ratings::Standing;
use timekeeping::Class;

use crate::page::{Cursor, Limit};
use crate::store::{ClosedTicket, HistoryEntry, Outcome, Rated, RecordQuery, Summary, SummarySeat};

/// The kind of the cursors of recorded games.
pub(super) const RECORDS: &str = "records";

pub(super) fn id<T: FromStr<Err = InvalidId>>(field: &str, text: &str) -> Result<T, Refusal> {
    text.parse().map_err(|invalid| Refusal::bad_request(field, invalid))
}

fn id_or_none<T: FromStr<Err = InvalidId>>(field: &str, text: &str) -> Result<Option<T>, Refusal> {
    if text.is_empty() { Ok(None) } else { id(field, text).map(Some) }
}

/// Unspecified is all; a number that names no class is refused.
pub(super) fn class_or_all(number: i32) -> Result<Option<Class>, Refusal> {
    match WireClass::try_from(number) {
        Ok(WireClass::Unspecified) => Ok(None),
        Ok(class) => Ok(Class::try_from(class).ok()),
        Err(_) => Err(Refusal::bad_request("class", "no such class")),
    }
}

pub(super) fn rating(rated: &Rated) -> Rating {
    Rating {
        player_id: rated.player.to_string(),
        class: WireClass::from(rated.class).into(),
        rating: rated.standing.rating,
        games: rated.standing.games,
        provisional: rated.standing.is_provisional(),
    }
}

/// One rating for each player and class asked for, in that order; whoever is not stored is new.
pub(super) fn all_ratings(players: &[PlayerId], class: Option<Class>, stored: &[Rated]) -> Vec<Rating> {
    let classes = class.map_or_else(|| Class::ALL.to_vec(), |class| vec![class]);
    players
        .iter()
        .flat_map(|player| classes.iter().map(move |class| (*player, *class)))
        .map(|(player, class)| {
            let known = stored.iter().find(|rated| rated.player == player && rated.class == class);
            rating(known.unwrap_or(&Rated { player, class, standing: Standing::NEW }))
        })
        .collect()
}

pub(super) fn history_item(entry: &HistoryEntry) -> HistoryItem {
    HistoryItem {
        sequence: entry.sequence,
        game_id: entry.game.to_string(),
        class: WireClass::from(entry.class).into(),
        place: entry.place,
        before: entry.before.rating,
        after: entry.after,
        at_unix_ms: entry.at_ms,
    }
}

pub(super) fn record_query(request: &ListRecordsRequest, limit: Limit) -> Result<RecordQuery, Refusal> {
    let status = match GameStatus::try_from(request.status) {
        Ok(GameStatus::Unspecified) => None,
        Ok(status @ (GameStatus::Over | GameStatus::Aborted)) => Some(status),
        _ => return Err(Refusal::bad_request("status", "expected over or aborted")),
    };
    let before = match Cursor::read::<2>(RECORDS, &request.cursor)? {
        None => None,
        Some(cursor) => Some((cursor.part(0)?, cursor.part(1)?)),
    };
    Ok(RecordQuery {
        player: id_or_none("player_id", &request.player_id)?,
        viewer: id_or_none("viewer_id", &request.viewer_id)?,
        status,
        before,
        limit: limit.and_one_more(),
    })
}

pub(super) fn record_summary(summary: Summary) -> RecordSummary {
    RecordSummary {
        game_id: summary.game.to_string(),
        status: if summary.ending.is_ok() { GameStatus::Over } else { GameStatus::Aborted }.into(),
        rated: summary.rated,
        visibility: summary.visibility.into(),
        time_control: summary.time_control.to_string(),
        class: WireClass::from(summary.time_control.class()).into(),
        plies: summary.plies,
        reason: summary.ending.ok().unwrap_or(EndReason::Unspecified).into(),
        abort_reason: summary.ending.err().unwrap_or(AbortReason::Unspecified).into(),
        started_unix_ms: summary.started_ms.unwrap_or(0),
        ended_unix_ms: summary.ended_ms,
        seats: summary.seats.into_iter().map(record_seat).collect(),
    }
}

fn record_seat(seat: SummarySeat) -> RecordSeat {
    RecordSeat {
        seat: seat.seat.into(),
        player: Some(seat.player),
        points: seat.points,
        result: seat.result,
        place: seat.place.unwrap_or(0),
        army: seat.army.unwrap_or(ArmyState::Unspecified).into(),
        rating_before: seat.rating.map(|(before, _)| before),
        rating_after: seat.rating.map(|(_, after)| after),
    }
}

pub(super) fn closed_ticket(request: &RecordTicketRequest) -> Result<ClosedTicket, Refusal> {
    let game = id_or_none("game_id", &request.game_id)?;
    let outcome = match (request.outcome.as_str(), game) {
        ("matched", Some(game)) => Outcome::Matched(game),
        ("cancelled", None) => Outcome::Cancelled,
        ("expired", None) => Outcome::Expired,
        ("too_many_games", None) => Outcome::TooManyGames,
        ("matched", None) | ("cancelled" | "expired" | "too_many_games", Some(_)) => {
            return Err(Refusal::bad_request("game_id", "set if, and only if, the outcome is matched"));
        }
        _ => return Err(Refusal::bad_request("outcome", "expected matched, cancelled, expired or too_many_games")),
    };
    if !request.rating.is_finite() {
        return Err(Refusal::bad_request("rating", "not a number"));
    }
    Ok(ClosedTicket {
        ticket: id("ticket_id", &request.ticket_id)?,
        player: id("player_id", &request.player_id)?,
        time_control: request.time_control.parse().map_err(|why| Refusal::bad_request("time_control", why))?,
        rated: request.rated,
        rating: request.rating,
        opened_ms: request.opened_unix_ms,
        closed_ms: request.closed_unix_ms,
        outcome,
    })
}
