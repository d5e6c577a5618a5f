//! Holds what clients saw against what the stores hold. Nothing here asks what the services think of themselves.

mod logs;
mod records;
mod redis_keys;
mod tickets;
mod time;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use live::{Home, LiveStore};
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, sleep};

use crate::journal::{Check, Journal};
use crate::report::Counts;
use crate::timeline::Timeline;

/// For what waits for the rating service to arrive there.
const REPORTS: Duration = Duration::from_secs(90);
const START: Duration = Duration::from_secs(60);
/// Longer than a game stays in Redis after its record is safe (services/game/src/outbox.rs).
const RETIREMENT_MS: i64 = 15 * 60_000;

pub(crate) struct Evidence<'a> {
    pub(crate) journal: &'a Journal,
    pub(crate) gateways: Vec<SocketAddr>,
    pub(crate) redis: String,
    pub(crate) postgres: String,
    pub(crate) timeline: &'a Timeline,
}

/// The log of every game, by its id.
type Logs = BTreeMap<String, Vec<Value>>;

pub(crate) async fn check(evidence: &Evidence<'_>) -> anyhow::Result<Counts> {
    let Evidence { journal, .. } = evidence;
    let store = live::open(Home::Redis(evidence.redis.clone())).await?;
    let mut redis = redis::Client::open(evidence.redis.as_str())?.get_multiplexed_async_connection().await?;
    reports_arrive(evidence, &store, &mut redis).await?;
    let logs = logs::read_all(evidence).await;
    logs::check(journal, &logs);
    let mut counts = count(&logs);
    counts.outages = time::check(evidence, &logs, &*store).await?;
    let mut postgres = PgConnection::connect(&evidence.postgres).await?;
    records::check(journal, &logs, &mut postgres).await?;
    tickets::check(journal, &logs, &mut postgres).await?;
    postgres.close().await?;

    redis_keys::check_before(journal, &mut redis).await?;
    store.retire(store.now() + RETIREMENT_MS).await.context("games could not be retired")?;
    counts.expiring = redis_keys::check_after(journal, &mut redis).await?;
    let again = logs::read_all(evidence).await;
    for (game, log) in &logs {
        if again.get(game) != Some(log) {
            journal.found(Check::Reread, format!("game {game} reads differently once it has retired"));
        }
    }
    Ok(counts)
}

/// Waits until Redis and PostgreSQL can be used.
pub(crate) async fn stores_answer(redis: &str, postgres: &str) -> anyhow::Result<()> {
    let until = Instant::now() + START;
    loop {
        let asked = async {
            redis::Client::open(redis)?.get_multiplexed_async_connection().await?;
            PgConnection::connect(postgres).await?.close().await?;
            anyhow::Ok(())
        };
        match asked.await {
            Ok(()) => return Ok(()),
            Err(error) if Instant::now() > until => return Err(error.context("Redis or PostgreSQL does not start")),
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Ended games and closed tickets are told to the rating service in their own time.
async fn reports_arrive(
    evidence: &Evidence<'_>,
    store: &Arc<dyn LiveStore>,
    redis: &mut redis::aio::MultiplexedConnection,
) -> anyhow::Result<()> {
    let until = Instant::now() + REPORTS;
    loop {
        let (waiting, parked) = store.outbox_size().await?;
        let tickets: u64 = redis::cmd("ZCARD").arg("{matchmaking}:unreported").query_async(redis).await?;
        // A sweeper follows what a dead writer left after two seconds.
        let unindexed = redis_keys::named(redis, "unindexed").await?;
        if parked > 0 {
            evidence.journal.found(Check::Records, format!("{parked} games are parked in the outbox"));
            return Ok(());
        }
        if waiting + tickets == 0 && unindexed.is_empty() {
            return Ok(());
        }
        if Instant::now() > until {
            let what = format!(
                "after {REPORTS:?} {waiting} games and {tickets} tickets are not reported, {unindexed:?} not empty"
            );
            evidence.journal.found(Check::Records, what);
            return Ok(());
        }
        sleep(Duration::from_millis(200)).await;
    }
}

fn count(logs: &Logs) -> Counts {
    let kinds = |log: &[Value], kind: &str| log.iter().filter(|event| event["type"] == kind).count();
    let mut counts = Counts { games: logs.len(), ..Counts::default() };
    for log in logs.values() {
        counts.over += kinds(log, "over");
        counts.aborted += kinds(log, "aborted");
        counts.rated += kinds(log, "rated");
        counts.moves += kinds(log, "move");
        counts.credits += kinds(log, "clock_adjusted");
    }
    counts
}

/// A column of text, or what is wrong with it.
fn text(row: &sqlx::postgres::PgRow, column: &str) -> anyhow::Result<String> {
    use sqlx::Row as _;
    match row.try_get::<Option<String>, _>(column)? {
        Some(text) => Ok(text),
        None => bail!("{column} is null"),
    }
}
