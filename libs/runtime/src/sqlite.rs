use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use sqlx::SqlitePool;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

const READERS: u32 = 4;

/// The one SQLite file that holds everything when neither Redis nor PostgreSQL is configured. Each owner has its
/// own table prefix and its own table of migrations.
///
/// SQLite takes one writer at a time; giving the process one writing connection makes writers queue fairly
/// instead of retrying against each other's locks.
#[derive(Debug, Clone)]
pub struct Sqlite {
    /// For statements that only read.
    pub reader: SqlitePool,
    /// For everything else; one connection. Transactions begin with `BEGIN IMMEDIATE`.
    pub writer: SqlitePool,
}

impl Sqlite {
    /// Opens the file in `folder`, making both if needed. A committed transaction survives a loss of power.
    ///
    /// # Errors
    /// If the folder cannot be made or the file cannot be opened.
    pub async fn open(folder: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("FK_DATA_DIR: cannot make {}", folder.display()))?;
        let file = folder.join("four-kingdoms.db");
        let options = SqliteConnectOptions::new()
            .filename(&file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(5));
        let pool = |connections| {
            SqlitePoolOptions::new()
                .max_connections(connections)
                .acquire_timeout(Duration::from_secs(10))
                .idle_timeout(None)
                .max_lifetime(None)
        };
        let opened = || format!("FK_DATA_DIR: cannot open {}", file.display());
        let writer = pool(1).connect_with(options.clone()).await.with_context(opened)?;
        let reader =
            pool(READERS).connect_with(options.read_only(true).create_if_missing(false)).await.with_context(opened)?;
        Ok(Self { reader, writer })
    }

    /// A file of its own that goes away with the value, for tests.
    ///
    /// # Errors
    /// As [`Sqlite::open`].
    pub async fn temporary() -> anyhow::Result<TemporarySqlite> {
        let folder = tempfile::tempdir()?;
        Ok(TemporarySqlite { sqlite: Self::open(folder.path()).await?, folder })
    }

    /// Brings the tables of one owner to the newest form; refuses a file that a newer release has migrated.
    ///
    /// # Errors
    /// If a migration fails, has changed since it was applied, or is unknown to this build.
    pub async fn migrate(&self, owner: &'static str, mut migrations: Migrator) -> anyhow::Result<()> {
        migrations.dangerous_set_table_name(format!("_migrations_{owner}"));
        migrations.run(&self.writer).await.with_context(|| format!("cannot migrate the tables of {owner}"))
    }
}

/// [`Sqlite`] in a temporary folder.
#[derive(Debug)]
pub struct TemporarySqlite {
    /// The open file.
    pub sqlite: Sqlite,
    folder: tempfile::TempDir,
}

impl TemporarySqlite {
    /// Where the file is, to open it a second time.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

#[cfg(test)]
mod tests {
    use sqlx::Executor as _;

    use super::Sqlite;

    /// Callers hang up at any moment, also while their transaction begins.
    #[tokio::test]
    async fn a_statement_is_not_lost_in_the_transaction_of_a_caller_who_went_away() {
        let file = Sqlite::temporary().await.unwrap();
        let Sqlite { reader, writer } = &file.sqlite;
        writer.execute("CREATE TABLE kept (number INTEGER)").await.unwrap();
        for number in 0..200 {
            let mut begun = Box::pin(writer.begin_with("BEGIN IMMEDIATE"));
            for _ in 0..number % 50 {
                if futures::poll!(begun.as_mut()).is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
            drop(begun);
            sqlx::query("INSERT INTO kept VALUES (?)").bind(number).execute(writer).await.unwrap();
            let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM kept").fetch_one(reader).await.unwrap();
            assert_eq!(kept, number + 1);
        }
    }
}
