use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use futures::future::BoxFuture;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool, Row as _};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::Secret;

/// One more asks for signs of life.
const CONNECTIONS: u32 = 9;
const ACQUIRE: Duration = Duration::from_secs(3);

/// One owner's schema in PostgreSQL. Unqualified names mean that schema.
#[derive(Clone)]
pub struct Postgres {
    /// Connections of this owner.
    pub pool: PgPool,
    owner: &'static str,
}

/// A password is not for logs.
impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("owner", &self.owner).finish_non_exhaustive()
    }
}

impl Postgres {
    /// Connects. A statement takes at most 5 s, a lock is waited for at most 3 s, an idle transaction ends after 10 s.
    ///
    /// # Errors
    /// If the URL cannot be understood or the server not be reached, and then why. The URL is not part of the message.
    pub async fn connect(url: &str, owner: &'static str) -> anyhow::Result<Self> {
        let options = understood(url)?.application_name(&format!("four-kingdoms-{owner}")).options([
            ("search_path", owner),
            ("statement_timeout", "5s"),
            ("lock_timeout", "3s"),
            ("idle_in_transaction_session_timeout", "10s"),
        ]);
        // The pool would only say that it took too long.
        dial(&options).await?.close().await?;
        let pool =
            PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(ACQUIRE).connect_lazy_with(options);
        Ok(Self { pool, owner })
    }

    /// # Errors
    /// If the URL cannot be understood. It is not part of the message.
    pub(crate) fn check(url: &Secret) -> anyhow::Result<()> {
        understood(url.expose()).map(drop)
    }

    /// Whether the server may be there later although it was not when it said this: it did not answer, was starting,
    /// stopping or full. Anything else is for somebody to put right.
    #[must_use]
    pub fn is_away(error: &anyhow::Error) -> bool {
        error.chain().any(|cause| match cause.downcast_ref() {
            Some(sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut) => true,
            Some(sqlx::Error::Database(error)) => {
                let code = error.code().unwrap_or_default();
                ["08", "53", "57"].iter().any(|class| code.starts_with(class))
            }
            _ => cause.is::<tokio::time::error::Elapsed>(),
        })
    }

    /// What asks the server whether it is there, over a connection of its own that no work can hold up.
    pub(crate) fn pulse(&self) -> impl FnMut() -> BoxFuture<'static, anyhow::Result<()>> + Send + use<> {
        let (options, kept) = (self.pool.connect_options(), Arc::new(Mutex::new(None)));
        move || {
            let (options, kept) = (Arc::clone(&options), Arc::clone(&kept));
            Box::pin(async move {
                let mut kept = kept.lock().await;
                // Whatever goes wrong, the next question has a new connection.
                let mut connection: PgConnection = match kept.take() {
                    Some(connection) => connection,
                    None => dial(&options).await?,
                };
                connection.ping().await?;
                *kept = Some(connection);
                Ok(())
            })
        }
    }

    fn table(&self) -> String {
        format!("{}._migrations", self.owner)
    }

    /// Brings the owner's schema to the newest form; what a `migrate` subcommand does.
    ///
    /// # Errors
    /// If a migration fails, has changed since it was applied, or is unknown to this build.
    pub async fn migrate(&self, mut migrations: Migrator) -> anyhow::Result<()> {
        migrations.create_schema(self.owner);
        migrations.dangerous_set_table_name(self.table());
        // A migration may build an index for minutes; only this connection may take that long, and it ends with it.
        let mut connection = self.pool.acquire().await?.detach();
        sqlx::raw_sql("SET statement_timeout = 0; SET lock_timeout = '60s'").execute(&mut connection).await?;
        migrations.run(&mut connection).await.with_context(|| format!("cannot migrate the schema {}", self.owner))?;
        Ok(connection.close().await?)
    }

    /// Refuses a schema that is not exactly the one this build knows.
    ///
    /// # Errors
    /// Says what to run.
    pub async fn verify(&self, migrations: &Migrator) -> anyhow::Result<()> {
        let owner = self.owner;
        let exists = sqlx::query("SELECT to_regclass($1) IS NOT NULL").bind(self.table()).fetch_one(&self.pool).await?;
        if !exists.try_get::<bool, _>(0)? {
            bail!("the schema {owner} has not been made: run the migrate subcommand of {owner} first");
        }
        let statement = format!("SELECT version, checksum, success FROM {}", self.table());
        let mut applied = BTreeMap::new();
        for row in sqlx::query(AssertSqlSafe(statement)).fetch_all(&self.pool).await? {
            if row.try_get::<bool, _>("success")? {
                applied.insert(row.try_get::<i64, _>("version")?, row.try_get::<Vec<u8>, _>("checksum")?);
            }
        }
        for migration in migrations.iter() {
            match applied.remove(&migration.version) {
                None => bail!("the schema {owner} is older than this build: run the migrate subcommand of {owner}"),
                Some(checksum) if checksum != *migration.checksum => {
                    bail!("migration {} of the schema {owner} differs from the one applied", migration.version)
                }
                Some(_) => {}
            }
        }
        if let Some(version) = applied.into_keys().next() {
            bail!("the schema {owner} is newer than this build: migration {version} is unknown");
        }
        Ok(())
    }
}

fn understood(url: &str) -> anyhow::Result<PgConnectOptions> {
    // sqlx takes any scheme.
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    let ours = scheme.filter(|scheme| matches!(*scheme, "postgres" | "postgresql"));
    ours.and_then(|_| PgConnectOptions::from_str(url).ok())
        .context("FK_DATABASE_URL: expected postgres://user:password@host/database")
}

async fn dial(options: &PgConnectOptions) -> anyhow::Result<PgConnection> {
    let dialled = async { anyhow::Ok(timeout(ACQUIRE, PgConnection::connect_with(options)).await??) };
    dialled.await.context("FK_DATABASE_URL: cannot connect to PostgreSQL")
}
