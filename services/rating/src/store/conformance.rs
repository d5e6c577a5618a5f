//! What every store must do. `all` runs it against fresh stores made by the caller.

mod games;
mod queries;

use std::future::Future;
use std::sync::Arc;

use proto::PlayerId;
use proto::types::v1::{AbortReason, GameStatus, Seat, Visibility};
use timekeeping::Class;

use super::{RecordQuery, Recorded, Store};
use crate::record::sample::Tale;

fn players<const N: usize>() -> [PlayerId; N] {
    std::array::from_fn(|_| PlayerId::new())
}

async fn record(store: &dyn Store, tale: &Tale) -> Recorded {
    store.record(&tale.record(), 1).await.expect("the store works")
}

/// Runs every test, each on a store of its own.
pub(super) async fn all<F: Future<Output = Arc<dyn Store>>>(fresh: impl Fn() -> F) {
    games::a_game_counts_once(&*fresh().await).await;
    games::a_longer_log_replaces_a_shorter_one(&*fresh().await).await;
    games::a_contradiction_changes_nothing(&*fresh().await).await;
    games::only_rated_games_that_are_over_change_ratings(&*fresh().await).await;
    games::classes_are_rated_apart(&*fresh().await).await;
    games::parallel_games_of_one_four_rate_one_after_the_other(fresh().await).await;
    games::parallel_reports_of_one_game_count_once(fresh().await).await;
    games::recomputing_gives_the_stored_numbers(&*fresh().await).await;
    games::a_very_long_game_is_kept(&*fresh().await).await;
    queries::history_is_newest_first_in_pages(&*fresh().await).await;
    queries::the_leaderboard_is_best_first_without_the_provisional(&*fresh().await).await;
    queries::equals_on_the_leaderboard_appear_once_each(&*fresh().await).await;
    queries::private_games_are_for_their_players(&*fresh().await).await;
    queries::records_come_in_pages_and_by_status(&*fresh().await).await;
    queries::a_summary_tells_seats_points_and_ratings(&*fresh().await).await;
    queries::aborts_count_for_who_caused_them(&*fresh().await).await;
    queries::a_ticket_is_kept_once(&*fresh().await).await;
}

#[tokio::test]
async fn sqlite_conforms() {
    let files = std::sync::Mutex::new(Vec::new());
    all(|| async {
        let file = runtime::Sqlite::temporary().await.unwrap();
        super::SqliteStore::migrate(&file.sqlite).await.unwrap();
        let store = super::SqliteStore::new(file.sqlite.clone());
        files.lock().unwrap().push(file);
        Arc::new(store) as Arc<dyn Store>
    })
    .await;
}

#[tokio::test]
async fn postgres_conforms() {
    all(|| async { Arc::new(super::postgres::fresh().await.1) as Arc<dyn Store> }).await;
}
