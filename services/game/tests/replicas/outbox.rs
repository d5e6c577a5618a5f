//! What becomes of an ended game that the rating service does not take.

use proto::Code;
use proto::game::v1::ResignRequest;

use crate::{Bench, PATIENCE};

impl Bench {
    async fn end(&self) {
        for player in &self.players[..3] {
            let request = ResignRequest { game_id: self.game.to_string(), player_id: player.to_string() };
            self.here.clone().resign(request).await.unwrap();
        }
    }

    async fn reported(&self, times: u64) {
        let mut reports = self.rating.reports.subscribe();
        let enough = reports.wait_for(|reports| *reports >= times);
        tokio::time::timeout(PATIENCE, enough).await.expect("nobody reports").unwrap();
    }
}

#[tokio::test]
async fn a_rating_service_that_is_away_is_asked_again_and_counts_for_nothing() {
    let bench = Bench::new().await;
    bench.end().await;
    // Each call to it is repeated before it is given up; after so many reports it has been given up more than once.
    bench.reported(9).await;
    assert_eq!(bench.store.outbox_size().await.unwrap(), (1, 0));
    let all: Vec<_> = proto::Shard::all().collect();
    let [owed] = bench.store.outbox(&all, i64::MAX, 10).await.unwrap()[..] else { panic!("one game is owed") };
    assert_eq!((owed.game, owed.attempts), (bench.game, 0));
}

#[tokio::test]
async fn a_game_that_cannot_be_recorded_is_put_aside() {
    let bench = Bench::new().await;
    *bench.rating.says.lock().unwrap() = Code::BadRequest;
    bench.end().await;
    bench.reported(1).await;
    servers::until("the game is put aside", async || bench.store.outbox_size().await.unwrap() == (0, 1)).await;
}

#[tokio::test]
async fn a_failure_is_counted_and_the_game_tried_again() {
    let bench = Bench::new().await;
    *bench.rating.says.lock().unwrap() = Code::Internal;
    bench.end().await;
    bench.reported(3).await;
    assert_eq!(bench.store.outbox_size().await.unwrap(), (1, 0));
}
