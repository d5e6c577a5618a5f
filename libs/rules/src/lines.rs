//! Which squares are taken, along the four lines through each square, and where a slider is stopped.

use crate::square::is_on_board;

/// One bit a square, four times over: by rank, by file, by rising and by falling diagonal. Walls count as taken, so a
/// search along a line always ends. On the 16 by 16 board diagonals wrap around: two share a word, walls between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lines([u16; 64]);

/// A kind of line: where its word is, where a square's bit is in it, and what a step along it adds to a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Line {
    Rank,
    File,
    Rising,
    Falling,
}

impl Line {
    pub(crate) const ALL: [Line; 4] = [Line::Rank, Line::File, Line::Rising, Line::Falling];

    /// One square up the line's word.
    #[inline(always)]
    pub(crate) const fn step(self) -> u8 {
        match self {
            Line::Rank => 1,
            Line::File => 16,
            Line::Rising => 17,
            Line::Falling => 1_u8.wrapping_sub(16),
        }
    }

    #[inline(always)]
    const fn word(self, square: u8) -> usize {
        let (rank, file) = (square >> 4, square & 15);
        (match self {
            Line::Rank => rank,
            Line::File => 16 + file,
            Line::Rising => 32 + (rank.wrapping_sub(file) & 15),
            Line::Falling => 48 + (rank.wrapping_add(file) & 15),
        }) as usize
    }

    /// Which bit of its word a square is: squares up the line have higher ones.
    #[inline(always)]
    pub(crate) const fn place(self, square: u8) -> u8 {
        match self {
            Line::File => square >> 4,
            _ => square & 15,
        }
    }

    #[inline(always)]
    pub(crate) const fn is_diagonal(self) -> bool {
        matches!(self, Line::Rising | Line::Falling)
    }

    /// Whether two squares stand on one line of this kind. Diagonals that share a word are told apart.
    pub(crate) const fn joins(self, a: u8, b: u8) -> bool {
        let ((rank_a, file_a), (rank_b, file_b)) = ((a >> 4, a & 15), (b >> 4, b & 15));
        match self {
            Line::Rank => rank_a == rank_b,
            Line::File => file_a == file_b,
            Line::Rising => rank_a + file_b == rank_b + file_a,
            Line::Falling => rank_a + file_a == rank_b + file_b,
        }
    }
}

/// Whether two squares stand on one line of any kind.
#[inline(always)]
pub(crate) const fn are_aligned(a: u8, b: u8) -> bool {
    let ranks = (a >> 4).wrapping_sub(b >> 4);
    let files = (a & 15).wrapping_sub(b & 15);
    (ranks == 0) | (files == 0) | (ranks == files) | (ranks.wrapping_add(files) == 0)
}

const EMPTY: [u16; 64] = {
    let mut words = [0_u16; 64];
    let mut index = 0;
    while index < 256 {
        let square = index as u8;
        if !is_on_board(square & 15, square >> 4) {
            let mut line = 0;
            while line < 4 {
                words[Line::ALL[line].word(square)] |= 1 << Line::ALL[line].place(square);
                line += 1;
            }
        }
        index += 1;
    }
    words
};

impl Lines {
    /// Nothing but the walls.
    pub(crate) const fn new() -> Lines {
        Lines(EMPTY)
    }

    /// A square becomes taken or free.
    #[inline(always)]
    pub(crate) fn toggle(&mut self, square: u8) {
        for line in Line::ALL {
            self.0[line.word(square)] ^= 1 << line.place(square);
        }
    }

    /// How many free squares there are from a square up the line and down the line.
    #[inline(always)]
    pub(crate) fn free(&self, line: Line, square: u8) -> (u8, u8) {
        let word = u32::from(self.0[line.word(square)]);
        let bit = u32::from(line.place(square));
        // The outermost bit is always a wall; setting it again tells the compiler that the search ends.
        let up = ((word >> bit >> 1) | 1 << 31).trailing_zeros();
        let down = ((word << (31 - bit) << 1) | 1).leading_zeros();
        (up as u8, down as u8)
    }
}
