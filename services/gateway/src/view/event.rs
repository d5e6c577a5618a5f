use proto::types::v1 as wire;
use proto::types::v1::event::What as Told;
use serde::Serialize;
use utoipa::ToSchema;

use super::game::Standing;
use super::player::SeatedPlayer;
use super::seat::{AbortReason, Army, BySeat, EndReason, Seat, Visibility};
use super::{moment, one_decimal};

/// One thing that happened in a game, with the counters as they are after it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Event {
    /// 1, 2, 3, ... without a gap within a game.
    pub(crate) v: u64,
    #[serde(flatten)]
    what: What,
    #[schema(format = DateTime)]
    at: String,
    ply: u32,
    /// Whose turn it is, while the game runs.
    turn: Option<Seat>,
    points: BySeat<u32>,
    armies: BySeat<Army>,
    remaining_ms: BySeat<i64>,
    #[schema(format = DateTime)]
    deadline: Option<String>,
    #[schema(format = DateTime)]
    clock_runs_from: Option<String>,
}

/// What happened.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum What {
    Created {
        rated: bool,
        visibility: Visibility,
        time_control: String,
        /// How long a first move may take.
        first_move_ms: i64,
        /// How long a roaming army waits before it moves.
        roaming_delay_ms: i64,
        /// Null: the start position of the rules.
        start_fen4: Option<String>,
        /// Who may sit where.
        seats: BySeat<Plan>,
        /// The game that this one is a rematch of.
        rematch_of: Option<String>,
    },
    Seated {
        seat: Option<Seat>,
        player: Option<SeatedPlayer>,
    },
    Left {
        seat: Option<Seat>,
        player: Option<SeatedPlayer>,
    },
    Started {
        fen4: String,
        seats: BySeat<Option<SeatedPlayer>>,
    },
    Move {
        seat: Option<Seat>,
        /// `from-to`.
        r#move: String,
        /// Long form, as in PGN4.
        san: String,
        /// The piece taken, as FEN4 prints it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(required = false, nullable = false)]
        captured: Option<String>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[schema(required = false)]
        promoted: bool,
        /// Armies whose king is attacked after the move.
        check: Vec<Seat>,
        by_roaming: bool,
    },
    Resigned {
        seat: Option<Seat>,
    },
    TimedOut {
        seat: Option<Seat>,
    },
    ArmyOut {
        seat: Option<Seat>,
        how: Army,
        /// Who got the points.
        by: Option<Seat>,
        /// How many; `points` is what all armies have by now, as in every event.
        awarded: u32,
    },
    ClockAdjusted {
        seat: Option<Seat>,
        credit_ms: i64,
    },
    Over {
        reason: Option<EndReason>,
        /// First place first.
        standing: Vec<Standing>,
    },
    Rated {
        changes: Vec<Change>,
    },
    Aborted {
        reason: Option<AbortReason>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(required = false, nullable = false)]
        seat: Option<Seat>,
    },
}

/// Who may sit on a seat.
#[derive(Debug, Clone, Copy, Default, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Plan {
    #[default]
    Open,
    Reserved,
    /// The army has no player in the start position.
    None,
}

/// A player's new rating.
#[derive(Debug, Serialize, ToSchema)]
struct Change {
    #[schema(nullable = false)]
    seat: Option<Seat>,
    #[schema(format = Uuid)]
    player_id: String,
    rating_before: f64,
    rating_after: f64,
}

impl Event {
    /// `None` for an event of a kind that this build does not know.
    pub(crate) fn of(event: &wire::Event) -> Option<Self> {
        let after = event.after.clone().unwrap_or_default();
        Some(Self {
            v: event.v,
            what: What::of(event.what.as_ref()?),
            at: moment(event.at_unix_ms),
            ply: after.ply,
            turn: Seat::of(after.turn()),
            points: BySeat::from_list(&after.points, |points| points),
            armies: BySeat::from_list(&after.armies, Army::of),
            remaining_ms: BySeat::from_list(&after.remaining_ms, |ms| ms),
            deadline: after.deadline_unix_ms.map(moment),
            clock_runs_from: after.clock_runs_from_unix_ms.map(moment),
        })
    }
}

impl What {
    fn of(told: &Told) -> Self {
        match told {
            Told::Created(created) => Self::created(created.settings.as_ref()),
            Told::Seated(seated) => Self::Seated { seat: Seat::of(seated.seat()), player: player(&seated.player) },
            Told::Left(left) => Self::Left { seat: Seat::of(left.seat()), player: player(&left.player) },
            Told::Started(started) => Self::Started {
                fen4: started.fen4.clone(),
                seats: BySeat::from_fn(|seat| {
                    let seated = started.seats.iter().find(|seated| seated.seat() == seat.wire());
                    seated.and_then(|seated| player(&seated.player))
                }),
            },
            Told::Moved(moved) => Self::Move {
                seat: Seat::of(moved.seat()),
                r#move: moved.r#move.clone(),
                san: moved.san.clone(),
                captured: Some(moved.captured.clone()).filter(|piece| !piece.is_empty()),
                promoted: moved.promoted,
                check: moved.check().filter_map(Seat::of).collect(),
                by_roaming: moved.by_roaming,
            },
            Told::Resigned(resigned) => Self::Resigned { seat: Seat::of(resigned.seat()) },
            Told::TimedOut(timed_out) => Self::TimedOut { seat: Seat::of(timed_out.seat()) },
            Told::ArmyOut(out) => Self::ArmyOut {
                seat: Seat::of(out.seat()),
                how: out.how().into(),
                by: Seat::of(out.by()),
                awarded: out.points,
            },
            Told::ClockAdjusted(adjusted) => {
                Self::ClockAdjusted { seat: Seat::of(adjusted.seat()), credit_ms: adjusted.credit_ms }
            }
            Told::Over(over) => {
                Self::Over { reason: EndReason::of(over.reason()), standing: Standing::of(&over.standing, &[]) }
            }
            Told::Rated(rated) => Self::Rated { changes: rated.changes.iter().map(Change::from).collect() },
            Told::Aborted(aborted) => {
                Self::Aborted { reason: AbortReason::of(aborted.reason()), seat: Seat::of(aborted.seat()) }
            }
        }
    }

    /// Leaves out the invite code, which spectators must not see.
    fn created(settings: Option<&wire::Settings>) -> Self {
        let settings = settings.cloned().unwrap_or_default();
        let visibility = Visibility::of(settings.visibility());
        Self::Created {
            rated: settings.rated,
            visibility,
            time_control: settings.time_control,
            first_move_ms: settings.first_move_ms,
            roaming_delay_ms: settings.roaming_delay_ms,
            start_fen4: Some(settings.start_fen4).filter(|fen4| !fen4.is_empty()),
            seats: BySeat::from_fn(|seat| {
                let plan = settings.seats.iter().find(|plan| plan.seat() == seat.wire());
                plan.and_then(|plan| plan.occupant.as_ref()).map(Plan::from).unwrap_or_default()
            }),
            rematch_of: Some(settings.rematch_of).filter(|id| !id.is_empty()),
        }
    }
}

impl From<&wire::seat_plan::Occupant> for Plan {
    fn from(occupant: &wire::seat_plan::Occupant) -> Self {
        match occupant {
            wire::seat_plan::Occupant::Open(_) => Self::Open,
            wire::seat_plan::Occupant::ReservedForPlayerId(_) => Self::Reserved,
            wire::seat_plan::Occupant::None(_) => Self::None,
        }
    }
}

impl From<&wire::RatingChange> for Change {
    fn from(change: &wire::RatingChange) -> Self {
        Self {
            seat: Seat::of(change.seat()),
            player_id: change.player_id.clone(),
            rating_before: one_decimal(change.before),
            rating_after: one_decimal(change.after),
        }
    }
}

fn player(player: &Option<wire::Player>) -> Option<SeatedPlayer> {
    player.as_ref().map(SeatedPlayer::from)
}

/// News that is never stored or replayed; it has no `v`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Passing {
    /// A seated player has come or gone.
    Presence { seat: Option<Seat>, connected: bool },
    /// Somebody wants to play again.
    Rematch { seat: Option<Seat>, game_id: String },
}

impl Passing {
    pub(crate) fn of(passing: &proto::game::v1::Passing) -> Option<Self> {
        use proto::game::v1::passing::News;
        Some(match passing.news.as_ref()? {
            News::Presence(presence) => {
                Self::Presence { seat: Seat::of(presence.seat()), connected: presence.connected }
            }
            News::Rematch(call) => Self::Rematch { seat: Seat::of(call.seat()), game_id: call.game_id.clone() },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(what: Told) -> serde_json::Value {
        let after = wire::Counters {
            ply: 3,
            turn: wire::Seat::Blue.into(),
            points: vec![1, 0, 0, 5],
            armies: vec![1, 1, 3, 6],
            remaining_ms: vec![1, 2, 3, 4],
            deadline_unix_ms: Some(1000),
            clock_runs_from_unix_ms: None,
        };
        let event = wire::Event { v: 9, at_unix_ms: 5, after: Some(after), what: Some(what), ..Default::default() };
        serde_json::to_value(Event::of(&event)).unwrap()
    }

    #[test]
    fn a_move_is_told_with_the_counters_after_it() {
        let moved = wire::event::Moved {
            seat: wire::Seat::Red.into(),
            r#move: "h2-h4".to_owned(),
            san: "h2-h4".to_owned(),
            captured: String::new(),
            promoted: false,
            check: vec![wire::Seat::Yellow.into()],
            by_roaming: false,
        };
        assert_eq!(
            shown(Told::Moved(moved)),
            serde_json::json!({
                "v": 9, "type": "move", "at": "1970-01-01T00:00:00.005Z", "seat": "red", "move": "h2-h4",
                "san": "h2-h4", "check": ["yellow"], "by_roaming": false, "ply": 3, "turn": "blue",
                "points": {"red": 1, "blue": 0, "yellow": 0, "green": 5},
                "armies": {"red": "playing", "blue": "playing", "yellow": "timed_out", "green": "king_captured"},
                "remaining_ms": {"red": 1, "blue": 2, "yellow": 3, "green": 4},
                "deadline": "1970-01-01T00:00:01.000Z", "clock_runs_from": null,
            })
        );
    }

    #[test]
    fn no_member_stands_there_twice() {
        let out = wire::event::ArmyOut {
            seat: wire::Seat::Red.into(),
            how: wire::ArmyState::Checkmated.into(),
            by: wire::Seat::Green.into(),
            points: 20,
        };
        let event = wire::Event { v: 1, what: Some(Told::ArmyOut(out)), ..Default::default() };
        let text = serde_json::to_string(&Event::of(&event)).unwrap();
        assert_eq!(text.matches("\"points\"").count(), 1, "{text}");
        assert!(text.contains("\"awarded\":20"), "{text}");
    }

    #[test]
    fn nobody_learns_the_invite_code_from_the_log() {
        let settings = wire::Settings { invite_code: "SECRET".to_owned(), ..Default::default() };
        let told = shown(Told::Created(wire::event::Created { settings: Some(settings) }));
        assert_eq!(told["type"], "created");
        assert!(!told.to_string().contains("SECRET"));
    }
}
