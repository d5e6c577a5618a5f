//! What every store must do. `all` runs it against fresh stores made by the caller.

mod fours;
mod tickets;

use std::future::Future;
use std::sync::Arc;

use proto::types::v1::Seat;
use proto::{GameId, PlayerId, TicketId};
use timekeeping::UnixMs;

use super::{Cancelling, Dissolving, Opening, Store};
use crate::ticket::{CancelReason, Four, Place, Player, Pool, State, Ticket};

fn pool(time_control: &str, rated: bool) -> Pool {
    Pool { time_control: time_control.parse().unwrap(), rated }
}

pub(super) fn ticket(opened_ms: UnixMs) -> Ticket {
    Ticket {
        id: TicketId::new(),
        player: Player { id: PlayerId::new(), name: "ann".to_owned(), guest: true, rating: 1512.25, provisional: true },
        pool: pool("3+2", true),
        opened_ms,
        asked_ms: opened_ms,
        state: State::Waiting,
    }
}

pub(super) async fn opened(store: &dyn Store, ticket: Ticket) -> Ticket {
    assert_eq!(store.open(&ticket).await.unwrap(), Opening::Opened);
    ticket
}

async fn state(store: &dyn Store, ticket: &Ticket) -> State {
    store.ticket(ticket.id).await.unwrap().expect("the ticket is stored").state
}

/// Four open tickets as a four that is not stored yet.
pub(super) async fn four(store: &dyn Store, formed_ms: UnixMs) -> Four {
    let mut seats = Vec::new();
    for seat in Seat::ALL {
        seats.push((seat, opened(store, ticket(formed_ms)).await));
    }
    Four { game: GameId::new(), pool: pool("3+2", true), formed_ms, claimed_until_ms: formed_ms + 8, seats }
}

async fn formed(store: &dyn Store, formed_ms: UnixMs) -> Four {
    let four = four(store, formed_ms).await;
    assert!(store.form(&four).await.unwrap());
    four
}

/// Runs every test, each on a store of its own.
pub(super) async fn all<F: Future<Output = Arc<dyn Store>>>(fresh: impl Fn() -> F) {
    tickets::an_opened_ticket_is_read_as_written(&*fresh().await).await;
    tickets::one_id_is_one_ticket(&*fresh().await).await;
    tickets::a_player_has_one_open_ticket(&*fresh().await).await;
    tickets::parallel_openings_of_one_player_leave_one_ticket(fresh().await).await;
    tickets::the_newest_ticket_is_found_open_or_not(&*fresh().await).await;
    tickets::cancelling_is_for_the_owner_and_once(&*fresh().await).await;
    tickets::pools_count_only_who_still_asks(&*fresh().await).await;
    tickets::the_oldest_wait_in_front(&*fresh().await).await;
    tickets::only_forgotten_tickets_expire(&*fresh().await).await;
    tickets::many_forgotten_tickets_are_passed_over_and_expire(&*fresh().await).await;
    tickets::closed_tickets_are_reported_until_noted(&*fresh().await).await;
    fours::a_four_is_bound_and_completed_once(&*fresh().await).await;
    fours::a_four_with_a_ticket_gone_changes_nothing(&*fresh().await).await;
    fours::a_bound_ticket_can_neither_be_cancelled_nor_expire(&*fresh().await).await;
    fours::an_unclaimed_four_is_read_as_formed(&*fresh().await).await;
    fours::a_four_is_claimed_by_one_at_a_time(&*fresh().await).await;
    fours::who_lost_the_claim_cannot_dissolve(&*fresh().await).await;
    fours::a_dissolved_four_waits_again_and_is_held_back(&*fresh().await).await;
    fours::a_dissolved_four_loses_those_who_are_cancelled(&*fresh().await).await;
    fours::a_complete_four_cannot_be_dissolved(&*fresh().await).await;
    fours::old_news_is_forgotten(&*fresh().await).await;
    for _ in 0..20 {
        fours::forming_races_to_one_four_per_ticket(fresh().await).await;
        fours::cancelling_and_forming_race_to_one_answer(fresh().await).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_conforms() {
    let files = std::sync::Mutex::new(Vec::new());
    all(|| async {
        let file = runtime::Sqlite::temporary().await.unwrap();
        let store = super::SqliteStore::open(file.sqlite.clone()).await.unwrap();
        files.lock().unwrap().push(file);
        Arc::new(store) as Arc<dyn Store>
    })
    .await;
}

async fn redis_conforms(url: String, as_wanted: impl Fn(super::RedisStore) -> super::RedisStore) {
    let stores = std::sync::atomic::AtomicU32::new(0);
    // A tag of its own for each: so on a cluster every node gets its share.
    all(|| async {
        let tag = format!("{{matchmaking-{}}}", stores.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        Arc::new(as_wanted(super::RedisStore::open_with_tag(&url, &tag).await.unwrap())) as Arc<dyn Store>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_on_one_server_conforms() {
    redis_conforms(servers::redis().await, |store| store).await;
}

/// Whatever goes through many tickets does so in parts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_in_small_parts_conforms() {
    redis_conforms(servers::redis().await, |store| store.in_parts_of(2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_on_a_cluster_conforms() {
    redis_conforms(servers::redis_cluster().await, |store| store).await;
}

/// The user that deploy/redis makes may do all that is needed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_with_few_rights_conforms() {
    let users = include_str!("../../../../deploy/redis/users.conf");
    let user = users.lines().find_map(|line| line.strip_prefix("user four-kingdoms ")).unwrap();
    let url = servers::redis().await;
    let client = redis::Client::open(url.as_str()).unwrap();
    let mut administrator = client.get_multiplexed_async_connection().await.unwrap();
    let mut set = redis::cmd("ACL");
    set.arg("SETUSER").arg("four-kingdoms").arg(user.split(' ').collect::<Vec<_>>());
    set.query_async::<()>(&mut administrator).await.unwrap();
    let url = url.replace("redis://", "redis://four-kingdoms:change-me@");
    all(|| async {
        redis::cmd("FLUSHALL").query_async::<()>(&mut administrator.clone()).await.unwrap();
        Arc::new(super::RedisStore::open(&url).await.unwrap()) as Arc<dyn Store>
    })
    .await;
}
