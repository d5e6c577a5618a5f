//! What the game service counts; the names are registered in docs/telemetry.md.

use std::sync::Arc;
use std::time::Duration;

use live::LiveStore;
use metrics::{counter, describe_counter, describe_gauge, gauge};
use runtime::Drain;

const SAMPLED_EVERY: Duration = Duration::from_secs(5);

pub(crate) fn describe() {
    describe_gauge!("game_running", "games under way");
    describe_gauge!("game_outbox_waiting", "finished games that the rating service has yet to take");
    describe_gauge!("game_outbox_parked", "finished games that the rating service refused for good");
    describe_gauge!("game_watchers", "open streams of game events");
    describe_counter!("game_append_conflicts_total", "appends that lost to another writer and were decided again");
    describe_counter!("game_append_lookups_total", "appends whose outcome had to be looked up");
    describe_counter!("game_moves_total", "moves stored, by kind of mover");
    describe_counter!("game_ended_total", "games over or aborted, by reason");
    describe_counter!("game_outages_total", "gaps in the heartbeat that were credited");
    for by in ["player", "roaming"] {
        counter!("game_moves_total", "by" => by).absolute(0);
    }
    for reason in ["last_player", "repetition", "fifty_moves", "bare_kings", "aborted"] {
        counter!("game_ended_total", "reason" => reason).absolute(0);
    }
    counter!("game_append_conflicts_total").absolute(0);
    counter!("game_append_lookups_total").absolute(0);
    counter!("game_outages_total").absolute(0);
}

pub(crate) async fn sample(store: Arc<dyn LiveStore>, drain: Drain) {
    loop {
        if let Ok(running) = store.running().await {
            gauge!("game_running").set(running.len() as f64);
        }
        if let Ok((waiting, parked)) = store.outbox_size().await {
            gauge!("game_outbox_waiting").set(waiting as f64);
            gauge!("game_outbox_parked").set(parked as f64);
        }
        tokio::select! {
            () = tokio::time::sleep(SAMPLED_EVERY) => {}
            () = drain.draining() => return,
        }
    }
}
