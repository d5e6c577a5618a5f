use std::sync::Arc;

use sqlx::SqlitePool;

use crate::{LiveError, LiveStore, RedisLiveStore, SqliteLiveStore};

/// Where live state is kept. Not to be printed: a URL may hold a password.
#[derive(Clone)]
pub enum Home {
    /// Redis, by URL; for any number of processes.
    Redis(String),
    /// The platform's one SQLite file; for one game service.
    Sqlite {
        /// For statements that only read.
        reader: SqlitePool,
        /// For everything else; one connection.
        writer: SqlitePool,
        /// The store's time, in milliseconds since 1970.
        clock: fn() -> i64,
    },
}

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Redis.
    #[error(transparent)]
    Redis(#[from] redis_link::OpenError),
    /// The SQLite file cannot be brought to the form this build knows.
    #[error("cannot migrate the tables of live state")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// The SQLite file cannot be read.
    #[error(transparent)]
    Live(#[from] LiveError),
}

impl OpenError {
    /// Whether the store may be there later although nobody puts anything right.
    #[must_use]
    pub fn passes(&self) -> bool {
        matches!(self, Self::Redis(error) if error.passes())
    }
}

/// Opens the store in its home.
///
/// # Errors
/// [`OpenError`]; the message is for the operator.
pub async fn open(home: Home) -> Result<Arc<dyn LiveStore>, OpenError> {
    match home {
        Home::Redis(url) => Ok(Arc::new(RedisLiveStore::connect(&url).await?)),
        Home::Sqlite { reader, writer, clock } => {
            let mut migrations = SqliteLiveStore::migrations();
            migrations.dangerous_set_table_name("_migrations_live");
            migrations.run(&writer).await?;
            Ok(Arc::new(SqliteLiveStore::open(reader, writer, clock).await?))
        }
    }
}
