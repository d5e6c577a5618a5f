use proto::types::v1::{ArmyState, EndReason, Settings};
use proto::{GameId, TicketId};

use super::*;
use crate::store::{ClosedTicket, Outcome};

const EVERYTHING: RecordQuery = RecordQuery { player: None, viewer: None, status: None, before: None, limit: 100 };

async fn ids(store: &dyn Store, query: &RecordQuery) -> Vec<GameId> {
    store.records(query).await.unwrap().iter().map(|summary| summary.game).collect()
}

pub(super) async fn history_is_newest_first_in_pages(store: &dyn Store) {
    let four = players::<4>();
    for game in 0..5 {
        let control = if game == 2 { "1+0" } else { "3+2" };
        let tale = Tale::begin(0, |settings| settings.time_control = control.to_owned());
        record(store, &tale.start(&four).over(Seat::ALL)).await;
    }
    let all = store.history(four[1], None, None, 100).await.unwrap();
    assert_eq!(all.iter().map(|entry| entry.sequence).collect::<Vec<_>>(), [4, 3, 1, 2, 1]);
    assert_eq!(all.iter().map(|entry| entry.place).collect::<Vec<_>>(), [2; 5]);
    let blitz = store.history(four[1], Some(Class::Blitz), None, 2).await.unwrap();
    assert_eq!(blitz.iter().map(|entry| entry.sequence).collect::<Vec<_>>(), [4, 3]);
    let rest = store.history(four[1], Some(Class::Blitz), Some(blitz[1].number), 100).await.unwrap();
    assert_eq!(rest.iter().map(|entry| entry.sequence).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(blitz[1].before.rating, rest[0].after);
    assert_eq!(blitz[1].before.games, 2);
}

pub(super) async fn the_leaderboard_is_best_first_without_the_provisional(store: &dyn Store) {
    let settled = players::<4>();
    for game in 0..30 {
        let mut by_place = settled;
        by_place[2..].rotate_left(game % 2);
        record(store, &Tale::whole(0, by_place)).await;
    }
    let new = players::<4>();
    record(store, &Tale::whole(0, new)).await;
    let board = store.leaderboard(Class::Blitz, false, None, 100).await.unwrap();
    assert_eq!(board.len(), 4);
    assert_eq!((board[0].player, board[1].player), (settled[0], settled[1]));
    assert!(board.is_sorted_by(|a, b| a.standing.rating >= b.standing.rating));
    let all = store.leaderboard(Class::Blitz, true, None, 100).await.unwrap();
    assert_eq!(all.len(), 8);
    assert!(store.leaderboard(Class::Bullet, true, None, 100).await.unwrap().is_empty());
}

pub(super) async fn equals_on_the_leaderboard_appear_once_each(store: &dyn Store) {
    for _ in 0..5 {
        record(store, &Tale::whole(0, players())).await;
    }
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = store.leaderboard(Class::Blitz, true, after, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some((last.standing.rating, last.player));
        seen.extend(page);
    }
    assert_eq!(seen, store.leaderboard(Class::Blitz, true, None, 100).await.unwrap());
    assert_eq!(seen.len(), 20);
}

pub(super) async fn private_games_are_for_their_players(store: &dyn Store) {
    let (four, [outsider]) = (players::<4>(), players::<1>());
    let private_at = |at_ms| {
        let hide = |settings: &mut Settings| {
            settings.rated = false;
            settings.visibility = Visibility::Private.into();
        };
        Tale::begin(at_ms, hide).start(&four).over(Seat::ALL)
    };
    let private = private_at(0);
    let public = Tale::whole(100_000, four);
    record(store, &private).await;
    record(store, &public).await;
    for player in [None, Some(four[2])] {
        let seen_by = |viewer| RecordQuery { player, viewer, ..EVERYTHING };
        assert_eq!(ids(store, &seen_by(None)).await, [public.game]);
        assert_eq!(ids(store, &seen_by(Some(outsider))).await, [public.game]);
        assert_eq!(ids(store, &seen_by(Some(four[3]))).await, [public.game, private.game]);
    }
    assert!(ids(store, &RecordQuery { player: Some(outsider), ..EVERYTHING }).await.is_empty());
    // A short page holds the newest of both kinds.
    for at_ms in [200_000, 300_000] {
        record(store, &private_at(at_ms)).await;
    }
    let page = RecordQuery { viewer: Some(four[0]), limit: 3, ..EVERYTHING };
    let ended: Vec<_> = store.records(&page).await.unwrap().iter().map(|summary| summary.ended_ms).collect();
    assert_eq!(ended, [303_000, 203_000, 105_000]);
}

pub(super) async fn records_come_in_pages_and_by_status(store: &dyn Store) {
    let four = players::<4>();
    let mut newest_first = Vec::new();
    for game in 0..6 {
        // Two and two end in the same millisecond.
        let begun = Tale::begin(i64::from(game / 2) * 10_000, |_| {}).start(&four);
        let tale =
            if game % 2 == 0 { begun.over(Seat::ALL) } else { begun.aborted(AbortReason::NoFirstMove, Seat::Blue) };
        record(store, &tale).await;
        newest_first.push((tale.record().ended_ms, tale.game));
    }
    newest_first.sort();
    newest_first.reverse();
    for player in [None, Some(four[0])] {
        let (mut seen, mut before) = (Vec::new(), None);
        loop {
            let page = store.records(&RecordQuery { player, before, limit: 2, ..EVERYTHING }).await.unwrap();
            let Some(last) = page.last() else { break };
            before = Some((last.ended_ms, last.game));
            seen.extend(page.iter().map(|summary| (summary.ended_ms, summary.game)));
        }
        assert_eq!(seen, newest_first);
        let over = RecordQuery { player, status: Some(GameStatus::Over), ..EVERYTHING };
        let aborted = RecordQuery { player, status: Some(GameStatus::Aborted), ..EVERYTHING };
        assert!(store.records(&over).await.unwrap().iter().all(|summary| summary.ending.is_ok()));
        assert_eq!(ids(store, &aborted).await.len(), 3);
    }
}

pub(super) async fn a_summary_tells_seats_points_and_ratings(store: &dyn Store) {
    let four = players::<4>();
    record(store, &Tale::whole(0, four)).await;
    let summary = store.records(&EVERYTHING).await.unwrap().remove(0);
    assert_eq!(summary.ending, Ok(EndReason::LastPlayer));
    assert_eq!((summary.plies, summary.started_ms, summary.ended_ms), (2, Some(2000), 5000));
    assert_eq!(summary.time_control.to_string(), "3+2");
    let red = &summary.seats[0];
    assert_eq!((red.seat, red.points, red.result, red.place), (Seat::Red, 40, 49, Some(1)));
    assert_eq!(red.player, crate::record::sample::player(four[0]));
    assert_eq!(red.army, Some(ArmyState::Playing));
    assert_eq!(red.rating, Some((1500.0, 1580.0)));

    let waiting = Tale::begin(50_000, |settings| settings.rated = false)
        .sit(Seat::Yellow, four[0])
        .aborted(AbortReason::MakerLeft, Seat::Yellow);
    record(store, &waiting).await;
    let summary = store.records(&EVERYTHING).await.unwrap().remove(0);
    assert_eq!((summary.ending, summary.started_ms), (Err(AbortReason::MakerLeft), None));
    assert_eq!(summary.seats.len(), 1);
    assert_eq!((summary.seats[0].seat, summary.seats[0].place, summary.seats[0].army), (Seat::Yellow, None, None));
    assert_eq!(summary.seats[0].rating, None);
}

pub(super) async fn aborts_count_for_who_caused_them(store: &dyn Store) {
    let four = players::<4>();
    for (at_ms, reason) in
        [(0, AbortReason::NoFirstMove), (100_000, AbortReason::NoFirstMove), (200_000, AbortReason::MakerLeft)]
    {
        record(store, &Tale::begin(at_ms, |_| {}).start(&four).aborted(reason, Seat::Blue)).await;
    }
    assert_eq!(store.aborts(four[1], 0).await.unwrap(), [103_000, 3000]);
    assert_eq!(store.aborts(four[1], 103_000).await.unwrap(), [103_000]);
    assert!(store.aborts(four[0], 0).await.unwrap().is_empty());
}

pub(super) async fn a_ticket_is_kept_once(store: &dyn Store) {
    let ticket = ClosedTicket {
        ticket: TicketId::new(),
        player: PlayerId::new(),
        time_control: "3+2".parse().unwrap(),
        rated: true,
        rating: 1512.5,
        opened_ms: 1,
        closed_ms: 2,
        outcome: Outcome::Matched(GameId::new()),
    };
    store.keep_ticket(&ticket).await.unwrap();
    store.keep_ticket(&ticket).await.unwrap();
    for outcome in [Outcome::Cancelled, Outcome::Expired, Outcome::TooManyGames] {
        store.keep_ticket(&ClosedTicket { ticket: TicketId::new(), outcome, ..ticket.clone() }).await.unwrap();
    }
}
