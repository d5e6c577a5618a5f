//! Reports finished and aborted games to the rating service, at least once. A rated game is reported twice: its
//! changes come back from the first report, become its last event, and the log with it is reported again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::StreamExt as _;
use live::{LeaseKind, OutboxEntry};
use proto::rating::v1::RecordGameRequest;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::types::v1::GameStatus;
use proto::{Code, EventId, Refusal, Shard};
use runtime::Drain;
use runtime::grpc::Link;

use crate::decide::Command;
use crate::fact::read_change;
use crate::failpoint;
use crate::failure::unavailable;
use crate::games::Games;

const LOOK_EVERY: Duration = Duration::from_millis(500);
const RENEW_MS: i64 = 1_000;
const LEASE_MS: i64 = 3_000;
const AT_ONCE: u32 = 64;
const IN_PARALLEL: usize = 4;
const FIRST_PAUSE_MS: i64 = 250;
const LONGEST_PAUSE_MS: i64 = 30_000;
/// When the rating service could not be asked.
const AWAY_PAUSE_MS: i64 = 2_000;
/// A game that the rating service fails on this often, while it answers, is put aside.
const MOST_FAILURES: u32 = 10;
/// How long a game stays live after its whole log is safe.
const STAYS_MS: i64 = 10 * 60_000;
const RETIRE_EVERY: u32 = 60;

/// Drains this replica's shards of the outbox.
pub(crate) async fn run(games: Arc<Games>, rating: RatingServiceClient<Link>, drain: Drain) {
    let mut share = Share { holder: EventId::new().to_string(), shards: Vec::new(), renew_at: i64::MIN };
    let mut round = 0_u32;
    loop {
        let drained = tokio::select! {
            biased;
            // What is under way stays owed.
            () = drain.draining() => break,
            drained = drain_once(&games, &rating, &mut share) => drained,
        };
        let full = drained.unwrap_or_else(|error| {
            tracing::warn!(%error, "the outbox could not be read");
            false
        });
        round = round.wrapping_add(1);
        if round.is_multiple_of(RETIRE_EVERY) {
            retire(&games).await;
        }
        tokio::select! {
            biased;
            () = drain.draining() => break,
            () = games.reported.notified() => {}
            () = tokio::time::sleep(if full { Duration::ZERO } else { LOOK_EVERY }) => {}
        }
    }
    let _ = games.store.release(LeaseKind::Outbox, &share.holder).await;
}

async fn retire(games: &Games) {
    match games.store.retire(games.store.now()).await {
        Ok(0) => {}
        Ok(retired) => tracing::info!(games.retired = retired, "games on record left the live store"),
        Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "games could not be retired"),
    }
}

/// This replica's shards, as of its last renewal. An entry that two replicas see is reported twice, which is harmless.
struct Share {
    holder: String,
    shards: Vec<Shard>,
    renew_at: i64,
}

/// True if there may be more at once.
async fn drain_once(games: &Games, rating: &RatingServiceClient<Link>, share: &mut Share) -> Result<bool, Refusal> {
    let now = games.store.now();
    if now >= share.renew_at {
        let until = now + LEASE_MS;
        share.shards = games.store.lease(LeaseKind::Outbox, &share.holder, until).await.map_err(unavailable)?;
        share.renew_at = now + RENEW_MS;
    }
    let entries = games.store.outbox(&share.shards, now, AT_ONCE).await.map_err(unavailable)?;
    let full = entries.len() == AT_ONCE as usize;
    let away = AtomicBool::new(false);
    futures::stream::iter(entries)
        .for_each_concurrent(IN_PARALLEL, async |entry| {
            // Each would have to wait for a service that is away.
            if away.load(Ordering::Relaxed) {
                return;
            }
            if let Err(refusal) = report(games, rating.clone(), &entry).await {
                away.fetch_or(refusal.code == Code::Unavailable, Ordering::Relaxed);
                failed(games, &entry, &refusal).await;
            }
        })
        .await;
    Ok(full && !away.into_inner())
}

async fn report(games: &Games, mut rating: RatingServiceClient<Link>, entry: &OutboxEntry) -> Result<(), Refusal> {
    let events = games.log(entry.game, 0).await?;
    failpoint::reach("before_report");
    let request = RecordGameRequest { game_id: entry.game.to_string(), events };
    let changes = rating.record_game(request).await?.into_inner().changes;
    let changes: Vec<_> = changes.iter().filter_map(read_change).collect();
    if !changes.is_empty() {
        let state = games.find(entry.game).await?;
        if state.is_some_and(|state| state.status == GameStatus::Over && state.changes.is_empty()) {
            games.execute(entry.game, Command::Rate { changes }).await?;
        }
    }
    failpoint::reach("before_reported");
    games.store.reported(entry, games.store.now() + STAYS_MS).await.map_err(unavailable)
}

async fn failed(games: &Games, entry: &OutboxEntry, refusal: &Refusal) {
    // A service that is away says nothing of the game.
    let counts = refusal.code != Code::Unavailable;
    let attempts = if counts { entry.attempts + 1 } else { entry.attempts };
    let hopeless = refusal.code == Code::BadRequest || attempts >= MOST_FAILURES;
    let pause = if counts { (FIRST_PAUSE_MS << attempts.min(10)).min(LONGEST_PAUSE_MS) } else { AWAY_PAUSE_MS };
    let retry = (!hopeless).then(|| games.store.now() + pause);
    if hopeless {
        tracing::error!(game.id = %entry.game, %refusal, "a game cannot be recorded and was put aside");
    } else {
        tracing::warn!(game.id = %entry.game, %refusal, retry.in_ms = pause, "a game could not be recorded yet");
    }
    if let Err(error) = games.store.report_failed(entry, attempts, retry).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "the outbox could not be written");
    }
}
