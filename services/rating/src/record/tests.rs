use proptest::prelude::*;
use proto::types::v1::event::What;
use proto::types::v1::{AbortReason, Seat, Visibility};
use proto::{Code, PlayerId};

use super::sample::Tale;
use super::*;

fn players() -> [PlayerId; 4] {
    std::array::from_fn(|_| PlayerId::new())
}

fn refused(tale: &Tale) -> String {
    let refusal = Record::read(tale.game, tale.events.clone()).expect_err("the tale has a flaw");
    assert_eq!(refusal.code, Code::BadRequest);
    assert!(refusal.detail.starts_with("events"), "{}", refusal.detail);
    refusal.detail
}

#[test]
fn a_whole_game_is_read_in_all_its_parts() {
    let four = players();
    let tale = Tale::begin(0, |settings| settings.time_control = "10+5".to_owned())
        .start(&four)
        .moved(Seat::Red, "h2-h4")
        .over([Seat::Green, Seat::Yellow, Seat::Blue, Seat::Red])
        .rated();
    let record = tale.record();
    assert_eq!((record.created_ms, record.started_ms, record.ended_ms), (1000, Some(2000), 4000));
    assert_eq!(record.ending, Ending::Over(EndReason::LastPlayer));
    assert_eq!(record.players_by_place(), Some([four[3], four[2], four[1], four[0]]));
    assert_eq!(record.seats[0].place, Some(4));
    assert_eq!((record.seats[0].points, record.seats[0].result), (40, 46));
    assert_eq!(record.moves.len(), 1);
    assert_eq!((record.moves[0].seat, record.moves[0].remaining_ms), (Seat::Red, 1000));
    assert_eq!(record.moves[0].captured, None);
}

#[test]
fn a_waiting_game_that_expires_keeps_who_sat_there_last() {
    let four = players();
    let tale = Tale::begin(0, |settings| settings.rated = false)
        .sit(Seat::Red, four[0])
        .sit(Seat::Blue, four[1])
        .leave(Seat::Blue, four[1])
        .aborted(AbortReason::Expired, Seat::Unspecified);
    let record = tale.record();
    assert_eq!(record.started_ms, None);
    assert_eq!(record.ending, Ending::Aborted { reason: AbortReason::Expired, culprit: None });
    assert_eq!(record.seats[0].player.as_ref().map(|(id, _)| *id), Some(four[0]));
    assert!(record.seats[1].player.is_none() && record.seats[0].army.is_none());
    assert_eq!(record.players_by_place(), None);
}

#[test]
fn only_a_missing_first_move_has_a_culprit() {
    let four = players();
    let tale = Tale::begin(0, |_| {}).start(&four);
    let late = tale.clone().aborted(AbortReason::NoFirstMove, Seat::Yellow).record();
    assert_eq!(late.ending, Ending::Aborted { reason: AbortReason::NoFirstMove, culprit: Some(four[2]) });
    let left = tale.aborted(AbortReason::MakerLeft, Seat::Red).record();
    assert_eq!(left.ending, Ending::Aborted { reason: AbortReason::MakerLeft, culprit: None });
}

#[test]
fn what_is_no_finished_game_is_refused() {
    let four = players();
    let begun = Tale::begin(0, |_| {}).start(&four);
    let over = begun.clone().over(Seat::ALL);
    for tale in [
        Tale { events: Vec::new(), ..begun.clone() },
        begun.clone(),
        Tale { events: over.events[1..].to_vec(), ..over.clone() },
        over.clone().over(Seat::ALL),
        over.clone().moved(Seat::Red, "h2-h4"),
        over.clone().rated().rated(),
        begun.clone().rated(),
        begun.clone().start(&four).over(Seat::ALL),
        begun.clone().over([Seat::Red, Seat::Red, Seat::Blue, Seat::Green]),
        begun.clone().over([Seat::Unspecified, Seat::Red, Seat::Blue, Seat::Green]),
        begun.clone().aborted(AbortReason::Unspecified, Seat::Red),
        begun.clone().aborted(AbortReason::Expired, Seat::Red).rated(),
        begun.clone().then(What::Created(Default::default())).over(Seat::ALL),
        Tale::begin(0, |_| {}).over(Seat::ALL),
        Tale::begin(0, |_| {}).start(&four[..3]).over(Seat::ALL),
        Tale::begin(0, |_| {}).start(&[four[0], four[1], four[2], four[0]]).over(Seat::ALL),
        Tale::begin(0, |settings| settings.time_control = "x".to_owned()).start(&four).over(Seat::ALL),
        Tale::begin(0, |settings| settings.visibility = 0).start(&four).over(Seat::ALL),
        Tale::begin(0, |settings| settings.rematch_of = "x".to_owned()).start(&four).over(Seat::ALL),
    ] {
        refused(&tale);
    }
}

#[test]
fn a_damaged_event_is_named_by_its_version() {
    let good = Tale::whole(0, players());
    let damaged = |damage: &dyn Fn(&mut Event)| {
        let mut tale = good.clone();
        damage(&mut tale.events[2]);
        refused(&tale)
    };
    assert!(damaged(&|event| event.v = 9).contains("at v 9"));
    for damage in [
        (&|event: &mut Event| event.id = "x".to_owned()) as &dyn Fn(&mut Event),
        &|event| event.what = None,
        &|event| event.after = None,
        &|event| event.after.as_mut().unwrap().remaining_ms.clear(),
        &|event| {
            let Some(What::Moved(moved)) = &mut event.what else { panic!("not a move") };
            moved.seat = 9;
        },
    ] {
        assert!(damaged(damage).contains("at v 3"));
    }
}

#[test]
fn events_of_a_newer_release_are_left_to_a_newer_replica() {
    let mut tale = Tale::whole(0, players());
    tale.events[1].schema = 2;
    let refusal = Record::read(tale.game, tale.events).unwrap_err();
    assert_eq!(refusal.code, Code::Unavailable);
}

#[test]
fn another_branch_of_history_is_a_contradiction_where_it_parts() {
    let tale = Tale::whole(0, players());
    let longer = tale.clone().rated();
    assert_eq!(tale.record().contradiction(&longer.events), None);
    let mut branch = longer.clone();
    branch.events[3].id = EventId::new().to_string();
    assert_eq!(tale.record().contradiction(&branch.events), Some(4));
    assert_eq!(Visibility::Public, tale.record().visibility);
}

proptest! {
    #[test]
    fn a_log_cut_short_or_with_an_event_lost_never_counts(keep in 0usize..5, lost in 0usize..5) {
        let tale = Tale::whole(0, players());
        let cut = Tale { events: tale.events[..keep].to_vec(), ..tale.clone() };
        prop_assert!(Record::read(cut.game, cut.events).is_err());
        let mut gap = tale.events.clone();
        gap.remove(lost);
        prop_assert!(Record::read(tale.game, gap).is_err());
    }
}
