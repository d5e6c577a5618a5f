use super::*;
use crate::hall::Watch;
use crate::ticket::CancelReason;

#[tokio::test]
async fn a_ticket_shows_rating_wait_and_a_window_that_widens_with_the_oldest() {
    let fixture = Fixture::new().await;
    let first = fixture.waiting(1700.0).await;
    fixture.pass(12_000);
    let second = fixture.waiting(1400.0).await;
    let view = fixture.look(second).await;
    assert_eq!((view.ticket.player.rating, view.ticket.player.provisional), (1400.0, false));
    assert_eq!(view.waited_ms, 0);
    assert_eq!((view.window.low, view.window.high), (1200.0, 1600.0));
    assert_eq!(fixture.look(first).await.waited_ms, 12_000);
    fixture.hall.cancel(first.0, first.1).await.unwrap();
    assert_eq!(fixture.look(second).await.window.high, 1500.0);
    fixture.pass(60_000);
    let view = fixture.look(second).await;
    assert_eq!((view.window.low, view.window.high), (0.0, 4000.0));
}

#[tokio::test]
async fn opening_is_idempotent_by_id_for_its_owner_only() {
    let fixture = Fixture::new().await;
    let request = wish();
    let first = fixture.hall.open(request.clone()).await.unwrap();
    fixture.pass(1_000);
    let again = fixture.hall.open(request.clone()).await.unwrap();
    assert_eq!(again.ticket, first.ticket);
    assert_eq!(again.waited_ms, 1_000);
    let refusal = fixture.hall.open(Request { player: PlayerId::new(), ..request.clone() }).await.unwrap_err();
    assert!(refusal.code == Code::BadRequest && refusal.detail.starts_with("ticket_id"), "{refusal}");
    let refusal = fixture.hall.open(Request { ticket: TicketId::new(), ..request.clone() }).await.unwrap_err();
    assert_eq!(refusal.code, Code::AlreadyWaiting);
    assert_eq!(refusal.ticket_id, Some(request.ticket.to_string()));
    // The first answer again, whatever became of the ticket.
    fixture.hall.cancel(request.ticket, request.player).await.unwrap();
    let again = fixture.hall.open(request).await.unwrap();
    assert_eq!(again.ticket.state, State::Cancelled(CancelReason::Player, NOON + 1_000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_who_asks_many_times_at_once_waits_once() {
    let fixture = Fixture::new().await;
    let player = PlayerId::new();
    let openings: Vec<_> = (0..16)
        .map(|_| {
            let hall = Arc::clone(&fixture.hall);
            tokio::spawn(async move { hall.open(Request { player, ..wish() }).await })
        })
        .collect();
    let (mut opened, mut in_the_way) = (Vec::new(), Vec::new());
    for opening in openings {
        match opening.await.unwrap() {
            Ok(view) => opened.push(view.ticket.id.to_string()),
            Err(refusal) => {
                assert_eq!(refusal.code, Code::AlreadyWaiting);
                in_the_way.extend(refusal.ticket_id);
            }
        }
    }
    assert_eq!(opened.len(), 1);
    assert_eq!(in_the_way, vec![opened[0].clone(); 15]);
}

#[tokio::test]
async fn only_published_time_controls_have_pools() {
    let fixture = Fixture::new().await;
    let pool = Pool { time_control: "3+3".parse().unwrap(), rated: true };
    let refusal = fixture.hall.open(Request { pool, ..wish() }).await.unwrap_err();
    assert!(refusal.code == Code::BadRequest && refusal.detail.starts_with("time_control"), "{refusal}");
    fixture.waiting(1500.0).await;
    let pools = fixture.hall.pools().await.unwrap();
    let told: Vec<_> = pools.iter().map(|(pool, n)| (pool.time_control.to_string(), pool.rated, *n)).collect();
    let expected = [("1+0", false, 0), ("1+0", true, 0), ("3+2", false, 0), ("3+2", true, 1)];
    assert_eq!(told, expected.map(|(control, rated, n)| (control.to_owned(), rated, n)));
}

#[tokio::test]
async fn who_sits_in_ten_running_games_may_not_wait() {
    let fixture = Fixture::new().await;
    let request = wish();
    fixture.fakes.tell(|told| told.running.insert(request.player, 10));
    assert_eq!(fixture.hall.open(request.clone()).await.unwrap_err().code, Code::TooManyGames);
    fixture.fakes.tell(|told| told.running.insert(request.player, 9));
    fixture.hall.open(request).await.unwrap();
}

#[tokio::test]
async fn who_let_a_game_abort_cools_down_unless_limits_are_off() {
    let fixture = Fixture::new().await;
    let request = wish();
    fixture.fakes.tell(|told| told.aborts.insert(request.player, vec![NOON - 30_000, NOON - 500_000]));
    let refusal = fixture.hall.open(request.clone()).await.unwrap_err();
    assert_eq!((refusal.code, refusal.retry_after_ms), (Code::Cooldown, Some(90_000)));
    fixture.pass(90_000);
    fixture.hall.open(request.clone()).await.unwrap();
    let lifted = Fixture::with_limits(false).await;
    lifted.fakes.tell(|told| told.aborts.insert(request.player, vec![NOON]));
    lifted.hall.open(request).await.unwrap();
}

#[tokio::test]
async fn without_the_rating_service_no_ticket_is_opened() {
    let fixture = Fixture::new().await;
    fixture.fakes.tell(|told| told.rating_away = true);
    let request = wish();
    assert_eq!(fixture.hall.open(request.clone()).await.unwrap_err().code, Code::Unavailable);
    assert_eq!(fixture.hall.open_ticket(request.player).await.unwrap(), None);
    fixture.fakes.tell(|told| told.rating_away = false);
    let opened = fixture.hall.open(request.clone()).await.unwrap();
    assert_eq!(fixture.hall.open_ticket(request.player).await.unwrap(), Some(opened));
}

#[tokio::test]
async fn others_and_strangers_find_no_ticket() {
    let fixture = Fixture::new().await;
    let (ticket, player) = fixture.waiting(1500.0).await;
    for (ticket, player) in [(ticket, PlayerId::new()), (TicketId::new(), player)] {
        let refusal = fixture.hall.ticket(ticket, player, Duration::ZERO).await.unwrap_err();
        assert_eq!(refusal.code, Code::NotFound);
        assert_eq!(fixture.hall.cancel(ticket, player).await.unwrap_err().code, Code::NotFound);
    }
}

#[tokio::test]
async fn who_waits_hears_of_a_change_at_once() {
    let fixture = Fixture::new().await;
    let (ticket, player) = fixture.waiting(1500.0).await;
    let hall = Arc::clone(&fixture.hall);
    let asking = tokio::spawn(async move { hall.ticket(ticket, player, Duration::from_secs(25)).await });
    while fixture.hall.news.listeners() == 0 {
        tokio::task::yield_now().await;
    }
    fixture.hall.cancel(ticket, player).await.unwrap();
    fixture.hall.cancel(ticket, player).await.unwrap();
    let view = asking.await.unwrap().unwrap();
    assert_eq!(view.ticket.state, State::Cancelled(CancelReason::Player, NOON));
}

#[tokio::test]
async fn who_waits_is_sent_away_when_the_process_stops() {
    let fixture = Fixture::new().await;
    let (ticket, player) = fixture.waiting(1500.0).await;
    let mut watch = Watch::new(Arc::clone(&fixture.hall), player);
    assert_eq!(watch.next().await.unwrap().unwrap().ticket.id, ticket);
    fixture.drain.begin();
    let view = fixture.hall.ticket(ticket, player, Duration::from_secs(25)).await.unwrap();
    assert!(view.ticket.is_open());
    assert_eq!(watch.next().await.unwrap().unwrap_err().code, Code::Unavailable);
    assert!(watch.next().await.is_none());
}

#[tokio::test]
async fn a_watcher_sees_every_ticket_of_the_player_open_and_close() {
    let fixture = Fixture::new().await;
    let request = wish();
    fixture.hall.open(request.clone()).await.unwrap();
    let mut watch = Watch::new(Arc::clone(&fixture.hall), request.player);
    let mut next = async || {
        let view = watch.next().await.unwrap().unwrap();
        (view.ticket.id, view.ticket.is_open())
    };
    assert_eq!(next().await, (request.ticket, true));
    fixture.hall.cancel(request.ticket, request.player).await.unwrap();
    assert_eq!(next().await, (request.ticket, false));
    fixture.pass(1);
    let second = Request { ticket: TicketId::new(), ..request };
    fixture.hall.open(second.clone()).await.unwrap();
    assert_eq!(next().await, (second.ticket, true));
}

#[tokio::test]
async fn what_closed_before_the_watch_is_no_news() {
    let fixture = Fixture::new().await;
    let request = wish();
    fixture.hall.open(request.clone()).await.unwrap();
    fixture.hall.cancel(request.ticket, request.player).await.unwrap();
    let mut watch = Watch::new(Arc::clone(&fixture.hall), request.player);
    assert!(tokio::time::timeout(Duration::from_millis(100), watch.next()).await.is_err());
    fixture.pass(1);
    let second = Request { ticket: TicketId::new(), ..request };
    fixture.hall.open(second.clone()).await.unwrap();
    assert_eq!(watch.next().await.unwrap().unwrap().ticket.id, second.ticket);
}
