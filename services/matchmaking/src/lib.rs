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

/// Brings the tables to their newest form, starts forming fours, and answers the service's routes.
///
/// # Errors
/// If the tables cannot be migrated.
pub async fn build(
    config: Config,
    sqlite: runtime::Sqlite,
    game: GameServiceClient<Link>,
    rating: RatingServiceClient<Link>,
    drain: &Drain,
) -> anyhow::Result<Routes> {
    metrics::describe();
    let hall = hall::Hall::new(hall::Surroundings {
        config,
        store: Arc::new(store::SqliteStore::open(sqlite).await?),
        neighbours: Arc::new(neighbours::Grpc { game, rating }),
        now: Arc::new(runtime::wall_clock_ms),
        deal: Arc::new(hall::deal_at_random),
        drain: drain.clone(),
    });
    hall.run();
    Ok(Routes::new(MatchmakingServiceServer::new(grpc::Service::new(hall))))
}
