use super::*;
use crate::fact::Plan;

#[test]
fn the_last_seat_starts_the_game() {
    let mut bench = Bench::new(creation("3+2"));
    bench.take(1, None).unwrap();
    bench.take(2, Some(Army::Green)).unwrap();
    assert_eq!(bench.state.status, GameStatus::Waiting);
    bench.take(3, None).unwrap();
    assert_eq!(bench.state.status, GameStatus::Running);
    assert_eq!(bench.state.turn(), Some(Army::Red));
    assert_eq!(bench.state.due().unwrap().at, bench.now + 30_000);
}

#[test]
fn a_seat_is_taken_once_and_again_is_no_news() {
    let mut bench = Bench::new(creation("3+2"));
    bench.take(1, Some(Army::Blue)).unwrap();
    let before = bench.events.len();
    bench.take(1, Some(Army::Blue)).unwrap();
    assert_eq!(bench.events.len(), before);
    let late = Command::TakeSeat { player: player(2), seat: Some(Army::Blue), invite_code: "code".to_owned() };
    bench.expect_refused(&late, Code::SeatTaken);
}

#[test]
fn without_the_code_there_is_no_such_game() {
    let mut bench = Bench::new(creation("3+2"));
    for code in ["", "CODE", "other"] {
        let command = Command::TakeSeat { player: player(1), seat: None, invite_code: code.to_owned() };
        bench.expect_refused(&command, Code::NotFound);
    }
}

#[test]
fn a_running_or_ended_game_has_no_free_seat() {
    let mut bench = Bench::started("3+2");
    let late = Command::TakeSeat { player: player(9), seat: None, invite_code: "code".to_owned() };
    bench.expect_refused(&late, Code::SeatTaken);
    for n in 1..4 {
        bench.resign(n).1.unwrap();
    }
    bench.expect_refused(&late, Code::GameOver);
}

#[test]
fn leaving_frees_the_seat_and_the_maker_leaving_ends_it() {
    let mut bench = Bench::new(creation("3+2"));
    bench.take(1, Some(Army::Blue)).unwrap();
    let leave = |n| Command::Leave { player: player(n).id };
    assert_eq!(bench.tell(&leave(1)), (vec![Fact::Left { army: Army::Blue, player: player(1) }], Ok(())));
    assert_eq!(bench.tell(&leave(1)), (vec![], Ok(())), "again changes nothing");
    bench.expect_refused(&leave(7), Code::NotFound);
    bench.take(2, Some(Army::Blue)).unwrap();
    let (facts, answer) = bench.tell(&leave(0));
    assert_eq!(answer, Ok(()));
    assert_eq!(facts[1], Fact::Aborted { reason: AbortReason::MakerLeft, by: Some(Army::Red) });
    assert_eq!(bench.tell(&leave(0)), (vec![], Ok(())));
    bench.expect_refused(&leave(2), Code::GameOver);
}

#[test]
fn nobody_leaves_a_running_game() {
    let mut bench = Bench::started("3+2");
    bench.expect_refused(&Command::Leave { player: player(2).id }, Code::Forbidden);
}

#[test]
fn seats_follow_the_start_position() {
    let fen4 = "R-0,1,0,0-0,0,0,0-0,0,0,0-1,2,3,4-0-14/6,yK,7/14/gK,13/14/14/14/14/14/14/13,dbK/14/14/7,rK,6";
    let with = |plans, seated: Vec<(Army, Player)>| {
        let creation = Creation { start_fen4: Some(fen4.to_owned()), seated, plans, ..creation("3+2") };
        create(creation, 0).map(|decision| decision.state.settings.plans).map_err(|refusal| refusal.code)
    };
    // Only kings: over at once.
    assert_eq!(with(None, vec![]), Err(Code::BadPosition));
    let fen4 = fen4.replacen("14/6,yK,7", "14/6,yK,1,yR,5", 1);
    let with = |plans, seated: Vec<(Army, Player)>| {
        let creation = Creation { start_fen4: Some(fen4.clone()), seated, plans, ..creation("3+2") };
        create(creation, 0).map(|decision| decision.state.settings.plans).map_err(|refusal| refusal.code)
    };
    assert_eq!(with(None, vec![]), Ok([Plan::Open, Plan::Empty, Plan::Open, Plan::Open]));
    assert_eq!(with(Some([Plan::Open; 4]), vec![]), Err(Code::BadRequest));
    assert_eq!(with(Some([Plan::Open, Plan::Empty, Plan::Empty, Plan::Open]), vec![]), Err(Code::BadRequest));
    assert_eq!(with(None, vec![(Army::Blue, player(1))]), Err(Code::BadRequest));
    assert_eq!(with(None, vec![(Army::Red, player(1)), (Army::Green, player(1))]), Err(Code::BadRequest));
}
