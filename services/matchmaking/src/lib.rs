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
use runtime::Drain;
use runtime::grpc::Link;
use tonic::service::Routes;

pub use config::Config;

/// Where tickets are kept.
pub enum TicketHome {
    /// In the shared file, whose tables are brought to their newest form first.
    Sqlite(runtime::Sqlite),
    /// In the Redis of this URL, as live state takes it; for several replicas.
    Redis(String),
}

/// Starts forming fours, and answers the service's routes.
///
/// # Errors
/// If the tables cannot be migrated, or Redis cannot be reached.
pub async fn build(
    config: Config,
    home: TicketHome,
    game: GameServiceClient<Link>,
    rating: RatingServiceClient<Link>,
    drain: &Drain,
) -> anyhow::Result<Routes> {
    metrics::describe();
    let neighbours = Arc::new(neighbours::Grpc { game, rating });
    let hall = move |store, now| {
        let (deal, drain) = (Arc::new(hall::deal_at_random), drain.clone());
        hall::Hall::new(hall::Surroundings { config, store, neighbours, now, deal, drain })
    };
    let hall = match home {
        TicketHome::Sqlite(sqlite) => {
            hall(Arc::new(store::SqliteStore::open(sqlite).await?), Arc::new(runtime::wall_clock_ms))
        }
        TicketHome::Redis(url) => {
            let store = Arc::new(store::RedisStore::open(&url).await?);
            let hall = hall(store.clone(), Arc::new(store.clock()));
            store.attend(hall.news(), drain);
            hall
        }
    };
    hall.run();
    Ok(Routes::new(MatchmakingServiceServer::new(grpc::Service::new(hall))))
}
