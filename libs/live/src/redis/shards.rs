//! What belongs to shards and not to single games: deadlines, the outbox, lists, leases, the heartbeat.

use std::cmp::Reverse;
use std::time::Duration;

use futures::future::{join_all, try_join, try_join_all};
use proto::types::v1::GameStatus;
use proto::{GameId, SHARDS, Shard};
use redis_link::Call;

use super::link::{Link, within};
use super::{index, keys, log, script, unreadable};
use crate::store::{Deadline, Lease, LeaseKind, LiveError, OutboxEntry};

/// Leases nobody renews are forgotten, long after they have lapsed.
const LEASES_LIVE_MS: u64 = 3_600_000;
/// All leases are in one place. Who cannot renew them goes on with the shards it has, which must not wait for that.
const LEASE_PATIENCE: Duration = Duration::from_secs(1);
const RETIRE_AT_ONCE: usize = 128;

pub(super) async fn due(link: &Link, shards: &[Shard], now: i64, limit: u32) -> Result<Vec<Deadline>, LiveError> {
    let found = shards.iter().map(async |shard| {
        let call = Call::command("ZRANGEBYSCORE", &keys::of(*shard, "deadlines")).arg("-inf").arg(now);
        scored(link, call.arg("WITHSCORES").arg("LIMIT").arg(0).arg(limit)).await
    });
    soonest(link.gather(found).await?, limit)
}

pub(super) async fn deadlines(link: &Link, limit: u32) -> Result<Vec<Deadline>, LiveError> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let found = Shard::all().map(async |shard| {
        let call = Call::command("ZRANGE", &keys::of(shard, "deadlines")).arg(0).arg(i64::from(limit) - 1);
        scored(link, call.arg("WITHSCORES")).await
    });
    soonest(link.gather(found).await?, limit)
}

fn soonest(found: Vec<Vec<(String, i64)>>, limit: u32) -> Result<Vec<Deadline>, LiveError> {
    let found = found.into_iter().flatten().map(|(member, due)| log::deadline_of(&member, due));
    let mut found = found.collect::<Result<Vec<_>, _>>()?;
    found.sort_by_key(|deadline| (deadline.due, deadline.game));
    found.truncate(limit as usize);
    Ok(found)
}

/// Members with their scores, which are whole milliseconds.
async fn scored(link: &Link, call: Call) -> Result<Vec<(String, i64)>, LiveError> {
    let found: Vec<(String, f64)> = link.get(call).await?;
    Ok(found.into_iter().map(|(member, score)| (member, score as i64)).collect())
}

/// An outbox entry as a member of its shard's set, without the number of attempts that ends it.
fn entry_stem(game: GameId, version: u64) -> String {
    format!("{game}:{version}:")
}

fn entry_of(member: &str) -> Result<OutboxEntry, LiveError> {
    let read = || {
        let mut parts = member.split(':');
        let game = parts.next()?.parse().ok()?;
        Some(OutboxEntry { game, version: parts.next()?.parse().ok()?, attempts: parts.next()?.parse().ok()? })
    };
    read().ok_or_else(|| unreadable("outbox"))
}

pub(super) async fn outbox(link: &Link, shards: &[Shard], now: i64, limit: u32) -> Result<Vec<OutboxEntry>, LiveError> {
    let found = shards.iter().map(async |shard| {
        let call = Call::command("ZRANGEBYSCORE", &keys::of(*shard, "outbox")).arg("-inf").arg(now);
        scored(link, call.arg("WITHSCORES").arg("LIMIT").arg(0).arg(limit)).await
    });
    let mut found = link.gather(found).await?.concat();
    found.sort_by_key(|(_, due)| *due);
    found.iter().take(limit as usize).map(|(member, _)| entry_of(member)).collect()
}

pub(super) async fn reported(link: &Link, entry: &OutboxEntry, retire: i64) -> Result<(), LiveError> {
    let of = |name| keys::of(entry.game.shard(), name);
    let call = Call::script(&script::REPORTED, &[&keys::game(entry.game), &of("outbox"), &of("retiring")])
        .arg(entry.version)
        .arg(entry_stem(entry.game, entry.version))
        .arg(entry.game.to_string())
        .arg(retire);
    link.call(call).await.map(drop)
}

pub(super) async fn report_failed(
    link: &Link,
    entry: &OutboxEntry,
    attempts: u32,
    retry: Option<i64>,
) -> Result<(), LiveError> {
    let outbox = keys::of(entry.game.shard(), "outbox");
    let call = Call::script(&script::REPORT_FAILED, &[&keys::game(entry.game), &outbox])
        .arg(entry_stem(entry.game, entry.version))
        .arg(retry.map_or_else(|| "+inf".to_owned(), |retry| retry.to_string()))
        .arg(attempts);
    link.call(call).await.map(drop)
}

/// How many wait and how many are parked, which is to wait forever.
pub(super) async fn outbox_size(link: &Link) -> Result<(u64, u64), LiveError> {
    let counts = Shard::all().map(async |shard| {
        let count = |from, to| Call::command("ZCOUNT", &keys::of(shard, "outbox")).arg(from).arg(to);
        try_join(link.get::<u64>(count("-inf", "(+inf")), link.get::<u64>(count("+inf", "+inf"))).await
    });
    let (waiting, parked): (Vec<u64>, Vec<u64>) = link.gather(counts).await?.into_iter().unzip();
    Ok((waiting.iter().sum(), parked.iter().sum()))
}

pub(super) async fn public_games(
    link: &Link,
    status: GameStatus,
    before: Option<(i64, GameId)>,
    limit: u32,
) -> Result<Vec<(i64, GameId)>, LiveError> {
    // ';' follows ':', so it ends what begins with a status.
    let end = before.map_or_else(
        || format!("({};", status as i32),
        |(created, game)| format!("({}", log::public_member(status, created, Some(game))),
    );
    let begin = format!("[{}:", status as i32);
    // Games lie evenly, so a few of each shard are usually enough; if one might have more, all are asked for all.
    let mut each = (limit / 16 + 4).min(limit);
    loop {
        let found = Shard::all().map(async |shard| {
            let call = Call::command("ZREVRANGEBYLEX", &keys::of(shard, "public")).arg(&end).arg(&begin);
            let found: Vec<String> = link.get(call.arg("LIMIT").arg(0).arg(each)).await?;
            found.iter().map(|member| log::public_of(member)).collect::<Result<Vec<_>, _>>()
        });
        let found = link.gather(found).await?;
        let mut all = found.concat();
        all.sort_unstable_by_key(|game| Reverse(*game));
        all.truncate(limit as usize);
        let (full, last) = (all.len() == limit as usize, all.last());
        let may_have_more = |shard: &Vec<(i64, GameId)>| {
            shard.len() == each as usize && (!full || shard.last().is_some_and(|game| Some(game) > last))
        };
        if each == limit || !found.iter().any(may_have_more) {
            return Ok(all);
        }
        each = limit;
    }
}

pub(super) async fn running(link: &Link) -> Result<Vec<GameId>, LiveError> {
    let status = GameStatus::Running as i32;
    let found = Shard::all().map(async |shard| {
        index::games(link.get(Call::command("ZRANGEBYSCORE", &keys::of(shard, "open")).arg(status).arg(status)).await?)
    });
    Ok(link.gather(found).await?.concat())
}

pub(super) async fn retire(link: &Link, now: i64) -> Result<u64, LiveError> {
    let retired = Shard::all().map(async |shard| {
        let call = Call::command("ZRANGEBYSCORE", &keys::of(shard, "retiring")).arg("-inf").arg(format!("({now}"));
        let games = index::games(link.get(call.arg("LIMIT").arg(0).arg(RETIRE_AT_ONCE)).await?)?;
        let gone = try_join_all(games.into_iter().map(|game| retire_one(link, game, now))).await?;
        Ok::<_, LiveError>(gone.into_iter().sum::<u64>())
    });
    // A shard that is away keeps its games until it is back, and no other's.
    let (done, failed): (Vec<_>, Vec<_>) = join_all(retired).await.into_iter().partition(Result::is_ok);
    match failed.into_iter().find_map(Result::err) {
        Some(error) if done.is_empty() => Err(error),
        _ => Ok(done.into_iter().flatten().sum()),
    }
}

async fn retire_one(link: &Link, game: GameId, now: i64) -> Result<u64, LiveError> {
    let of = |name| keys::of(game.shard(), name);
    let (game_key, log) = (keys::game(game), keys::log(game));
    let [deadlines, outbox, retiring, open, public, unindexed] =
        ["deadlines", "outbox", "retiring", "open", "public", "unindexed"].map(of);
    let all = [&game_key, &log, &deadlines, &outbox, &retiring, &open, &public, &unindexed].map(String::as_str);
    link.get(Call::script(&script::RETIRE, &all).arg(game.to_string()).arg(now)).await
}

pub(super) async fn lease(
    link: &Link,
    kind: LeaseKind,
    holder: &str,
    until: i64,
    now: i64,
) -> Result<Vec<Shard>, LiveError> {
    let call = Call::script(&script::LEASE, &[&keys::leases(kind), &keys::holders(kind)])
        .arg(now)
        .arg(until)
        .arg(holder)
        .arg(SHARDS)
        .arg(LEASES_LIVE_MS);
    let share = within(LEASE_PATIENCE, link.get::<Vec<usize>>(call)).await?;
    share.into_iter().map(shard_of).collect()
}

pub(super) async fn release(link: &Link, kind: LeaseKind, holder: &str) -> Result<(), LiveError> {
    let call = Call::script(&script::RELEASE, &[&keys::leases(kind), &keys::holders(kind)]).arg(holder);
    link.call(call).await.map(drop)
}

pub(super) async fn leases(link: &Link, kind: LeaseKind, now: i64) -> Result<Vec<Lease>, LiveError> {
    let all: Vec<(usize, String)> = link.get(Call::command("HGETALL", &keys::leases(kind))).await?;
    let mut leases = Vec::with_capacity(all.len());
    for (shard, lease) in all {
        let (until, holder) = lease.split_once(' ').ok_or_else(|| unreadable("lease"))?;
        let until = until.parse().map_err(|_| unreadable("lease"))?;
        if until > now {
            leases.push(Lease { shard: shard_of(shard)?, holder: holder.to_owned(), until });
        }
    }
    leases.sort_by_key(|lease| lease.shard);
    Ok(leases)
}

fn shard_of(index: usize) -> Result<Shard, LiveError> {
    Shard::all().nth(index).ok_or_else(|| unreadable("shard"))
}
