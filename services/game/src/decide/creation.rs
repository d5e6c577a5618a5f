use proto::types::v1::Visibility;
use proto::{Code, GameId, PlayerId, Refusal};
use rules::{Army, ArmyState};
use timekeeping::TimeControl;

use super::{Decision, Draft};
use crate::fact::{Fact, Plan, Player, Settings};
use crate::state::State;

/// A game as somebody wants it.
#[derive(Debug, Clone)]
pub(crate) struct Creation {
    pub id: GameId,
    pub rated: bool,
    pub visibility: Visibility,
    pub control: TimeControl,
    pub first_move_ms: i64,
    pub roaming_delay_ms: i64,
    pub start_fen4: Option<String>,
    /// None for games from tickets, which start at once.
    pub invite_code: Option<String>,
    pub maker: Option<PlayerId>,
    /// Who sits from the start.
    pub seated: Vec<(Army, Player)>,
    /// The caller's view of the seats, if it has one.
    pub plans: Option<[Plan; 4]>,
    pub rematch_of: Option<GameId>,
    /// After this instant of the store's time it is no longer wanted.
    pub make_until: Option<i64>,
}

/// The first facts of a game.
pub(crate) fn create(creation: Creation, now: i64) -> Result<Decision, Refusal> {
    let (position, start_fen4) = match creation.start_fen4 {
        None => (rules::Game::start(), None),
        Some(fen4) => {
            let refused = |error: rules::Fen4Error| Refusal::new(Code::BadPosition, format!("start_fen4: {error}"));
            let (position, _) = rules::Game::from_fen4(&fen4).map_err(refused)?;
            if let Some(reason) = position.over() {
                let detail = format!("start_fen4: the game is over in this position ({})", reason.as_str());
                return Err(Refusal::new(Code::BadPosition, detail));
            }
            let fen4 = position.fen4();
            (position, Some(fen4))
        }
    };
    let exists = Army::ALL.map(|army| position.army_state(army) == ArmyState::Playing);
    let plans = plans(exists, creation.plans, &creation.seated)?;
    let settings = Settings {
        rated: creation.rated,
        visibility: creation.visibility,
        control: creation.control,
        first_move_ms: creation.first_move_ms,
        roaming_delay_ms: creation.roaming_delay_ms,
        start_fen4,
        invite_code: creation.invite_code,
        maker: creation.maker,
        plans,
        rematch_of: creation.rematch_of,
    };
    let mut draft = Draft::new(&State::new(creation.id, settings.clone(), now).into(), now);
    draft.push(Fact::Created(settings));
    for (army, player) in creation.seated {
        draft.push(Fact::Seated { army, player });
    }
    super::seating::start_if_full(&mut draft);
    Ok(draft.decided(Ok(())))
}

fn plans(exists: [bool; 4], wanted: Option<[Plan; 4]>, seated: &[(Army, Player)]) -> Result<[Plan; 4], Refusal> {
    let mut plans = wanted.unwrap_or_else(|| exists.map(|exists| if exists { Plan::Open } else { Plan::Empty }));
    for army in Army::ALL {
        if exists[army.index()] != (plans[army.index()] != Plan::Empty) {
            let problem = if exists[army.index()] {
                "this army is playing in the start position and needs a seat"
            } else {
                "this army is not playing in the start position and has no seat; it must be null"
            };
            return Err(Refusal::bad_request(&format!("seats.{army}"), problem));
        }
    }
    for (i, (army, player)) in seated.iter().enumerate() {
        let twice = seated[..i].iter().any(|(other, who)| other == army || who.id == player.id);
        if twice || plans[army.index()] == Plan::Empty {
            return Err(Refusal::bad_request(&format!("seats.{army}"), "one player a seat and one seat a player"));
        }
        plans[army.index()] = Plan::Reserved(player.id);
    }
    Ok(plans)
}
