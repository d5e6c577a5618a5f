//! The four armies and what state each can be in (rules, sections 2 and 3).

use std::fmt;
use std::str::FromStr;

/// One of the four armies, in turn order: anticlockwise from Red (rules, section 2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Army {
    /// South, ranks 1 and 2; moves first.
    Red = 0,
    /// East, files n and m.
    Blue = 1,
    /// North, ranks 14 and 13.
    Yellow = 2,
    /// West, files a and b.
    Green = 3,
}

impl Army {
    /// All four, in turn order.
    pub const ALL: [Army; 4] = [Army::Red, Army::Blue, Army::Yellow, Army::Green];

    /// Position in the turn order, 0 to 3.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The army at a place of the turn order; the index is taken modulo 4.
    #[inline]
    #[must_use]
    pub const fn from_index(index: usize) -> Army {
        Army::ALL[index & 3]
    }

    /// The army that sits to the right, whose turn is next while it is in play.
    ///
    /// ```
    /// use rules::Army;
    /// assert_eq!(Army::Red.next(), Army::Blue);
    /// assert_eq!(Army::Green.next(), Army::Red);
    /// ```
    #[inline]
    #[must_use]
    pub const fn next(self) -> Army {
        Army::ALL[(self as usize + 1) & 3]
    }

    /// The capital letter of FEN4's turn field (rules, section 10): `R`, `B`, `Y` or `G`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Army::Red => 'R',
            Army::Blue => 'B',
            Army::Yellow => 'Y',
            Army::Green => 'G',
        }
    }

    /// The army of a letter, in either case.
    #[must_use]
    pub const fn from_letter(letter: char) -> Option<Army> {
        match letter.to_ascii_uppercase() {
            'R' => Some(Army::Red),
            'B' => Some(Army::Blue),
            'Y' => Some(Army::Yellow),
            'G' => Some(Army::Green),
            _ => None,
        }
    }

    /// The name in lower case, as interfaces use it: `red`, `blue`, `yellow`, `green`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Army::Red => "red",
            Army::Blue => "blue",
            Army::Yellow => "yellow",
            Army::Green => "green",
        }
    }
}

impl fmt::Display for Army {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that names no army (rules, section 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownArmy;

impl fmt::Display for UnknownArmy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an army is one of red, blue, yellow, green")
    }
}

impl std::error::Error for UnknownArmy {}

impl FromStr for Army {
    type Err = UnknownArmy;

    fn from_str(name: &str) -> Result<Army, UnknownArmy> {
        Army::ALL.into_iter().find(|army| army.as_str() == name).ok_or(UnknownArmy)
    }
}

/// What an army is doing (rules, section 3). Armies that are playing or roaming are *in play*.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum ArmyState {
    /// Moves by its player's choice; its player scores.
    Playing = 0,
    /// Roaming: its player resigned. It moves at random, the player's result is frozen.
    Resigned = 1,
    /// Roaming: its player lost on time. It moves at random, the player's result is frozen.
    TimedOut = 2,
    /// Out by mate.
    Checkmated = 3,
    /// Out because it had no legal move on its turn.
    Stalemated = 4,
    /// Out because its king was captured.
    KingCaptured = 5,
}

impl ArmyState {
    /// Playing or roaming: it moves and attacks.
    #[inline]
    #[must_use]
    pub const fn is_in_play(self) -> bool {
        (self as u8) <= ArmyState::TimedOut as u8
    }

    /// Mated, stalemated or without a king: its pieces stand still, attack nothing and score nothing.
    #[inline]
    #[must_use]
    pub const fn is_out(self) -> bool {
        !self.is_in_play()
    }

    /// Resigned or timed out: it moves at random.
    #[inline]
    #[must_use]
    pub const fn is_roaming(self) -> bool {
        matches!(self, ArmyState::Resigned | ArmyState::TimedOut)
    }

    /// The word of interfaces and logs, such as `timed_out`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ArmyState::Playing => "playing",
            ArmyState::Resigned => "resigned",
            ArmyState::TimedOut => "timed_out",
            ArmyState::Checkmated => "checkmated",
            ArmyState::Stalemated => "stalemated",
            ArmyState::KingCaptured => "king_captured",
        }
    }
}

impl fmt::Display for ArmyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How an army went out of play (rules, section 5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HowOut {
    /// In check without a legal move after somebody's move.
    Checkmated,
    /// Without a legal move when its turn came.
    Stalemated,
    /// Its king left the board.
    KingCaptured,
}

impl HowOut {
    /// The state the army is in from then on.
    #[must_use]
    pub const fn state(self) -> ArmyState {
        match self {
            HowOut::Checkmated => ArmyState::Checkmated,
            HowOut::Stalemated => ArmyState::Stalemated,
            HowOut::KingCaptured => ArmyState::KingCaptured,
        }
    }

    /// The word of interfaces and logs: `checkmated`, `stalemated`, `king_captured`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.state().as_str()
    }
}

/// A set of armies, iterated in turn order (rules, section 2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ArmySet(pub(crate) u8);

impl ArmySet {
    /// No army.
    pub const EMPTY: ArmySet = ArmySet(0);

    /// Whether the army is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(self, army: Army) -> bool {
        self.0 >> army as u8 & 1 == 1
    }

    /// How many armies are in the set, 0 to 4.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        // Four bits: cheaper than a population count on machines without the instruction.
        (0x4332_3221_3221_2110_u64 >> ((self.0 & 15) * 4) & 15) as usize
    }

    /// Whether the set holds nobody.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds an army.
    #[inline]
    pub const fn insert(&mut self, army: Army) {
        self.0 |= 1 << army as u8;
    }

    /// Takes an army out of the set.
    #[inline]
    pub const fn remove(&mut self, army: Army) {
        self.0 &= !(1 << army as u8);
    }

    /// The set with one army more.
    #[inline]
    #[must_use]
    pub const fn with(self, army: Army) -> ArmySet {
        ArmySet(self.0 | 1 << army as u8)
    }

    /// The set without one army.
    #[inline]
    #[must_use]
    pub const fn without(self, army: Army) -> ArmySet {
        ArmySet(self.0 & !(1 << army as u8))
    }

    /// The armies in turn order.
    pub fn iter(self) -> impl Iterator<Item = Army> {
        Army::ALL.into_iter().filter(move |&army| self.contains(army))
    }
}

impl IntoIterator for ArmySet {
    type Item = Army;
    type IntoIter = ArmySetIter;

    fn into_iter(self) -> ArmySetIter {
        ArmySetIter(self)
    }
}

/// The armies of a set in turn order (rules, section 2), by value.
#[derive(Clone, Debug)]
pub struct ArmySetIter(ArmySet);

impl Iterator for ArmySetIter {
    type Item = Army;

    fn next(&mut self) -> Option<Army> {
        if self.0.is_empty() {
            return None;
        }
        let army = Army::from_index(self.0.0.trailing_zeros() as usize);
        self.0.remove(army);
        Some(army)
    }
}

impl FromIterator<Army> for ArmySet {
    fn from_iter<I: IntoIterator<Item = Army>>(armies: I) -> ArmySet {
        let mut set = ArmySet::EMPTY;
        for army in armies {
            set.insert(army);
        }
        set
    }
}

impl fmt::Debug for ArmySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_letters_read_back() {
        for army in Army::ALL {
            assert_eq!(army.as_str().parse(), Ok(army));
            assert_eq!(Army::from_letter(army.letter()), Some(army));
        }
        assert_eq!("Red".parse::<Army>(), Err(UnknownArmy));
    }

    #[test]
    fn a_set_counts_its_members() {
        for bits in 0..16_u8 {
            assert_eq!(ArmySet(bits).len(), bits.count_ones() as usize);
            assert_eq!(ArmySet(bits).into_iter().collect::<ArmySet>(), ArmySet(bits));
        }
    }
}
