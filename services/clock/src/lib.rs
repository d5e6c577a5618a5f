//! The clock service: waits for deadlines and wakes games.
//!
//! It decides nothing. It leases shards, looks which of their deadlines are due, and tells the game service that
//! "kind K of ply P is due"; what follows is the game's own decision, so a late or repeated call does no harm and
//! lets no late move through. A replica that dies is replaced when its leases lapse.

mod grpc;
mod metrics;
mod waker;

use std::sync::Arc;

use live::LiveStore;
use proto::clock::v1::clock_service_server::ClockServiceServer;
use proto::game::v1::game_service_client::GameServiceClient;
use runtime::grpc::Link;
use runtime::{Drain, Need, Readiness};
use tonic::service::Routes;

/// Builds the service and starts waiting.
pub fn build(store: Arc<dyn LiveStore>, game: GameServiceClient<Link>, readiness: &Readiness, drain: &Drain) -> Routes {
    metrics::describe();
    let (leased, share) = tokio::sync::watch::channel(Vec::new());
    drain.spawn("leases", waker::keep_leases(Arc::clone(&store), leased, drain.clone()));
    drain.spawn("waker", waker::run(Arc::clone(&store), game, share, drain.clone()));
    let asked = Arc::clone(&store);
    let ask = move || {
        let store = Arc::clone(&asked);
        async move { Ok(store.deadlines(1).await.map(drop)?) }
    };
    drain.spawn("pulse", readiness.clone().follow("live store's deadlines", Need::Must, ask));
    Routes::new(ClockServiceServer::new(grpc::Grpc::new(store)))
}
