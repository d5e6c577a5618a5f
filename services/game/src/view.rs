//! A game's state as the wire shows it.

use proto::PlayerId;
use proto::game::v1::{ClockState, Game, LastMove, Outcome, SeatState};
use proto::types::v1::{ArmyState, GameStatus, Seat};
use rules::Army;
use timekeeping::TurnKind;

use crate::fact::{Plan, to_wire_change, to_wire_player, to_wire_standing};
use crate::state::State;

/// The state for a viewer.
pub(crate) fn game(state: &State, viewer: Option<PlayerId>, now: i64, legal_moves: bool) -> Game {
    let running = state.status == GameStatus::Running;
    let member = viewer.is_some_and(|viewer| state.army_of(viewer).is_some() || state.settings.maker == Some(viewer));
    let invite_code = state.settings.invite_code.as_ref().filter(|_| member && state.status == GameStatus::Waiting);
    Game {
        id: state.id.to_string(),
        status: state.status.into(),
        rated: state.settings.rated,
        visibility: state.settings.visibility.into(),
        time_control: state.settings.control.to_string(),
        class: proto::types::v1::Class::from(state.settings.control.class()).into(),
        v: state.version(),
        ply: state.ply(),
        turn: state.turn().map_or(Seat::Unspecified, Seat::from).into(),
        fen4: state.position.fen4(),
        last_move: state.moves.last().map(|played| LastMove {
            seat: Seat::from(played.army).into(),
            r#move: played.from_to.clone(),
            san: played.san.clone(),
        }),
        in_check: state.position.in_check().iter().map(|army| Seat::from(army).into()).collect(),
        seats: Army::ALL.map(|army| seat(state, army)).to_vec(),
        clock: clock(state, now),
        over: state.outcome.as_ref().map(|outcome| Outcome {
            reason: proto::types::v1::EndReason::from(outcome.reason).into(),
            standing: to_wire_standing(&outcome.standing),
            changes: state.changes.iter().map(to_wire_change).collect(),
        }),
        invite_code: invite_code.cloned().unwrap_or_default(),
        legal_moves: if legal_moves && running {
            state.position.legal_moves().iter().map(ToString::to_string).collect()
        } else {
            Vec::new()
        },
        created_unix_ms: state.created,
        rematch_of: state.settings.rematch_of.map(|id| id.to_string()).unwrap_or_default(),
    }
}

fn seat(state: &State, army: Army) -> SeatState {
    SeatState {
        seat: Seat::from(army).into(),
        exists: state.settings.plans[army.index()] != Plan::Empty,
        player: state.seats[army.index()].as_ref().map(to_wire_player),
        army: ArmyState::from(state.position.army_state(army)).into(),
        points: state.position.points(army),
        result: state.position.result(army),
        remaining_ms: state.clocks.remaining_ms(army.index()),
    }
}

fn clock(state: &State, now: i64) -> Option<ClockState> {
    if state.status != GameStatus::Running {
        return None;
    }
    Some(ClockState {
        server_now_unix_ms: now,
        runs_from_unix_ms: state.clocks.runs_from()?,
        deadline_unix_ms: state.clocks.deadline()?,
        first_move: matches!(state.clocks.turn_kind(), Some(TurnKind::First { .. })),
    })
}
