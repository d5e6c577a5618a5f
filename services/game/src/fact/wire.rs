//! Facts as events of the wire, and back.

use live::Head;
use proto::types::v1::{self as wire, event::What};
use proto::{CommandId, EventId, PlayerId};
use rules::{Army, ArmyState, EndReason, HowOut};

use super::{Fact, Moved, Plan, Player, RatingChange, Settings};

/// Version of the events this build writes, and the newest it reads.
pub(crate) const SCHEMA: u32 = 1;

/// An event that this build cannot read: of a newer schema, or broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {v}: {what}")]
pub(crate) struct Unreadable {
    pub v: u64,
    pub what: &'static str,
}

/// The counters of a game as they are after a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counters {
    pub ply: u32,
    pub turn: Option<Army>,
    pub points: [u32; 4],
    pub armies: [ArmyState; 4],
    pub remaining_ms: [i64; 4],
    pub deadline: Option<i64>,
    pub runs_from: Option<i64>,
}

/// The events that follow a head, and the head after them.
pub(crate) fn events(
    facts: &[(Fact, Counters)],
    mut head: Option<Head>,
    command: CommandId,
    at: i64,
) -> (Vec<wire::Event>, Option<Head>) {
    let mut events = Vec::with_capacity(facts.len());
    for (fact, after) in facts {
        let id = EventId::new();
        let event = event(head, id, command, at, fact, after);
        head = Some(Head { version: event.v, event: id });
        events.push(event);
    }
    (events, head)
}

fn event(before: Option<Head>, id: EventId, command: CommandId, at: i64, fact: &Fact, after: &Counters) -> wire::Event {
    wire::Event {
        v: before.map_or(0, |head| head.version) + 1,
        id: id.to_string(),
        previous_id: before.map(|head| head.event.to_string()).unwrap_or_default(),
        command_id: command.to_string(),
        schema: SCHEMA,
        at_unix_ms: at,
        after: Some(wire::Counters {
            ply: after.ply,
            turn: after.turn.map_or(wire::Seat::Unspecified, Into::into).into(),
            points: after.points.to_vec(),
            armies: after.armies.map(|state| wire::ArmyState::from(state).into()).to_vec(),
            remaining_ms: after.remaining_ms.to_vec(),
            deadline_unix_ms: after.deadline,
            clock_runs_from_unix_ms: after.runs_from,
        }),
        what: Some(what(fact)),
    }
}

fn what(fact: &Fact) -> What {
    use wire::event as e;
    match fact {
        Fact::Created(settings) => What::Created(e::Created { settings: Some(to_wire_settings(settings)) }),
        Fact::Seated { army, player } => What::Seated(to_wire_seated(*army, player)),
        Fact::Left { army, player } => What::Left(e::Left { seat: seat(*army), player: Some(to_wire_player(player)) }),
        Fact::Started { fen4, seats } => What::Started(e::Started {
            fen4: fen4.clone(),
            seats: seats.iter().map(|(army, player)| to_wire_seated(*army, player)).collect(),
        }),
        Fact::Moved(moved) => What::Moved(e::Moved {
            seat: seat(moved.army),
            r#move: moved.from_to.clone(),
            san: moved.san.clone(),
            captured: moved.captured.clone(),
            promoted: moved.promoted,
            check: moved.check.iter().copied().map(seat).collect(),
            by_roaming: moved.by_roaming,
        }),
        Fact::Resigned(army) => What::Resigned(e::Resigned { seat: seat(*army) }),
        Fact::TimedOut(army) => What::TimedOut(e::TimedOut { seat: seat(*army) }),
        Fact::ArmyOut { army, how, by, points } => What::ArmyOut(e::ArmyOut {
            seat: seat(*army),
            how: wire::ArmyState::from(how.state()).into(),
            by: seat(*by),
            points: *points,
        }),
        Fact::ClockAdjusted { army, credit_ms, outage } => What::ClockAdjusted(e::ClockAdjusted {
            seat: seat(*army),
            credit_ms: *credit_ms,
            outage_id: outage.clone(),
        }),
        Fact::Over { reason, standing } => {
            What::Over(e::Over { reason: wire::EndReason::from(*reason).into(), standing: to_wire_standing(standing) })
        }
        Fact::Rated(changes) => What::Rated(e::Rated { changes: changes.iter().map(to_wire_change).collect() }),
        Fact::Aborted { reason, by } => What::Aborted(e::Aborted {
            reason: (*reason).into(),
            seat: by.map_or(wire::Seat::Unspecified.into(), seat),
        }),
    }
}

fn seat(army: Army) -> i32 {
    wire::Seat::from(army).into()
}

pub(crate) fn to_wire_player(player: &Player) -> wire::Player {
    wire::Player {
        id: player.id.to_string(),
        name: player.name.clone(),
        guest: player.guest,
        rating: player.rating,
        provisional: player.provisional,
    }
}

fn to_wire_seated(army: Army, player: &Player) -> wire::event::Seated {
    wire::event::Seated { seat: seat(army), player: Some(to_wire_player(player)) }
}

pub(crate) fn to_wire_standing(standing: &[(Army, u32)]) -> Vec<wire::Standing> {
    let places = 1..;
    let place =
        |(place, (army, result)): (u32, &(Army, u32))| wire::Standing { seat: seat(*army), place, result: *result };
    places.zip(standing).map(place).collect()
}

pub(crate) fn to_wire_change(change: &RatingChange) -> wire::RatingChange {
    wire::RatingChange {
        seat: seat(change.army),
        player_id: change.player.to_string(),
        before: change.before,
        after: change.after,
    }
}

fn to_wire_settings(settings: &Settings) -> wire::Settings {
    let plan = |army: Army| wire::SeatPlan {
        seat: seat(army),
        occupant: Some(match settings.plans[army.index()] {
            Plan::Open => wire::seat_plan::Occupant::Open(true),
            Plan::Reserved(player) => wire::seat_plan::Occupant::ReservedForPlayerId(player.to_string()),
            Plan::Empty => wire::seat_plan::Occupant::None(true),
        }),
    };
    wire::Settings {
        rated: settings.rated,
        visibility: settings.visibility.into(),
        time_control: settings.control.to_string(),
        first_move_ms: settings.first_move_ms,
        roaming_delay_ms: settings.roaming_delay_ms,
        start_fen4: settings.start_fen4.clone().unwrap_or_default(),
        invite_code: settings.invite_code.clone().unwrap_or_default(),
        maker_player_id: settings.maker.map(|id| id.to_string()).unwrap_or_default(),
        seats: Army::ALL.map(plan).to_vec(),
        rematch_of: settings.rematch_of.map(|id| id.to_string()).unwrap_or_default(),
    }
}

/// The fact of an event.
pub(crate) fn fact(event: &wire::Event) -> Result<Fact, Unreadable> {
    if event.schema > SCHEMA {
        return Err(Unreadable { v: event.v, what: "of a newer schema" });
    }
    let what = event.what.as_ref().ok_or(Unreadable { v: event.v, what: "empty" })?;
    read(what).ok_or(Unreadable { v: event.v, what: "broken" })
}

fn read(what: &What) -> Option<Fact> {
    Some(match what {
        What::Created(created) => Fact::Created(settings(created.settings.as_ref()?)?),
        What::Seated(seated) => {
            let (army, player) = read_seated(seated)?;
            Fact::Seated { army, player }
        }
        What::Left(left) => Fact::Left { army: army(left.seat)?, player: player(left.player.as_ref()?)? },
        What::Started(started) => Fact::Started {
            fen4: started.fen4.clone(),
            seats: started.seats.iter().map(read_seated).collect::<Option<_>>()?,
        },
        What::Moved(moved) => Fact::Moved(Moved {
            army: army(moved.seat)?,
            from_to: moved.r#move.clone(),
            san: moved.san.clone(),
            captured: moved.captured.clone(),
            promoted: moved.promoted,
            check: moved.check.iter().map(|seat| army(*seat)).collect::<Option<_>>()?,
            by_roaming: moved.by_roaming,
        }),
        What::Resigned(resigned) => Fact::Resigned(army(resigned.seat)?),
        What::TimedOut(timed_out) => Fact::TimedOut(army(timed_out.seat)?),
        What::ArmyOut(out) => {
            Fact::ArmyOut { army: army(out.seat)?, how: how_out(out.how)?, by: army(out.by)?, points: out.points }
        }
        What::ClockAdjusted(adjusted) => Fact::ClockAdjusted {
            army: army(adjusted.seat)?,
            credit_ms: adjusted.credit_ms,
            outage: adjusted.outage_id.clone(),
        },
        What::Over(over) => Fact::Over {
            reason: EndReason::try_from(wire::EndReason::try_from(over.reason).ok()?).ok()?,
            standing: over
                .standing
                .iter()
                .map(|place| Some((army(place.seat)?, place.result)))
                .collect::<Option<_>>()?,
        },
        What::Rated(rated) => Fact::Rated(rated.changes.iter().map(read_change).collect::<Option<_>>()?),
        What::Aborted(aborted) => {
            Fact::Aborted { reason: super::AbortReason::try_from(aborted.reason).ok()?, by: army(aborted.seat) }
        }
    })
}

fn army(seat: i32) -> Option<Army> {
    Army::try_from(wire::Seat::try_from(seat).ok()?).ok()
}

fn how_out(state: i32) -> Option<HowOut> {
    [HowOut::Checkmated, HowOut::Stalemated, HowOut::KingCaptured]
        .into_iter()
        .find(|how| wire::ArmyState::from(how.state()) as i32 == state)
}

/// A player of the wire.
pub(crate) fn player(player: &wire::Player) -> Option<Player> {
    Some(Player {
        id: player.id.parse().ok()?,
        name: player.name.clone(),
        guest: player.guest,
        rating: player.rating,
        provisional: player.provisional,
    })
}

fn read_seated(seated: &wire::event::Seated) -> Option<(Army, Player)> {
    Some((army(seated.seat)?, player(seated.player.as_ref()?)?))
}

pub(crate) fn read_change(change: &wire::RatingChange) -> Option<RatingChange> {
    Some(RatingChange {
        army: army(change.seat)?,
        player: change.player_id.parse().ok()?,
        before: change.before,
        after: change.after,
    })
}

fn settings(settings: &wire::Settings) -> Option<Settings> {
    let plan = |army: Army| match settings.seats.get(army.index())?.occupant.as_ref()? {
        wire::seat_plan::Occupant::Open(_) => Some(Plan::Open),
        wire::seat_plan::Occupant::ReservedForPlayerId(id) => Some(Plan::Reserved(id.parse().ok()?)),
        wire::seat_plan::Occupant::None(_) => Some(Plan::Empty),
    };
    Some(Settings {
        rated: settings.rated,
        visibility: super::Visibility::try_from(settings.visibility).ok()?,
        control: settings.time_control.parse().ok()?,
        first_move_ms: settings.first_move_ms,
        roaming_delay_ms: settings.roaming_delay_ms,
        start_fen4: some(&settings.start_fen4),
        invite_code: some(&settings.invite_code),
        maker: optional::<PlayerId>(&settings.maker_player_id)?,
        plans: [plan(Army::Red)?, plan(Army::Blue)?, plan(Army::Yellow)?, plan(Army::Green)?],
        rematch_of: optional(&settings.rematch_of)?,
    })
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// `None` if the text is neither empty nor an id.
#[expect(clippy::option_option, reason = "absent and broken differ")]
fn optional<T: std::str::FromStr>(text: &str) -> Option<Option<T>> {
    if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
}
