//! Games that have left the live store: their records at the rating service.

use std::sync::Arc;

use moka::sync::Cache;
use proto::rating::v1::GetRecordRequest;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::types::v1::Event;
use proto::{Code, GameId, Refusal};
use runtime::grpc::Link;

use crate::failure::unreadable;
use crate::state::State;

/// A complete record never changes; these are kept at hand.
const CACHED: u64 = 2_000;

/// Reads records.
pub(crate) struct Records {
    rating: RatingServiceClient<Link>,
    cache: Cache<GameId, Arc<State>>,
}

impl Records {
    pub(crate) fn new(rating: RatingServiceClient<Link>) -> Self {
        Self { rating, cache: Cache::new(CACHED) }
    }

    /// The game of a record.
    pub(crate) async fn find(&self, id: GameId) -> Result<Option<Arc<State>>, Refusal> {
        if let Some(state) = self.cache.get(&id) {
            return Ok(Some(state));
        }
        let Some(events) = self.log(id).await? else { return Ok(None) };
        let state = Arc::new(State::replay(id, &events).map_err(|error| unreadable(id, &error))?);
        if state.is_complete() {
            self.cache.insert(id, Arc::clone(&state));
        }
        Ok(Some(state))
    }

    /// The whole log of a record.
    pub(crate) async fn log(&self, id: GameId) -> Result<Option<Vec<Event>>, Refusal> {
        match self.rating.clone().get_record(GetRecordRequest { game_id: id.to_string() }).await {
            Ok(record) => Ok(Some(record.into_inner().events)),
            Err(status) => match Refusal::from(status) {
                refusal if refusal.code == Code::NotFound => Ok(None),
                refusal => Err(refusal),
            },
        }
    }
}
