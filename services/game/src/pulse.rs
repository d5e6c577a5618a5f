//! Keeps the heartbeat while the process lives, and credits games after an outage.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use runtime::{Drain, Readiness};
use tokio::time::MissedTickBehavior;

use crate::LIVE_STORE;
use crate::decide::Command;
use crate::games::Games;

const EVERY: Duration = Duration::from_millis(500);
/// Games that are credited at once.
const AT_ONCE: usize = 16;

/// Beats. Nothing else is done here: what takes long would be the next outage.
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
        }
    }
}

/// After an outage, wakes every running game so that its players see their time back. A game that cannot be woken is
/// credited by whatever happens in it next.
pub(crate) async fn credit(games: Arc<Games>, drain: Drain) {
    loop {
        tokio::select! {
            () = games.heartbeat.outage.notified() => {}
            () = drain.draining() => return,
        }
        tokio::select! {
            () = settle_all(&games) => {}
            () = drain.draining() => return,
        }
    }
}

async fn settle_all(games: &Games) {
    let running = match games.store.running().await {
        Ok(running) => running,
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "running games cannot be listed");
            return;
        }
    };
    let settled = |game| games.execute(game, Command::Settle);
    let mut settling = futures::stream::iter(running).map(settled).buffer_unordered(AT_ONCE);
    let (mut credited, mut left) = (0, 0);
    while let Some(settled) = settling.next().await {
        *(if settled.is_ok() { &mut credited } else { &mut left }) += 1;
    }
    tracing::info!(games.credited = credited, games.left = left, "an outage was credited");
}
