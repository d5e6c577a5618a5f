//! The fast rules and the plain ones, side by side; and one position seen from all four sides.

use rules::{Army, ArmyState, Game, Move, Perft, Setup, Square, perft};

use super::bytes::{Bytes, Chooser, Deed, deed, setup};
use super::plain::Plain;

/// Plays what the bytes say with both implementations. States, points, turn and end are compared at every ply; checks and
/// the list of moves at each of the first 64 plies, the last, and every eighth between.
pub(crate) fn check(data: &[u8]) {
    let mut bytes = Bytes(data);
    let setup = setup(&mut bytes);
    let Ok(position) = setup.position() else { return };
    let mut fast = Game::from(position);
    let mut plain = Plain::new(&setup);
    let mut chooser = Chooser::default();
    let mut ply = 0;
    compare(&fast, &plain, ply);
    while !bytes.is_empty() && fast.over().is_none() {
        match deed(&mut bytes) {
            Deed::Move(number) => {
                let Some(mv) = chooser.choose(&fast, number) else { panic!("no move in {}", fast.fen4()) };
                plain.play(mv.from(), mv.to());
                assert!(fast.play(mv).is_ok());
            }
            Deed::Resign(army) => {
                assert_eq!(plain.leave(army, ArmyState::Resigned), fast.resign(army).is_ok());
            }
            Deed::TimeOut(army) => {
                assert_eq!(plain.leave(army, ArmyState::TimedOut), fast.time_out(army).is_ok());
            }
        }
        ply += 1;
        compare(&fast, &plain, ply);
    }
    compare_moves(&fast, &plain);
    compare_perft(&fast, &plain, 1);
}

/// The counts inside whose tree nobody goes out, each leaf made and counted in bulk.
pub(crate) fn compare_perft(fast: &Game, plain: &Plain, depth: u32) {
    let expected = plain.perft_without_outs(depth);
    for what in [Perft::Moves, Perft::Bulk] {
        assert_eq!(perft(fast.position(), depth, what), expected, "{what:?} {depth} {}", fast.fen4());
    }
}

/// How many plies have their moves compared one and all, and which of the later ones: the plain rules take their time.
const EVERY_PLY: usize = 64;
const LATER_PLIES: usize = 8;

fn compare(fast: &Game, plain: &Plain, ply: usize) {
    compare_state(fast, plain);
    if ply < EVERY_PLY || ply.is_multiple_of(LATER_PLIES) {
        compare_moves(fast, plain);
    }
}

fn compare_state(fast: &Game, plain: &Plain) {
    assert_eq!(fast.over(), plain.over, "{}", fast.fen4());
    assert_eq!(fast.turn(), plain.turn(), "{}", fast.fen4());
    assert_eq!(Army::ALL.map(|army| fast.army_state(army)), plain.states(), "{}", fast.fen4());
    assert_eq!(Army::ALL.map(|army| fast.points(army)), plain.points, "{}", fast.fen4());
    assert_eq!(fast.halfmove(), plain.halfmove, "{}", fast.fen4());
    let results = Army::ALL.map(|army| plain.frozen[army.index()].unwrap_or(plain.points[army.index()]));
    assert_eq!(Army::ALL.map(|army| fast.result(army)), results, "{}", fast.fen4());
}

fn compare_moves(fast: &Game, plain: &Plain) {
    assert_eq!(fast.in_check().iter().collect::<Vec<_>>(), plain.in_check(), "{}", fast.fen4());
    let mut expected = plain.legal_moves();
    let mut got: Vec<(Square, Square)> = fast.legal_moves().iter().map(|mv| (mv.from(), mv.to())).collect();
    expected.sort_unstable();
    got.sort_unstable();
    assert_eq!(got, expected, "{}", fast.fen4());
}

/// The same setup a quarter turn on: Red's things are Blue's, Blue's are Yellow's, and so on.
fn turned(setup: &Setup) -> Setup {
    fn shift<T: Copy>(values: [T; 4]) -> [T; 4] {
        [values[3], values[0], values[1], values[2]]
    }
    let mut turned = Setup::empty();
    turned.turn = setup.turn.next();
    turned.out = shift(setup.out);
    turned.castle_short = shift(setup.castle_short);
    turned.castle_long = shift(setup.castle_long);
    turned.points = shift(setup.points);
    turned.resigned = shift(setup.resigned);
    turned.timed_out = shift(setup.timed_out);
    turned.stalemated = shift(setup.stalemated);
    turned.frozen = shift(setup.frozen);
    turned.halfmove = setup.halfmove;
    for (square, piece) in setup.pieces() {
        turned.put(square.turned(), Some(rules::Piece { army: piece.army.next(), ..piece }));
    }
    turned
}

fn turned_move(game: &Game, mv: Move) -> Move {
    let text = format!("{}-{}", mv.from().turned(), mv.to().turned());
    game.parse_move(&text).unwrap_or_else(|error| panic!("{text} in {}: {error}", game.fen4()))
}

/// A quarter turn changes nothing but names.
pub(crate) fn check_symmetry(data: &[u8]) {
    let mut bytes = Bytes(data);
    let setup = setup(&mut bytes);
    let Ok(position) = setup.position() else {
        assert!(turned(&setup).position().is_err());
        return;
    };
    let mut here = Game::from(position);
    let mut chooser = Chooser::default();
    let mut there = Game::from(turned(&setup).position().unwrap_or_else(|error| panic!("{error}")));
    while !bytes.is_empty() && here.over().is_none() {
        match deed(&mut bytes) {
            Deed::Move(number) => {
                let Some(mv) = chooser.choose(&here, number) else { panic!("no move in {}", here.fen4()) };
                let other = turned_move(&there, mv);
                assert!(here.play(mv).is_ok() && there.play(other).is_ok());
            }
            Deed::Resign(army) => assert_eq!(here.resign(army).is_ok(), there.resign(army.next()).is_ok()),
            Deed::TimeOut(army) => assert_eq!(here.time_out(army).is_ok(), there.time_out(army.next()).is_ok()),
        }
        assert_eq!(turned(&Setup::from(here.position())), Setup::from(there.position()));
        assert_eq!(here.over(), there.over());
        let pairs = |moves: rules::MoveList, turn: fn(Square) -> Square| {
            let mut pairs: Vec<_> = moves.iter().map(|mv| (turn(mv.from()), turn(mv.to()))).collect();
            pairs.sort_unstable();
            pairs
        };
        assert_eq!(pairs(here.legal_moves(), Square::turned), pairs(there.legal_moves(), |square| square));
    }
}
