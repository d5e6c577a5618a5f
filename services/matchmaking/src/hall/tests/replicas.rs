//! Several replicas on one Redis.

use std::collections::HashSet;

use super::doomed::{Doomed, End};
use super::*;
use crate::store::RedisStore;

/// What the replicas of one test share.
struct Replicas {
    url: String,
    tag: String,
    clock: Arc<AtomicI64>,
    fakes: Arc<Fakes>,
    drain: Drain,
}

impl Replicas {
    fn on(url: &str, test: u32) -> Self {
        Self {
            url: url.to_owned(),
            tag: format!("{{matchmaking-{test}}}"),
            clock: Arc::new(AtomicI64::new(NOON)),
            fakes: Arc::default(),
            drain: Drain::new(),
        }
    }

    async fn store(&self) -> Arc<RedisStore> {
        Arc::new(RedisStore::open_with_tag(&self.url, &self.tag).await.unwrap())
    }

    fn hall(&self, store: Arc<dyn Store>) -> Arc<Hall> {
        hall_with(store, &self.clock, &self.fakes, &self.drain, true)
    }

    /// One that works by itself and hears of the others.
    async fn another(&self) -> Arc<Hall> {
        let store = self.store().await;
        let hall = self.hall(store.clone());
        store.attend(hall.news(), &self.drain);
        hall.run();
        hall
    }

    fn pass(&self, ms: i64) {
        self.clock.fetch_add(ms, Ordering::SeqCst);
    }

    /// The four have their game, or wait again because it was refused.
    async fn is_settled(&self, hall: &Hall, tickets: &[(TicketId, PlayerId)]) -> bool {
        if self.fakes.tell(|told| told.calls) == 0 {
            return false;
        }
        let store = &hall.given.store;
        for (ticket, _) in tickets {
            if matches!(store.ticket(*ticket).await.unwrap().unwrap().state, State::Forming(_)) {
                return false;
            }
        }
        true
    }

    /// Every ticket was matched, sits in one game that was made, and in no other.
    fn assert_one_game_each(&self, tickets: &[(TicketId, PlayerId)], states: &[State]) {
        let games = self.fakes.tell(|told| told.games.clone());
        assert_eq!(games.len() * 4, tickets.len());
        let mut seated = HashSet::new();
        for (_, ticket) in games.values().flat_map(|four| &four.seats) {
            assert!(seated.insert(ticket.id), "a ticket in two games");
        }
        for ((id, _), state) in tickets.iter().zip(states) {
            let State::Matched(place, _) = state else { panic!("{state:?} instead of matched") };
            assert!(games[&place.game].seats.iter().any(|(seat, ticket)| *seat == place.seat && ticket.id == *id));
        }
    }
}

async fn open(hall: &Hall) -> (TicketId, PlayerId) {
    let view = hall.open(wish()).await.unwrap();
    (view.ticket.id, view.ticket.player.id)
}

/// A replica is killed before and after each step of what becomes of four who fit; another finishes it. Answers how
/// often it died, until it lived long enough for the whole of it.
async fn die_at_each_step(making: Making) -> u32 {
    let url = servers::redis().await;
    let (mut died, mut test) = (0, 0);
    for steps in 1.. {
        for end in [End::Before, End::After] {
            test += 1;
            let replicas = Replicas::on(&url, test);
            replicas.fakes.tell(|told| told.making = making);
            let healthy = replicas.hall(replicas.store().await);
            let mut tickets = Vec::new();
            for _ in 0..4 {
                tickets.push(open(&healthy).await);
            }
            let doomed = Arc::new(Doomed::new(replicas.store().await, steps, end));
            let hall = replicas.hall(doomed.clone());
            let round = tokio::spawn(async move { hall.form_everywhere().await });
            while !doomed.is_dead() && !replicas.is_settled(&healthy, &tickets).await {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let lived = !doomed.is_dead();
            // A step that is done without an answer takes a moment.
            tokio::time::sleep(Duration::from_millis(20)).await;
            round.abort();
            replicas.fakes.tell(|told| told.making = Making::Well);
            // Claims run out, and tickets are no longer held back.
            replicas.pass(10_000);
            healthy.resume().await.unwrap();
            healthy.form_everywhere().await.unwrap();
            let mut states = Vec::new();
            for ticket in &tickets {
                states.push(closed_in(&healthy, *ticket).await);
            }
            replicas.assert_one_game_each(&tickets, &states);
            if lived {
                return died;
            }
            died += 1;
        }
    }
    unreachable!("what becomes of four has an end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whichever_step_to_a_game_a_replica_dies_at_its_tickets_play_one() {
    let died = die_at_each_step(Making::Well).await;
    assert!(died >= 16, "pools, waiting, four tickets, form and complete, before and after: {died} deaths");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whichever_step_of_giving_up_a_four_a_replica_dies_at_its_tickets_play_one_game() {
    let died = die_at_each_step(Making::Refused(Code::BadRequest)).await;
    assert!(died >= 16, "as above, with dissolve for complete: {died} deaths");
}

/// Sixty players come to three replicas at once, one of which is killed in the middle of it.
#[test]
fn racing_and_dying_replicas_put_no_ticket_into_two_games() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let doomed = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let replicas = Replicas::on(&servers::redis().await, 0);
        let (first, second) = (replicas.another().await, replicas.another().await);
        let shared = Arc::new(replicas);
        let replicas = Arc::clone(&shared);
        let third = doomed.spawn(async move { shared.another().await }).await.unwrap();
        let openings = (0..60).map(|turn| {
            let hall = Arc::clone([&first, &second, &third][turn % 3]);
            let opening = async move { open(&hall).await };
            if turn % 3 == 2 { doomed.spawn(opening) } else { tokio::spawn(opening) }
        });
        let openings: Vec<_> = openings.collect();
        let mut tickets = Vec::new();
        for (turn, opening) in openings.into_iter().enumerate() {
            tickets.push(opening.await.unwrap());
            if turn == 40 {
                replicas.fakes.tell(|told| told.making = Making::AnswerLost);
            }
        }
        doomed.shutdown_background();
        replicas.fakes.tell(|told| told.making = Making::Well);
        // The claims of the dead run out; then time goes on, and the answers that were lost are asked for again.
        replicas.pass(8_000);
        let passing = Arc::clone(&replicas);
        let time = tokio::spawn(async move {
            loop {
                tokio::time::sleep(Duration::from_millis(100)).await;
                passing.pass(100);
            }
        });
        let mut states = Vec::new();
        for ticket in &tickets {
            states.push(closed_in(&first, *ticket).await);
        }
        time.abort();
        replicas.assert_one_game_each(&tickets, &states);
    });
}

#[tokio::test]
async fn who_waits_at_one_replica_hears_at_once_of_what_another_does() {
    let replicas = Replicas::on(&servers::redis().await, 0);
    let (here, there) = (replicas.another().await, replicas.another().await);
    let (ticket, player) = open(&there).await;
    let mut watch = crate::hall::Watch::new(Arc::clone(&here), player);
    assert!(watch.next().await.unwrap().unwrap().ticket.is_open());
    let hall = Arc::clone(&here);
    let asking = tokio::spawn(async move { hall.ticket(ticket, player, Duration::from_secs(25)).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    there.cancel(ticket, player).await.unwrap();
    // Without the wake-up both would look after two seconds.
    let soon = Duration::from_millis(1_000);
    let view = tokio::time::timeout(soon, asking).await.unwrap().unwrap().unwrap();
    assert!(!view.ticket.is_open());
    let news = tokio::time::timeout(soon, watch.next()).await.unwrap().unwrap().unwrap();
    assert!(!news.ticket.is_open());
}
