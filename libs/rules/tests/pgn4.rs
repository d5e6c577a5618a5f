//! PGN4 files: reading what others write, writing and reading back our own.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use rules::{
    Action, Army, ArmyState, Departure, Ending, Game, Layout, Leaving, Pgn4, Position, Recorded, Replay, Round,
    comment_value,
};

/// In the forms of clockwise sites; the moves are our own.
const CLOCKWISE: &str = include_str!("pgn4/clockwise.pgn4");
const UNTIDY: &str = include_str!("pgn4/untidy.pgn4");

fn read(text: &str) -> Pgn4 {
    text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn play(game: &mut Game, actions: &mut Vec<Recorded>, text: &str) {
    let action = match text.split_once(' ') {
        Some(("resign", army)) => Action::Resign(army.parse().unwrap()),
        Some(("timeout", army)) => Action::TimeOut(army.parse().unwrap()),
        _ => Action::Move(game.parse_move(text).unwrap()),
    };
    match action {
        Action::Move(mv) => game.play(mv).map(drop).unwrap(),
        Action::Resign(army) => game.resign(army).map(drop).unwrap(),
        Action::TimeOut(army) => game.time_out(army).map(drop).unwrap(),
    }
    actions.push(Recorded { clock_ms: Some(1000 * actions.len() as u64), ..action.into() });
}

#[test]
fn our_own_game_reads_back_with_players_leaving_out_of_turn() {
    let mut game = Game::start();
    let mut actions = Vec::new();
    for text in [
        "resign yellow",
        "d2-d4",
        "timeout blue",
        "m7-k7",
        "k13-k12",
        "b8-d8",
        "j1-i3",
        "n8-m7",
        "k14-k13",
        "resign red",
    ] {
        play(&mut game, &mut actions, text);
    }
    assert_eq!(game.army_state(Army::Blue), ArmyState::TimedOut);
    let file = Pgn4::of_game(&Position::start(), &actions).unwrap();
    let text = file.to_string();
    let again = read(&text);
    assert_eq!(again, file, "{text}");
    let replay = again.replay();
    assert_eq!((replay.stop, replay.actions), (None, actions));
    assert_eq!(replay.game, game);
    assert_eq!(file.results(), Some(Army::ALL.map(|army| game.result(army))));
    assert_eq!(file.header("Termination"), Some("last_player"));
    // The first move of each army that left says so as well, for readers that know no comments.
    assert_eq!(file.moves[1].token.leaving, Some(Leaving::TimedOut), "{text}");
    assert_eq!(file.moves[2].token.leaving, Some(Leaving::Resigned), "{text}");
}

#[test]
fn our_own_game_reads_back_from_the_clockwise_layout() {
    let mut game = Game::start();
    let mut actions = Vec::new();
    for text in ["d2-d4", "m7-k7", "resign red", "k13-k12", "b8-d8", "j1-i3"] {
        play(&mut game, &mut actions, text);
    }
    let file = Pgn4::of_game(&Position::start(), &actions).unwrap();
    let mirrored = read(&file.in_layout(Layout::Clockwise).to_string());
    assert_eq!(mirrored.layout(), Layout::Clockwise);
    assert_eq!(mirrored.moves[1].token.to_string(), "b7-d7");
    let replay = mirrored.replay();
    assert_eq!((replay.stop, replay.actions), (None, actions));
    assert_eq!(replay.game.fen4(), game.fen4());
}

#[test]
fn a_game_that_starts_late_in_the_round_says_so() {
    let fen4 = "Y-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-14/6,yK,7/14/14/14/gK,13/14/13,bK/14/14/14/14/7,rR,6/7,rK,6";
    let (game, _) = Game::from_fen4(fen4).unwrap();
    let mv = game.legal_moves()[0];
    let file = Pgn4::of_game(game.position(), &[Action::Move(mv).into()]).unwrap();
    assert_eq!(file.moves[0].round, Some(Round { number: 1, late: true }));
    assert!(file.to_string().contains("\n1. .. K"), "{file}");
    assert_eq!(read(&file.to_string()).replay().start, *game.position());
}

#[test]
fn a_stalemate_is_marked() {
    // Green's king on a11 is left without a move by Yellow's queen.
    let fen4 = "Y-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-14/14/14/gK,13/14/2,yQ,11/14/14/14/14/13,rK/14/3,bK,10/9,yK,4";
    let (mut game, _) = Game::from_fen4(fen4).unwrap();
    let start = game.position().clone();
    let mv = game.parse_move("c9-b9").unwrap();
    game.play(mv).unwrap();
    assert_eq!(game.army_state(Army::Green), ArmyState::Stalemated);
    let file = Pgn4::of_game(&start, &[Action::Move(mv).into()]).unwrap();
    assert_eq!(file.moves[1].token.to_string(), "S");
    assert_eq!(read(&file.to_string()), file);
    assert_eq!(file.replay().stop, None);
}

#[test]
fn a_clockwise_file_is_recognised_mirrored_and_replayed() {
    let file = read(CLOCKWISE);
    assert_eq!(file.layout(), Layout::Clockwise);
    assert!(!file.is_ours());
    assert_eq!(file.results(), Some([1, 20, 0, 3]));
    let replay = file.replay();
    let stop = replay.stop.unwrap();
    assert_eq!((stop.ply, stop.departure), (9, Departure::WalkingKing));
    assert_eq!(replay.actions.len(), 10);
    assert_eq!(replay.actions[1].action.clone(), Action::Move(replay_move(&replay.start, &["d2-d4"], "m7-k7")));
    assert_eq!(replay.unknown_keys, [] as [&str; 0]);
}

fn replay_move(start: &Position, before: &[&str], text: &str) -> rules::Move {
    let mut game = Game::from(start.clone());
    for earlier in before {
        let mv = game.parse_move(earlier).unwrap();
        game.play(mv).unwrap();
    }
    game.parse_move(text).unwrap()
}

#[test]
fn untidy_files_are_read() {
    let text = format!("\u{FEFF}{}", UNTIDY.replace('\n', "\r\n"));
    let file = read(&text);
    assert_eq!(file.header("Red"), Some("a \"quoted\" name"));
    assert_eq!(file.header("Blue"), None);
    assert!(file.header("StartFen4").unwrap().lines().count() > 10);
    assert_eq!(file.intro, ["before the first move"]);
    assert_eq!(file.ending, Some(Ending::Open));
    let tokens: Vec<String> = file.moves.iter().map(|entry| entry.token.to_string()).collect();
    assert_eq!(tokens, ["d2-d4", "m7-k7", "Nj14-i12", "b8-d8", "Ni3", "k7xj6", "O-O"]);
    assert_eq!(comment_value(&file.moves[0].comments[0], "clock"), Some("178312"));
    assert_eq!(comment_value(&file.moves[0].comments[0], "date"), Some("2020-07-17T17:13:12.297Z"));
    let variations = &file.moves[1].variations;
    assert_eq!(variations.len(), 2);
    assert_eq!(variations[0].moves[1].variations[0].moves[0].token.to_string(), "Ne14-f12");
    assert_eq!(variations[1].intro, ["or"]);
    assert_eq!(read(&file.to_string()), file);
    let Replay { actions, stop, .. } = file.replay();
    assert_eq!(actions.len(), 5);
    let stop = stop.unwrap();
    assert_eq!((stop.ply, stop.departure), (5, Departure::EnPassant));
}

#[test]
fn other_promotions_of_other_sites_are_told() {
    let moves = "1. k2-k4 .. b7-d7 .. d13-d11 .. m7-k7\n2. k4-k5 .. d7-e7 .. d11-d10 .. k7-j7\n\
                 3. k5-k6 .. e7-f7 .. d10-d9 .. j7-i7\n4. k6-k7 .. f7-g7 .. d9-d8 .. i7-h7\n5. k7-k8";
    for (written, departure) in
        [("", Some(Departure::Promotion)), ("=N", Some(Departure::Promotion)), ("=D", None), ("=Q", None)]
    {
        let file = read(&format!("[StartFen4 \"4PC\"]\n\n{moves}{written}"));
        let stop = file.replay().stop;
        assert_eq!(stop.as_ref().map(|stop| stop.departure.clone()), departure, "{stop:?}");
        assert!(stop.is_none_or(|stop| stop.ply == 16));
    }
}

#[test]
fn several_games_in_one_text_are_told_apart() {
    let games = Pgn4::read_all(&format!("{CLOCKWISE}\n{UNTIDY}{CLOCKWISE}")).unwrap();
    assert_eq!(games.len(), 3);
    assert_eq!(games[0], games[2]);
    assert!(format!("{CLOCKWISE}{UNTIDY}").parse::<Pgn4>().is_err());
}

#[test]
fn marks_are_counted_against_the_armies_that_went_out() {
    // Green is out before the game begins; Yellow stalemates nobody by Qc9-c8 and Red's king is safe.
    let fen4 = "Y-0,0,0,1-0,0,0,0-0,0,0,0-0,0,0,0-0-14/14/14/dgK,13/14/2,yQ,11/14/14/14/14/13,rK/14/3,bK,10/9,yK,4";
    let stop = |fen4: &str, moves: &str| {
        let file = read(&format!("[Layout \"anticlockwise\"]\n[StartFen4 \"{fen4}\"]\n\n{moves}"));
        file.replay().stop.map(|stop| (stop.ply, stop.departure, stop.token))
    };
    let unseen = |ply, token: &str| Some((ply, Departure::UnseenMark, token.to_owned()));
    for (moves, expected) in [
        ("1. Qc9-c8", None),
        ("1. Qc9-c8#", unseen(0, "Qc9-c8#")),
        ("1. Qc9-c8S", unseen(0, "Qc9-c8S")),
        ("1. Qc9-c8 .. #", unseen(1, "#")),
        ("1. Qc9-c8 .. S", unseen(1, "S")),
        ("1. Qc9-c8 .. +", unseen(1, "+")),
        ("1. Qc9-c8 .. R#", unseen(1, "R#")),
    ] {
        assert_eq!(stop(fen4, moves), expected, "{moves}");
    }
    // Green on a11 is stalemated by Qc9-b9.
    let stalemate = fen4.replace("0,0,0,1", "0,0,0,0").replace("dgK", "gK");
    for (moves, expected) in [
        ("1. Qc9-b9", None),
        ("1. Qc9-b9S", None),
        ("1. Qc9-b9 .. S", None),
        ("1. Qc9-b9S .. S", unseen(1, "S")),
        ("1. Qc9-b9 .. S .. S", unseen(1, "S")),
        ("1. Qc9-b9 .. #", unseen(1, "#")),
        ("1. Qc9-b9SS", unseen(0, "Qc9-b9SS")),
    ] {
        assert_eq!(stop(&stalemate, moves), expected, "{moves}");
    }
    // Green on a11 is mated by Qc9-b10 with the rook behind.
    let mate = fen4.replace("0,0,0,1", "0,0,0,0").replace("dgK", "gK").replace("2,yQ,11/14", "2,yQ,11/1,yR,12");
    for (moves, expected) in [
        ("1. Qc9-b10", None),
        ("1. Qc9-b10#", None),
        ("1. Qc9-b10+#", None),
        ("1. Qc9-b10 .. #", None),
        ("1. Qc9-b10# .. #", unseen(1, "#")),
        ("1. Qc9-b10##", unseen(0, "Qc9-b10##")),
        ("1. Qc9-b10 .. S", unseen(1, "S")),
    ] {
        assert_eq!(stop(&mate, moves), expected, "{moves}");
    }
}

#[test]
fn checks_and_captures_that_are_not_there_stop_the_replay() {
    // Red's queen can capture Green's knight and checks Green's king then; nothing else checks anybody.
    let fen4 = "R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-3,yK,10/14/14/gK,13/14/gN,13/14/14/13,bK/14/rQ,13/7,rR,2,bR,3/\
                3,rP,10/7,rK,6";
    for (mv, departure) in [
        ("d2-d3", None),
        ("d2xd3", Some(Departure::OtherCapture)),
        ("d2xNd3", Some(Departure::OtherCapture)),
        ("d2xe3", Some(Departure::EnPassant)),
        ("Qa4xNa9", None),
        ("Qa4xa9", None),
        ("Qxa9", None),
        ("Qa4-a9", None),
        ("Qa4xBa9", Some(Departure::OtherCapture)),
        ("Qa4xDa9", Some(Departure::OtherCapture)),
        ("Qa4xBa9=Q", Some(Departure::Illegal)),
        ("Qa4xNa9+", None),
        ("Qa4xNa9++", Some(Departure::UnseenMark)),
        ("d2-d3+", Some(Departure::UnseenMark)),
        ("d2-d3++++", Some(Departure::UnseenMark)),
        ("Rh3xRk3", None),
        ("Rh3xRk3+", Some(Departure::UnseenMark)),
    ] {
        let file = read(&format!("[Layout \"anticlockwise\"]\n[StartFen4 \"{fen4}\"]\n\n1. {mv}"));
        assert_eq!(file.replay().stop.map(|stop| stop.departure), departure, "{mv}");
    }
    for mv in ["h2-h4++++", "h2xQh4", "Nj1xQi3", "Nj1xi3"] {
        assert!(read(&format!("1. {mv}")).replay().stop.is_some(), "{mv}");
    }
}

#[test]
fn a_file_of_another_variant_is_told_before_its_first_move() {
    let moves =
        "[RuleVariants \"CaptureTheKing Prom=11\"]\n[StartFen4 \"4PC\"]\n\n1. k2-k4 .. b7-d7 .. d13-d11 .. m7-k7";
    for variant in ["Teams", "Solo"] {
        let stop = read(&format!("[Variant \"{variant}\"]\n{moves}")).replay().stop.unwrap();
        assert_eq!((stop.ply, stop.departure.clone()), (0, Departure::Variant(variant.to_owned())));
        assert!(stop.to_string().contains(variant), "{stop}");
    }
    for variant in ["FFA", "ffa", " FFA ", ""] {
        assert_eq!(read(&format!("[Variant \"{variant}\"]\n{moves}")).replay().stop, None, "{variant}");
    }
    assert_eq!(read(moves).replay().stop, None);
}

#[test]
fn en_passant_is_told_in_every_form() {
    for (mv, departure) in [
        ("k7xj6", Departure::EnPassant),
        ("kxj6", Departure::EnPassant),
        ("7xj6", Departure::EnPassant),
        ("xj6", Departure::EnPassant),
        ("kxj6 e.p.", Departure::EnPassant),
        ("k7xj6e.p.", Departure::EnPassant),
        ("kxj8", Departure::EnPassant),
        // No pawn stands so that it could.
        ("kxh6", Departure::Illegal),
        ("m8xj6", Departure::Illegal),
        ("kxl8", Departure::Illegal),
        ("Qxj6", Departure::Illegal),
        ("k7-j6", Departure::Illegal),
        ("kj7=N", Departure::Promotion),
    ] {
        let text = format!("1. d2-d4 .. m7-k7 .. Nj14-i12 .. b8-d8\n2. Ni3 .. {mv}");
        let stop = read(&text).replay().stop.unwrap();
        assert_eq!((stop.ply, stop.departure), (5, departure), "{mv}");
    }
}

#[test]
fn a_date_cannot_say_what_is_not_a_date() {
    let start = Position::start();
    let mv = start.parse_move("d2-d4").unwrap();
    for date in
        ["2020 clock=7", "x} resigned=red", "a resigned=red", "", " x ", "a\r\nresigned=red", "a\u{a0}timed_out=blue"]
    {
        let recorded = Recorded { action: Action::Move(mv), clock_ms: Some(5), date: Some(date.to_owned()) };
        let file = Pgn4::of_game(&start, &[recorded]).unwrap();
        let again = read(&file.to_string());
        assert_eq!(again, file, "{date:?}");
        let replay = again.replay();
        assert_eq!((replay.stop, replay.actions.len()), (None, 1), "{date:?}");
        assert_eq!((replay.actions[0].action, replay.actions[0].clock_ms), (Action::Move(mv), Some(5)), "{date:?}");
        assert_eq!(replay.actions[0].date.as_ref().map(|date| date.contains(char::is_whitespace)), Some(false));
    }
}

#[test]
fn results_read_back_whatever_the_names() {
    for names in [
        ["a: 1", "b - 2", "c", "d"],
        ["x 5 - y", "b: 3 - z", "c: 3 - d: 4 - ", "d"],
        ["", "", "", ""],
        [" - ", "5 - 5", ": 1", ": 1 - : 2"],
        ["a: 1 - - b", "- ", " -", "-"],
    ] {
        let mut file = Pgn4::default();
        file.set_results(names, [1, 2, 3, u32::MAX]);
        assert_eq!(read(&file.to_string()).results(), Some([1, 2, 3, u32::MAX]), "{file}");
    }
    for result in [
        "1-0",
        "",
        "a: 1 - b: 2 - c: 3",
        "a: 1 - b: 2 - c: 3 - d: 4294967296",
        "a: 1 - b: 2 - c: 3 - d",
        "a: 1 - b: +2 - c: 3 - d: 4",
    ] {
        let mut file = Pgn4::default();
        file.set_header("Result", result);
        assert_eq!(file.results(), None, "{result}");
    }
}

#[test]
fn every_printed_move_reads_back_in_both_forms() {
    let mut game = Game::start();
    let mut seed = 7_u64;
    for _ in 0..400 {
        let moves = game.legal_moves();
        if moves.is_empty() {
            break;
        }
        for &mv in &moves {
            let san = game.san(mv);
            assert_eq!(game.parse_san(&san), Ok(mv), "{san} in {}", game.fen4());
            assert_eq!(game.parse_move(&mv.to_string()), Ok(mv));
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let choice = moves[(seed >> 33) as usize % moves.len()];
        game.play(choice).unwrap();
    }
}

/// Files of other sites are not ours to copy; they are read where they lie.
#[test]
fn real_files_are_read_and_replayed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "pgn4"))
    {
        let text = std::fs::read_to_string(&path).unwrap();
        let games = Pgn4::read_all(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for game in games {
            assert_eq!(Pgn4::read_all(&game.to_string()).unwrap(), std::slice::from_ref(&game));
            assert_eq!(game.layout(), Layout::Clockwise);
            let replay = game.replay();
            let is_expected = replay.stop.as_ref().is_none_or(|stop| match &stop.departure {
                Departure::WalkingKing | Departure::StandsStill | Departure::EnPassant => true,
                Departure::Variant(variant) => game.header("Variant") == Some(variant),
                _ => false,
            });
            assert!(is_expected, "{}: {:?}", path.display(), replay.stop);
            let written = Pgn4::of_game(&replay.start, &replay.actions).unwrap();
            assert_eq!(read(&written.to_string()).replay().actions, replay.actions);
        }
    }
}
