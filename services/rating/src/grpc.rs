#[cfg(test)]
mod tests;
mod wire;

use std::sync::Arc;

use proto::rating::v1::rating_service_server::RatingService;
use proto::rating::v1::{
    GetLeaderboardRequest, GetLeaderboardResponse, GetRatingsRequest, GetRatingsResponse, GetRecordRequest,
    GetRecordResponse, LeaderboardItem, ListAbortsRequest, ListAbortsResponse, ListRatingHistoryRequest,
    ListRatingHistoryResponse, ListRecordsRequest, ListRecordsResponse, RecordGameRequest, RecordGameResponse,
    RecordTicketRequest, RecordTicketResponse,
};
use proto::types::v1::RatingChange;
use proto::{Code, GameId, PlayerId, Refusal};
use timekeeping::UnixMs;
use tonic::{Request, Response, Status};

use crate::metrics;
use crate::page::{self, Cursor, Limit};
use crate::record::Record;
use crate::store::{Recorded, Store, StoreError};

/// How many players' ratings one call may ask for.
const MAX_PLAYERS: usize = 1000;
/// No leaderboard is longer; a cursor that says so was made up.
const LAST_RANK: u32 = 1_000_000_000;

/// The service on the wire.
pub(crate) struct Service {
    store: Arc<dyn Store>,
}

impl Service {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }
}

/// What the caller hears of a store's failure; the failure itself goes to the log, once, here.
fn failed(error: &StoreError) -> Refusal {
    match error {
        StoreError::Contradiction { v } => {
            Refusal::bad_request("events", format_args!("at v {v}: the game is recorded with another event"))
        }
        StoreError::Database(error) => {
            tracing::error!(%error, "the database failed");
            Refusal::unavailable()
        }
        StoreError::Corrupt(column) => {
            tracing::error!(db.column = column, "the database holds a row that was never written by this service");
            Refusal::new(Code::Internal, "something went wrong on our side")
        }
    }
}

#[tonic::async_trait]
impl RatingService for Service {
    #[tracing::instrument(skip_all, fields(game.id = %request.get_ref().game_id))]
    async fn record_game(&self, request: Request<RecordGameRequest>) -> Result<Response<RecordGameResponse>, Status> {
        let request = request.into_inner();
        let game: GameId = wire::id("game_id", &request.game_id)?;
        let record = Record::read(game, request.events)?;
        let recorded = match self.store.record(&record, runtime::wall_clock_ms()).await {
            Ok(recorded) => recorded,
            Err(error) => {
                if let StoreError::Contradiction { v } = error {
                    tracing::error!(game.id = %game, game.v = v, "a recorded game was reported with another log");
                    metrics::contradiction();
                }
                return Err(failed(&error).into());
            }
        };
        if matches!(recorded, Recorded::New(_)) {
            metrics::game_recorded(&record);
            tracing::info!(game.id = %game, game.plies = record.moves.len(), "game recorded");
        }
        let changes = recorded.changes().iter().map(RatingChange::from).collect();
        Ok(Response::new(RecordGameResponse { changes }))
    }

    #[tracing::instrument(skip_all)]
    async fn get_record(&self, request: Request<GetRecordRequest>) -> Result<Response<GetRecordResponse>, Status> {
        let game = wire::id("game_id", &request.get_ref().game_id)?;
        let log = self.store.log(game).await.map_err(|error| failed(&error))?;
        let events = log.ok_or_else(|| Refusal::not_found("game"))?;
        Ok(Response::new(GetRecordResponse { events }))
    }

    #[tracing::instrument(skip_all)]
    async fn get_ratings(&self, request: Request<GetRatingsRequest>) -> Result<Response<GetRatingsResponse>, Status> {
        let request = request.into_inner();
        if request.player_ids.len() > MAX_PLAYERS {
            return Err(Refusal::bad_request("player_ids", format_args!("at most {MAX_PLAYERS}")).into());
        }
        let players: Result<Vec<PlayerId>, _> =
            request.player_ids.iter().map(|id| wire::id("player_ids", id)).collect();
        let (players, class) = (players?, wire::class_or_all(request.class)?);
        let stored = self.store.ratings(&players, class).await.map_err(|error| failed(&error))?;
        Ok(Response::new(GetRatingsResponse { ratings: wire::all_ratings(&players, class, &stored) }))
    }

    #[tracing::instrument(skip_all)]
    async fn list_rating_history(
        &self,
        request: Request<ListRatingHistoryRequest>,
    ) -> Result<Response<ListRatingHistoryResponse>, Status> {
        let request = request.into_inner();
        let player = wire::id("player_id", &request.player_id)?;
        let class = wire::class_or_all(request.class)?;
        let limit = Limit::new(request.limit)?;
        let before = Cursor::read::<1>("history", &request.cursor)?.map(|cursor| cursor.part(0)).transpose()?;
        let entries = self.store.history(player, class, before, limit.and_one_more()).await;
        let mut entries = entries.map_err(|error| failed(&error))?;
        let more = limit.cut(&mut entries);
        let last = entries.last().filter(|_| more);
        let next_cursor = last.map_or_else(String::new, |last| Cursor::write("history", &[&last.number]));
        let items = entries.iter().map(wire::history_item).collect();
        Ok(Response::new(ListRatingHistoryResponse { items, next_cursor }))
    }

    #[tracing::instrument(skip_all)]
    async fn get_leaderboard(
        &self,
        request: Request<GetLeaderboardRequest>,
    ) -> Result<Response<GetLeaderboardResponse>, Status> {
        let request = request.into_inner();
        let class = wire::class_or_all(request.class)?;
        let class = class.ok_or_else(|| Refusal::bad_request("class", "expected bullet, blitz or rapid"))?;
        let limit = Limit::new(request.limit)?;
        let list = format!("board-{class}{}", if request.include_provisional { "-all" } else { "" });
        // The key of the last player seen, by the exact bits of the rating, and that player's rank.
        let (after, seen) = match Cursor::read::<3>(&list, &request.cursor)? {
            None => (None, 0),
            Some(cursor) => {
                let (rating, seen) = (f64::from_bits(cursor.part(0)?), cursor.part::<u32>(2)?);
                if !rating.is_finite() || seen > LAST_RANK {
                    return Err(page::malformed().into());
                }
                (Some((rating, cursor.part(1)?)), seen)
            }
        };
        let page = self.store.leaderboard(class, request.include_provisional, after, limit.and_one_more()).await;
        let mut page = page.map_err(|error| failed(&error))?;
        let more = limit.cut(&mut page);
        let items: Vec<_> = (seen + 1..)
            .zip(&page)
            .map(|(rank, rated)| LeaderboardItem { rank, rating: Some(wire::rating(rated)) })
            .collect();
        let next_cursor = match (page.last(), items.last()) {
            (Some(last), Some(item)) if more => {
                Cursor::write(&list, &[&last.standing.rating.to_bits(), &last.player, &item.rank])
            }
            _ => String::new(),
        };
        Ok(Response::new(GetLeaderboardResponse { items, next_cursor }))
    }

    #[tracing::instrument(skip_all)]
    async fn list_records(
        &self,
        request: Request<ListRecordsRequest>,
    ) -> Result<Response<ListRecordsResponse>, Status> {
        let request = request.into_inner();
        let limit = Limit::new(request.limit)?;
        let query = wire::record_query(&request, limit)?;
        let mut summaries = self.store.records(&query).await.map_err(|error| failed(&error))?;
        let more = limit.cut(&mut summaries);
        let last = summaries.last().filter(|_| more);
        let next_cursor =
            last.map_or_else(String::new, |last| Cursor::write(wire::RECORDS, &[&last.ended_ms, &last.game]));
        let items = summaries.into_iter().map(wire::record_summary).collect();
        Ok(Response::new(ListRecordsResponse { items, next_cursor }))
    }

    #[tracing::instrument(skip_all)]
    async fn list_aborts(&self, request: Request<ListAbortsRequest>) -> Result<Response<ListAbortsResponse>, Status> {
        let player = wire::id("player_id", &request.get_ref().player_id)?;
        let since: UnixMs = request.get_ref().since_unix_ms;
        let at_unix_ms = self.store.aborts(player, since).await.map_err(|error| failed(&error))?;
        Ok(Response::new(ListAbortsResponse { at_unix_ms }))
    }

    #[tracing::instrument(skip_all, fields(ticket.id = %request.get_ref().ticket_id))]
    async fn record_ticket(
        &self,
        request: Request<RecordTicketRequest>,
    ) -> Result<Response<RecordTicketResponse>, Status> {
        let ticket = wire::closed_ticket(request.get_ref())?;
        self.store.keep_ticket(&ticket).await.map_err(|error| failed(&error))?;
        metrics::ticket_recorded();
        Ok(Response::new(RecordTicketResponse {}))
    }
}
