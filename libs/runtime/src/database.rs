use crate::{Environment, Postgres, Sqlite};

/// Where results, ratings and accounts are kept.
#[derive(Debug, Clone)]
pub enum Databases {
    /// One file for all owners.
    Sqlite(Sqlite),
    /// One server, a schema for each owner.
    Postgres {
        /// Where.
        url: String,
    },
}

/// What one owner gets of [`Databases`].
#[derive(Debug, Clone)]
pub enum Database {
    /// The shared file; the owner's tables have its prefix.
    Sqlite(Sqlite),
    /// The owner's schema.
    Postgres(Postgres),
}

impl Databases {
    /// PostgreSQL if `FK_DATABASE_URL` is set, otherwise the SQLite file in `FK_DATA_DIR`.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub async fn open(environment: &Environment) -> anyhow::Result<Self> {
        Ok(match &environment.database_url {
            Some(url) => Self::Postgres { url: url.clone() },
            None => Self::Sqlite(Sqlite::open(&environment.data_dir).await?),
        })
    }

    /// The part of one owner.
    ///
    /// # Errors
    /// If PostgreSQL cannot be reached.
    pub async fn of(&self, owner: &'static str) -> anyhow::Result<Database> {
        Ok(match self {
            Self::Sqlite(sqlite) => Database::Sqlite(sqlite.clone()),
            Self::Postgres { url } => Database::Postgres(Postgres::connect(url, owner).await?),
        })
    }
}
