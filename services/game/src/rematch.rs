//! A rematch is a waiting game with reserved seats: the first call makes it, each further one sits down. Its id
//! follows from the finished game's, so calls that cross or come twice meet in one game.

use std::sync::Arc;

use proto::game::v1::{Passing, passing};
use proto::types::v1::{GameStatus, Seat};
use proto::{Code, GameId, Refusal};
use rules::Army;

use crate::decide::{Command, Creation};
use crate::fact::{Plan, Player};
use crate::games::Games;
use crate::state::State;

/// A rematch that was aborted may be called again so often.
const MOST_TRIES: u32 = 10;

/// Calls for, or agrees to, a rematch; returns the new game.
pub(crate) async fn call(games: &Games, id: GameId, player: Player) -> Result<Arc<State>, Refusal> {
    let finished = games.visible(id, Some(player.id)).await?;
    let refuse = |code, detail: &str| Err(Refusal::new(code, detail).at_ply(finished.ply()));
    let Some(army) = finished.army_of(player.id) else {
        return refuse(Code::Forbidden, "you had no seat in this game");
    };
    match finished.status {
        GameStatus::Over => {}
        GameStatus::Aborted => return refuse(Code::GameOver, "the game was aborted"),
        _ => return refuse(Code::NotStarted, "the game is not over yet"),
    }
    let (rematch, exists) = open_rematch(games, id).await?;
    let waiting = if exists { games.find(rematch).await? } else { None };
    // Who sits there already has called before.
    if waiting.as_ref().is_none_or(|waiting| waiting.army_of(player.id).is_none()) {
        games.check_number_of_games(player.id).await?;
    }
    let state = if exists {
        if let Some(waiting) = waiting {
            games.check_start(&waiting, player.id).await?;
        }
        let command = Command::TakeSeat { player, seat: None, invite_code: String::new() };
        games.execute(rematch, command).await?
    } else {
        let creation = turned(&finished, rematch, player.clone());
        let state = games.create(creation).await?;
        if state.army_of(player.id).is_some() {
            state
        } else {
            // Somebody else's call made it first.
            let command = Command::TakeSeat { player, seat: None, invite_code: String::new() };
            games.execute(rematch, command).await?
        }
    };
    let call = passing::RematchCall { seat: Seat::from(army).into(), game_id: rematch.to_string() };
    let news = Passing { news: Some(passing::News::Rematch(call)) };
    if let Err(error) = games.store.tell(id, news).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "the call for a rematch was not told");
    }
    Ok(state)
}

/// The game in which the rematch takes place, and whether it has been made.
async fn open_rematch(games: &Games, finished: GameId) -> Result<(GameId, bool), Refusal> {
    for attempt in 0..MOST_TRIES {
        let rematch = GameId::derived(finished.uuid(), &format!("rematch {attempt}"));
        match games.find(rematch).await? {
            None => return Ok((rematch, false)),
            Some(state) if state.status != GameStatus::Aborted => return Ok((rematch, true)),
            Some(_) => {}
        }
    }
    Err(Refusal::new(Code::GameOver, "this rematch was called and dropped too often"))
}

/// The same game again, every player one seat further among the seats there are.
fn turned(finished: &State, rematch: GameId, maker: Player) -> Creation {
    let seats: Vec<Army> =
        Army::ALL.into_iter().filter(|army| finished.settings.plans[army.index()] != Plan::Empty).collect();
    let mut plans = finished.settings.plans;
    let mut seated = Vec::new();
    for (i, from) in seats.iter().enumerate() {
        let to = seats[(i + 1) % seats.len()];
        if let Some(player) = &finished.seats[from.index()] {
            plans[to.index()] = Plan::Reserved(player.id);
            if player.id == maker.id {
                seated.push((to, maker.clone()));
            }
        }
    }
    Creation {
        id: rematch,
        rated: false,
        visibility: finished.settings.visibility,
        control: finished.settings.control,
        first_move_ms: finished.settings.first_move_ms,
        roaming_delay_ms: finished.settings.roaming_delay_ms,
        start_fen4: finished.settings.start_fen4.clone(),
        invite_code: None,
        maker: Some(maker.id),
        seated,
        plans: Some(plans),
        rematch_of: Some(finished.id),
        make_until: None,
    }
}
