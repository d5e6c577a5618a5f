//! The rating service: players' ratings and their history, results, and the records of finished games with their
//! whole logs; the database that analytics reads.
//!
//! A game is recorded and rated in one transaction, once, however often it is reported. Rated games of a class are
//! numbered in the order of recording; [`recompute`] gives the stored ratings again from the records in that order.

#![deny(missing_docs)]

mod config;
mod grpc;
mod metrics;
mod page;
mod recompute;
pub mod record;
pub mod store;
mod word;

use std::sync::Arc;

use proto::rating::v1::rating_service_server::RatingServiceServer;
use runtime::{Database, Drain, Need, Readiness};
use tonic::service::Routes;

pub use config::Config;
pub use recompute::recompute;

use store::{PostgresStore, SqliteStore};

/// Games of some thousand moves fit; a report beyond this is no game.
const MAX_MESSAGE_BYTES: usize = 32 * 1024 * 1024;

/// Where results, ratings and records are kept, as conditions name it.
pub const DATABASE: &str = "rating database";

/// Answers the service's routes, and keeps the condition [`DATABASE`]. The SQLite file is brought to its newest form first; PostgreSQL must be in it.
///
/// # Errors
/// If the tables are not, and cannot be made, those of this build.
pub async fn build(
    _config: Config,
    database: Database,
    readiness: &Readiness,
    drain: &Drain,
) -> anyhow::Result<Routes> {
    metrics::describe();
    database.follow(DATABASE, Need::Must, readiness, drain);
    Ok(match database {
        Database::Sqlite(sqlite) => {
            SqliteStore::migrate(&sqlite).await?;
            routes(Arc::new(SqliteStore::new(sqlite)))
        }
        Database::Postgres(postgres) => routes(Arc::new(PostgresStore::open(postgres).await?)),
    })
}

/// Brings the tables to their newest form.
///
/// # Errors
/// If they are of a newer release or cannot be written.
pub async fn migrate(database: &Database) -> anyhow::Result<()> {
    match database {
        Database::Sqlite(sqlite) => SqliteStore::migrate(sqlite).await,
        Database::Postgres(postgres) => PostgresStore::migrate(postgres).await,
    }
}

fn routes(store: Arc<dyn store::Store>) -> Routes {
    let service = RatingServiceServer::new(grpc::Service::new(store))
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES);
    Routes::new(service)
}
