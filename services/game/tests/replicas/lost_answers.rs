//! An append whose answer is lost is looked up before anything is said.

use live::Home;
use servers::{NONE, Proxy, Redis};

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
