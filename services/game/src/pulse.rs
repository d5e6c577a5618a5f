//! Keeps the heartbeat while the process lives, and credits games after an outage.

use std::sync::Arc;
use std::time::Duration;

use runtime::{Drain, Readiness};
use tokio::time::MissedTickBehavior;

use crate::LIVE_STORE;
use crate::decide::Command;
use crate::failure::unavailable;
use crate::games::Games;

const EVERY: Duration = Duration::from_millis(500);

/// Beats, and after an outage tells every running game so that players see their time back.
pub(crate) async fn keep(games: Arc<Games>, readiness: Readiness, drain: Drain) {
    let mut beats = tokio::time::interval(EVERY);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = beats.tick() => {}
            () = drain.draining() => return,
        }
        let beaten = games.heartbeat.beat(&*games.store).await;
        readiness.set(LIVE_STORE, beaten.is_ok());
        readiness.set("store's time", games.store.ready().await.is_ok());
        if let Err(error) = beaten {
            tracing::warn!(error = &error as &dyn std::error::Error, "a heartbeat failed");
        } else if games.heartbeat.owes_a_sweep()
            && let Err(error) = sweep(&games).await
        {
            tracing::warn!(%error, "running games will be credited with their next command");
        }
    }
}

async fn sweep(games: &Games) -> Result<(), proto::Refusal> {
    for game in games.store.running().await.map_err(unavailable)? {
        games.execute(game, Command::Settle).await?;
    }
    Ok(())
}
