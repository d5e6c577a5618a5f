use timekeeping::UnixMs;

use crate::ticket::{CancelReason, Four, Pool};

const WAITING: &str = "matchmaking_tickets_waiting";
const OLDEST: &str = "matchmaking_oldest_ticket_age_seconds";
const OPENED: &str = "matchmaking_tickets_opened_total";
const CANCELLED: &str = "matchmaking_tickets_cancelled_total";
const FORMED: &str = "matchmaking_fours_formed_total";
const WAITED: &str = "matchmaking_wait_seconds";

/// Says what each number means, and begins those that count rare things.
pub(crate) fn describe() {
    metrics::describe_gauge!(WAITING, "Tickets waiting in a pool");
    metrics::describe_gauge!(OLDEST, "Age of the oldest waiting ticket of a pool");
    metrics::describe_counter!(OPENED, "Tickets opened");
    metrics::describe_counter!(CANCELLED, "Tickets closed without a game, by reason");
    metrics::describe_counter!(FORMED, "Fours formed");
    metrics::describe_histogram!(WAITED, "How long matched tickets had waited");
    // What has not happened yet is listed as nothing, so that its rate is known from the start.
    for reason in [CancelReason::Player, CancelReason::Expired, CancelReason::TooManyGames] {
        metrics::counter!(CANCELLED, "reason" => word(reason)).absolute(0);
    }
}

pub(crate) fn pool(pool: Pool, waiting: u32, oldest_age_ms: i64) {
    let (time_control, rated) = (pool.time_control.to_string(), pool.rated.to_string());
    metrics::gauge!(WAITING, "time_control" => time_control.clone(), "rated" => rated.clone()).set(waiting);
    metrics::gauge!(OLDEST, "time_control" => time_control, "rated" => rated).set(seconds(oldest_age_ms));
}

pub(crate) fn opened(pool: Pool) {
    metrics::counter!(OPENED, "time_control" => pool.time_control.to_string(), "rated" => pool.rated.to_string())
        .increment(1);
}

pub(crate) fn cancelled(reason: CancelReason) {
    metrics::counter!(CANCELLED, "reason" => word(reason)).increment(1);
}

fn word(reason: CancelReason) -> &'static str {
    match reason {
        CancelReason::Player => "player",
        CancelReason::Expired => "expired",
        CancelReason::TooManyGames => "too_many_games",
    }
}

pub(crate) fn formed(pool: Pool) {
    metrics::counter!(FORMED, "time_control" => pool.time_control.to_string(), "rated" => pool.rated.to_string())
        .increment(1);
}

pub(crate) fn matched(four: &Four, now: UnixMs) {
    for (_, ticket) in &four.seats {
        metrics::histogram!(WAITED, "rated" => four.pool.rated.to_string()).record(seconds(ticket.waited_ms(now)));
    }
}

#[expect(clippy::cast_precision_loss, reason = "a wait of days keeps its milliseconds in 52 bits")]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}
