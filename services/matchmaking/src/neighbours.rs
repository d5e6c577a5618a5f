//! What this service asks of the game and the rating service.

use std::time::Duration;

use async_trait::async_trait;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::game::v1::{CreateGameRequest, GetGameRequest, ListPlayerGamesRequest};
use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::rating::v1::{GetRatingsRequest, ListAbortsRequest, RecordTicketRequest};
use proto::types::v1::event::Seated;
use proto::types::v1::{self as wire, GameStatus, Visibility};
use proto::{Code, GameId, PlayerId, Refusal};
use ratings::Standing;
use runtime::grpc::Link;
use timekeeping::{Class, UnixMs};
use tonic::{Request, Status};

use crate::ticket::{CancelReason, Four, Player, State, Ticket};

/// How long a call to make a game may take.
pub(crate) const MAKE_TIME: Duration = Duration::from_secs(5);

/// The other services, as this one needs them.
#[async_trait]
pub(crate) trait Neighbours: Send + Sync + 'static {
    /// How many running games a player sits in.
    async fn running_games(&self, player: PlayerId) -> Result<usize, Refusal>;
    /// When games were aborted through a player since then.
    async fn aborts(&self, player: PlayerId, since: UnixMs) -> Result<Vec<UnixMs>, Refusal>;
    /// A player's numbers in a class.
    async fn standing(&self, player: PlayerId, class: Class) -> Result<Standing, Refusal>;
    /// Makes the game of a four, unless it is later than that. Repeating it is safe.
    async fn create_game(&self, four: &Four, until: UnixMs) -> Result<(), Refusal>;
    /// Whether a public game exists.
    async fn game_exists(&self, game: GameId) -> Result<bool, Refusal>;
    /// Keeps a closed ticket for analysts. Repeating it is safe.
    async fn keep(&self, ticket: &Ticket) -> Result<(), Refusal>;
}

/// The neighbours by gRPC.
#[derive(Debug, Clone)]
pub(crate) struct Grpc {
    pub(crate) game: GameServiceClient<Link>,
    pub(crate) rating: RatingServiceClient<Link>,
}

/// A failed call is logged here, once; the caller decides what becomes of it.
fn failed(call: &'static str) -> impl Fn(Status) -> Refusal {
    move |status| {
        let refusal = Refusal::from(&status);
        if !matches!(refusal.code, Code::TooManyGames | Code::NotFound) {
            tracing::warn!(rpc.method = call, rpc.status = ?status.code(), error = status.message(), "a call failed");
        }
        refusal
    }
}

#[async_trait]
impl Neighbours for Grpc {
    async fn running_games(&self, player: PlayerId) -> Result<usize, Refusal> {
        let request = ListPlayerGamesRequest { player_id: player.to_string() };
        let answer = self.game.clone().list_player_games(request).await.map_err(failed("ListPlayerGames"))?;
        let running = |status| status == i32::from(GameStatus::Running);
        Ok(answer.into_inner().games.iter().filter(|game| running(game.status)).count())
    }

    async fn aborts(&self, player: PlayerId, since: UnixMs) -> Result<Vec<UnixMs>, Refusal> {
        let request = ListAbortsRequest { player_id: player.to_string(), since_unix_ms: since };
        let answer = self.rating.clone().list_aborts(request).await.map_err(failed("ListAborts"))?;
        Ok(answer.into_inner().at_unix_ms)
    }

    async fn standing(&self, player: PlayerId, class: Class) -> Result<Standing, Refusal> {
        let class = wire::Class::from(class).into();
        let request = GetRatingsRequest { player_ids: vec![player.to_string()], class };
        let answer = self.rating.clone().get_ratings(request).await.map_err(failed("GetRatings"))?.into_inner();
        let rating = answer.ratings.into_iter().find(|rating| rating.class == class);
        let rating = rating.ok_or_else(|| Refusal::new(Code::Internal, "no rating was answered"))?;
        Ok(Standing { rating: rating.rating, games: rating.games })
    }

    async fn create_game(&self, four: &Four, until: UnixMs) -> Result<(), Refusal> {
        let seated = |(seat, ticket): &(wire::Seat, Ticket)| Seated {
            seat: (*seat).into(),
            player: Some(wire::Player::from(&ticket.player)),
        };
        let request = CreateGameRequest {
            game_id: four.game.to_string(),
            rated: four.pool.rated,
            visibility: Visibility::Public.into(),
            time_control: four.pool.time_control.to_string(),
            seated: four.seats.iter().map(seated).collect(),
            make_until_unix_ms: Some(until),
            ..CreateGameRequest::default()
        };
        // With a deadline of its own a call is made once: a second one beside it could be refused while the first makes
        // the game.
        let mut request = Request::new(request);
        request.set_timeout(MAKE_TIME);
        self.game.clone().create_game(request).await.map_err(failed("CreateGame"))?;
        Ok(())
    }

    async fn game_exists(&self, game: GameId) -> Result<bool, Refusal> {
        let request = GetGameRequest { game_id: game.to_string(), ..GetGameRequest::default() };
        match self.game.clone().get_game(request).await.map_err(failed("GetGame")) {
            Ok(_) => Ok(true),
            Err(refusal) if refusal.code == Code::NotFound => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }

    async fn keep(&self, ticket: &Ticket) -> Result<(), Refusal> {
        let (outcome, game_id) = match ticket.state {
            State::Waiting | State::Forming(_) => return Ok(()),
            State::Matched(place, _) => ("matched", place.game.to_string()),
            State::Cancelled(CancelReason::Player, _) => ("cancelled", String::new()),
            State::Cancelled(CancelReason::Expired, _) => ("expired", String::new()),
            State::Cancelled(CancelReason::TooManyGames, _) => ("too_many_games", String::new()),
        };
        let request = RecordTicketRequest {
            ticket_id: ticket.id.to_string(),
            player_id: ticket.player.id.to_string(),
            time_control: ticket.pool.time_control.to_string(),
            rated: ticket.pool.rated,
            rating: ticket.player.rating,
            opened_unix_ms: ticket.opened_ms,
            closed_unix_ms: ticket.closed_ms().unwrap_or(ticket.opened_ms),
            game_id,
            outcome: outcome.to_owned(),
        };
        self.rating.clone().record_ticket(request).await.map_err(failed("RecordTicket"))?;
        Ok(())
    }
}

impl From<&Player> for wire::Player {
    fn from(player: &Player) -> Self {
        Self {
            id: player.id.to_string(),
            name: player.name.clone(),
            guest: player.guest,
            rating: player.rating,
            provisional: player.provisional,
        }
    }
}
