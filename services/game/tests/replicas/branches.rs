//! What two replicas and those who watch make of a log that a failover has cut back.

use proto::types::v1::event;
use proto::{Code, Refusal};

use crate::{Bench, next, until};

#[tokio::test]
async fn a_replica_that_remembers_what_was_lost_does_not_continue_from_it() {
    let bench = Bench::new().await;
    let v = bench.play(&bench.here, 0, "h2-h4").await.unwrap();
    let lost = bench.play(&bench.here, 1, "m6-l6").await.unwrap();
    let mut watch = bench.watch(&bench.here, 0, "").await.unwrap();
    until(&mut watch, lost).await;
    bench.cut_back_to(v).await;
    // One of them plays on from where the log ends, past what the other has in its memory, and that one hears of it.
    assert_eq!(bench.play(&bench.there, 1, "m11-k11").await, Ok(lost));
    bench.play(&bench.there, 2, "d13-d12").await.unwrap();
    let _ = next(&mut watch).await;
    // The other's next move is judged by the log and not by its memory.
    bench.play(&bench.here, 3, "b8-c8").await.unwrap();
    assert_eq!(bench.moves_at(&bench.here).await, bench.moves_at(&bench.there).await);
    let texts: Vec<String> = bench
        .log()
        .await
        .iter()
        .filter_map(|event| match &event.what {
            Some(event::What::Moved(moved)) => Some(moved.r#move.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["h2-h4", "m11-k11", "d13-d12", "b8-c8"]);
}

#[tokio::test]
async fn a_move_that_was_lost_is_not_granted_again_from_memory() {
    let bench = Bench::new().await;
    let v = bench.play(&bench.here, 0, "h2-h4").await.unwrap();
    let lost = bench.play(&bench.here, 1, "m6-l6").await.unwrap();
    bench.cut_back_to(v).await;
    assert_eq!(bench.play(&bench.here, 1, "m6-l6").await, Ok(lost), "it is made anew");
    assert_eq!(bench.log().await.len() as u64, lost);
}

#[tokio::test]
async fn who_watches_is_told_that_the_log_was_cut_back() {
    let bench = Bench::new().await;
    let v = bench.play(&bench.here, 0, "h2-h4").await.unwrap();
    let mut watch = bench.watch(&bench.there, 0, "").await.unwrap();
    let lost = bench.play(&bench.here, 1, "m6-l6").await.unwrap();
    until(&mut watch, lost).await;
    bench.cut_back_to(v).await;
    assert_eq!(next(&mut watch).await.unwrap_err().code, Code::Resync);
}

#[tokio::test]
async fn who_watches_is_not_told_another_branch() {
    let bench = Bench::new().await;
    let v = bench.play(&bench.here, 0, "h2-h4").await.unwrap();
    let mut watch = bench.watch(&bench.here, 0, "").await.unwrap();
    let lost = bench.play(&bench.here, 1, "m6-l6").await.unwrap();
    let event = until(&mut watch, lost).await;
    bench.cut_back_to(v).await;
    bench.play(&bench.here, 1, "m11-k11").await.unwrap();
    bench.play(&bench.here, 2, "d13-d12").await.unwrap();
    assert_eq!(next(&mut watch).await.unwrap_err().code, Code::Resync);
    // Who comes back and says what it heard last is told the same; who starts again is not.
    let again = match bench.watch(&bench.here, lost, &event.id).await {
        Ok(mut stream) => next(&mut stream).await.unwrap_err(),
        Err(status) => Refusal::from(&status),
    };
    assert_eq!(again.code, Code::Resync);
    let mut anew = bench.watch(&bench.here, 0, "").await.unwrap();
    assert_eq!(next(&mut anew).await.unwrap(), bench.log().await);
}
