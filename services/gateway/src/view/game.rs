use proto::game::v1 as game;
use proto::types::v1 as wire;
use serde::Serialize;
use utoipa::ToSchema;

use super::player::SeatedPlayer;
use super::seat::{Army, BySeat, Class, EndReason, Seat, Status, Visibility};
use super::{moment, one_decimal};

/// The state of a game.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Game {
    #[schema(format = Uuid)]
    pub(crate) id: String,
    pub(crate) status: Status,
    pub(crate) rated: bool,
    pub(crate) visibility: Visibility,
    #[schema(example = "3+2")]
    pub(crate) time_control: String,
    #[schema(nullable = false)]
    pub(crate) class: Option<Class>,
    /// The number of events so far.
    pub(crate) v: u64,
    /// The number of moves so far, roaming armies' included.
    pub(crate) ply: u32,
    /// Whose turn it is, while the game runs.
    pub(crate) turn: Option<Seat>,
    /// The position.
    pub(crate) fen4: String,
    pub(crate) last_move: Option<LastMove>,
    /// Armies whose king is attacked.
    pub(crate) in_check: Vec<Seat>,
    pub(crate) seats: BySeat<SeatState>,
    /// While the game runs.
    pub(crate) clock: Option<Clock>,
    /// Once the game is over.
    pub(crate) over: Option<Over>,
    #[schema(format = DateTime)]
    pub(crate) created_at: String,
    /// The game that this one is a rematch of.
    #[schema(format = Uuid)]
    pub(crate) rematch_of: Option<String>,
    /// For those seated in a waiting game.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) invite_code: Option<String>,
    /// Of the army to move, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) legal_moves: Option<Vec<String>>,
    /// Extra keys of `start_fen4` that mean nothing here and did not enter the position; told to the maker once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub(crate) unknown_fen4_keys: Vec<String>,
}

/// A move as it was made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LastMove {
    #[schema(nullable = false)]
    seat: Option<Seat>,
    /// `from-to`.
    #[schema(example = "h2-h4")]
    r#move: String,
    /// Long form, as in PGN4.
    san: String,
}

/// A seat and its army.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SeatState {
    /// Null for a computer, a free seat, or an army that is nobody's.
    pub(crate) player: Option<SeatedPlayer>,
    /// The level of a computer player.
    pub(crate) computer: Option<String>,
    /// The game waits for somebody with the invite code to sit down here.
    pub(crate) open: bool,
    pub(crate) army: Army,
    /// What the army has scored, roaming or not.
    pub(crate) points: u32,
    /// What counts for the player: the points, frozen when they resigned or lost on time.
    pub(crate) result: u32,
    /// As of `clock.runs_from` for the army whose clock runs.
    pub(crate) remaining_ms: i64,
}

/// The running clock.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Clock {
    #[schema(format = DateTime)]
    server_now: String,
    #[schema(format = DateTime)]
    runs_from: String,
    #[schema(format = DateTime)]
    deadline: String,
    /// The time counts for the first move, not from the army's clock.
    first_move: bool,
}

/// How a game ended.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Over {
    #[schema(nullable = false)]
    pub(crate) reason: Option<EndReason>,
    /// First place first.
    pub(crate) standing: Vec<Standing>,
}

/// A seat's place.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Standing {
    #[schema(nullable = false)]
    pub(crate) seat: Option<Seat>,
    /// 1 to 4.
    pub(crate) place: u32,
    pub(crate) result: u32,
    /// Null until rated.
    pub(crate) rating_before: Option<f64>,
    /// Null until rated.
    pub(crate) rating_after: Option<f64>,
}

impl Standing {
    pub(crate) fn of(standing: &[wire::Standing], changes: &[wire::RatingChange]) -> Vec<Self> {
        let place = |standing: &wire::Standing| {
            let change = changes.iter().find(|change| change.seat == standing.seat);
            Self {
                seat: Seat::of(standing.seat()),
                place: standing.place,
                result: standing.result,
                rating_before: change.map(|change| one_decimal(change.before)),
                rating_after: change.map(|change| one_decimal(change.after)),
            }
        };
        standing.iter().map(place).collect()
    }
}

impl From<&game::Game> for Game {
    fn from(game: &game::Game) -> Self {
        let waiting = game.status() == wire::GameStatus::Waiting;
        let for_anyone = waiting && game.rematch_of.is_empty();
        Self {
            id: game.id.clone(),
            status: Status::of(game.status()),
            rated: game.rated,
            visibility: Visibility::of(game.visibility()),
            time_control: game.time_control.clone(),
            class: Class::of(game.class()),
            v: game.v,
            ply: game.ply,
            turn: Seat::of(game.turn()),
            fen4: game.fen4.clone(),
            last_move: game.last_move.as_ref().map(|last| LastMove {
                seat: Seat::of(last.seat()),
                r#move: last.r#move.clone(),
                san: last.san.clone(),
            }),
            in_check: game.in_check().filter_map(Seat::of).collect(),
            seats: BySeat::from_fn(|seat| SeatState::of(game, seat, for_anyone)),
            clock: game.clock.as_ref().map(|clock| Clock {
                server_now: moment(clock.server_now_unix_ms),
                runs_from: moment(clock.runs_from_unix_ms),
                deadline: moment(clock.deadline_unix_ms),
                first_move: clock.first_move,
            }),
            over: game.over.as_ref().map(|over| Over {
                reason: EndReason::of(over.reason()),
                standing: Standing::of(&over.standing, &over.changes),
            }),
            created_at: moment(game.created_unix_ms),
            rematch_of: Some(game.rematch_of.clone()).filter(|id| !id.is_empty()),
            invite_code: Some(game.invite_code.clone()).filter(|code| !code.is_empty()),
            legal_moves: None,
            unknown_fen4_keys: Vec::new(),
        }
    }
}

impl Game {
    /// With the legal moves, which were asked for.
    pub(crate) fn with_legal_moves(game: &game::Game) -> Self {
        Self { legal_moves: Some(game.legal_moves.clone()), ..Self::from(game) }
    }

    /// Seats that somebody with the invite code may take.
    pub(crate) fn free_seats(&self) -> Vec<Seat> {
        let seats = &self.seats;
        let open = [seats.red.open, seats.blue.open, seats.yellow.open, seats.green.open];
        Seat::ALL.into_iter().zip(open).filter_map(|(seat, open)| open.then_some(seat)).collect()
    }
}

impl SeatState {
    fn of(game: &game::Game, seat: Seat, for_anyone: bool) -> Self {
        let fallback = game::SeatState::default();
        let state = game.seats.iter().find(|state| state.seat() == seat.wire()).unwrap_or(&fallback);
        Self {
            player: state.player.as_ref().map(SeatedPlayer::from),
            computer: None,
            open: for_anyone && state.exists && state.player.is_none(),
            army: state.army().into(),
            points: state.points,
            result: state.result,
            remaining_ms: state.remaining_ms,
        }
    }
}

/// A waiting game as somebody with its invite code sees it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Invite {
    #[serde(flatten)]
    pub(crate) game: Game,
    pub(crate) free_seats: Vec<Seat>,
}
