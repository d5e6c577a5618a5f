use std::collections::HashMap;

use super::*;

fn dissolving(cancelled: Vec<TicketId>) -> Dissolving {
    Dissolving { cancelled, reason: CancelReason::TooManyGames, now: 70, hold_until: 90 }
}

pub(super) async fn a_four_is_bound_and_completed_once(store: &dyn Store) {
    let four = formed(store, 50).await;
    for (seat, ticket) in &four.seats {
        assert_eq!(state(store, ticket).await, State::Forming(Place { game: four.game, seat: *seat }));
    }
    assert!(store.waiting(four.pool, 0, 100).await.unwrap().is_empty());
    assert!(store.complete(four.game, 60).await.unwrap());
    assert!(!store.complete(four.game, 61).await.unwrap());
    assert!(!store.complete(GameId::new(), 61).await.unwrap());
    for (seat, ticket) in &four.seats {
        assert_eq!(state(store, ticket).await, State::Matched(Place { game: four.game, seat: *seat }, 60));
        assert_eq!(store.open_ticket(ticket.player.id).await.unwrap(), None);
    }
    assert!(store.claim(1_000, 1_001).await.unwrap().is_empty());
    assert_eq!(store.unreported(10).await.unwrap().len(), 4);
}

pub(super) async fn a_four_with_a_ticket_gone_changes_nothing(store: &dyn Store) {
    let four = four(store, 50).await;
    let gone = &four.seats[3].1;
    store.cancel(gone.id, gone.player.id, 51).await.unwrap();
    assert!(!store.form(&four).await.unwrap());
    assert!(store.claim(1_000, 1_001).await.unwrap().is_empty());
    for (_, ticket) in &four.seats[..3] {
        assert_eq!(state(store, ticket).await, State::Waiting);
    }
    // The other three are free for another four, also with the same game.
    let mut next = four.clone();
    next.seats[3].1 = opened(store, ticket(52)).await;
    assert!(store.form(&next).await.unwrap());
}

pub(super) async fn a_bound_ticket_can_neither_be_cancelled_nor_expire(store: &dyn Store) {
    let four = formed(store, 50).await;
    let ticket = &four.seats[0].1;
    assert_eq!(store.cancel(ticket.id, ticket.player.id, 60).await.unwrap(), Cancelling::Matched(four.game));
    assert_eq!(store.expire(1_000, 1_000).await.unwrap(), []);
    assert!(store.complete(four.game, 60).await.unwrap());
    assert_eq!(store.cancel(ticket.id, ticket.player.id, 60).await.unwrap(), Cancelling::Matched(four.game));
}

pub(super) async fn an_unclaimed_four_is_read_as_formed(store: &dyn Store) {
    let later = formed(store, 60).await;
    let sooner = formed(store, 50).await;
    let claimed = store.claim(100, 110).await.unwrap();
    assert_eq!(claimed.iter().map(|four| four.game).collect::<Vec<_>>(), [sooner.game, later.game]);
    assert_eq!((claimed[0].pool, claimed[0].formed_ms, claimed[0].claimed_until_ms), (sooner.pool, 50, 110));
    for ((seat, read), (written_seat, written)) in claimed[0].seats.iter().zip(&sooner.seats) {
        assert_eq!((seat, &read.player, read.id), (written_seat, &written.player, written.id));
    }
}

pub(super) async fn a_four_is_claimed_by_one_at_a_time(store: &dyn Store) {
    let four = formed(store, 50).await;
    assert_eq!(store.claim(57, 100).await.unwrap(), []);
    let claimed = store.claim(58, 100).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(store.claim(99, 200).await.unwrap(), []);
    // Only the holder shortens a claim, and never makes it longer.
    store.release(&four, 60).await.unwrap();
    assert_eq!(store.claim(61, 200).await.unwrap(), []);
    store.release(&claimed[0], 150).await.unwrap();
    assert_eq!(store.claim(99, 200).await.unwrap(), []);
    store.release(&claimed[0], 70).await.unwrap();
    assert_eq!(store.claim(70, 200).await.unwrap().len(), 1);
}

pub(super) async fn who_lost_the_claim_cannot_dissolve(store: &dyn Store) {
    let four = formed(store, 50).await;
    let claimed = store.claim(58, 100).await.unwrap();
    assert!(!store.dissolve(&four, &dissolving(Vec::new())).await.unwrap());
    assert!(matches!(state(store, &four.seats[0].1).await, State::Forming(_)));
    // But whoever learns that the game exists may say so.
    assert!(store.complete(four.game, 60).await.unwrap());
    assert!(!store.dissolve(&claimed[0], &dissolving(Vec::new())).await.unwrap());
}

pub(super) async fn a_dissolved_four_waits_again_and_is_held_back(store: &dyn Store) {
    let four = formed(store, 50).await;
    assert!(store.dissolve(&four, &dissolving(Vec::new())).await.unwrap());
    assert!(!store.dissolve(&four, &dissolving(Vec::new())).await.unwrap());
    assert!(!store.complete(four.game, 80).await.unwrap());
    assert!(store.claim(1_000, 1_001).await.unwrap().is_empty());
    assert!(store.waiting(four.pool, 0, 89).await.unwrap().is_empty());
    assert_eq!(store.waiting(four.pool, 0, 90).await.unwrap().len(), 4);
    assert_eq!(store.pools(0).await.unwrap()[0].waiting, 4);
    let again = Four { game: GameId::new(), ..four };
    assert!(store.form(&again).await.unwrap());
}

pub(super) async fn a_dissolved_four_loses_those_who_are_cancelled(store: &dyn Store) {
    let four = formed(store, 50).await;
    let full = &four.seats[2].1;
    assert!(store.dissolve(&four, &dissolving(vec![full.id])).await.unwrap());
    assert_eq!(state(store, full).await, State::Cancelled(CancelReason::TooManyGames, 70));
    assert_eq!(store.waiting(four.pool, 0, 90).await.unwrap().len(), 3);
    assert_eq!(store.unreported(10).await.unwrap().len(), 1);
}

pub(super) async fn a_complete_four_cannot_be_dissolved(store: &dyn Store) {
    let four = formed(store, 50).await;
    store.complete(four.game, 60).await.unwrap();
    assert!(!store.dissolve(&four, &dissolving(vec![four.seats[0].1.id])).await.unwrap());
    for (_, ticket) in &four.seats {
        assert!(matches!(state(store, ticket).await, State::Matched(..)));
    }
}

pub(super) async fn old_news_is_forgotten(store: &dyn Store) {
    let four = formed(store, 50).await;
    store.complete(four.game, 60).await.unwrap();
    let waiting = opened(store, ticket(1)).await;
    let (reported, unreported) = four.seats.split_at(2);
    for (_, ticket) in reported {
        store.reported(ticket.id).await.unwrap();
    }
    store.forget(60).await.unwrap();
    assert!(store.ticket(reported[0].1.id).await.unwrap().is_some());
    store.forget(61).await.unwrap();
    for (_, ticket) in reported {
        assert_eq!(store.ticket(ticket.id).await.unwrap(), None);
    }
    assert!(matches!(state(store, &unreported[0].1).await, State::Matched(..)));
    assert_eq!(state(store, &waiting).await, State::Waiting);
    for (_, ticket) in unreported {
        store.reported(ticket.id).await.unwrap();
    }
    store.forget(61).await.unwrap();
    assert_eq!(store.ticket(unreported[0].1.id).await.unwrap(), None);
}

/// Replicas bind overlapping fours at once: each ticket ends in one of them at most, and at least one is bound.
pub(super) async fn forming_races_to_one_four_per_ticket(store: Arc<dyn Store>) {
    let mut tickets = Vec::new();
    for opened_ms in 0..7 {
        tickets.push(opened(&*store, ticket(opened_ms)).await);
    }
    let races: Vec<_> = (0..4)
        .map(|first| {
            let seats = Seat::ALL.into_iter().zip(tickets[first..].iter().cloned()).collect();
            let four =
                Four { game: GameId::new(), pool: pool("3+2", true), formed_ms: 50, claimed_until_ms: 58, seats };
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.form(&four).await.unwrap().then_some(four) })
        })
        .collect();
    let mut bound = HashMap::new();
    for race in races {
        for (_, ticket) in race.await.unwrap().into_iter().flat_map(|four| four.seats) {
            assert_eq!(bound.insert(ticket.id, ()), None, "a ticket in two fours");
        }
    }
    assert_eq!(bound.len(), 4);
    for ticket in &tickets {
        let forming = matches!(state(&*store, ticket).await, State::Forming(_));
        assert_eq!(forming, bound.contains_key(&ticket.id));
    }
}

pub(super) async fn cancelling_and_forming_race_to_one_answer(store: Arc<dyn Store>) {
    let four = four(&*store, 50).await;
    let (id, player) = (four.seats[1].1.id, four.seats[1].1.player.id);
    let (for_form, for_cancel, to_form) = (Arc::clone(&store), Arc::clone(&store), four.clone());
    let form = tokio::spawn(async move { for_form.form(&to_form).await.unwrap() });
    let cancel = tokio::spawn(async move { for_cancel.cancel(id, player, 51).await.unwrap() });
    match (form.await.unwrap(), cancel.await.unwrap()) {
        (true, Cancelling::Matched(game)) => {
            assert_eq!(game, four.game);
            assert!(matches!(state(&*store, &four.seats[1].1).await, State::Forming(_)));
        }
        (false, Cancelling::Cancelled) => {
            assert!(matches!(state(&*store, &four.seats[1].1).await, State::Cancelled(..)));
            assert_eq!(state(&*store, &four.seats[0].1).await, State::Waiting);
        }
        (formed, cancelled) => panic!("formed: {formed}, and {cancelled:?}"),
    }
}
