//! Which of the squares around a king are attacked: all nine at once, piece by piece.
//!
//! Asking [`is_attacked`](crate::attacks::is_attacked) for each of eight squares searches 64 rays. Most hostile pieces
//! are nowhere near; a few comparisons over all sixteen of an army at once leave the few that matter.

use crate::ArmySet;
use crate::attacks::{KING_STEPS, KNIGHT_STEPS, PAWN_CAPTURES};
use crate::board::{Board, SLOTS};
use crate::lines::{Line, Lines};
use crate::role::kind;

/// The nine squares as bits: `3 * (rank difference + 1) + file difference + 1`.
pub(crate) type Zone = u16;

/// A step as a difference of ranks and one of files; the latter is at most 2 either way.
const fn parts(step: u8) -> (i8, i8) {
    let step = step as i8;
    let ranks = (step + 8).div_euclid(16);
    (ranks, step - 16 * ranks)
}

/// The bit of a square that is so many ranks and files away; none beyond the zone.
const fn bit(ranks: i8, files: i8) -> Zone {
    if ranks < -1 || ranks > 1 || files < -1 || files > 1 { 0 } else { 1 << (3 * (ranks + 1) + files + 1) }
}

/// The bits of the squares that a king's steps lead to.
pub(crate) const STEPS: [Zone; 8] = {
    let mut bits = [0; 8];
    let mut index = 0;
    while index < 8 {
        let (ranks, files) = parts(KING_STEPS[index]);
        bits[index] = bit(ranks, files);
        index += 1;
    }
    bits
};

/// A slider on a rank or file near the king, on a diagonal near it, any piece close to it.
const STRAIGHT: u64 = 1;
const DIAGONAL: u64 = 2;
const CLOSE: u64 = 4;

/// How each piece of an army lies to a king: one byte of the above each, sixteen in two words.
#[inline(always)]
fn places(squares: &[u8; SLOTS], king: u8) -> [u64; 2] {
    let (king_rank, king_file) = (king >> 4, king & 15);
    let within = |difference: u8, most: u8| u8::from(difference.wrapping_add(most) <= 2 * most);
    let place = |square: u8| {
        let ranks = (square >> 4).wrapping_sub(king_rank);
        let files = (square & 15).wrapping_sub(king_file);
        let straight = within(ranks, 1) | within(files, 1);
        let diagonal = within(ranks.wrapping_sub(files), 2) | within(ranks.wrapping_add(files), 2);
        let close = within(ranks, 3) & within(files, 3);
        straight | diagonal << 1 | close << 2
    };
    let mut bytes = [0; SLOTS];
    for (byte, &square) in bytes.iter_mut().zip(squares) {
        *byte = place(square);
    }
    let both = u128::from_le_bytes(bytes);
    [both as u64, (both >> 64) as u64]
}

/// The slots with one of the three properties.
#[inline(always)]
fn slots(places: [u64; 2], property: u64) -> u16 {
    // Gathers one bit of each byte in the highest byte.
    let gather = |word: u64| {
        ((word >> property.trailing_zeros() & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u16
    };
    gather(places[0]) | gather(places[1]) << 8
}

/// The squares around `king` that armies attack. The king's own square may or may not count as taken in `lines`.
#[inline(always)]
pub(crate) fn attacked(board: &Board, lines: &Lines, king: u8, armies: ArmySet) -> Zone {
    let mut zone = 0;
    for army in armies {
        let squares = &board.squares[army.index()];
        let roles = &board.roles[army.index()];
        let places = places(squares, king);
        let queens = roles[kind::QUEEN as usize] | roles[kind::PROMOTED as usize];
        let mut straight = slots(places, STRAIGHT) & (roles[kind::ROOK as usize] | queens);
        while straight != 0 {
            let square = squares[straight.trailing_zeros() as usize & 15];
            zone |= along(Line::Rank, lines, square, king) | along(Line::File, lines, square, king);
            straight &= straight - 1;
        }
        let mut diagonal = slots(places, DIAGONAL) & (roles[kind::BISHOP as usize] | queens);
        while diagonal != 0 {
            let square = squares[diagonal.trailing_zeros() as usize & 15];
            zone |= along(Line::Rising, lines, square, king) | along(Line::Falling, lines, square, king);
            diagonal &= diagonal - 1;
        }
        let near_roles = roles[kind::PAWN as usize] | roles[kind::KNIGHT as usize] | roles[kind::KING as usize];
        let mut near = slots(places, CLOSE) & near_roles;
        while near != 0 {
            let square = squares[near.trailing_zeros() as usize & 15];
            let ranks = (square >> 4).wrapping_sub(king >> 4).wrapping_add(3);
            let files = (square & 15).wrapping_sub(king & 15).wrapping_add(3);
            zone |= LEAPS[(board.cells[square as usize] & 31) as usize][((ranks << 3 | files) & 63) as usize];
            near &= near - 1;
        }
    }
    zone
}

/// The squares of the zone that a slider attacks along one kind of line.
#[inline(always)]
fn along(line: Line, lines: &Lines, square: u8, king: u8) -> Zone {
    let ranks = (square >> 4).wrapping_sub(king >> 4);
    let files = (square & 15).wrapping_sub(king & 15);
    // Which of the parallel lines through the zone, and where on it the slider is, counted like the line's bits.
    let (parallel, place) = match line {
        Line::Rank => (ranks, files),
        Line::File => (files, ranks),
        Line::Rising => (ranks.wrapping_sub(files), files),
        Line::Falling => (ranks.wrapping_add(files), files),
    };
    let parallel = parallel.wrapping_add(2);
    if parallel > 4 {
        return 0;
    }
    let (up, down) = lines.free(line, square);
    let place = place as i8;
    // Bits 0 to 2 are the zone's three places; the slider's own place is not attacked.
    let reach = |from: i8, to: i8| (7_u32 >> (1 - to.clamp(-2, 1))) & (7_u32 << (from.clamp(-1, 2) + 1));
    let above = reach(place + 1, place + 1 + up as i8);
    let below = reach(place - 1 - down as i8, place - 1);
    LINES[line as usize][parallel as usize][((above | below) & 7) as usize]
}

/// Zone bits by kind of line, by which parallel, by the three places along it.
const LINES: [[[Zone; 8]; 5]; 4] = {
    let mut table = [[[0; 8]; 5]; 4];
    let mut line = 0;
    while line < 4 {
        let mut parallel = 0;
        while parallel < 5 {
            let mut places = 0;
            while places < 8 {
                let mut place = 0;
                while place < 3 {
                    let (offset, along) = (parallel as i8 - 2, place as i8 - 1);
                    let (ranks, files) = match Line::ALL[line] {
                        Line::Rank => (offset, along),
                        Line::File => (along, offset),
                        Line::Rising => (offset + along, along),
                        Line::Falling => (offset - along, along),
                    };
                    if places >> place & 1 == 1 {
                        table[line][parallel][places] |= bit(ranks, files);
                    }
                    place += 1;
                }
                places += 1;
            }
            parallel += 1;
        }
        line += 1;
    }
    table
};

/// Zone bits that a piece without a line attacks, by its kind and by where it stands: rank and file difference from -3
/// to 3, plus 3, in three bits each.
const LEAPS: [[Zone; 64]; 32] = {
    let mut table = [[0; 64]; 32];
    let mut mover = 0;
    while mover < 32 {
        let steps: &[u8] = match mover as u8 & 7 {
            kind::PAWN => &PAWN_CAPTURES[mover >> 3],
            kind::KNIGHT => &KNIGHT_STEPS,
            kind::KING => &KING_STEPS,
            _ => &[],
        };
        let mut place = 0;
        while place < 64 {
            let mut index = 0;
            while index < steps.len() {
                let (ranks, files) = parts(steps[index]);
                table[mover][place] |= bit((place as i8 >> 3) - 3 + ranks, (place as i8 & 7) - 3 + files);
                index += 1;
            }
            place += 1;
        }
        mover += 1;
    }
    table
};
