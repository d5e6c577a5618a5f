use super::*;
use crate::hall::Watch;
use crate::ticket::CancelReason;

#[tokio::test]
async fn a_ticket_nobody_asks_after_expires() {
    let fixture = Fixture::new().await;
    fixture.pass(120_000);
    let (dead, alive) = (fixture.waiting(1500.0).await, fixture.waiting(1500.0).await);
    fixture.pass(59_000);
    fixture.hall.expire().await.unwrap();
    fixture.look(alive).await;
    fixture.pass(3_000);
    fixture.hall.expire().await.unwrap();
    assert_eq!(fixture.closed(dead).await, State::Cancelled(CancelReason::Expired, NOON + 182_000));
    assert_eq!(fixture.look(alive).await.ticket.state, State::Waiting);
}

#[tokio::test]
async fn a_watched_ticket_does_not_expire() {
    let fixture = Fixture::new().await;
    fixture.pass(120_000);
    let watched = fixture.waiting(1500.0).await;
    let mut watch = Watch::new(Arc::clone(&fixture.hall), watched.1);
    watch.next().await.unwrap().unwrap();
    fixture.pass(50_000);
    let watching = tokio::spawn(async move { watch.next().await.unwrap().unwrap().ticket.state });
    let store = Arc::clone(&fixture.hall.given.store);
    while store.ticket(watched.0).await.unwrap().unwrap().asked_ms < NOON + 170_000 {
        fixture.hall.news.tell(watched.1);
        tokio::task::yield_now().await;
    }
    fixture.pass(55_000);
    fixture.hall.expire().await.unwrap();
    assert_eq!(fixture.look(watched).await.ticket.state, State::Waiting);
    watching.abort();
}

#[tokio::test]
async fn nobody_could_ask_while_the_service_was_away() {
    let fixture = Fixture::new().await;
    let tickets = fixture.alike(4).await;
    fixture.pass(3_600_000);
    let restarted = fixture.another().await;
    restarted.expire().await.unwrap();
    // Nor are the absent matched before they are back.
    restarted.form_everywhere().await.unwrap();
    assert_eq!(fixture.fakes.tell(|told| told.calls), 0);
    for (ticket, player) in &tickets {
        assert!(restarted.ticket(*ticket, *player, Duration::ZERO).await.unwrap().ticket.is_open());
    }
    restarted.form_everywhere().await.unwrap();
    for ticket in tickets {
        assert!(matches!(closed_in(&restarted, ticket).await, State::Matched(..)));
    }
}

#[tokio::test]
async fn who_does_not_come_back_after_an_outage_expires_then() {
    let fixture = Fixture::new().await;
    let dead = fixture.waiting(1500.0).await;
    fixture.pass(3_600_000);
    let restarted = fixture.another().await;
    fixture.pass(62_000);
    restarted.expire().await.unwrap();
    assert!(matches!(closed_in(&restarted, dead).await, State::Cancelled(CancelReason::Expired, _)));
}

/// A store whose tickets cannot be read, and that is well again later.
async fn rename_tickets(fixture: &Fixture, from: &'static str, to: &'static str) {
    let rename = sqlx::AssertSqlSafe(format!("ALTER TABLE {from} RENAME TO {to}"));
    sqlx::query(rename).execute(&fixture.file.sqlite.writer).await.unwrap();
}

async fn waiting_through_an_outage_of_the_store(noticed_by_sweep: bool) -> (Fixture, (TicketId, PlayerId)) {
    let fixture = Fixture::new().await;
    fixture.pass(120_000);
    let (ticket, player) = fixture.waiting(1500.0).await;
    fixture.pass(50_000);
    rename_tickets(&fixture, "matchmaking_ticket", "away").await;
    fixture.pass(20_000);
    if noticed_by_sweep {
        fixture.hall.expire().await.unwrap_err();
    } else {
        fixture.hall.ticket(ticket, player, Duration::ZERO).await.unwrap_err();
    }
    rename_tickets(&fixture, "away", "matchmaking_ticket").await;
    fixture.hall.expire().await.unwrap();
    (fixture, (ticket, player))
}

#[tokio::test]
async fn nobody_could_ask_while_the_store_was_away() {
    for noticed_by_sweep in [true, false] {
        let (fixture, ticket) = waiting_through_an_outage_of_the_store(noticed_by_sweep).await;
        fixture.pass(60_000);
        fixture.hall.expire().await.unwrap();
        assert_eq!(fixture.look(ticket).await.ticket.state, State::Waiting);
    }
}

#[tokio::test]
async fn who_does_not_come_back_after_the_store_expires_then() {
    let (fixture, dead) = waiting_through_an_outage_of_the_store(true).await;
    fixture.pass(62_000);
    fixture.hall.expire().await.unwrap();
    assert!(matches!(fixture.closed(dead).await, State::Cancelled(CancelReason::Expired, _)));
}

#[tokio::test]
async fn closed_tickets_are_handed_to_the_rating_service_once_it_is_there() {
    let fixture = Fixture::new().await;
    let tickets = fixture.alike(3).await;
    fixture.pass(5_000);
    for (ticket, player) in &tickets[..2] {
        fixture.hall.cancel(*ticket, *player).await.unwrap();
    }
    fixture.fakes.tell(|told| told.rating_away = true);
    fixture.hall.report().await.unwrap();
    assert!(fixture.fakes.tell(|told| told.kept.is_empty()));
    fixture.fakes.tell(|told| told.rating_away = false);
    fixture.hall.report().await.unwrap();
    fixture.hall.report().await.unwrap();
    let kept = fixture.fakes.tell(|told| told.kept.clone());
    assert_eq!(kept.len(), 2);
    for ticket in &kept {
        assert_eq!(ticket.state, State::Cancelled(CancelReason::Player, NOON + 5_000));
        assert_eq!(ticket.waited_ms(NOON), 5_000);
    }
}

#[tokio::test]
async fn a_drained_hall_has_no_task_left() {
    let fixture = Fixture::new().await;
    fixture.hall.run();
    let (ticket, player) = fixture.waiting(1500.0).await;
    fixture.hall.cancel(ticket, player).await.unwrap();
    fixture.fakes.called.notified().await;
    fixture.drain.begin();
    assert!(fixture.drain.finished(Duration::from_secs(5)).await);
    assert!(!fixture.drain.has_crashed());
}
