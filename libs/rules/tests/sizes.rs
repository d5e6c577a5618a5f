//! The sizes that the documentation states.

use std::mem::size_of;

use allocation_counter::measure;
use rules::{Effects, Game, Move, MoveList, Position};

#[test]
fn a_position_fits_in_640_bytes_and_a_move_in_four() {
    assert_eq!(size_of::<Move>(), 4);
    assert!(size_of::<Position>() <= 640, "{}", size_of::<Position>());
    // The history is on the heap.
    assert!(size_of::<Game>() <= size_of::<Position>() + 24, "{}", size_of::<Game>());
    assert!(size_of::<MoveList>() <= 2848, "{}", size_of::<MoveList>());
    assert!(size_of::<Effects>() <= 160, "{}", size_of::<Effects>());
}

#[test]
fn a_history_has_8_bytes_a_ply_for_at_most_201_positions() {
    let mut game = None;
    let info = measure(|| game = Some(Game::start()));
    assert_eq!((info.count_current, info.bytes_current), (1, 8 * 201));
    let info = measure(|| drop(game.clone()));
    assert_eq!((info.count_total, info.bytes_total), (1, 8 * 201));
}
