//! What players want to hear of all their games.

use live::{Wakeup, WakeupKind};
use proto::PlayerId;
use proto::game::v1::watch_player_response::{GameOver, GameStarted, Notice, RematchOffer, YourTurn};
use proto::game::v1::{WatchPlayerResponse, passing};
use proto::types::v1::event::What;
use proto::types::v1::{EndReason, Event, Seat};
use rules::{Army, ArmyState};

use crate::state::State;

/// What a player has to know of a game that is under way.
pub(super) fn of_running(player: PlayerId, state: &State) -> Vec<WatchPlayerResponse> {
    let Some((army, _)) = state.players().find(|(_, seated)| seated.id == player) else { return Vec::new() };
    let seat = Seat::from(army).into();
    let mut notices = vec![Notice::GameStarted(GameStarted { seat })];
    if state.turn() == Some(army) && state.position.army_state(army) == ArmyState::Playing {
        notices.push(Notice::YourTurn(YourTurn { seat, ply: state.ply(), deadline_unix_ms: state.clocks.deadline() }));
    }
    let game_id = state.id.to_string();
    notices.into_iter().map(|notice| WatchPlayerResponse { game_id: game_id.clone(), notice: Some(notice) }).collect()
}

/// Whom to tell what; `state` is the game after the news or later.
pub(super) fn of(wakeup: &Wakeup, state: &State) -> Vec<(PlayerId, WatchPlayerResponse)> {
    let game_id = wakeup.game.to_string();
    let with_id = |(player, notice)| (player, WatchPlayerResponse { game_id: game_id.clone(), notice: Some(notice) });
    let notices = match &wakeup.kind {
        WakeupKind::Events(events) => of_events(events, state),
        WakeupKind::Passing(passing) => match &passing.news {
            Some(passing::News::Rematch(call)) => {
                let offer = RematchOffer { seat: call.seat, new_game_id: call.game_id.clone() };
                everyone(state, || Notice::Rematch(offer.clone()))
            }
            _ => Vec::new(),
        },
    };
    notices.into_iter().map(with_id).collect()
}

fn everyone(state: &State, notice: impl Fn() -> Notice) -> Vec<(PlayerId, Notice)> {
    state.players().map(|(_, player)| (player.id, notice())).collect()
}

fn of_events(events: &[Event], state: &State) -> Vec<(PlayerId, Notice)> {
    let mut notices = Vec::new();
    for event in events {
        match &event.what {
            Some(What::Started(_)) => {
                let started = |army| Notice::GameStarted(GameStarted { seat: Seat::from(army).into() });
                notices.extend(state.players().map(|(army, player)| (player.id, started(army))));
            }
            Some(What::Over(over)) => notices.extend(everyone(state, || {
                Notice::GameOver(GameOver { aborted: false, reason: over.reason, standing: over.standing.clone() })
            })),
            Some(What::Aborted(_)) => notices.extend(everyone(state, || {
                let reason = EndReason::Unspecified.into();
                Notice::GameOver(GameOver { aborted: true, reason, standing: Vec::new() })
            })),
            _ => {}
        }
    }
    let turn_passed = |event: &&Event| matches!(event.what, Some(What::Started(_) | What::Moved(_)));
    if events.iter().any(|event| turn_passed(&event)) {
        notices.extend(events.last().and_then(|last| your_turn(last, state)));
    }
    notices
}

fn your_turn(last: &Event, state: &State) -> Option<(PlayerId, Notice)> {
    let after = last.after.as_ref()?;
    let army = Army::try_from(after.turn()).ok()?;
    let playing =
        after.armies.get(army.index()) == Some(&i32::from(proto::types::v1::ArmyState::from(ArmyState::Playing)));
    let player = state.seats[army.index()].as_ref().filter(|_| playing)?;
    let notice = YourTurn { seat: Seat::from(army).into(), ply: after.ply, deadline_unix_ms: after.deadline_unix_ms };
    Some((player.id, Notice::YourTurn(notice)))
}
