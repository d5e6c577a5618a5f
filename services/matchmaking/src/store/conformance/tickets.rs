use super::*;

pub(super) async fn an_opened_ticket_is_read_as_written(store: &dyn Store) {
    let ticket = opened(store, ticket(1_700_000_000_123)).await;
    assert_eq!(store.ticket(ticket.id).await.unwrap().as_ref(), Some(&ticket));
    assert_eq!(store.open_ticket(ticket.player.id).await.unwrap(), Some(ticket));
    assert_eq!(store.ticket(TicketId::new()).await.unwrap(), None);
    assert_eq!(store.open_ticket(PlayerId::new()).await.unwrap(), None);
}

pub(super) async fn one_id_is_one_ticket(store: &dyn Store) {
    let first = opened(store, ticket(5)).await;
    let again = Ticket { opened_ms: 9, ..first.clone() };
    assert_eq!(store.open(&again).await.unwrap(), Opening::Known(first.clone()));
    let of_another = Ticket { id: first.id, ..ticket(5) };
    assert_eq!(store.open(&of_another).await.unwrap(), Opening::Known(first.clone()));
    store.cancel(first.id, first.player.id, 10).await.unwrap();
    let Opening::Known(known) = store.open(&first).await.unwrap() else { panic!("opened twice") };
    assert_eq!(known.state, State::Cancelled(CancelReason::Player, 10));
}

pub(super) async fn a_player_has_one_open_ticket(store: &dyn Store) {
    let first = opened(store, ticket(5)).await;
    let second = Ticket { id: TicketId::new(), pool: pool("1+0", false), player: first.player.clone(), ..ticket(6) };
    assert_eq!(store.open(&second).await.unwrap(), Opening::AlreadyWaiting(first.id));
    store.cancel(first.id, first.player.id, 7).await.unwrap();
    assert_eq!(store.open(&second).await.unwrap(), Opening::Opened);
    let bound = formed(store, 8).await.seats.remove(0).1;
    let third = Ticket { id: TicketId::new(), player: bound.player.clone(), ..ticket(9) };
    assert_eq!(store.open(&third).await.unwrap(), Opening::AlreadyWaiting(bound.id));
}

pub(super) async fn parallel_openings_of_one_player_leave_one_ticket(store: Arc<dyn Store>) {
    let first = ticket(5);
    let openings: Vec<_> = (0..16)
        .map(|_| {
            let (store, ticket) = (Arc::clone(&store), Ticket { id: TicketId::new(), ..first.clone() });
            tokio::spawn(async move { (ticket.id, store.open(&ticket).await.unwrap()) })
        })
        .collect();
    let (mut winner, mut told) = (None, Vec::new());
    for opening in openings {
        match opening.await.unwrap() {
            (id, Opening::Opened) => assert_eq!(winner.replace(id), None, "two opened"),
            (_, Opening::AlreadyWaiting(other)) => told.push(other),
            (_, Opening::Known(_)) => panic!("no id was used twice"),
        }
    }
    assert_eq!(told, vec![winner.unwrap(); 15]);
}

pub(super) async fn the_newest_ticket_is_found_open_or_not(store: &dyn Store) {
    let old = opened(store, ticket(5)).await;
    let player = old.player.id;
    store.cancel(old.id, player, 6).await.unwrap();
    assert_eq!(store.newest(player).await.unwrap().map(|ticket| ticket.id), Some(old.id));
    let new = opened(store, Ticket { player: old.player, ..ticket(7) }).await;
    assert_eq!(store.newest(player).await.unwrap(), Some(new));
    assert_eq!(store.newest(PlayerId::new()).await.unwrap(), None);
}

pub(super) async fn cancelling_is_for_the_owner_and_once(store: &dyn Store) {
    let ticket = opened(store, ticket(5)).await;
    assert_eq!(store.cancel(ticket.id, PlayerId::new(), 6).await.unwrap(), Cancelling::Unknown);
    assert_eq!(store.cancel(TicketId::new(), ticket.player.id, 6).await.unwrap(), Cancelling::Unknown);
    assert_eq!(state(store, &ticket).await, State::Waiting);
    assert_eq!(store.cancel(ticket.id, ticket.player.id, 7).await.unwrap(), Cancelling::Cancelled);
    assert_eq!(store.cancel(ticket.id, ticket.player.id, 8).await.unwrap(), Cancelling::Already);
    assert_eq!(state(store, &ticket).await, State::Cancelled(CancelReason::Player, 7));
    assert_eq!(store.open_ticket(ticket.player.id).await.unwrap(), None);
}

pub(super) async fn pools_count_only_who_still_asks(store: &dyn Store) {
    let dead = opened(store, ticket(100)).await;
    for opened_ms in [200, 300] {
        opened(store, ticket(opened_ms)).await;
    }
    opened(store, Ticket { pool: pool("3+2", false), ..ticket(250) }).await;
    formed(store, 150).await;
    let mut pools = store.pools(200).await.unwrap();
    pools.sort_by_key(|state| state.oldest_ms);
    let told: Vec<_> = pools.iter().map(|state| (state.pool.rated, state.waiting, state.oldest_ms)).collect();
    assert_eq!(told, [(true, 2, 200), (false, 1, 250)]);
    assert_eq!(store.oldest(pool("3+2", true), 200).await.unwrap(), Some(200));
    assert_eq!(store.oldest(pool("1+0", true), 0).await.unwrap(), None);
    store.asked(dead.id, 400).await.unwrap();
    assert_eq!(store.oldest(pool("3+2", true), 200).await.unwrap(), Some(100));
    // A question noted late does not undo a newer one.
    store.asked(dead.id, 300).await.unwrap();
    assert_eq!(store.ticket(dead.id).await.unwrap().unwrap().asked_ms, 400);
}

pub(super) async fn the_oldest_wait_in_front(store: &dyn Store) {
    let mut expected = Vec::new();
    for opened_ms in [30, 10, 20] {
        expected.push(opened(store, ticket(opened_ms)).await);
    }
    opened(store, Ticket { pool: pool("3+2", false), ..ticket(5) }).await;
    opened(store, Ticket { pool: pool("1+0", true), ..ticket(5) }).await;
    expected.sort_by_key(|ticket| ticket.opened_ms);
    let waiting = store.waiting(pool("3+2", true), 0, 100).await.unwrap();
    let seen: Vec<_> = waiting.iter().map(|waiting| (waiting.ticket, waiting.opened_ms)).collect();
    assert_eq!(seen, expected.iter().map(|ticket| (ticket.id, ticket.opened_ms)).collect::<Vec<_>>());
    assert_eq!(waiting[0].rating, 1512.25);
    assert_eq!(store.waiting(pool("3+2", true), 20, 100).await.unwrap().len(), 2);
}

pub(super) async fn only_forgotten_tickets_expire(store: &dyn Store) {
    let (dead, asked) = (opened(store, ticket(100)).await, opened(store, ticket(100)).await);
    store.asked(asked.id, 200).await.unwrap();
    assert_eq!(store.expire(100, 500).await.unwrap(), []);
    assert_eq!(store.expire(200, 500).await.unwrap(), [dead.player.id]);
    assert_eq!(store.expire(200, 501).await.unwrap(), []);
    assert_eq!(state(store, &dead).await, State::Cancelled(CancelReason::Expired, 500));
    assert_eq!(state(store, &asked).await, State::Waiting);
    assert_eq!(store.cancel(dead.id, dead.player.id, 600).await.unwrap(), Cancelling::Already);
}

pub(super) async fn many_forgotten_tickets_are_passed_over_and_expire(store: &dyn Store) {
    let mut expected = Vec::new();
    for opened_ms in 100..105 {
        expected.push(opened(store, ticket(opened_ms)).await.player.id);
        // Between them some that are bound to games, and stay.
        formed(store, opened_ms).await;
    }
    let alive = opened(store, ticket(105)).await;
    store.asked(alive.id, 200).await.unwrap();
    let late = opened(store, ticket(106)).await;
    store.asked(late.id, 200).await.unwrap();
    opened(store, Ticket { pool: pool("3+2", false), ..ticket(300) }).await;
    let mut pools = store.pools(200).await.unwrap();
    pools.sort_by_key(|state| state.oldest_ms);
    let told: Vec<_> = pools.iter().map(|state| (state.pool.rated, state.waiting, state.oldest_ms)).collect();
    assert_eq!(told, [(true, 2, 105), (false, 1, 300)]);
    assert_eq!(store.pools(0).await.unwrap().iter().map(|state| state.waiting).sum::<u32>(), 8);
    assert_eq!(store.oldest(pool("3+2", true), 200).await.unwrap(), Some(105));
    assert_eq!(store.oldest(pool("3+2", true), 301).await.unwrap(), None);
    let waiting = store.waiting(pool("3+2", true), 200, 400).await.unwrap();
    assert_eq!(waiting.iter().map(|waiting| waiting.ticket).collect::<Vec<_>>(), [alive.id, late.id]);
    assert_eq!(store.waiting(pool("3+2", true), 0, 400).await.unwrap().len(), 7);
    let mut expired = store.expire(200, 500).await.unwrap();
    expired.sort_unstable();
    expected.sort_unstable();
    assert_eq!(expired, expected);
    assert_eq!(store.expire(200, 501).await.unwrap(), []);
}

pub(super) async fn closed_tickets_are_reported_until_noted(store: &dyn Store) {
    let (second, first) = (opened(store, ticket(1)).await, opened(store, ticket(2)).await);
    opened(store, ticket(3)).await;
    store.cancel(first.id, first.player.id, 10).await.unwrap();
    store.cancel(second.id, second.player.id, 11).await.unwrap();
    let ids = async || store.unreported(10).await.unwrap().iter().map(|ticket| ticket.id).collect::<Vec<_>>();
    assert_eq!(ids().await, [first.id, second.id]);
    assert_eq!(store.unreported(1).await.unwrap().len(), 1);
    store.reported(first.id).await.unwrap();
    assert_eq!(ids().await, [second.id]);
}
