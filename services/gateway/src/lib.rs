//! The door: accounts and tokens, limits, JSON, NDJSON and WebSockets in front of the gRPC services. It knows no
//! rules of play and keeps nothing of a game but what it is showing to somebody.
//!
//! - Each error is `application/problem+json` with a stable code; nothing internal is told.
//! - A token is looked up through a cache of at most 30 s; a revoked one closes its sockets at every gateway within a
//!   second, and who was known goes on playing while the database is away.
//! - A creating request repeated with its `Idempotency-Key` within 24 h gets the first answer again, from any gateway and
//!   after a crash too.
//! - NDJSON and sockets tell the same events; a slow reader is dropped and comes back with `after`.
//! - Limits: 50 requests a second (200 at once) from an address, 20 (100) with a token, signing up or in 15 a minute
//!   (20) from an address, signing in to an account 10 (20); 64 KiB bodies, 12 KiB headers, 4 KiB frames, 20 frames a second (60) on a socket; 40 open
//!   streams of a player, 200 of an address. Gateways count requests together, through Redis; frames and streams each by
//!   itself. `FK_LIMITS=off` lifts all that count.
//! - Passwords have 8 to 200 characters; they and tokens are stored as hashes only.

#![deny(missing_docs)]

mod accounts;
mod address;
mod app;
mod auth;
mod backoff;
mod command;
mod config;
mod contain;
mod docs;
mod export;
mod extract;
mod feed;
mod games;
mod idempotency;
mod identity;
mod limits;
mod links;
mod me;
mod metrics;
mod name;
mod ndjson;
mod page;
mod password;
mod peers;
mod play;
mod players;
mod presence;
mod problem;
mod rest;
mod router;
mod rules;
mod socket;
pub mod store;
mod tickets;
mod token;
mod view;
mod watch;
mod watcher;
mod web;
mod wish;

use std::sync::Arc;
use std::time::Duration;

use peers::{Alone, Peers, RedisPeers};
use runtime::{Database, Drain, Need, Readiness};
use store::AccountStore;
use store::postgres::PostgresAccounts;
use store::sqlite::SqliteAccounts;

pub use config::{Config, Pace};
pub use links::Links;
pub use name::{InvalidName, Name};
pub use token::TokenHash;

/// Where accounts are kept, as conditions name it.
pub const DATABASE: &str = "account database";

const SWEEP: Duration = Duration::from_secs(600);

/// Makes the router; serve it so that the peer's address can be extracted. Several gateways on one PostgreSQL find each
/// other through Redis; it need not be up.
///
/// The condition [`DATABASE`] says whether accounts are within reach. Without them, and without Redis, a gateway goes on
/// serving the players it knows, so neither takes it out of service.
///
/// The SQLite file is brought to its newest form first; PostgreSQL must be in it.
///
/// # Errors
/// If the tables are not, and cannot be made, those of this build, or a setting is wrong.
pub async fn build(
    config: Config,
    database: Database,
    redis: Option<&str>,
    links: Links,
    readiness: &Readiness,
    drain: &Drain,
) -> anyhow::Result<axum::Router> {
    metrics::describe();
    let peers: Arc<dyn Peers> = match redis {
        Some(url) => RedisPeers::open(url, drain)?,
        None => Arc::new(Alone::new()),
    };
    database.follow(DATABASE, Need::Can, readiness, drain);
    let store: Arc<dyn AccountStore> = match database {
        Database::Sqlite(sqlite) => Arc::new(SqliteAccounts::open(&sqlite).await?),
        Database::Postgres(postgres) => Arc::new(PostgresAccounts::open(postgres).await?),
    };
    let app = app::App::new(app::Parts {
        identities: identity::Identities::new(Arc::clone(&store), Arc::clone(&peers), config.pace.token_fresh),
        passwords: password::Passwords::new().await?,
        answers: idempotency::Answers::default(),
        limits: limits::Limits::new(config.limits, Arc::clone(&peers)),
        feeds: feed::Feeds::new(links.clone(), drain.clone(), config.pace.compare_head),
        presences: presence::Presences::new(links.clone(), peers),
        drain: drain.clone(),
        config,
        store,
        links,
    });
    drain.spawn("gateway sweeper", sweep(app.clone()));
    drain.spawn("gateway upkeep", keep_up(app.clone()));
    router::build(app)
}

/// Brings the tables to their newest form.
///
/// # Errors
/// If they are of a newer release or cannot be written.
pub async fn migrate(database: &Database) -> anyhow::Result<()> {
    match database {
        Database::Sqlite(sqlite) => SqliteAccounts::migrate(sqlite).await,
        Database::Postgres(postgres) => PostgresAccounts::migrate(postgres).await,
    }
}

/// Hears what other gateways tell, and tells them who is here.
async fn keep_up(app: app::App) {
    tokio::select! {
        () = app.identities.clone().listen() => {}
        () = app.presences.renew() => {}
        () = app.drain.draining() => {}
    }
}

/// Takes away what has outlived its use.
async fn sweep(app: app::App) {
    let kept_ms = idempotency::REMEMBERED.as_millis() as i64;
    loop {
        let now = runtime::wall_clock_ms();
        match app.store.sweep(now, now - kept_ms).await {
            Ok(0) => {}
            Ok(rows) => tracing::debug!(rows, "swept dead tokens and old answers"),
            Err(error) => tracing::warn!(%error, "dead tokens could not be swept"),
        }
        app.limits.sweep();
        app.answers.sweep();
        tokio::select! {
            () = tokio::time::sleep(SWEEP) => {}
            () = app.drain.draining() => return,
        }
    }
}
