use crate::{Drain, Environment, Need, Postgres, Readiness, Secret, Sqlite};

/// Where results, ratings and accounts are kept.
#[derive(Debug, Clone)]
pub enum Databases {
    /// One file for all owners.
    Sqlite(Sqlite),
    /// One server, a schema for each owner.
    Postgres {
        /// Where.
        url: Secret,
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

    /// The part of one owner, as soon as PostgreSQL is there; the condition does not hold until then.
    ///
    /// # Errors
    /// If the URL cannot be understood, or PostgreSQL does not take the login or has no such database.
    pub async fn await_of(
        &self,
        owner: &'static str,
        condition: &'static str,
        readiness: &Readiness,
    ) -> anyhow::Result<Database> {
        readiness.until_open(condition, Postgres::is_away, async || self.of(owner).await).await
    }

    /// The part of one owner.
    ///
    /// # Errors
    /// If PostgreSQL cannot be reached.
    pub async fn of(&self, owner: &'static str) -> anyhow::Result<Database> {
        Ok(match self {
            Self::Sqlite(sqlite) => Database::Sqlite(sqlite.clone()),
            Self::Postgres { url } => Database::Postgres(Postgres::connect(url.expose(), owner).await?),
        })
    }
}

impl Database {
    /// Keeps a condition by whether the database answers, until draining begins.
    pub fn follow(&self, condition: &'static str, need: Need, readiness: &Readiness, drain: &Drain) {
        let readiness = readiness.clone();
        match self {
            Self::Postgres(postgres) => drain.spawn(condition, readiness.follow(condition, need, postgres.pulse())),
            Self::Sqlite(Sqlite { reader, .. }) => {
                let reader = reader.clone();
                let ask = move || {
                    let reader = reader.clone();
                    async move { Ok(sqlx::query("SELECT 1").execute(&reader).await.map(drop)?) }
                };
                drain.spawn(condition, readiness.follow(condition, need, ask));
            }
        }
    }
}
