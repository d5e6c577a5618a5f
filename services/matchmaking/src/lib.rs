//! The matchmaking service: tickets and pools.
//!
//! A player opens a ticket and waits in the pool of its time control, rated or not. As soon as four of a pool fit
//! together by rating, and in the end whatever their ratings, they are bound to one game, which the game service
//! makes. A ticket leads to one game or to none, across crashes and replicas: every step is a conditional update
//! in the store, and a four that was formed is carried on until its game exists.

#![deny(missing_docs)]

mod config;
mod cooldown;
mod forming;
mod grpc;
mod hall;
mod metrics;
mod neighbours;
mod news;
mod store;
mod ticket;
mod window;

use std::sync::Arc;

use proto::game::v1::game_service_client::GameServiceClient;
use proto::matchmaking::v1::matchmaking_service_server::MatchmakingServiceServer;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use redis_link::OpenError;
use runtime::grpc::Link;
use runtime::{Drain, Need, Readiness};
use tonic::service::Routes;

pub use config::Config;

/// The condition that tickets can be read.
const TICKETS: &str = "ticket store";

/// Where tickets are kept.
pub enum TicketHome {
    /// In the shared file, whose tables are brought to their newest form first.
    Sqlite(runtime::Sqlite),
    /// In the Redis of this URL, as live state takes it; for several replicas.
    Redis(String),
}

/// Starts forming fours as soon as the tickets' home is there, and answers the service's routes.
///
/// # Errors
/// If the tables cannot be migrated, or Redis cannot keep tickets.
pub async fn build(
    config: Config,
    home: TicketHome,
    game: GameServiceClient<Link>,
    rating: RatingServiceClient<Link>,
    readiness: &Readiness,
    drain: &Drain,
) -> anyhow::Result<Routes> {
    metrics::describe();
    let neighbours = Arc::new(neighbours::Grpc { game, rating });
    let hall = move |store, now| {
        let (deal, drain) = (Arc::new(hall::deal_at_random), drain.clone());
        hall::Hall::new(hall::Surroundings { config, store, neighbours, now, deal, drain })
    };
    let (hall, store): (_, Arc<dyn store::Store>) = match home {
        TicketHome::Sqlite(sqlite) => {
            let store = Arc::new(store::SqliteStore::open(sqlite).await?);
            (hall(store.clone(), Arc::new(runtime::wall_clock_ms)), store)
        }
        TicketHome::Redis(url) => {
            let open = async || store::RedisStore::open(&url).await;
            let store = Arc::new(readiness.until_open(TICKETS, OpenError::passes, open).await?);
            let hall = hall(store.clone(), Arc::new(store.clock()));
            store.attend(hall.news(), drain);
            (hall, store)
        }
    };
    hall.run();
    let ask = move || {
        let store = Arc::clone(&store);
        async move { Ok(store.ping().await?) }
    };
    drain.spawn("pulse", readiness.clone().follow(TICKETS, Need::Must, ask));
    Ok(Routes::new(MatchmakingServiceServer::new(grpc::Service::new(hall))))
}
