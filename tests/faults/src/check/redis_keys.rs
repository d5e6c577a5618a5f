//! What may be left in Redis: docs/decisions/live-state-in-redis.md.

use redis::aio::MultiplexedConnection;
use redis::cmd;

use crate::journal::{Check, Journal};

/// Of each shard, for ever.
const OF_SHARDS: [&str; 2] = ["heartbeat", "outages"];
/// Closed tickets are kept for a day.
const OF_TICKETS: [&str; 4] = ["tickets", "states", "newest", "reported"];

/// Once all games have ended, nothing waits for anything.
pub(super) async fn check_before(journal: &Journal, redis: &mut [MultiplexedConnection]) -> anyhow::Result<()> {
    for redis in redis {
        for key in keys(redis).await? {
            let name = key.rsplit(':').next().unwrap_or_default();
            if key.starts_with("{s") && ["open", "deadlines", "outbox", "unindexed"].contains(&name) {
                let members: Vec<String> = cmd("ZRANGE").arg(&key).arg(0).arg(9).query_async(redis).await?;
                journal.found(Check::Left, format!("all games have ended, and {key} holds {members:?}"));
            }
        }
    }
    Ok(())
}

/// Returns how many keys are left that expire.
pub(super) async fn check_after(journal: &Journal, redis: &mut [MultiplexedConnection]) -> anyhow::Result<usize> {
    let mut expiring = 0;
    for redis in redis {
        expiring += expire(journal, redis).await?;
    }
    Ok(expiring)
}

async fn expire(journal: &Journal, redis: &mut MultiplexedConnection) -> anyhow::Result<usize> {
    let mut expiring = 0;
    for key in keys(redis).await? {
        let name = key.rsplit(':').next().unwrap_or_default();
        let stays = (key.starts_with("{s") && OF_SHARDS.contains(&name) && key.matches(':').count() == 1)
            || (key.starts_with("{matchmaking}:") && OF_TICKETS.contains(&name));
        if stays {
            continue;
        }
        let ttl: i64 = cmd("PTTL").arg(&key).query_async(redis).await?;
        match ttl {
            // Gone meanwhile.
            -2 => {}
            -1 => {
                let kind: String = cmd("TYPE").arg(&key).query_async(redis).await?;
                journal.found(Check::Left, format!("{key} ({kind}) is left, and never expires"));
            }
            _ => expiring += 1,
        }
    }
    Ok(expiring)
}

/// The keys of what somebody still has to do, other than to report a game.
pub(super) async fn owed(redis: &mut [MultiplexedConnection]) -> anyhow::Result<Vec<String>> {
    let is_owed = |key: &String| key == "{matchmaking}:unreported" || key.ends_with(":unindexed");
    let mut owed = Vec::new();
    for redis in redis {
        owed.extend(keys(redis).await?.into_iter().filter(is_owed));
    }
    Ok(owed)
}

async fn keys(redis: &mut MultiplexedConnection) -> anyhow::Result<Vec<String>> {
    let (mut cursor, mut keys) = (0_u64, Vec::new());
    loop {
        let (next, page): (u64, Vec<String>) =
            cmd("SCAN").arg(cursor).arg("COUNT").arg(1000).query_async(redis).await?;
        keys.extend(page);
        if next == 0 {
            keys.sort_unstable();
            keys.dedup();
            return Ok(keys);
        }
        cursor = next;
    }
}
