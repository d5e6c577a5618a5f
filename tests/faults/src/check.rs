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
use redis::aio::MultiplexedConnection;
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, sleep};

use crate::journal::{Check, Journal};
use crate::redis_home::RedisHome;
use crate::report::Counts;
use crate::timeline::Timeline;

/// For what waits for the rating service to arrive there.
const REPORTS: Duration = Duration::from_secs(90);
/// Longer than a game stays in Redis after its record is safe (services/game/src/outbox.rs).
const RETIREMENT_MS: i64 = 15 * 60_000;

pub(crate) struct Evidence<'a> {
    pub(crate) journal: &'a Journal,
    pub(crate) gateways: Vec<SocketAddr>,
    pub(crate) redis: &'a RedisHome,
    /// Its URL.
    pub(crate) postgres: &'a str,
    pub(crate) timeline: &'a Timeline,
}

/// The log of every game, by its id.
type Logs = BTreeMap<String, Vec<Value>>;

pub(crate) async fn check(evidence: &Evidence<'_>) -> anyhow::Result<Counts> {
    let Evidence { journal, .. } = evidence;
    let store = live::open(Home::Redis(evidence.redis.url())).await?;
    let mut redis = evidence.redis.connections().await?;
    reports_arrive(evidence, &store, &mut redis).await?;
    let logs = logs::read_all(evidence).await;
    logs::check(journal, &logs);
    let mut counts = count(&logs);
    counts.outages = time::check(evidence, &logs, &*store).await?;
    let mut postgres = PgConnection::connect(evidence.postgres).await?;
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

/// Ended games and closed tickets are told to the rating service in their own time.
async fn reports_arrive(
    evidence: &Evidence<'_>,
    store: &Arc<dyn LiveStore>,
    redis: &mut [MultiplexedConnection],
) -> anyhow::Result<()> {
    let until = Instant::now() + REPORTS;
    loop {
        let (waiting, parked) = store.outbox_size().await?;
        // A sweeper follows what a dead writer left unindexed after two seconds.
        let owed = redis_keys::owed(redis).await?;
        if parked > 0 {
            evidence.journal.found(Check::Records, format!("{parked} games are parked in the outbox"));
            return Ok(());
        }
        if waiting == 0 && owed.is_empty() {
            return Ok(());
        }
        if Instant::now() > until {
            let what = format!("after {REPORTS:?} {waiting} games are not reported, and {owed:?} are not empty");
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
