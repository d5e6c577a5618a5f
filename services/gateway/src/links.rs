//! Calls to the services behind the door. A link repeats by itself what met a restarting service.

use std::time::Duration;

use proto::game::v1 as game;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::matchmaking::v1 as matchmaking;
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use proto::rating::v1 as rating;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::types::v1 as types;
use runtime::grpc::Link;
use tonic::{Request, Streaming};

use crate::identity::Identity;
use crate::problem::Problem;
use crate::view::seat::Class;

/// What is added to the wait of a long poll.
const GRACE: Duration = Duration::from_secs(3);

/// The services behind the door.
#[derive(Debug, Clone)]
pub struct Links {
    /// Games.
    pub game: GameServiceClient<Link>,
    /// Tickets.
    pub matchmaking: MatchmakingServiceClient<Link>,
    /// Ratings and records.
    pub rating: RatingServiceClient<Link>,
}

macro_rules! calls {
    ($($service:ident.$name:ident($request:ty) -> $response:ty;)*) => {
        impl Links {
            $(pub(crate) async fn $name(&self, request: $request) -> Result<$response, Problem> {
                Ok(self.$service.clone().$name(request).await?.into_inner())
            })*
        }
    };
}

calls! {
    game.create_game(game::CreateGameRequest) -> game::CreateGameResponse;
    game.get_game(game::GetGameRequest) -> game::GetGameResponse;
    game.get_log(game::GetLogRequest) -> game::GetLogResponse;
    game.get_invite(game::GetInviteRequest) -> game::GetInviteResponse;
    game.take_seat(game::TakeSeatRequest) -> game::TakeSeatResponse;
    game.leave_seat(game::LeaveSeatRequest) -> game::LeaveSeatResponse;
    game.make_move(game::MakeMoveRequest) -> game::MakeMoveResponse;
    game.resign(game::ResignRequest) -> game::ResignResponse;
    game.rematch(game::RematchRequest) -> game::RematchResponse;
    game.list_games(game::ListGamesRequest) -> game::ListGamesResponse;
    game.list_player_games(game::ListPlayerGamesRequest) -> game::ListPlayerGamesResponse;
    game.report_presence(game::ReportPresenceRequest) -> game::ReportPresenceResponse;
    game.watch_game(game::WatchGameRequest) -> Streaming<game::WatchGameResponse>;
    game.watch_player(game::WatchPlayerRequest) -> Streaming<game::WatchPlayerResponse>;
    matchmaking.open_ticket(matchmaking::OpenTicketRequest) -> matchmaking::OpenTicketResponse;
    matchmaking.cancel_ticket(matchmaking::CancelTicketRequest) -> matchmaking::CancelTicketResponse;
    matchmaking.get_open_ticket(matchmaking::GetOpenTicketRequest) -> matchmaking::GetOpenTicketResponse;
    matchmaking.list_pools(matchmaking::ListPoolsRequest) -> matchmaking::ListPoolsResponse;
    matchmaking.watch_tickets(matchmaking::WatchTicketsRequest) -> Streaming<matchmaking::WatchTicketsResponse>;
    rating.get_ratings(rating::GetRatingsRequest) -> rating::GetRatingsResponse;
    rating.list_rating_history(rating::ListRatingHistoryRequest) -> rating::ListRatingHistoryResponse;
    rating.get_leaderboard(rating::GetLeaderboardRequest) -> rating::GetLeaderboardResponse;
    rating.list_records(rating::ListRecordsRequest) -> rating::ListRecordsResponse;
}

impl Links {
    /// Waits for a change of the ticket for as long as the request says.
    pub(crate) async fn get_ticket(
        &self,
        request: matchmaking::GetTicketRequest,
    ) -> Result<matchmaking::Ticket, Problem> {
        let wait = Duration::from_millis(u64::try_from(request.wait_ms).unwrap_or(0));
        let mut request = Request::new(request);
        request.set_timeout(wait + GRACE);
        let answer = self.matchmaking.clone().get_ticket(request).await?;
        Ok(answer.into_inner().ticket.unwrap_or_default())
    }

    /// The state of a game as this viewer may see it; empty for a visitor.
    pub(crate) async fn game_seen_by(&self, viewer: String, game_id: String) -> Result<game::Game, Problem> {
        let request = game::GetGameRequest { game_id, viewer_id: viewer, include_legal_moves: false };
        Ok(self.get_game(request).await?.game.unwrap_or_default())
    }

    /// The caller as others at the board will see them.
    pub(crate) async fn seated(&self, identity: &Identity, class: Option<Class>) -> Result<types::Player, Problem> {
        let id = identity.id().to_string();
        let class = class.unwrap_or(Class::Blitz);
        let request = rating::GetRatingsRequest { player_ids: vec![id.clone()], class: class.wire().into() };
        let ratings = self.get_ratings(request).await?.ratings;
        let rating = ratings.iter().find(|rating| rating.class() == class.wire());
        Ok(types::Player {
            id,
            name: identity.player.name.clone(),
            guest: identity.player.guest,
            rating: rating.map_or(1500.0, |rating| rating.rating),
            provisional: rating.is_none_or(|rating| rating.provisional),
        })
    }
}
