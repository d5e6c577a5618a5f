//! The 160 squares (rules, section 2).

use std::fmt;
use std::str::FromStr;

/// A square of the board: a 14 by 14 board without its four 3 by 3 corners (rules, section 2).
///
/// Files are numbered 1 to 14 for `a` to `n`, ranks 1 to 14, as seen from Red's side.
///
/// ```
/// use rules::Square;
/// let square: Square = "h2".parse()?;
/// assert_eq!((square.file(), square.rank()), (8, 2));
/// assert_eq!(square.to_string(), "h2");
/// assert!("a1".parse::<Square>().is_err()); // a corner
/// # Ok::<(), rules::NoSuchSquare>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(
    // 16 * rank + file: a 16 by 16 board with a border one wide, so that every step of a piece is one wrapping
    // addition and every index of a `[_; 256]` is in range.
    pub(crate) u8,
);

impl Square {
    /// How many squares there are.
    pub const COUNT: usize = 160;

    /// The square on a file (1 to 14 for `a` to `n`) and rank (1 to 14), unless it is off the board or in a corner.
    #[must_use]
    pub const fn new(file: u8, rank: u8) -> Option<Square> {
        if is_on_board(file, rank) { Some(Square(rank << 4 | file)) } else { None }
    }

    /// 1 to 14 for `a` to `n`.
    #[inline]
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 & 15
    }

    /// 1 to 14.
    #[inline]
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 >> 4
    }

    /// Every square, rank 1 first, each rank from file a on.
    pub fn all() -> impl Iterator<Item = Square> {
        (1..=14).flat_map(|rank| (1..=14).filter_map(move |file| Square::new(file, rank)))
    }

    /// The square a quarter turn anticlockwise: where Blue has what Red has here (h1 becomes n8).
    ///
    /// ```
    /// use rules::Square;
    /// let h1: Square = "h1".parse()?;
    /// assert_eq!(h1.turned().to_string(), "n8");
    /// # Ok::<(), rules::NoSuchSquare>(())
    /// ```
    #[must_use]
    pub const fn turned(self) -> Square {
        Square(self.file() << 4 | (15 - self.rank()))
    }

    /// The mirror image, files a and n exchanged: how clockwise sites see the board.
    #[must_use]
    pub const fn mirrored(self) -> Square {
        Square(self.0 & 0xF0 | (15 - self.file()))
    }
}

pub(crate) const fn is_on_board(file: u8, rank: u8) -> bool {
    let file_inside = file >= 4 && file <= 11;
    let rank_inside = rank >= 4 && rank <= 11;
    file >= 1 && file <= 14 && rank >= 1 && rank <= 14 && (file_inside || rank_inside)
}

/// `a1` to `n14`, corners too: error messages name them.
pub(crate) fn write_coordinate(f: &mut impl fmt::Write, file: u8, rank: u8) -> fmt::Result {
    write!(f, "{}{}", char::from(b'a' + file - 1), rank)
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_coordinate(f, self.file(), self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A word that names no square of the board (rules, sections 2 and 10).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoSuchSquare;

impl fmt::Display for NoSuchSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a square is a file a to n and a rank 1 to 14 outside the corners")
    }
}

impl std::error::Error for NoSuchSquare {}

impl FromStr for Square {
    type Err = NoSuchSquare;

    fn from_str(name: &str) -> Result<Square, NoSuchSquare> {
        let bytes = name.as_bytes();
        let rank = match bytes {
            [_, ones @ b'1'..=b'9'] => ones - b'0',
            [_, b'1', ones @ b'0'..=b'4'] => 10 + ones - b'0',
            _ => return Err(NoSuchSquare),
        };
        let file = bytes[0].wrapping_sub(b'a').wrapping_add(1);
        Square::new(file, rank).ok_or(NoSuchSquare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_160_and_their_names_read_back() {
        assert_eq!(Square::all().count(), Square::COUNT);
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(square.turned().turned().turned().turned(), square);
            assert_eq!(square.mirrored().mirrored(), square);
        }
    }

    #[test]
    fn other_words_are_no_squares() {
        for word in ["", "a", "a1", "c3", "n14", "o5", "h0", "h15", "h01", "h+2", "A4", "h22", "hé", "é5", "`5"] {
            assert_eq!(word.parse::<Square>(), Err(NoSuchSquare), "{word}");
        }
    }
}
