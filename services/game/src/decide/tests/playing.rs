use rules::HowOut;

use super::*;

#[test]
fn a_move_is_judged_in_the_order_of_the_contract() {
    let mut bench = Bench::new(creation("3+2"));
    let early = bench.move_command(0, "h2-h3");
    bench.expect_refused(&early, Code::NotStarted);

    let mut bench = Bench::started("3+2");
    let at = |n: u8, ply, text: &str| Command::Move { player: player(n).id, ply, text: text.to_owned() };
    bench.expect_refused(&at(9, 0, "h2-h3"), Code::NotFound);
    bench.expect_refused(&at(1, 0, "m4-l4"), Code::NotYourTurn);
    bench.expect_refused(&at(1, 5, "m4-l4"), Code::StalePly);
    bench.expect_refused(&at(0, 1, "h2-h3"), Code::StalePly);
    for nonsense in ["", "h2", "h2h3", "z9-z10", "h2-h3-h4", "h0-h1", "ü-ö", "a1-a2"] {
        let code = bench.tell(&at(0, 0, nonsense)).1.unwrap_err();
        assert!(matches!(code, Code::BadRequest | Code::IllegalMove), "{nonsense}: {code}");
    }
    for illegal in ["h2-h5", "h1-h2", "m4-l4", "O-O"] {
        bench.expect_refused(&at(0, 0, illegal), Code::IllegalMove);
    }
    bench.play(0, "h2-h3").unwrap();
    bench.resign(1).1.unwrap();
    bench.expect_refused(&at(1, 0, "m4-l4"), Code::NotPlaying);
    for n in [2, 3] {
        bench.resign(n).1.unwrap();
    }
    bench.expect_refused(&at(1, 0, "m4-l4"), Code::GameOver);
    assert_eq!(bench.tell(&at(0, 0, "h2-h3")), (vec![], Ok(())), "a repeat counts even after the end");
}

#[test]
fn the_same_move_for_the_same_ply_again_changes_nothing() {
    let mut bench = Bench::started("3+2");
    let first = bench.move_command(0, "h2-h3");
    bench.tell(&first).1.unwrap();
    bench.play(1, "m4-l4").unwrap();
    let before = bench.events.len();
    assert_eq!(bench.tell(&first), (vec![], Ok(())));
    let other = Command::Move { player: player(0).id, ply: 0, text: "h2-h4".to_owned() };
    bench.expect_refused(&other, Code::StalePly);
    let foreign = Command::Move { player: player(1).id, ply: 0, text: "h2-h3".to_owned() };
    bench.expect_refused(&foreign, Code::StalePly);
    assert_eq!(bench.events.len(), before);
}

#[test]
fn a_resignation_out_of_turn_lets_the_turn_stand() {
    let mut bench = Bench::after_first_moves("3+2");
    let due = bench.state.due();
    assert_eq!(bench.resign(2), (vec![Fact::Resigned(Army::Yellow)], Ok(())));
    assert_eq!((bench.state.turn(), bench.state.due()), (Some(Army::Red), due));
    assert_eq!(bench.resign(2), (vec![], Ok(())), "again changes nothing");
}

#[test]
fn the_last_player_gets_20_for_every_roaming_king() {
    let mut bench = Bench::after_first_moves("3+2");
    bench.resign(1).1.unwrap();
    bench.resign(3).1.unwrap();
    let (facts, _) = bench.resign(0);
    let standing = vec![(Army::Yellow, 60), (Army::Green, 0), (Army::Blue, 0), (Army::Red, 0)];
    assert_eq!(facts, vec![Fact::Resigned(Army::Red), Fact::Over { reason: EndReason::LastPlayer, standing }]);
    let resigned = bench.events[bench.events.len() - 2].after.clone().unwrap();
    let over = bench.events.last().unwrap().after.clone().unwrap();
    assert_eq!((resigned.points, over.points), (vec![0, 0, 0, 0], vec![0, 0, 60, 0]));
    assert_eq!((over.turn, over.deadline_unix_ms), (0, None));
}

#[test]
fn a_mate_shows_its_points_one_event_at_a_time() {
    let fen4 = "R-0,0,0,1-0,0,0,0-0,0,0,0-0,0,0,0-0-\
                3,yK,10/7,rR,6/14/13,bK/14/dgK,13/14/14/14/14/14/14/14/8,rR,1,rK,3";
    let mut bench = Bench::from_fen4(fen4);
    let command = bench.move_command(0, "i1-i14");
    let (facts, answer) = bench.tell(&command);
    assert_eq!(answer, Ok(()));
    let out = Fact::ArmyOut { army: Army::Yellow, how: HowOut::Checkmated, by: Army::Red, points: 20 };
    assert!(
        matches!(&facts[0], Fact::Moved(moved) if moved.san == "Ri1-i14+#" || moved.san == "Ri1-i14#"),
        "{facts:?}"
    );
    assert_eq!(facts[1..], [out]);
    let [.., moved, out] = &bench.events[..] else { panic!("two events") };
    let (moved, out) = (moved.after.clone().unwrap(), out.after.clone().unwrap());
    assert_eq!((moved.points[0], out.points[0]), (0, 20));
    assert_eq!((moved.armies[2], out.armies[2]), (1, 4));
    assert_eq!((moved.turn, out.turn), (2, 2), "Blue is to move, and both say so");
}

#[test]
fn castling_repeated_in_either_spelling_is_a_repeat() {
    let fen4 = "R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-3,yR,yN,yB,yK,yQ,yB,yN,yR,3/3,yP,yP,yP,yP,yP,yP,yP,yP,3/14/gR,gP,10,bP,bR/gN,gP,10,bP,bN/gB,gP,10,bP,bB/gQ,gP,10,bP,bK/gK,gP,10,bP,bQ/gB,gP,10,bP,bB/gN,gP,10,bP,bN/gR,gP,10,bP,bR/14/3,rP,rP,rP,rP,rP,rP,rP,rP,3/3,rR,rN,rB,rQ,rK,2,rR,3";
    let mut bench = Bench::from_fen4(fen4);
    let at = |text: &str| Command::Move { player: player(0).id, ply: 0, text: text.to_owned() };
    assert_eq!(bench.tell(&at("O-O")).1, Ok(()));
    assert_eq!(bench.state.moves[0].from_to, "h1-j1");
    for again in ["O-O", "h1-j1"] {
        assert_eq!(bench.tell(&at(again)), (vec![], Ok(())), "{again}");
    }
    bench.expect_refused(&at("O-O-O"), Code::StalePly);
}
