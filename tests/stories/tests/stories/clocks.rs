use std::time::Duration;

use serde_json::Value;
use stories::{LATENESS_MS, Platform, Record, Table, eventually, in_time, millis};
use tokio::time::sleep;

const FIRST_MOVES: [&str; 4] = ["d2-d3", "m4-l4", "d13-d12", "b11-c11"];
/// By how much an event that time caused came after the moment that the event before it named.
fn lateness_ms(before: &Value, event: &Value) -> i64 {
    millis(&event["at"]) - millis(&before["deadline"])
}

#[tokio::test]
async fn a_flag_falls_while_nobody_is_connected() {
    let platform = Platform::with(&[("FK_ROAMING_DELAY_MS", "100")]).await;
    in_time(LATENESS_MS, async || {
        let table = Table::of_guests(&platform, "0.05+0").await;
        table.play(&FIRST_MOVES).await;
        // Red, blue and yellow each lose three seconds; nobody may look meanwhile, lest it be the looking that does it.
        sleep(Duration::from_millis(9_600)).await;
        let record = eventually("the end", async || {
            let over = table.state().await["status"] == "over";
            if over { Some(table.record().await) } else { None }
        })
        .await;
        let expected = ["timed_out", "move", "timed_out", "move", "timed_out", "over"];
        assert!(record.types().ends_with(&expected), "{:?}", record.types());
        let tail = &record.events[record.events.len() - expected.len() - 1..];
        for (event, seat) in [(1, "red"), (3, "blue"), (5, "yellow")] {
            assert_eq!((&tail[event]["seat"], &tail[event]["remaining_ms"][seat]), (&seat.into(), &0.into()));
        }
        assert_eq!(record.game.over().unwrap().as_str(), "last_player");
        assert_eq!(table.replayed_pgn4().await, record.game.fen4());
        assert_eq!(record.standing()[0]["result"], 60);
        let caused_by_time = tail.windows(2).take(expected.len() - 1);
        caused_by_time.map(|pair| lateness_ms(&pair[0], &pair[1])).max().unwrap()
    })
    .await;
}

#[tokio::test]
async fn many_flags_fall_in_time() {
    let platform = Platform::start().await;
    in_time(LATENESS_MS, async || {
        let tables = futures::future::join_all((0..16).map(|_| Table::of_guests(&platform, "0.05+0"))).await;
        futures::future::join_all(tables.iter().map(|table| table.play(&FIRST_MOVES))).await;
        sleep(Duration::from_millis(3_500)).await;
        let mut worst = 0;
        for table in &tables {
            let record = table.record().await;
            assert_eq!((record.types()[10], &record.events[10]["seat"]), ("timed_out", &"red".into()));
            worst = worst.max(lateness_ms(&record.events[9], &record.events[10]));
        }
        worst
    })
    .await;
}

#[tokio::test]
async fn a_move_at_the_last_moment_counts_or_the_flag_does() {
    let platform = Platform::start().await;
    let tables = futures::future::join_all((0..4).map(|_| Table::of_guests(&platform, "0.05+0"))).await;
    let outcomes = tables.iter().zip([-150, -10, 0, 40]).map(async |(table, offset_ms)| {
        let state = table.play(&FIRST_MOVES).await;
        let clock = &state["clock"];
        let left = millis(&clock["deadline"]) - millis(&clock["server_now"]) + offset_ms;
        sleep(Duration::from_millis(left.max(0) as u64)).await;
        let answer = table.player("red").play(&table.game, 4, "d3-d4").await;
        (table, offset_ms, millis(&clock["deadline"]), answer)
    });
    for (table, offset_ms, deadline, answer) in futures::future::join_all(outcomes).await {
        let record: Record = table.record().await;
        let decisive = &record.events[10];
        if answer.status == 200 {
            assert_eq!(decisive["type"], "move", "{decisive}");
            assert!(millis(&decisive["at"]) < deadline, "{offset_ms}: {decisive}");
        } else {
            answer.refused(409, "NOT_PLAYING");
            assert_eq!((&decisive["type"], &decisive["seat"]), (&"timed_out".into(), &"red".into()));
            assert!(millis(&decisive["at"]) >= deadline, "{offset_ms}: {decisive}");
        }
    }
}

#[tokio::test]
async fn a_delay_passes_before_the_clock_runs() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "0.05+60d").await;
    let state = table.play(&FIRST_MOVES).await;
    let last = &table.record().await.events[9];
    assert_eq!(millis(&last["clock_runs_from"]) - millis(&last["at"]), 60_000);
    assert_eq!(millis(&last["deadline"]) - millis(&last["at"]), 63_000);
    assert_eq!(state["seats"]["red"]["remaining_ms"], 3_000);
    let state = table.play(&["d3-d4"]).await;
    assert_eq!(state["seats"]["red"]["remaining_ms"], 3_000, "a quick move costs nothing and brings nothing");
}
