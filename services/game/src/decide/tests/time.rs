use super::*;

#[test]
fn a_move_at_its_deadline_is_a_time_loss_whoever_asks() {
    let mut bench = Bench::after_first_moves("3+2");
    bench.now = bench.state.due().unwrap().at;
    let late = bench.move_command(0, "g2-g3");
    assert_eq!(bench.tell(&late), (vec![Fact::TimedOut(Army::Red)], Err(Code::NotPlaying)));
    assert_eq!(bench.state.counters().remaining_ms[0], 0);
    assert_eq!(bench.state.turn(), Some(Army::Red), "its first random move is due");
    assert_eq!(bench.state.due().unwrap().at, bench.now + 700);
}

#[test]
fn a_move_a_millisecond_before_is_a_move() {
    let mut bench = Bench::after_first_moves("3+2");
    bench.now = bench.state.due().unwrap().at - 1;
    bench.play(0, "g2-g3").unwrap();
    assert_eq!(bench.state.counters().remaining_ms[0], 1 + 2_000);
}

#[test]
fn somebody_elses_command_finds_the_flag_fallen() {
    let mut bench = Bench::after_first_moves("3+2");
    bench.now = bench.state.due().unwrap().at + 5;
    assert_eq!(bench.resign(2), (vec![Fact::TimedOut(Army::Red), Fact::Resigned(Army::Yellow)], Ok(())));
}

#[test]
fn an_early_wake_up_does_nothing() {
    let mut bench = Bench::after_first_moves("3+2");
    bench.now = bench.state.due().unwrap().at - 1;
    assert_eq!(bench.settle(), vec![]);
}

#[test]
fn the_first_move_has_its_own_time_and_missing_it_aborts() {
    let mut bench = Bench::started("0.05+5");
    bench.now += 29_999;
    bench.play(0, "h2-h3").unwrap();
    assert_eq!(bench.state.counters().remaining_ms[0], 3_000, "neither charged nor incremented");
    assert_eq!(bench.wait_until_due(), vec![Fact::Aborted { reason: AbortReason::NoFirstMove, by: Some(Army::Blue) }]);
    assert_eq!(bench.state.status, GameStatus::Aborted);
    assert_eq!(bench.state.due(), None);
    let late = bench.move_command(1, "m4-l4");
    bench.expect_refused(&late, Code::GameOver);
}

#[test]
fn an_army_that_resigned_before_its_first_move_aborts_nothing() {
    let mut bench = Bench::started("3+2");
    bench.resign(1).1.unwrap();
    bench.play(0, "h2-h3").unwrap();
    let facts = bench.wait_until_due();
    assert!(matches!(&facts[..], [Fact::Moved(moved)] if moved.by_roaming && moved.army == Army::Blue), "{facts:?}");
}

#[test]
fn a_waiting_game_expires_after_an_hour() {
    let mut bench = Bench::new(creation("3+2"));
    bench.now += 3_600_000;
    assert_eq!(bench.settle(), vec![Fact::Aborted { reason: AbortReason::Expired, by: None }]);
}

#[test]
fn a_roaming_army_moves_after_its_pause_and_its_clock_stands() {
    let mut bench = Bench::after_first_moves("3+2");
    bench.now += 10_000;
    bench.resign(0).1.unwrap();
    assert_eq!(bench.state.counters().remaining_ms[0], 170_000);
    let facts = bench.wait_until_due();
    assert!(matches!(&facts[..], [Fact::Moved(moved)] if moved.by_roaming), "{facts:?}");
    assert_eq!(bench.state.counters().remaining_ms[0], 170_000);
    assert_eq!(bench.state.turn(), Some(Army::Blue));
}

fn outage(from: i64, to: i64) -> Outage {
    Outage { id: format!("{from}-{to}"), from, to }
}

#[test]
fn an_outage_is_credited_once_and_before_anything_else() {
    let mut bench = Bench::after_first_moves("3+2");
    let due = bench.state.due().unwrap().at;
    bench.outages.push(outage(due - 1_000, due + 60_000));
    bench.now = due + 60_000;
    let credited = Fact::ClockAdjusted { army: Army::Red, credit_ms: 61_000, outage: bench.outages[0].id.clone() };
    assert_eq!(bench.settle(), vec![credited]);
    assert_eq!(bench.state.due().unwrap().at, due + 61_000);
    assert_eq!(bench.settle(), vec![]);
    bench.play(0, "g2-g3").unwrap();
    assert_eq!(bench.state.counters().remaining_ms[0], 1_000 + 2_000);
    assert_eq!(bench.settle(), vec![], "the next player's turn began after it");
}

#[test]
fn two_outages_in_one_turn_are_two_credits() {
    let mut bench = Bench::after_first_moves("3+2");
    let began = bench.now;
    bench.outages.push(outage(began + 1_000, began + 4_000));
    bench.now = began + 5_000;
    bench.settle();
    bench.outages.push(outage(began + 6_000, began + 9_000));
    bench.now = began + 10_000;
    bench.play(0, "g2-g3").unwrap();
    assert_eq!(bench.state.counters().remaining_ms[0], 180_000 - 4_000 + 2_000);
}

#[test]
fn an_outage_gives_a_first_move_its_time_back_and_a_roaming_army_none() {
    let mut bench = Bench::started("3+2");
    let began = bench.now;
    bench.outages.push(outage(began + 1_000, began + 40_000));
    bench.now = began + 40_000;
    let late = bench.move_command(0, "h2-h3");
    assert!(bench.tell(&late).1.is_ok());

    let mut bench = Bench::started("3+2");
    bench.resign(0).1.unwrap();
    bench.outages.push(outage(bench.now, bench.now + 40_000));
    bench.now += 40_000;
    let facts = bench.settle();
    assert!(matches!(&facts[..], [Fact::Moved(_)]), "moves right after the restart: {facts:?}");
}
