//! Files of clockwise sites: how they are told, and that mirroring one changes nothing but the side it is seen from.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use rules::{Army, ArmyState, Departure, Layout, Pgn4, Position};

fn read(text: &str) -> Pgn4 {
    text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn other(layout: Layout) -> Layout {
    match layout {
        Layout::Anticlockwise => Layout::Clockwise,
        Layout::Clockwise => Layout::Anticlockwise,
    }
}

/// What must hold of every file.
fn check(file: &Pgn4, name: &str) {
    let layout = file.layout();
    let mirrored = file.in_layout(other(layout));
    let again = Pgn4::read_all(&mirrored.to_string()).unwrap();
    assert_eq!(again, std::slice::from_ref(&mirrored), "{name}");
    assert_eq!(mirrored.layout(), other(layout), "{name}");
    assert_eq!(mirrored.is_ours(), file.is_ours(), "{name}");
    assert_eq!(mirrored.replay(), file.replay(), "{name}");
    assert_eq!(mirrored.in_layout(layout), *file, "{name}");
}

const OWN: [(&str, &str); 4] = [
    ("clockwise", include_str!("pgn4/clockwise.pgn4")),
    ("untidy", include_str!("pgn4/untidy.pgn4")),
    ("empty seat", include_str!("pgn4/empty_seat.pgn4")),
    ("dead army", include_str!("pgn4/dead_army.pgn4")),
];

#[test]
fn a_mirrored_file_replays_as_the_file_itself_and_mirrors_back() {
    for (name, text) in OWN {
        check(&read(text), name);
    }
}

/// Files of other sites are not ours to copy; they are read where they lie.
#[test]
fn mirrored_real_files_replay_as_the_files_themselves() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "pgn4"))
    {
        let games = Pgn4::read_all(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for (number, game) in games.iter().enumerate() {
            check(game, &format!("{} {number}", path.display()));
            // Without what the headers say of it.
            let mut bare = game.clone();
            bare.headers.clear();
            if game.header("Variant") == Some("FFA") {
                assert_eq!(bare.layout(), Layout::Clockwise, "{} {number}", path.display());
                assert!(bare.replay().actions.len() >= game.replay().actions.len(), "{} {number}", path.display());
                check(&bare, &format!("{} {number} bare", path.display()));
            }
        }
    }
}

#[test]
fn a_walking_king_and_a_promotion_that_goes_without_saying_are_seen_after_mirroring() {
    let walking = read(OWN[0].1).in_layout(Layout::Anticlockwise);
    assert!(!walking.is_ours());
    assert_eq!(walking.replay().stop.map(|stop| (stop.ply, stop.departure)), Some((9, Departure::WalkingKing)));
    let promoting = read(
        "[StartFen4 \"4PC\"]\n\n1. k2-k4 .. b7-d7 .. d13-d11 .. m7-k7\n2. k4-k5 .. d7-e7 .. d11-d10 .. k7-j7\n\
         3. k5-k6 .. e7-f7 .. d10-d9 .. j7-i7\n4. k6-k7 .. f7-g7 .. d9-d8 .. i7-h7\n5. k7-k8",
    );
    let mirrored = promoting.in_layout(Layout::Anticlockwise);
    assert_eq!(mirrored.replay().stop.map(|stop| (stop.ply, stop.departure)), Some((16, Departure::Promotion)));
    check(&promoting, "promoting");
}

#[test]
fn a_start_that_goes_without_saying_is_written_out_and_left_out_again() {
    // The queens' moves tell which of the two starts it is.
    for (start, moves) in [
        ("4PC", "1. k2-k4 .. b7-d7 .. d13-d11 .. m7-k7\n2. Nj1-i3 .. Na5-c6 .. Ne14-f12 .. Qn7-m7"),
        ("4PCo", "1. k2-k4 .. b7-d7 .. d13-d11 .. m8-k8\n2. Nj1-i3 .. Qa7-b7 .. Ne14-f12 .. Qn8-m8"),
    ] {
        let file = read(moves);
        assert_eq!(file.layout(), Layout::Clockwise);
        let named = read(&format!("[StartFen4 \"{start}\"]\n\n{moves}"));
        assert_eq!(file.replay(), named.replay());
        assert_eq!((file.replay().stop, file.replay().actions.len()), (None, 8));
        let ours = file.in_layout(Layout::Anticlockwise);
        assert_eq!(ours.header("StartFen4").map(str::to_owned), Some(named.replay().start.fen4()));
        check(&file, start);
        check(&named, start);
        // Written out, it stays written out.
        let explicit = read(&format!("[StartFen4 \"{}\"]\n\n{moves}", named.replay().start.fen4()));
        check(&explicit, start);
    }
    let ours = Pgn4::of_game(&Position::start(), &[]).unwrap();
    assert_eq!(ours.header("StartFen4"), None);
    check(&ours, "ours");
    // A start that was changed meanwhile is kept.
    let mut changed = read("1. k2-k4 .. b7-d7 .. d13-d11 .. m7-k7").in_layout(Layout::Anticlockwise);
    changed.set_header("StartFen4", Position::start().fen4());
    let back = changed.in_layout(Layout::Clockwise);
    assert!(back.header("StartFen4").is_some_and(|start| start.starts_with("R-0,0,0,0-1,1,1,1-")), "{back}");
}

#[test]
fn the_layout_is_told_by_headers_or_by_what_can_be_played() {
    use Layout::{Anticlockwise, Clockwise};
    for (text, layout) in [
        ("1. k2-k4 .. T .. d13-d11 .. m7-k7", Clockwise),
        ("1. R .. b7-d7 .. d13-d11 .. m7-k7", Clockwise),
        ("1. k2-k4 .. Qh9 .. d13-d11", Anticlockwise),
        ("1. d2-d4 .. m7-k7 .. k13-k12 .. b8-d8", Anticlockwise),
        ("1. d2-d4 .. T .. k13-k12 .. b8-d8", Anticlockwise),
        ("1. Nj1-i3 .. Nc6 .. f12 .. l9", Clockwise),
        ("1. Nj1-i3 .. Nl6 .. f12 .. c9", Anticlockwise),
        ("", Anticlockwise),
        ("1. h2-h4", Anticlockwise),
        ("[RuleVariants \"PromoteTo=D\"]\n\n1. h2-h4", Clockwise),
        ("[Rules \"Four Kingdoms\"]\n\n1. h2-h4", Anticlockwise),
        ("[Layout \"clockwise\"]\n[Rules \"Four Kingdoms\"]\n\n1. h2-h4", Clockwise),
        ("[Layout \"round\"]\n\n1. k2-k4 .. b7-d7", Clockwise),
        ("[StartFen4 \"none\"]\n\n1. k2-k4 .. b7-d7", Clockwise),
    ] {
        let file = read(text);
        assert_eq!(file.layout(), layout, "{text}");
        check(&file, text);
    }
}

#[test]
fn an_empty_seat_is_passed_over() {
    let file = read(OWN[2].1);
    assert_eq!((file.layout(), file.header("Blue")), (Layout::Clockwise, None));
    let replay = file.replay();
    assert_eq!(replay.stop, None);
    assert_eq!(replay.start.army_state(Army::Blue), ArmyState::KingCaptured);
    assert_eq!(replay.start.pieces().filter(|(_, piece)| piece.army == Army::Blue).count(), 0);
    assert_eq!(replay.actions.len(), 7);
    assert_eq!(replay.game.army_state(Army::Red), ArmyState::TimedOut);
}

#[test]
fn a_dead_army_stands_still_and_keys_that_nobody_knows_are_told() {
    let file = read(OWN[3].1);
    let replay = file.replay();
    assert_eq!(replay.stop, None);
    assert_eq!(replay.unknown_keys, ["pawnsBaseRank", "enPassant"]);
    assert_eq!(replay.start.army_state(Army::Green), ArmyState::KingCaptured);
    // The pawn of the army that is out was captured, for nothing.
    assert_eq!(replay.game.piece_at("b7".parse().unwrap()).map(|piece| piece.army), Some(Army::Red));
    assert_eq!(replay.game.points(Army::Red), 3);
    assert_eq!(replay.game.army_state(Army::Yellow), ArmyState::Resigned);
    // The squares that the unknown keys name are mirrored with the rest.
    let ours = file.in_layout(Layout::Anticlockwise);
    let start = ours.header("StartFen4").unwrap();
    assert!(start.contains("{'pawnsBaseRank':2,'enPassant':('','l4:k4','','')}-\nx,x,x,yR"), "{start}");
    assert!(start.contains("\ndgR,dgP,10,bP,bR/\n"), "{start}");
    assert_eq!(ours.replay().unknown_keys, replay.unknown_keys);
}

#[test]
fn keys_that_nobody_knows_stay_in_a_start_that_has_a_name() {
    let mut named = Pgn4::default();
    named.set_header("StartFen4", "4PC");
    let ours = named.in_layout(Layout::Anticlockwise).header("StartFen4").unwrap().to_owned();
    let mut file = Pgn4::default();
    file.set_header("StartFen4", ours.replacen("-3,", "-{'lives':(3,3,3,3)}-3,", 1));
    assert_eq!(file.replay().unknown_keys, ["lives"]);
    let clockwise = file.in_layout(Layout::Clockwise);
    assert!(
        clockwise.header("StartFen4").is_some_and(|start| start.contains("-{'lives':(3,3,3,3)}-3,yR")),
        "{clockwise}"
    );
    assert_eq!(clockwise.replay().unknown_keys, ["lives"]);
    check(&file, "lives");
}

#[test]
fn a_header_of_mirroring_that_says_no_truth_is_a_header_like_any_other() {
    let befores = [
        "",
        " ",
        "Layout=none",
        "Layout=none ",
        "Layout=clockwise",
        "StartFen4=none",
        "StartFen4=4PC",
        "Layout=none StartFen4=none",
        "Layout=none StartFen4=4PC",
        "Layout=none StartFen4=4pc",
        "Layout=none StartFen4=4PC)",
        "Layout=none StartFen4=5PC",
        "StartFen4=4PC Layout=none",
    ];
    let clockwise = Position::start().fen4();
    let starts = ["", "[StartFen4 \"4PC\"]\n", "[StartFen4 \"5PC\"]\n", &format!("[StartFen4 \"{clockwise}\"]\n")];
    let mut others = vec![
        String::new(),
        "[RuleVariants \"x\"]\n".to_owned(),
        "[Rules \"Four Kingdoms\"]\n".to_owned(),
        "[Mirrored \"\"]\n".to_owned(),
    ];
    others.extend(befores.map(|before| format!("[Mirrored \"{before}\"]\n[Layout \"clockwise\"]\n")));
    for before in befores {
        for layout in ["", "[Layout \"clockwise\"]\n", "[Layout \"anticlockwise\"]\n", "[Layout \"round\"]\n"] {
            for start in starts {
                for other in &others {
                    let first = format!("[Mirrored \"{before}\"]\n{layout}{start}{other}\n1. k2-k4 .. b7-d7");
                    check(&read(&first), &first);
                    let twice = format!("[Mirrored \"\"]\n{first}");
                    check(&read(&twice), &twice);
                    let last = format!("{layout}{start}{other}[Mirrored \"{before}\"]\n\n1. k2-k4 .. b7-d7");
                    check(&read(&last), &last);
                }
            }
        }
    }
}

#[test]
fn a_header_given_to_a_mirrored_file_stays_when_it_is_mirrored_back() {
    for (name, text) in OWN {
        let file = read(text);
        let mut mirrored = file.in_layout(other(file.layout()));
        mirrored.set_header("Annotator", "somebody");
        let mut expected = file.clone();
        expected.set_header("Annotator", "somebody");
        assert_eq!(mirrored.in_layout(file.layout()), expected, "{name}");
    }
}

#[test]
fn known_names_of_starts_are_read_in_any_letters() {
    for name in ["4pc", " 4PC ", "4PCO", "4pco\t"] {
        let file = read(&format!("[StartFen4 \"{name}\"]\n\n1. k2-k4 .. b7-d7"));
        assert_eq!((file.layout(), file.replay().stop), (Layout::Clockwise, None), "{name}");
        check(&file, name);
    }
}
