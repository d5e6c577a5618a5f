use ratings::Standing;

use super::*;
use crate::record::Change;
use crate::store::StoreError;

pub(super) async fn a_game_counts_once(store: &dyn Store) {
    let four = players::<4>();
    let tale = Tale::whole(0, four);
    let Recorded::New(changes) = record(store, &tale).await else { panic!("not new") };
    let after: Vec<_> = changes.iter().map(|change| format!("{:.2}", change.after)).collect();
    assert_eq!(after, ["1580.00", "1526.67", "1473.33", "1420.00"]);
    assert_eq!(changes.iter().map(|change| change.player).collect::<Vec<_>>(), four);
    for _ in 0..3 {
        assert_eq!(record(store, &tale).await, Recorded::Known(changes.clone()));
    }
    let ratings = store.ratings(&four, Some(Class::Blitz)).await.unwrap();
    assert_eq!(ratings.len(), 4);
    assert!(ratings.iter().all(|rated| rated.standing.games == 1));
    assert_eq!(ratings[0].standing.rating.to_bits(), changes[0].after.to_bits());
    assert_eq!(store.log(tale.game).await.unwrap(), Some(tale.events));
}

pub(super) async fn a_longer_log_replaces_a_shorter_one(store: &dyn Store) {
    let tale = Tale::whole(0, players());
    let longer = tale.clone().rated();
    let changes = record(store, &tale).await.changes().to_vec();
    assert_eq!(record(store, &longer).await, Recorded::Longer(changes.clone()));
    assert_eq!(store.log(tale.game).await.unwrap().unwrap().len(), longer.events.len());
    assert_eq!(record(store, &tale).await, Recorded::Known(changes.clone()));
    assert_eq!(record(store, &longer).await, Recorded::Known(changes.clone()));
    assert_eq!(store.log(tale.game).await.unwrap(), Some(longer.events));
    let numbers = store.ratings(&[changes[0].player], None).await.unwrap();
    assert_eq!(numbers[0].standing, Standing { rating: changes[0].after, games: 1 });
}

pub(super) async fn a_contradiction_changes_nothing(store: &dyn Store) {
    let four = players::<4>();
    let first = Tale::whole(0, four);
    let changes = record(store, &first).await.changes().to_vec();
    // The same game as another branch of history tells it, with the places reversed and more to say.
    let mut four_reversed = four;
    four_reversed.reverse();
    let mut other = Tale::whole(0, four_reversed).rated();
    other.game = first.game;
    other.events[0] = first.events[0].clone();
    let error = store.record(&other.record(), 1).await.unwrap_err();
    assert!(matches!(error, StoreError::Contradiction { v: 2 }), "{error}");
    assert_eq!(record(store, &first).await, Recorded::Known(changes));
    assert_eq!(store.log(first.game).await.unwrap(), Some(first.events));
}

pub(super) async fn only_rated_games_that_are_over_change_ratings(store: &dyn Store) {
    let four = players::<4>();
    let casual = Tale::begin(0, |settings| settings.rated = false).start(&four).over(Seat::ALL);
    let aborted = Tale::begin(0, |_| {}).start(&four).aborted(AbortReason::NoFirstMove, Seat::Red);
    for tale in [casual, aborted] {
        assert_eq!(record(store, &tale).await, Recorded::New(Vec::new()));
        assert_eq!(record(store, &tale).await, Recorded::Known(Vec::new()));
        assert!(store.log(tale.game).await.unwrap().is_some());
    }
    assert!(store.ratings(&four, None).await.unwrap().is_empty());
    assert!(store.history(four[0], None, None, 10).await.unwrap().is_empty());
}

pub(super) async fn classes_are_rated_apart(store: &dyn Store) {
    let four = players::<4>();
    for control in ["1+0", "3+2", "10+5", "3+2"] {
        let tale = Tale::begin(0, |settings| settings.time_control = control.to_owned());
        record(store, &tale.start(&four).over(Seat::ALL)).await;
    }
    let ratings = store.ratings(&four[..1], None).await.unwrap();
    let games = |class| ratings.iter().find(|rated| rated.class == class).map(|rated| rated.standing.games);
    assert_eq!([Class::Bullet, Class::Blitz, Class::Rapid].map(games), [Some(1), Some(2), Some(1)]);
    let sequences: Vec<_> = store.rated_games(Class::Blitz, 0, 10).await.unwrap();
    assert_eq!(sequences.iter().map(|game| game.sequence).collect::<Vec<_>>(), [1, 2]);
}

pub(super) async fn parallel_games_of_one_four_rate_one_after_the_other(store: Arc<dyn Store>) {
    let four = players::<4>();
    let reports = (0..24).map(|turn| {
        let mut by_place = four;
        by_place.rotate_left(turn % 4);
        let (store, tale) = (Arc::clone(&store), Tale::whole(0, by_place));
        tokio::spawn(async move { record(&*store, &tale).await.changes().to_vec() })
    });
    let reports: Vec<Vec<Change>> =
        futures::future::join_all(reports).await.into_iter().map(|report| report.unwrap()).collect();
    for player in four {
        let mut of_player: Vec<_> =
            reports.iter().flatten().filter(|change| change.player == player).copied().collect();
        of_player.sort_by_key(|change| change.before.games);
        assert_eq!(of_player.len(), 24);
        assert_eq!(of_player[0].before, Standing::NEW);
        for (number, pair) in (1u32..).zip(of_player.windows(2)) {
            assert_eq!(pair[1].before, Standing { rating: pair[0].after, games: number });
        }
    }
    assert_matches_recomputation(&*store, &four).await;
}

pub(super) async fn parallel_reports_of_one_game_count_once(store: Arc<dyn Store>) {
    let tale = Tale::whole(0, players());
    let reports = (0..16).map(|_| {
        let (store, tale) = (Arc::clone(&store), tale.clone());
        tokio::spawn(async move { record(&*store, &tale).await })
    });
    let reports: Vec<_> = futures::future::join_all(reports).await.into_iter().map(|report| report.unwrap()).collect();
    assert_eq!(reports.iter().filter(|report| matches!(report, Recorded::New(_))).count(), 1);
    assert!(reports.iter().all(|report| report.changes() == reports[0].changes()));
}

pub(super) async fn recomputing_gives_the_stored_numbers(store: &dyn Store) {
    let pool = players::<9>();
    for game in 0..60 {
        let by_place = std::array::from_fn(|place| pool[(game * 5 + place * (1 + game % 2)) % 9]);
        // Recorded in another order than they ended: the numbers follow the recording.
        record(store, &Tale::whole(1_000_000 - 10_000 * game as i64, by_place)).await;
    }
    assert_matches_recomputation(store, &pool).await;
}

async fn assert_matches_recomputation(store: &dyn Store, players: &[PlayerId]) {
    let recomputed = crate::recompute(store, Class::Blitz).await.unwrap();
    let stored = store.ratings(players, Some(Class::Blitz)).await.unwrap();
    assert_eq!(stored.len(), recomputed.len());
    for rated in stored {
        let again = recomputed[&rated.player];
        assert_eq!(again.rating.to_bits(), rated.standing.rating.to_bits());
        assert_eq!(again.games, rated.standing.games);
    }
}

pub(super) async fn a_very_long_game_is_kept(store: &dyn Store) {
    let four = players::<4>();
    let mut tale = Tale::begin(0, |_| {}).start(&four);
    for ply in 0..1234 {
        tale = tale.moved(Seat::ALL[ply % 4], "h2-h4");
    }
    let tale = tale.over(Seat::ALL);
    record(store, &tale).await;
    let query = RecordQuery { player: Some(four[0]), viewer: None, status: None, before: None, limit: 5 };
    assert_eq!(store.records(&query).await.unwrap()[0].plies, 1234);
    assert_eq!(store.log(tale.game).await.unwrap(), Some(tale.events));
}
