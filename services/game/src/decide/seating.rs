use proto::types::v1::GameStatus;
use proto::{Code, PlayerId, Refusal};
use rules::Army;
use subtle::ConstantTimeEq as _;

use super::{AbortReason, Dice, Draft, Fact, Player, not_found};
use crate::fact::Plan;

pub(super) fn take(
    draft: &mut Draft,
    player: &Player,
    seat: Option<Army>,
    invite_code: &str,
    dice: &dyn Dice,
) -> Result<(), Refusal> {
    let state = draft.state();
    if state.army_of(player.id).is_some() {
        return Ok(());
    }
    // In a time that tells nothing of how much of it was right.
    let is_code = |code: &String| bool::from(code.as_bytes().ct_eq(invite_code.as_bytes()));
    let invited = state.settings.invite_code.as_ref().is_some_and(is_code)
        || state.settings.plans.contains(&Plan::Reserved(player.id));
    if !invited {
        return Err(if state.visible_to(Some(player.id)) {
            Refusal::new(Code::NotFound, "invite_code: not of this game")
        } else {
            not_found(state.id)
        });
    }
    match state.status {
        GameStatus::Waiting => {}
        GameStatus::Running => return Err(taken("the game has begun")),
        _ => return Err(Refusal::new(Code::GameOver, "the game has ended").at_ply(state.ply())),
    }
    let open: Vec<Army> = state.open_to(player.id).collect();
    let army = match seat {
        Some(army) if open.contains(&army) => army,
        Some(army) => return Err(taken(&format!("seat: {army} is not free"))),
        None if open.is_empty() => return Err(taken("no seat is free")),
        None => open[dice.roll(open.len())],
    };
    draft.push(Fact::Seated { army, player: player.clone() });
    start_if_full(draft);
    Ok(())
}

fn taken(detail: &str) -> Refusal {
    Refusal::new(Code::SeatTaken, detail)
}

pub(super) fn start_if_full(draft: &mut Draft) {
    let state = draft.state();
    if state.status == GameStatus::Waiting && state.is_full() {
        let fen4 = state.position.fen4();
        let seats = state.players().map(|(army, player)| (army, player.clone())).collect();
        draft.push(Fact::Started { fen4, seats });
    }
}

pub(super) fn leave(draft: &mut Draft, player: PlayerId) -> Result<(), Refusal> {
    let state = draft.state();
    let maker = state.settings.maker == Some(player);
    let army = state.army_of(player);
    if army.is_none() && !maker {
        let has_left = state.left.contains(&player);
        return match (has_left, state.visible_to(Some(player))) {
            (true, _) => Ok(()),
            (false, true) => Err(Refusal::new(Code::Forbidden, "you have no seat in this game")),
            (false, false) => Err(not_found(state.id)),
        };
    }
    match state.status {
        GameStatus::Waiting => {}
        GameStatus::Running => {
            return Err(Refusal::new(Code::Forbidden, "the game has begun; resign instead").at_ply(state.ply()));
        }
        GameStatus::Aborted if maker => return Ok(()),
        _ => return Err(Refusal::new(Code::GameOver, "the game has ended").at_ply(state.ply())),
    }
    if let Some((army, player)) = army.and_then(|army| Some((army, state.seats[army.index()].clone()?))) {
        draft.push(Fact::Left { army, player });
    }
    if maker {
        draft.push(Fact::Aborted { reason: AbortReason::MakerLeft, by: army });
    }
    Ok(())
}
