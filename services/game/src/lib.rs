//! The game service: the only door for commands to a game.
//!
//! A game is its log of events. A command is judged by `decide` (pure), its events are stored in one atomic step,
//! and only then is anything answered or told. Any replica can serve any game: state is derived from the log and
//! cached by version. Nothing here waits for time; the clock service wakes a game when a deadline has passed.
//!
//! Finished and aborted games go to the rating service through the outbox, at least once, and leave the live store
//! a while after their whole log is safe there; reads then come from the record.

mod config;
mod decide;
mod fact;
mod failpoint;
mod failure;
mod fanout;
mod games;
mod grpc;
mod heartbeat;
mod metrics;
mod outbox;
mod pulse;
mod record;
mod rematch;
mod state;
mod view;

use std::sync::Arc;

use live::{LiveError, LiveStore};
use proto::game::v1::game_service_server::GameServiceServer;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use runtime::grpc::Link;
use runtime::{Drain, Readiness};
use tonic::service::Routes;

pub use config::Config;

/// The longest log that is sent in one message.
pub const LOG_BYTES: usize = 32 * 1024 * 1024;

/// The condition that the live store takes heartbeats.
const LIVE_STORE: &str = "live store";

/// Builds the service on a live store and starts its work in the background.
///
/// # Errors
/// If the live store holds what this build cannot read.
pub async fn build(
    config: Config,
    store: Arc<dyn LiveStore>,
    rating: RatingServiceClient<Link>,
    readiness: &Readiness,
    drain: &Drain,
) -> anyhow::Result<Routes> {
    metrics::describe();
    let rating = rating.max_decoding_message_size(LOG_BYTES).max_encoding_message_size(LOG_BYTES);
    let passes = |error: &LiveError| matches!(error, LiveError::Unavailable(_));
    let first_beat = async || heartbeat::Heartbeat::start(Arc::clone(&store)).await;
    let heartbeat = readiness.until_open(LIVE_STORE, passes, first_beat).await?;
    let games =
        Arc::new(games::Games::new(config, Arc::clone(&store), record::Records::new(rating.clone()), heartbeat));
    let fanout = Arc::new(fanout::Fanout::new(Arc::clone(&games)));
    drain.spawn("heartbeat", pulse::keep(Arc::clone(&games), readiness.clone(), drain.clone()));
    drain.spawn("outages", pulse::credit(Arc::clone(&games), drain.clone()));
    drain.spawn("fanout", fanout::run(Arc::clone(&fanout), store.wakeups(), drain.clone()));
    drain.spawn("comparison", fanout::compare(Arc::clone(&fanout), drain.clone()));
    drain.spawn("outbox", outbox::run(Arc::clone(&games), rating, drain.clone()));
    drain.spawn("game-metrics", metrics::sample(store, drain.clone()));
    let service = grpc::Grpc::new(games, fanout, drain.clone());
    Ok(Routes::new(GameServiceServer::new(service).max_encoding_message_size(LOG_BYTES)))
}
