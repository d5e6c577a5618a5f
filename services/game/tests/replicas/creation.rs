//! How games of tickets come to be.

use proto::game::v1::CreateGameRequest;
use proto::{Code, GameId, PlayerId, Refusal};

use crate::{Bench, Replica, of_four};

async fn create(replica: &Replica, request: &CreateGameRequest) -> Result<String, Refusal> {
    let answer = replica.clone().create_game(request.clone()).await.map_err(|status| Refusal::from(&status))?;
    Ok(answer.into_inner().game.unwrap().id)
}

fn four() -> Vec<PlayerId> {
    (0..4).map(|_| PlayerId::new()).collect()
}

#[tokio::test]
async fn a_game_is_not_made_later_than_it_is_wanted() {
    let bench = Bench::new().await;
    let (players, now) = (four(), bench.store.now());
    let late = CreateGameRequest { make_until_unix_ms: Some(now - 1), ..of_four(GameId::new(), &players) };
    assert_eq!(create(&bench.here, &late).await.unwrap_err().code, Code::Unavailable);
    assert_eq!(bench.store.games_of(players[0]).await.unwrap(), []);
    let soon = CreateGameRequest { make_until_unix_ms: Some(now + 60_000), ..late.clone() };
    create(&bench.here, &soon).await.unwrap();
    // What exists is found however late.
    assert_eq!(create(&bench.there, &late).await.unwrap(), late.game_id);
}

#[tokio::test]
async fn nobody_is_put_into_an_eleventh_running_game() {
    let bench = Bench::new().await;
    let busy = PlayerId::new();
    let with_busy = || of_four(GameId::new(), &[&four()[1..], &[busy]].concat());
    for _ in 0..9 {
        create(&bench.here, &with_busy()).await.unwrap();
    }
    let tenth = with_busy();
    create(&bench.here, &tenth).await.unwrap();
    let refusal = create(&bench.here, &with_busy()).await.unwrap_err();
    assert_eq!(refusal.code, Code::TooManyGames);
    assert!(refusal.detail.contains("player Green"), "{}", refusal.detail);
    assert_eq!(bench.store.games_of(busy).await.unwrap().len(), 10);
    // The tenth game is no eleventh when it is asked for again.
    assert_eq!(create(&bench.there, &tenth).await.unwrap(), tenth.game_id);
}
