//! The sizes that the documentation states.

use std::mem::size_of;

use rules::{Effects, Game, Move, MoveList, Position};

#[test]
fn a_position_fits_in_640_bytes_and_a_move_in_four() {
    assert_eq!(size_of::<Move>(), 4);
    assert!(size_of::<Position>() <= 640, "{}", size_of::<Position>());
    // The history is on the heap: 8 bytes a position, at most 200 of them.
    assert!(size_of::<Game>() <= size_of::<Position>() + 24, "{}", size_of::<Game>());
    assert!(size_of::<MoveList>() <= 2848, "{}", size_of::<MoveList>());
    assert!(size_of::<Effects>() <= 160, "{}", size_of::<Effects>());
}
