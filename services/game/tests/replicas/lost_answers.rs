//! An append whose answer is lost is looked up before anything is said.

use std::time::Duration;

use live::Home;
use proto::Code;
use proto::types::v1::Seat;
use proto::types::v1::event::What;
use servers::{NONE, Proxy, Redis, deployed};

use crate::Bench;

#[tokio::test]
async fn a_move_whose_answer_was_lost_is_made_once() {
    let server = Redis::start(NONE).await;
    let proxy = Proxy::start(server.port).await;
    let bench = Bench::on(live::open(Home::Redis(proxy.url())).await.unwrap()).await;
    for (ply, text) in (0..).zip(["h2-h4", "m6-l6", "d13-d12", "b8-c8"]) {
        let before = bench.log().await.len() as u64;
        proxy.swallow_answer_to(text);
        assert_eq!(bench.play(&bench.here, ply, text).await, Ok(before + 1));
        proxy.happened().await;
        assert_eq!(bench.log().await.len() as u64, before + 1, "{text} stands more than once, or not at all");
    }
}

/// What was decided before an outage is not stored after it: whoever was to move gets the time back first.
#[tokio::test]
async fn a_move_that_waits_through_an_outage_is_judged_after_it() {
    let server = Redis::start(&deployed("redis.conf")).await;
    let bench = Bench::on(live::open(Home::Redis(server.durable_url())).await.unwrap()).await;
    // Now clocks run.
    for (ply, text) in (0..).zip(["h2-h4", "m6-l6", "d13-d12", "b8-c8"]) {
        bench.play(&bench.here, ply, text).await.unwrap();
    }
    server.kill();
    let playing = async {
        while let Err(refusal) = bench.play(&bench.here, 4, "g2-g3").await {
            assert_eq!(refusal.code, Code::Unavailable);
        }
    };
    // Long enough for an outage, and so that the append has been given up.
    let restarting = async {
        tokio::time::sleep(Duration::from_millis(2_300)).await;
        server.restart("").await;
    };
    futures::join!(playing, restarting);
    let log = bench.log().await;
    let [.., adjusted, moved] = &log[..] else { panic!("the log is longer") };
    let Some(What::ClockAdjusted(credit)) = &adjusted.what else { panic!("{adjusted:?}") };
    assert!(credit.credit_ms > 2_000 && credit.seat() == Seat::Red, "{credit:?}");
    assert!(matches!(moved.what, Some(What::Moved(_))), "{moved:?}");
    let left = moved.after.as_ref().unwrap().remaining_ms[0];
    assert!(left > 599_000, "{left} ms are left of ten minutes");
}
