//! Castling rights and geometry, with king and queen either way round (rules, section 4).

use crate::{Army, Square};

/// Which way an army castles (rules, section 4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastlingSide {
    /// `O-O`: toward the rook with two squares between it and the king.
    Short,
    /// `O-O-O`: toward the rook with three squares between it and the king.
    Long,
}

/// One of the two ends of an army's back line: files d and k, or ranks 4 and 11.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// d1, n4, d14, a4.
    Low,
    /// k1, n11, k14, a11.
    High,
}

impl End {
    pub(crate) const BOTH: [End; 2] = [End::Low, End::High];
}

/// The distance between neighbours of an army's back line, and the line's square "0".
const STEP: [u8; 4] = [1, 16, 1, 16];
const LINE_START: [u8; 4] = [0x10, 0x0E, 0xE0, 0x01];

/// Places on a back line, counted like files or ranks.
const LOW_ROOK: u8 = 4;
const LOW_CENTRE: u8 = 7;
const HIGH_CENTRE: u8 = 8;
const HIGH_ROOK: u8 = 11;

const fn place(army: usize, along: u8) -> u8 {
    LINE_START[army] + STEP[army] * along
}

/// The start square of the rook at one end.
pub(crate) const fn rook_start(army: Army, end: End) -> u8 {
    place(
        army as usize,
        match end {
            End::Low => LOW_ROOK,
            End::High => HIGH_ROOK,
        },
    )
}

/// The two squares a king may have started from.
pub(crate) const fn centres(army: Army) -> [u8; 2] {
    [place(army as usize, LOW_CENTRE), place(army as usize, HIGH_CENTRE)]
}

/// The end that is an army's short or long side when its king stands on this centre square.
pub(crate) const fn end_of(army: Army, king: u8, side: CastlingSide) -> End {
    let king_is_low = king == place(army as usize, LOW_CENTRE);
    match (king_is_low, side) {
        (true, CastlingSide::Short) | (false, CastlingSide::Long) => End::Low,
        _ => End::High,
    }
}

/// The step from the king toward a rook, as a wrapping addition to a square.
#[inline(always)]
pub(crate) const fn step_toward(army: Army, end: End) -> u8 {
    match end {
        End::Low => STEP[army as usize].wrapping_neg(),
        End::High => STEP[army as usize],
    }
}

/// Which castlings the moves so far still allow. Two bits an army: the rook at the low end, the rook at the high end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Rights(pub(crate) u8);

/// What is lost when anything moves from or to a square.
const LOST: [u8; 256] = {
    let mut lost = [0; 256];
    let mut army = 0;
    while army < 4 {
        lost[place(army, LOW_ROOK) as usize] |= 1 << (2 * army);
        lost[place(army, HIGH_ROOK) as usize] |= 2 << (2 * army);
        army += 1;
    }
    lost
};

impl Rights {
    #[inline(always)]
    pub(crate) const fn has(self, army: Army, end: End) -> bool {
        self.0 >> (2 * army as u8 + end as u8) & 1 == 1
    }

    #[inline(always)]
    pub(crate) const fn has_any(self, army: Army) -> bool {
        self.0 >> (2 * army as u8) & 3 != 0
    }

    pub(crate) const fn grant(&mut self, army: Army, end: End) {
        self.0 |= 1 << (2 * army as u8 + end as u8);
    }

    /// An army's king moved, or the army went out.
    #[inline(always)]
    pub(crate) const fn lose_all(&mut self, army: Army) {
        self.0 &= !(3 << (2 * army as u8));
    }

    /// Something moved between two squares.
    #[inline(always)]
    pub(crate) const fn touch(&mut self, from: u8, to: u8) {
        self.0 &= !(LOST[from as usize] | LOST[to as usize]);
    }
}

/// Where the rook stands before and after a castling by which the king goes between these squares.
pub(crate) const fn rook_move(army: Army, king_from: u8, king_to: u8) -> (u8, u8) {
    let end = if king_to > king_from { End::High } else { End::Low };
    (rook_start(army, end), king_from.wrapping_add(step_toward(army, end)))
}

/// The side a castling goes to.
pub(crate) const fn side_of(army: Army, king_from: Square, king_to: Square) -> CastlingSide {
    let short = end_of(army, king_from.0, CastlingSide::Short);
    match (short, king_to.0 > king_from.0) {
        (End::High, true) | (End::Low, false) => CastlingSide::Short,
        _ => CastlingSide::Long,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(index: u8) -> String {
        Square(index).to_string()
    }

    #[test]
    fn corners_and_centres_are_where_the_rules_put_them() {
        let rooks: Vec<String> =
            Army::ALL.iter().flat_map(|&a| End::BOTH.map(|end| name(rook_start(a, end)))).collect();
        assert_eq!(rooks, ["d1", "k1", "n4", "n11", "d14", "k14", "a4", "a11"]);
        let kings: Vec<String> = Army::ALL.iter().flat_map(|&a| centres(a).map(name)).collect();
        assert_eq!(kings, ["g1", "h1", "n7", "n8", "g14", "h14", "a7", "a8"]);
    }

    #[test]
    fn short_and_long_swap_with_king_and_queen() {
        let [g1, h1] = centres(Army::Red);
        assert_eq!(end_of(Army::Red, h1, CastlingSide::Short), End::High);
        assert_eq!(end_of(Army::Red, g1, CastlingSide::Short), End::Low);
        assert_eq!(side_of(Army::Red, Square(g1), Square(g1 - 2)), CastlingSide::Short);
        assert_eq!(side_of(Army::Red, Square(h1), Square(h1 - 2)), CastlingSide::Long);
    }
}
