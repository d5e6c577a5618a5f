//! The rules of Four Kingdoms: board, moves, points, ends, notation. Pure.
