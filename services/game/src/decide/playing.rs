use proto::types::v1::GameStatus;
use proto::{Code, Refusal};
use rules::{Army, ArmySet, ArmyState, Effect, MoveError, Piece};

use super::{Draft, Fact};
use crate::fact::Moved;
use crate::state::State;

/// Whether this army has made this very move at this ply. The text is compared in its canonical form, so castling
/// repeated as `O-O` counts where the move can still be read; the recorded notation is compared too.
pub(super) fn is_repeat(state: &State, army: Army, ply: u32, text: &str) -> bool {
    let recorded = usize::try_from(ply).ok().and_then(|ply| state.moves.get(ply));
    recorded.is_some_and(|recorded| recorded.army == army && same_move(recorded, text))
}

fn same_move(recorded: &crate::state::Played, text: &str) -> bool {
    let plain = text.strip_suffix("=Q").or_else(|| text.strip_suffix("=D")).unwrap_or(text);
    plain == recorded.from_to || recorded.san.trim_end_matches(['+', '#']) == text
}

pub(super) fn make_move(draft: &mut Draft, army: Army, ply: u32, text: &str) -> Result<(), Refusal> {
    let state = draft.state();
    let refuse = |code, detail: &str| Err(Refusal::new(code, detail).at_ply(state.ply()));
    playing(state, army)?;
    if ply != state.ply() {
        return refuse(Code::StalePly, &format!("ply: the game is at ply {}", state.ply()));
    }
    if state.position.turn() != army {
        return refuse(Code::NotYourTurn, &format!("{} is to move", state.position.turn()));
    }
    let mv = match state.position.parse_move(text) {
        Ok(mv) => mv,
        Err(MoveError::Malformed) => {
            return Err(Refusal::bad_request("move", "expected from-to like h2-h4, O-O or O-O-O").at_ply(state.ply()));
        }
        Err(error) => return refuse(Code::IllegalMove, &format!("move: {error}")),
    };
    play(draft, mv, false);
    Ok(())
}

/// Refuses unless the game runs and the army's player still plays.
fn playing(state: &State, army: Army) -> Result<(), Refusal> {
    let refuse = |code, detail: &str| Err(Refusal::new(code, detail).at_ply(state.ply()));
    match state.status {
        GameStatus::Running => {}
        GameStatus::Waiting => return refuse(Code::NotStarted, "the game is waiting for players"),
        _ => return refuse(Code::GameOver, "the game has ended"),
    }
    match state.position.army_state(army) {
        ArmyState::Playing => Ok(()),
        other => refuse(Code::NotPlaying, &format!("your army is {}", other.as_str().replace('_', " "))),
    }
}

/// Plays a legal move of the army to move.
pub(super) fn play(draft: &mut Draft, mv: rules::Move, by_roaming: bool) {
    let state = draft.state();
    let mut position = state.position.clone();
    let san = position.san(mv);
    let from_to = mv.to_string();
    let Ok(effects) = position.play(mv) else { return };
    let Some(Effect::Moved { army, captured, promoted, checks, .. }) = effects.first() else { return };
    let moved = Moved {
        army: *army,
        from_to,
        san,
        captured: captured.map(|piece| fen4_piece(state, piece)).unwrap_or_default(),
        promoted: *promoted,
        check: ArmySet::iter(*checks).collect(),
        by_roaming,
    };
    draft.push_with_effects(Fact::Moved(moved), &effects);
}

/// A piece as FEN4 prints it (rules, section 10).
fn fen4_piece(state: &State, piece: Piece) -> String {
    let dead = if state.position.army_state(piece.army).is_out() { "d" } else { "" };
    let letter = if piece.promoted { 'D' } else { piece.role.letter() };
    format!("{dead}{}{letter}", piece.army.letter().to_ascii_lowercase())
}

pub(super) fn resign(draft: &mut Draft, army: Army) -> Result<(), Refusal> {
    let state = draft.state();
    if state.position.army_state(army) == ArmyState::Resigned {
        return Ok(());
    }
    playing(state, army)?;
    let mut position = state.position.clone();
    let Ok(effects) = position.resign(army) else { return Ok(()) };
    draft.push_with_effects(Fact::Resigned(army), &effects);
    Ok(())
}
