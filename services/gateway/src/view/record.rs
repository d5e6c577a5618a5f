use proto::game::v1 as game;
use proto::rating::v1 as rating;
use proto::types::v1 as wire;
use serde::Serialize;
use utoipa::ToSchema;

use super::game::{Game, Over, Standing};
use super::player::SeatedPlayer;
use super::seat::{AbortReason, Army, BySeat, Class, EndReason, Seat, Status, Visibility};
use super::{moment, one_decimal};

/// A game in a list, live or on record.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GameSummary {
    #[schema(format = Uuid)]
    id: String,
    status: Status,
    rated: bool,
    visibility: Visibility,
    #[schema(example = "3+2")]
    time_control: String,
    #[schema(nullable = false)]
    class: Option<Class>,
    /// The number of moves so far.
    ply: u32,
    /// Whose turn it is, while the game runs.
    turn: Option<Seat>,
    /// The position of a live game.
    fen4: Option<String>,
    seats: BySeat<SummarySeat>,
    /// Once the game is over.
    over: Option<Over>,
    /// Once the game was aborted and is on record.
    abort_reason: Option<AbortReason>,
    /// Of a game on record that got that far.
    #[schema(format = DateTime)]
    started_at: Option<String>,
    /// Of a game on record.
    #[schema(format = DateTime)]
    ended_at: Option<String>,
}

/// A seat of a game in a list.
#[derive(Debug, Default, Serialize, ToSchema)]
struct SummarySeat {
    player: Option<SeatedPlayer>,
    computer: Option<String>,
    army: Army,
    points: u32,
    result: u32,
}

impl From<&game::Game> for GameSummary {
    fn from(live: &game::Game) -> Self {
        let game = Game::from(live);
        let seat = |seat: super::game::SeatState| SummarySeat {
            player: seat.player,
            computer: seat.computer,
            army: seat.army,
            points: seat.points,
            result: seat.result,
        };
        Self {
            id: game.id,
            status: game.status,
            rated: game.rated,
            visibility: game.visibility,
            time_control: game.time_control,
            class: game.class,
            ply: game.ply,
            turn: game.turn,
            fen4: Some(game.fen4),
            seats: BySeat {
                red: seat(game.seats.red),
                blue: seat(game.seats.blue),
                yellow: seat(game.seats.yellow),
                green: seat(game.seats.green),
            },
            over: game.over,
            abort_reason: None,
            started_at: None,
            ended_at: None,
        }
    }
}

impl From<&rating::RecordSummary> for GameSummary {
    fn from(record: &rating::RecordSummary) -> Self {
        let over = record.status() == wire::GameStatus::Over;
        let seat = |seat: Seat| {
            let found = record.seats.iter().find(|recorded| recorded.seat() == seat.wire());
            found.map_or_else(SummarySeat::default, |recorded| SummarySeat {
                player: recorded.player.as_ref().map(SeatedPlayer::from),
                computer: None,
                army: recorded.army().into(),
                points: recorded.points,
                result: recorded.result,
            })
        };
        Self {
            id: record.game_id.clone(),
            status: Status::of(record.status()),
            rated: record.rated,
            visibility: Visibility::of(record.visibility()),
            time_control: record.time_control.clone(),
            class: Class::of(record.class()),
            ply: record.plies,
            turn: None,
            fen4: None,
            seats: BySeat::from_fn(seat),
            over: over.then(|| Over { reason: EndReason::of(record.reason()), standing: standing(&record.seats) }),
            abort_reason: AbortReason::of(record.abort_reason()),
            started_at: (record.started_unix_ms > 0).then(|| moment(record.started_unix_ms)),
            ended_at: (record.ended_unix_ms > 0).then(|| moment(record.ended_unix_ms)),
        }
    }
}

fn standing(seats: &[rating::RecordSeat]) -> Vec<Standing> {
    let mut standing: Vec<Standing> = seats
        .iter()
        .map(|seat| Standing {
            seat: Seat::of(seat.seat()),
            place: seat.place,
            result: seat.result,
            rating_before: seat.rating_before.map(one_decimal),
            rating_after: seat.rating_after.map(one_decimal),
        })
        .collect();
    standing.sort_by_key(|standing| standing.place);
    standing
}
