use proto::Refusal;
use proto::rating::v1 as wire;
use proto::rating::v1::rating_service_server::RatingService;
use proto::types::v1 as types;
use tonic::{Request, Response, Status};

use super::{Fake, answer, inside};

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl RatingService for Fake {
    async fn record_game(&self, _: Request<wire::RecordGameRequest>) -> Answer<wire::RecordGameResponse> {
        Err(Status::unimplemented("not the gateway's"))
    }

    async fn get_record(&self, _: Request<wire::GetRecordRequest>) -> Answer<wire::GetRecordResponse> {
        Err(Refusal::not_found("record").into())
    }

    async fn get_ratings(&self, request: Request<wire::GetRatingsRequest>) -> Answer<wire::GetRatingsResponse> {
        self.called("get_ratings")?;
        let asked = inside(request);
        let classes = match asked.class() {
            types::Class::Unspecified => vec![types::Class::Bullet, types::Class::Blitz, types::Class::Rapid],
            class => vec![class],
        };
        let rating = |player_id: &String, class: &types::Class| wire::Rating {
            player_id: player_id.clone(),
            class: (*class).into(),
            rating: 1526.67,
            games: 1,
            provisional: true,
        };
        let ratings = asked.player_ids.iter().flat_map(|id| classes.iter().map(move |class| rating(id, class)));
        answer(wire::GetRatingsResponse { ratings: ratings.collect() })
    }

    async fn list_rating_history(
        &self,
        request: Request<wire::ListRatingHistoryRequest>,
    ) -> Answer<wire::ListRatingHistoryResponse> {
        self.called("list_rating_history")?;
        let asked = inside(request);
        if !asked.cursor.is_empty() {
            return Err(Refusal::bad_request("cursor", "is not one of ours").into());
        }
        let item = wire::HistoryItem {
            sequence: 1,
            game_id: proto::GameId::new().to_string(),
            class: types::Class::Blitz.into(),
            place: 1,
            before: 1500.0,
            after: 1580.0,
            at_unix_ms: 1_000,
        };
        answer(wire::ListRatingHistoryResponse { items: vec![item], next_cursor: String::new() })
    }

    async fn get_leaderboard(
        &self,
        request: Request<wire::GetLeaderboardRequest>,
    ) -> Answer<wire::GetLeaderboardResponse> {
        self.called("get_leaderboard")?;
        drop(request);
        answer(wire::GetLeaderboardResponse { items: Vec::new(), next_cursor: String::new() })
    }

    async fn list_records(&self, request: Request<wire::ListRecordsRequest>) -> Answer<wire::ListRecordsResponse> {
        self.called("list_records")?;
        let asked = inside(request);
        let seat = wire::RecordSeat {
            seat: types::Seat::Green.into(),
            place: 1,
            result: 63,
            rating_before: Some(1500.0),
            rating_after: Some(1580.0),
            ..Default::default()
        };
        let record = wire::RecordSummary {
            game_id: proto::GameId::new().to_string(),
            status: types::GameStatus::Over.into(),
            rated: true,
            visibility: types::Visibility::Public.into(),
            time_control: "3+2".to_owned(),
            class: types::Class::Blitz.into(),
            plies: 80,
            reason: types::EndReason::LastPlayer.into(),
            started_unix_ms: 1_000,
            ended_unix_ms: 2_000,
            seats: vec![seat],
            ..Default::default()
        };
        let items = std::iter::repeat_n(record, asked.limit as usize).collect();
        answer(wire::ListRecordsResponse { items, next_cursor: "more".to_owned() })
    }

    async fn list_aborts(&self, _: Request<wire::ListAbortsRequest>) -> Answer<wire::ListAbortsResponse> {
        Err(Status::unimplemented("not the gateway's"))
    }

    async fn record_ticket(&self, _: Request<wire::RecordTicketRequest>) -> Answer<wire::RecordTicketResponse> {
        Err(Status::unimplemented("not the gateway's"))
    }
}
