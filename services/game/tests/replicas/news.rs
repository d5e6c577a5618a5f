//! What a player hears of all their games.

use proto::game::v1::watch_player_response::Notice;
use proto::game::v1::{WatchPlayerRequest, WatchPlayerResponse};
use tonic::Streaming;

use crate::{Bench, PATIENCE, Replica};

async fn hear(bench: &Bench, replica: &Replica, player: usize) -> Streaming<WatchPlayerResponse> {
    let player_id = bench.players[player].to_string();
    replica.clone().watch_player(WatchPlayerRequest { player_id }).await.unwrap().into_inner()
}

/// Waits for such a notice; others may come twice.
async fn until(stream: &mut Streaming<WatchPlayerResponse>, wanted: impl Fn(&Notice) -> bool) {
    loop {
        let told = tokio::time::timeout(PATIENCE, stream.message()).await.expect("nothing is told");
        if wanted(&told.unwrap().expect("the stream goes on").notice.unwrap()) {
            return;
        }
    }
}

/// A listener whose stream broke may have missed any of it.
#[tokio::test]
async fn a_stream_begins_with_what_is_under_way() {
    let bench = Bench::new().await;
    let mut red = hear(&bench, &bench.there, 0).await;
    until(&mut red, |told| matches!(told, Notice::GameStarted(_))).await;
    until(&mut red, |told| matches!(told, Notice::YourTurn(turn) if turn.ply == 0)).await;
    let mut blue = hear(&bench, &bench.there, 1).await;
    until(&mut blue, |told| matches!(told, Notice::GameStarted(_))).await;
    bench.play(&bench.here, 0, "h2-h4").await.unwrap();
    until(&mut blue, |told| matches!(told, Notice::YourTurn(turn) if turn.ply == 1)).await;
}
