use std::collections::BTreeMap;
use std::fmt;
use std::io::ErrorKind;
use std::str::FromStr as _;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use futures::future::BoxFuture;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, PgPool, Row as _};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::Secret;

/// One more asks for signs of life.
const CONNECTIONS: u32 = 9;
const ACQUIRE: Duration = Duration::from_secs(3);
/// How long a pooled connection may take to show that it lives.
const PING: Duration = Duration::from_millis(500);

/// One owner's schema in PostgreSQL. Unqualified names mean that schema.
#[derive(Clone)]
pub struct Postgres {
    /// Connections of this owner.
    pub pool: PgPool,
    owner: &'static str,
    distrusted: Distrust,
}

/// When the server last gave no sign of life, or took no writes. It may be another one since, so connections from before
/// are not used again.
#[derive(Clone, Default)]
struct Distrust(Arc<RwLock<Option<Instant>>>);

impl Distrust {
    /// Whether a connection of this age can be used.
    fn covers(&self, age: Duration) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_none_or(|since| since.elapsed() > age)
    }

    fn begin(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

/// Distrusts unless the question was answered well, also when nobody waited for the answer any more.
struct Question {
    distrusted: Distrust,
    answered: bool,
}

impl Question {
    fn answer_well(mut self) {
        self.answered = true;
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        if !self.answered {
            self.distrusted.begin();
        }
    }
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
        let distrusted = Distrust::default();
        let trusted = distrusted.clone();
        // The pool's own test has no time limit, and does not see what a caller left behind who went away.
        let pool =
            PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(ACQUIRE).test_before_acquire(false);
        let pool = pool.before_acquire(move |connection, meta| {
            let trusted = trusted.covers(meta.age);
            Box::pin(async move { Ok(trusted && matches!(timeout(PING, is_clean(connection)).await, Ok(Ok(true)))) })
        });
        Ok(Self { pool: pool.connect_lazy_with(options), owner, distrusted })
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
            // A certificate that is not believed comes as broken data.
            Some(sqlx::Error::Io(error)) => error.kind() != ErrorKind::InvalidData,
            Some(sqlx::Error::PoolTimedOut) => true,
            Some(sqlx::Error::Database(error)) => {
                let code = error.code().unwrap_or_default();
                ["08", "53", "57"].iter().any(|class| code.starts_with(class))
            }
            _ => cause.is::<tokio::time::error::Elapsed>(),
        })
    }

    /// What asks the server whether it is there and takes writes, over a connection of its own that no work can hold up.
    pub(crate) fn pulse(&self) -> impl FnMut() -> BoxFuture<'static, anyhow::Result<()>> + Send + use<> {
        let (options, kept) = (self.pool.connect_options(), Arc::new(Mutex::new(None)));
        let distrusted = self.distrusted.clone();
        move || {
            let (options, kept) = (Arc::clone(&options), Arc::clone(&kept));
            let question = Question { distrusted: distrusted.clone(), answered: false };
            Box::pin(async move {
                let mut kept = kept.lock().await;
                // Whatever goes wrong, the next question has a new connection, perhaps to another server.
                let mut connection: PgConnection = match kept.take() {
                    Some(connection) => connection,
                    None => dial(&options).await?,
                };
                let refuses: String =
                    sqlx::query_scalar("SHOW transaction_read_only").fetch_one(&mut connection).await?;
                if refuses == "on" {
                    bail!("FK_DATABASE_URL: the server takes no writes, as a standby does not");
                }
                *kept = Some(connection);
                question.answer_well();
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

/// Whether no transaction is open. A BEGIN whose caller goes away before it is answered leaves one that the library does
/// not know of (sqlx 0.9): the next caller's statement would be answered well, and be lost with the connection.
async fn is_clean(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    // The first is when the transaction began.
    connection.fetch_one("SELECT now() = statement_timestamp()").await?.try_get(0)
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

#[cfg(test)]
mod tests {
    use sqlx::{Connection as _, Executor as _, PgConnection, raw_sql};

    use super::Postgres;

    #[tokio::test]
    async fn a_server_that_takes_no_writes_is_of_no_use_and_its_connections_are_left() {
        let server = servers::Postgres::start().await;
        let url = server.database().await;
        let postgres = Postgres::connect(&url, "owner").await.unwrap();
        let mut pulse = postgres.pulse();
        pulse().await.unwrap();
        let backend = async || sqlx::query_scalar::<_, i32>("SELECT pg_backend_pid()").fetch_one(&postgres.pool).await;
        let mut before = vec![backend().await.unwrap()];
        // Until one is used again.
        while let pid = backend().await.unwrap()
            && !before.contains(&pid)
        {
            before.push(pid);
        }

        let mut operator = PgConnection::connect(&url).await.unwrap();
        let mut set = async |value: &'static str| {
            raw_sql(value).execute(&mut operator).await.unwrap();
            raw_sql("SELECT pg_reload_conf()").execute(&mut operator).await.unwrap();
        };
        set("ALTER SYSTEM SET default_transaction_read_only = on").await;
        let why = loop {
            if let Err(why) = pulse().await {
                break why;
            }
        };
        assert!(why.to_string().contains("takes no writes"), "{why:#}");
        set("ALTER SYSTEM SET default_transaction_read_only = off").await;
        while pulse().await.is_err() {}
        assert!(!before.contains(&backend().await.unwrap()), "it may be to the server that took no writes");
    }

    /// Callers hang up at any moment, also while their transaction begins.
    #[tokio::test]
    async fn a_statement_is_not_lost_in_the_transaction_of_a_caller_who_went_away() {
        let server = servers::Postgres::start().await;
        let url = server.database().await;
        let postgres = Postgres::connect(&url, "public").await.unwrap();
        postgres.pool.execute("CREATE TABLE kept (number int)").await.unwrap();
        for number in 0..200 {
            let mut begun = Box::pin(postgres.pool.begin());
            for _ in 0..number % 50 {
                if futures::poll!(begun.as_mut()).is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
            drop(begun);
            sqlx::query("INSERT INTO kept VALUES ($1)").bind(number).execute(&postgres.pool).await.unwrap();
        }
        let mut other = PgConnection::connect(&url).await.unwrap();
        let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM kept").fetch_one(&mut other).await.unwrap();
        assert_eq!(kept, 200);
    }

    #[test]
    fn a_certificate_that_is_not_believed_is_for_somebody_to_put_right() {
        let io = |kind| anyhow::Error::new(sqlx::Error::Io(std::io::Error::from(kind)));
        assert!(Postgres::is_away(&io(std::io::ErrorKind::ConnectionRefused)));
        assert!(!Postgres::is_away(&io(std::io::ErrorKind::InvalidData)));
    }
}
