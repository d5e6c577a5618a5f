//! What follows from a command: facts, and an answer. Pure: the instant, the outages and the dice are arguments.

use std::sync::Arc;

use live::Outage;
use proto::types::v1::GameStatus;
use proto::{Code, GameId, PlayerId, Refusal};
use rules::Army;

use crate::fact::{AbortReason, Counters, Fact, Player, RatingChange};
use crate::state::State;

mod creation;
mod draft;
mod playing;
mod seating;
mod time;

pub(crate) use creation::{Creation, create};
use draft::Draft;

/// Chance, for the moves of roaming armies and the choice of seats.
pub(crate) trait Dice: Send + Sync {
    /// A number below `sides`, each as likely as the other. `sides` is at least 1.
    fn roll(&self, sides: usize) -> usize;
}

/// What a game is asked.
#[derive(Debug, Clone)]
pub(crate) enum Command {
    /// Sit down.
    TakeSeat { player: Player, seat: Option<Army>, invite_code: String },
    /// Leave a waiting game.
    Leave { player: PlayerId },
    /// Move.
    Move { player: PlayerId, ply: u32, text: String },
    /// Resign.
    Resign { player: PlayerId },
    /// The rating service has recorded the game.
    Rate { changes: Vec<RatingChange> },
    /// Look whether time has done something: a deadline passed, an outage to be credited.
    Settle,
}

/// What follows: facts to store first, the game as it then is, and the answer to give after that. A refusal can
/// come with facts: a move at or after its deadline is refused because the time was lost.
pub(crate) struct Decision {
    pub facts: Vec<(Fact, Counters)>,
    pub state: State,
    pub answer: Result<(), Refusal>,
}

/// Judges a command. `now` is not before the game's last event.
pub(crate) fn decide(state: &Arc<State>, command: &Command, now: i64, outages: &[Outage], dice: &dyn Dice) -> Decision {
    let mut draft = Draft::new(state, now);
    let answer = judge(&mut draft, command, outages, dice);
    draft.decided(answer)
}

fn judge(draft: &mut Draft, command: &Command, outages: &[Outage], dice: &dyn Dice) -> Result<(), Refusal> {
    match command {
        Command::TakeSeat { player, seat, invite_code } => {
            time::settle(draft, outages, dice);
            seating::take(draft, player, *seat, invite_code, dice)
        }
        Command::Leave { player } => {
            time::settle(draft, outages, dice);
            seating::leave(draft, *player)
        }
        Command::Move { player, ply, text } => {
            let army = seated(draft.state(), *player)?;
            if playing::is_repeat(draft.state(), army, *ply, text) {
                return Ok(());
            }
            time::settle(draft, outages, dice);
            playing::make_move(draft, army, *ply, text)
        }
        Command::Resign { player } => {
            let army = seated(draft.state(), *player)?;
            time::settle(draft, outages, dice);
            playing::resign(draft, army)
        }
        Command::Rate { changes } => {
            let state = draft.state();
            if state.status == GameStatus::Over && state.settings.rated && state.changes.is_empty() {
                draft.push(Fact::Rated(changes.clone()));
            }
            Ok(())
        }
        Command::Settle => {
            time::settle(draft, outages, dice);
            Ok(())
        }
    }
}

/// The army of a player; others are told no more than they may know.
fn seated(state: &State, player: PlayerId) -> Result<Army, Refusal> {
    state.army_of(player).ok_or_else(|| {
        if state.visible_to(Some(player)) {
            Refusal::new(Code::Forbidden, "you have no seat in this game").at_ply(state.ply())
        } else {
            not_found(state.id)
        }
    })
}

/// The same words for a game that is not there and one that is none of the caller's business.
pub(crate) fn not_found(_: GameId) -> Refusal {
    Refusal::not_found("game")
}

#[cfg(test)]
mod tests;
