//! Keys of positions for counting repetitions: one 64-bit number each, kept up to date move by move.

use crate::Square;

/// Scatters a number over 64 bits (the finisher of SplitMix64, a bijection). Cheaper here than a table of random
/// numbers, which would push the board out of the first-level cache.
#[inline(always)]
const fn scatter(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The part of a key that a piece on a square makes. `kind` tells a promoted queen from a queen.
#[inline(always)]
pub(crate) const fn piece_key(kind: u8, square: u8) -> u64 {
    scatter((kind as u64) << 8 | square as u64)
}

/// The part that is no piece: side to move, the armies' states and castling rights, packed into one number.
#[inline(always)]
pub(crate) const fn state_key(packed: u64) -> u64 {
    scatter(1 << 40 | packed)
}

pub(crate) fn pieces_key(cells: &[u8; 256]) -> u64 {
    Square::all()
        .filter(|square| cells[square.0 as usize] & 7 != crate::role::kind::EMPTY)
        .fold(0, |key, square| key ^ piece_key(cells[square.0 as usize], square.0))
}
