//! Castling, for every army and with king and queen either way round (rules, section 4).

#![allow(clippy::unwrap_used)]

use rules::{Army, CastlingSide, Effect, Game, Piece, Role, Setup, Square};

/// Kings and two rooks of one army on their start squares, in the army's own coordinates turned to its side.
fn setup(army: Army, king: &str, more: &[(&str, Army, Role)]) -> Setup {
    let turn = |name: &str| {
        let mut square: Square = name.parse().unwrap();
        for _ in 0..army.index() {
            square = square.turned();
        }
        square
    };
    let owner = |base: Army| Army::from_index(base.index() + army.index());
    let mut setup = Setup::empty();
    setup.turn = army;
    setup.castle_short[army.index()] = true;
    setup.castle_long[army.index()] = true;
    let pieces = [
        (king, Army::Red, Role::King),
        ("d1", Army::Red, Role::Rook),
        ("k1", Army::Red, Role::Rook),
        ("m10", Army::Blue, Role::King),
        ("i13", Army::Yellow, Role::King),
        ("b10", Army::Green, Role::King),
    ];
    for &(name, base, role) in pieces.iter().chain(more) {
        setup.put(turn(name), Some(Piece { army: owner(base), role, promoted: false }));
    }
    setup
}

fn game(setup: &Setup) -> Game {
    Game::from(setup.position().unwrap_or_else(|error| panic!("{setup}: {error}")))
}

fn castlings(game: &Game) -> Vec<&'static str> {
    ["O-O", "O-O-O"].into_iter().filter(|text| game.parse_move(text).is_ok()).collect()
}

#[test]
fn every_army_castles_both_ways_from_either_centre_square() {
    for army in Army::ALL {
        for (king, short, long) in [("h1", ["j1", "i1"], ["f1", "g1"]), ("g1", ["e1", "f1"], ["i1", "h1"])] {
            for (text, side, [king_to, rook_to]) in
                [("O-O", CastlingSide::Short, short), ("O-O-O", CastlingSide::Long, long)]
            {
                let mut game = game(&setup(army, king, &[]));
                let mv = game.parse_move(text).unwrap();
                assert_eq!(game.san(mv).trim_end_matches('+'), text);
                assert_eq!(game.parse_move(&mv.to_string()), Ok(mv));
                let effects = game.play(mv).unwrap();
                assert!(matches!(effects[0], Effect::Moved { castled: Some(castled), .. } if castled == side));
                let expected = |name: &str| {
                    let mut square: Square = name.parse().unwrap();
                    for _ in 0..army.index() {
                        square = square.turned();
                    }
                    square
                };
                assert_eq!(game.king(army), Some(expected(king_to)), "{army} {king} {text}");
                assert_eq!(game.piece_at(expected(rook_to)).map(|piece| piece.role), Some(Role::Rook));
                let after = Setup::from(game.position());
                assert!(!after.castle_short[army.index()] && !after.castle_long[army.index()]);
            }
        }
    }
}

#[test]
fn nothing_may_stand_between_or_attack_the_kings_way() {
    use Army::{Blue, Red, Yellow};
    for (piece, left) in [
        (("i1", Red, Role::Knight), vec!["O-O-O"]),
        (("e1", Red, Role::Knight), vec!["O-O"]),
        (("e1", Blue, Role::Knight), vec!["O-O"]),
        // On the square crossed, on the square reached, on the king itself.
        (("i9", Blue, Role::Rook), vec!["O-O-O"]),
        (("f9", Yellow, Role::Rook), vec!["O-O"]),
        (("h9", Yellow, Role::Rook), vec![]),
        // The rook may cross an attacked square, and stand on one.
        (("e9", Yellow, Role::Rook), vec!["O-O", "O-O-O"]),
        (("k9", Yellow, Role::Rook), vec!["O-O", "O-O-O"]),
    ] {
        let game = game(&setup(Army::Red, "h1", &[piece]));
        assert_eq!(castlings(&game), left, "{piece:?}");
    }
    // An army that is out attacks nothing.
    let mut with_out = setup(Army::Red, "h1", &[("h9", Yellow, Role::Rook)]);
    with_out.out[Yellow.index()] = true;
    assert_eq!(castlings(&game(&with_out)), ["O-O", "O-O-O"]);
}

fn play(game: &mut Game, moves: &[&str]) {
    for text in moves {
        let mv = game.parse_move(text).unwrap_or_else(|error| panic!("{text} in {}: {error}", game.fen4()));
        game.play(mv).unwrap();
    }
}

#[test]
fn rights_are_lost_for_good() {
    // The rook goes and comes back.
    let mut went = game(&setup(Army::Red, "h1", &[]));
    play(&mut went, &["k1-k2", "m10-m9", "i13-h13", "b10-b9", "k2-k1", "m9-m10", "h13-i13", "b9-b10"]);
    assert_eq!(castlings(&went), ["O-O-O"]);
    // The king goes and comes back.
    let mut walked = game(&setup(Army::Red, "h1", &[]));
    play(&mut walked, &["h1-h2", "m10-m9", "i13-h13", "b10-b9", "h2-h1", "m9-m10", "h13-i13", "b9-b10"]);
    assert_eq!(castlings(&walked), [] as [&str; 0]);
    // A rook is captured where it stands.
    let mut lost = game(&setup(Army::Red, "h1", &[("d9", Army::Blue, Role::Rook)]));
    play(&mut lost, &["h1-h2", "d9-d1"]);
    assert!(!Setup::from(lost.position()).castle_long[0]);
    let mut kept = game(&setup(Army::Red, "h1", &[("d9", Army::Blue, Role::Rook), ("e2", Army::Red, Role::Pawn)]));
    play(&mut kept, &["e2-e3", "d9-d1"]);
    let after = Setup::from(kept.position());
    assert_eq!((after.castle_short[0], after.castle_long[0]), (true, false));
}

#[test]
fn a_roaming_army_castles_and_an_army_that_is_out_has_no_rights() {
    let mut roaming = game(&setup(Army::Red, "h1", &[]));
    roaming.resign(Army::Red).unwrap();
    assert_eq!(castlings(&roaming), ["O-O", "O-O-O"]);
    let mut out = setup(Army::Red, "h1", &[]);
    out.turn = Army::Blue;
    out.out[0] = true;
    assert!(!Setup::from(&out.position().unwrap()).castle_short[0]);
}
