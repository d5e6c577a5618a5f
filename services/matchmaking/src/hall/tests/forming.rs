use std::collections::HashSet;

use super::*;
use crate::ticket::CancelReason;

#[tokio::test]
async fn four_who_fit_get_one_game_with_the_seats_dealt() {
    let fixture = Fixture::new().await;
    fixture.hall.run();
    let mut tickets = Vec::new();
    for rating in [1500.0, 1510.0, 1520.0, 1530.0] {
        tickets.push(fixture.waiting(rating).await);
    }
    let mut places = HashMap::new();
    for ticket in &tickets {
        let State::Matched(Place { game, seat }, _) = fixture.closed(*ticket).await else { panic!("not matched") };
        places.insert(seat, (game, *ticket));
    }
    assert_eq!(places.len(), 4);
    let game = fixture.fakes.tell(|told| told.games.values().next().cloned()).unwrap();
    assert!(places.values().all(|(id, _)| *id == game.game));
    assert_eq!(game.seats.iter().map(|(seat, _)| *seat).collect::<Vec<_>>(), Seat::ALL);
    for (seat, ticket) in &game.seats {
        assert_eq!(places[seat].1.0, ticket.id);
    }
    // The dealer of the fixture gives yellow first.
    assert_eq!(fixture.fakes.tell(|told| told.games.len()), 1);
    assert_eq!(places[&Seat::Yellow].1, tickets[0]);
}

#[tokio::test]
async fn strangers_are_matched_when_the_window_has_opened() {
    let fixture = Fixture::new().await;
    let mut tickets = Vec::new();
    for rating in [900.0, 1500.0, 2000.0, 2600.0] {
        tickets.push(fixture.waiting(rating).await);
    }
    for _ in 0..3 {
        fixture.pass(19_000);
        fixture.hall.form_everywhere().await.unwrap();
        for ticket in &tickets {
            assert!(fixture.look(*ticket).await.ticket.is_open());
        }
    }
    fixture.pass(3_000);
    fixture.hall.form_everywhere().await.unwrap();
    for ticket in tickets {
        assert!(matches!(fixture.closed(ticket).await, State::Matched(..)));
    }
}

#[tokio::test]
async fn pools_do_not_mix() {
    let fixture = Fixture::new().await;
    for turn in 0..12 {
        let control = if turn % 2 == 0 { "1+0" } else { "3+2" };
        let pool = Pool { time_control: control.parse().unwrap(), rated: turn % 4 < 2 };
        fixture.hall.open(Request { pool, ..wish() }).await.unwrap();
    }
    fixture.pass(59_000);
    fixture.hall.form_everywhere().await.unwrap();
    assert_eq!(fixture.fakes.tell(|told| told.calls), 0);
    assert!(fixture.hall.pools().await.unwrap().iter().all(|(_, waiting)| *waiting == 3));
}

#[tokio::test]
async fn a_refused_four_waits_again_and_is_formed_anew_later() {
    let fixture = Fixture::new().await;
    let tickets = fixture.formed(Making::Refused(Code::BadRequest)).await;
    fixture.waits_again(tickets[0]).await;
    for _ in 0..3 {
        fixture.hall.form_everywhere().await.unwrap();
    }
    assert_eq!(fixture.fakes.tell(|told| told.calls), 1, "held back for a while");
    fixture.fakes.tell(|told| told.making = Making::Well);
    fixture.pass(10_000);
    fixture.hall.form_everywhere().await.unwrap();
    for ticket in tickets {
        assert!(matches!(fixture.closed(ticket).await, State::Matched(..)));
    }
    assert_eq!(fixture.fakes.tell(|told| told.games.len()), 1);
}

#[tokio::test]
async fn who_filled_up_with_games_meanwhile_leaves_and_the_others_wait_on() {
    let fixture = Fixture::new().await;
    fixture.fakes.tell(|told| told.making = Making::Refused(Code::TooManyGames));
    let mut tickets = fixture.alike(4).await;
    fixture.fakes.tell(|told| told.running.insert(tickets[2].1, 10));
    fixture.hall.form_everywhere().await.unwrap();
    assert_eq!(fixture.closed(tickets[2]).await, State::Cancelled(CancelReason::TooManyGames, NOON));
    fixture.fakes.tell(|told| told.making = Making::Well);
    tickets[2] = fixture.waiting(1500.0).await;
    fixture.hall.form_everywhere().await.unwrap();
    for ticket in tickets {
        assert!(matches!(fixture.closed(ticket).await, State::Matched(..)));
    }
}

#[tokio::test]
async fn a_game_service_that_is_away_is_asked_again_for_the_same_game() {
    let fixture = Fixture::new().await;
    let tickets = fixture.formed(Making::Refused(Code::Unavailable)).await;
    let refusal = fixture.hall.cancel(tickets[0].0, tickets[0].1).await.unwrap_err();
    assert_eq!(refusal.code, Code::AlreadyMatched);
    let promised = refusal.game_id.unwrap();
    assert!(fixture.look(tickets[0]).await.ticket.is_open());
    fixture.fakes.tell(|told| told.making = Making::Well);
    fixture.pass(8_000);
    fixture.hall.resume().await.unwrap();
    for ticket in tickets {
        let State::Matched(place, _) = fixture.closed(ticket).await else { panic!("not matched") };
        assert_eq!(place.game.to_string(), promised);
    }
}

#[tokio::test]
async fn a_four_whose_game_could_not_be_made_for_long_waits_again() {
    let fixture = Fixture::new().await;
    let mut tickets = fixture.formed(Making::Refused(Code::Unavailable)).await;
    fixture.pass(76_000);
    fixture.fakes.tell(|told| told.making = Making::Well);
    // Three are still there and asked meanwhile; the fourth is gone.
    for ticket in &tickets[..3] {
        assert!(fixture.look(*ticket).await.ticket.is_open());
    }
    fixture.hall.resume().await.unwrap();
    fixture.waits_again(tickets[0]).await;
    fixture.hall.expire().await.unwrap();
    assert!(matches!(fixture.closed(tickets[3]).await, State::Cancelled(CancelReason::Expired, _)));
    tickets[3] = fixture.waiting(1500.0).await;
    fixture.hall.form_everywhere().await.unwrap();
    for ticket in tickets {
        assert!(matches!(fixture.closed(ticket).await, State::Matched(..)));
    }
    assert_eq!(fixture.fakes.tell(|told| told.games.len()), 1);
}

/// A replica is stopped in the middle of its call for so long that the four is given up meanwhile.
#[tokio::test]
async fn a_call_that_comes_after_its_four_was_given_up_makes_no_game() {
    let fixture = Fixture::new().await;
    let tickets = fixture.formed(Making::UnderWay).await;
    fixture.pass(76_000);
    fixture.fakes.tell(|told| told.making = Making::Well);
    let other = fixture.another().await;
    for (ticket, player) in &tickets {
        assert!(other.ticket(*ticket, *player, Duration::ZERO).await.unwrap().ticket.is_open());
    }
    other.resume().await.unwrap();
    fixture.waits_again(tickets[0]).await;
    other.form_everywhere().await.unwrap();
    for ticket in tickets {
        assert!(matches!(closed_in(&other, ticket).await, State::Matched(..)));
    }
    fixture.fakes.arrive(NOON + 76_000);
    assert_eq!(fixture.fakes.tell(|told| told.games.len()), 1, "each ticket plays one game");
}

/// A call under way may still make the game, whatever a later one is told.
#[tokio::test]
async fn a_four_that_was_claimed_anew_is_not_dissolved_by_a_refusal() {
    let fixture = Fixture::new().await;
    let tickets = fixture.formed(Making::UnderWay).await;
    fixture.pass(8_000);
    fixture.fakes.tell(|told| told.making = Making::Refused(Code::TooManyGames));
    let other = fixture.another().await;
    other.resume().await.unwrap();
    fixture.fakes.called.notified().await;
    fixture.fakes.arrive(NOON + 8_000);
    fixture.fakes.tell(|told| told.making = Making::Well);
    // The refused call gives its claim back soon.
    fixture.pass(8_000);
    while let State::Forming(_) = fixture.look(tickets[0]).await.ticket.state {
        other.resume().await.unwrap();
    }
    let made = fixture.fakes.tell(|told| told.games.keys().copied().collect::<Vec<_>>());
    for ticket in tickets {
        let State::Matched(place, _) = fixture.closed(ticket).await else { panic!("not matched") };
        assert_eq!(made, [place.game]);
    }
}

#[tokio::test]
async fn a_four_whose_game_was_made_unheard_is_matched_however_late() {
    let fixture = Fixture::new().await;
    let tickets = fixture.formed(Making::AnswerLost).await;
    fixture.pass(3_600_000);
    fixture.fakes.tell(|told| told.making = Making::Well);
    fixture.hall.resume().await.unwrap();
    for ticket in tickets {
        assert!(matches!(fixture.closed(ticket).await, State::Matched(..)));
    }
    assert_eq!(fixture.fakes.tell(|told| told.calls), 1, "an old four is looked for, not made");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_and_being_matched_race_to_one_answer() {
    for turn in 0..40 {
        let fixture = Fixture::new().await;
        let tickets = fixture.alike(4).await;
        let (hall, (ticket, player)) = (Arc::clone(&fixture.hall), tickets[turn % 4]);
        // Sooner or later by a little each time, so that both sides win now and then.
        let cancel = tokio::spawn(async move {
            for _ in 0..turn / 4 {
                hall.open_ticket(player).await?;
            }
            hall.cancel(ticket, player).await
        });
        fixture.hall.form_everywhere().await.unwrap();
        match cancel.await.unwrap() {
            Ok(()) => {
                let state = fixture.closed(tickets[turn % 4]).await;
                assert_eq!(state, State::Cancelled(CancelReason::Player, NOON));
                assert!(fixture.fakes.tell(|told| told.games.is_empty()));
            }
            Err(refusal) => {
                assert_eq!(refusal.code, Code::AlreadyMatched);
                let State::Matched(place, _) = fixture.closed(tickets[turn % 4]).await else { panic!("no match") };
                assert_eq!(refusal.game_id, Some(place.game.to_string()));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_replicas_never_put_one_ticket_into_two_games() {
    let fixture = Fixture::new().await;
    let other = fixture.another().await;
    fixture.hall.run();
    other.run();
    let openings: Vec<_> = (0..40)
        .map(|turn| {
            let hall = Arc::clone(if turn % 2 == 0 { &fixture.hall } else { &other });
            tokio::spawn(async move {
                let view = hall.open(wish()).await.unwrap();
                (view.ticket.id, view.ticket.player.id)
            })
        })
        .collect();
    let mut games = HashSet::new();
    for opening in openings {
        let State::Matched(place, _) = fixture.closed(opening.await.unwrap()).await else { panic!("no match") };
        games.insert(place.game);
    }
    let made = fixture.fakes.tell(|told| told.games.clone());
    assert_eq!(made.keys().copied().collect::<HashSet<_>>(), games);
    let seated: Vec<_> = made.values().flat_map(|four| four.seats.iter().map(|(_, ticket)| ticket.id)).collect();
    assert_eq!((seated.len(), seated.iter().collect::<HashSet<_>>().len()), (40, 40));
}

#[test]
fn every_deal_is_a_permutation_and_every_seat_falls_to_everybody() {
    let mut first = HashSet::new();
    for _ in 0..200 {
        let seats = crate::hall::deal_at_random();
        assert_eq!(seats.iter().collect::<HashSet<_>>().len(), 4);
        first.insert(seats[0]);
    }
    assert_eq!(first.len(), 4);
}
