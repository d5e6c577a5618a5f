//! What belongs to shards and not to single games: leases, the heartbeat, outages.

use std::collections::BTreeMap;

use proto::{SHARDS, Shard};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection, SqlitePool};

use super::{number, unreadable};
use crate::store::{Lease, LeaseKind, LiveError, Outage};

/// How long an outage is remembered; no game's turn lasts that long.
const OUTAGES_KEPT_MS: i64 = 7 * 24 * 3_600_000;

pub(super) fn outage(row: &SqliteRow) -> Result<Outage, LiveError> {
    Ok(Outage { id: row.try_get("id")?, from: row.try_get("from_time")?, to: row.try_get("to_time")? })
}

pub(super) async fn beat(writer: &SqlitePool, gap_ms: i64, now: i64) -> Result<Option<Outage>, LiveError> {
    let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await?;
    let last = sqlx::query("SELECT at FROM live_heartbeat").fetch_optional(&mut *transaction).await?;
    let last: Option<i64> = last.map(|row| row.try_get("at")).transpose()?;
    let outage =
        last.filter(|last| now - last > gap_ms).map(|last| Outage { id: format!("{last}-{now}"), from: last, to: now });
    if let Some(outage) = &outage {
        sqlx::query("INSERT OR IGNORE INTO live_outage (id, from_time, to_time) VALUES (?, ?, ?)")
            .bind(&outage.id)
            .bind(outage.from)
            .bind(outage.to)
            .execute(&mut *transaction)
            .await?;
        sqlx::query("DELETE FROM live_outage WHERE to_time < ?")
            .bind(now - OUTAGES_KEPT_MS)
            .execute(&mut *transaction)
            .await?;
    }
    // A clock that was set back must not undo a beat.
    sqlx::query(
        "INSERT INTO live_heartbeat (only, at) VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET at = max(at, excluded.at)",
    )
    .bind(now)
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(outage)
}

pub(super) async fn leases(reader: &SqlitePool, kind: LeaseKind, now: i64) -> Result<Vec<Lease>, LiveError> {
    sqlx::query("SELECT shard, holder, until FROM live_lease WHERE kind = ? AND until > ? ORDER BY shard")
        .bind(kind.as_str())
        .bind(now)
        .fetch_all(reader)
        .await?
        .iter()
        .map(lease_row)
        .collect()
}

fn lease_row(row: &SqliteRow) -> Result<Lease, LiveError> {
    let index: usize = number(row, "shard")?;
    let shard = Shard::all().nth(index).ok_or_else(|| unreadable("shard"))?;
    Ok(Lease { shard, holder: row.try_get("holder")?, until: row.try_get("until")? })
}

pub(super) async fn lease(
    writer: &SqlitePool,
    kind: LeaseKind,
    holder: &str,
    until: i64,
    now: i64,
) -> Result<Vec<Shard>, LiveError> {
    let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await?;
    let holders = join(&mut transaction, kind, holder, until, now).await?;
    let held = held(&mut transaction, kind, now).await?;
    let share = share(&held, holder, holders);
    sqlx::query("DELETE FROM live_lease WHERE kind = ? AND (holder = ? OR until <= ?)")
        .bind(kind.as_str())
        .bind(holder)
        .bind(now)
        .execute(&mut *transaction)
        .await?;
    sqlx::query("INSERT INTO live_lease (kind, shard, holder, until) SELECT ?, value, ?, ? FROM json_each(?)")
        .bind(kind.as_str())
        .bind(holder)
        .bind(until)
        .bind(super::shard_list(&share))
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(share)
}

pub(super) async fn release(writer: &SqlitePool, kind: LeaseKind, holder: &str) -> Result<(), LiveError> {
    let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await?;
    for statement in [
        "DELETE FROM live_lease WHERE kind = ? AND holder = ?",
        "DELETE FROM live_holder WHERE kind = ? AND holder = ?",
    ] {
        sqlx::query(statement).bind(kind.as_str()).bind(holder).execute(&mut *transaction).await?;
    }
    Ok(transaction.commit().await?)
}

async fn held(read: &mut SqliteConnection, kind: LeaseKind, now: i64) -> Result<BTreeMap<Shard, String>, LiveError> {
    sqlx::query("SELECT shard, holder, until FROM live_lease WHERE kind = ? AND until > ?")
        .bind(kind.as_str())
        .bind(now)
        .fetch_all(read)
        .await?
        .iter()
        .map(|row| lease_row(row).map(|lease| (lease.shard, lease.holder)))
        .collect()
}

/// Enters a holder and counts all that are alive.
async fn join(
    write: &mut SqliteConnection,
    kind: LeaseKind,
    holder: &str,
    until: i64,
    now: i64,
) -> Result<usize, LiveError> {
    sqlx::query("DELETE FROM live_holder WHERE kind = ? AND until <= ?")
        .bind(kind.as_str())
        .bind(now)
        .execute(&mut *write)
        .await?;
    sqlx::query(
        "INSERT INTO live_holder (kind, holder, until) VALUES (?, ?, ?)
         ON CONFLICT (kind, holder) DO UPDATE SET until = excluded.until",
    )
    .bind(kind.as_str())
    .bind(holder)
    .bind(until)
    .execute(&mut *write)
    .await?;
    let row = sqlx::query("SELECT count(*) AS holders FROM live_holder WHERE kind = ?")
        .bind(kind.as_str())
        .fetch_one(&mut *write)
        .await?;
    number(&row, "holders")
}

/// A holder keeps what it has up to its even share and fills up with free shards; so a newcomer gets its share
/// as the others renew theirs.
fn share(held: &BTreeMap<Shard, String>, holder: &str, holders: usize) -> Vec<Shard> {
    let even = usize::from(SHARDS).div_ceil(holders.max(1));
    let own = held.iter().filter(|(_, who)| *who == holder).map(|(shard, _)| *shard);
    let free = Shard::all().filter(|shard| !held.contains_key(shard));
    own.chain(free).take(even).collect()
}
