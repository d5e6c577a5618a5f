use live::Outage;
use proto::game::v1::DeadlineKind;
use rules::Army;
use timekeeping::TurnKind;

use super::{AbortReason, Dice, Draft, Fact, playing};

/// What time has done before anything else is looked at: outages are credited, then a deadline that has passed
/// takes effect, whoever asks.
pub(super) fn settle(draft: &mut Draft, outages: &[Outage], dice: &dyn Dice) {
    credit(draft, outages);
    let Some(due) = draft.state().due().filter(|due| due.at <= draft.now()) else { return };
    match due.kind {
        DeadlineKind::WaitingExpired => draft.push(Fact::Aborted { reason: AbortReason::Expired, by: None }),
        DeadlineKind::FirstMove => {
            let by = draft.state().turn();
            draft.push(Fact::Aborted { reason: AbortReason::NoFirstMove, by });
        }
        DeadlineKind::Flag => {
            let army = draft.state().position.turn();
            let mut position = draft.state().position.clone();
            if let Ok(effects) = position.time_out(army) {
                draft.push_with_effects(Fact::TimedOut(army), &effects);
            }
        }
        DeadlineKind::RoamingMove => roam(draft, dice),
        DeadlineKind::ComputerMove | DeadlineKind::Unspecified => {}
    }
}

/// An outage is nobody's time. A roaming army has no clock and is not credited; it moves as soon as it can.
fn credit(draft: &mut Draft, outages: &[Outage]) {
    for outage in outages {
        let state = draft.state();
        let counts = matches!(state.clocks.turn_kind(), Some(TurnKind::Own | TurnKind::First { .. }));
        let Some(seat) = state.clocks.turn_seat().filter(|_| counts && !state.credited.contains(&outage.id)) else {
            continue;
        };
        let credit_ms = state.clocks.overlap_ms(outage.from, outage.to);
        if credit_ms > 0 {
            draft.push(Fact::ClockAdjusted { army: Army::ALL[seat], credit_ms, outage: outage.id.clone() });
        }
    }
}

/// One of the army's legal moves, each as likely as the other (rules, section 4).
fn roam(draft: &mut Draft, dice: &dyn Dice) {
    let moves = draft.state().position.legal_moves();
    if !moves.is_empty() {
        let mv = moves[dice.roll(moves.len())];
        playing::play(draft, mv, true);
    }
}
