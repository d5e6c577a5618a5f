use std::fmt;
use std::str::FromStr;

use rand::seq::IndexedRandom as _;

const SHORTEST: usize = 3;
const LONGEST: usize = 20;
const ADJECTIVES: [&str; 24] = [
    "Quiet", "Brave", "Swift", "Clever", "Gentle", "Bold", "Lucky", "Merry", "Noble", "Patient", "Proud", "Silver",
    "Sunny", "Witty", "Amber", "Bright", "Calm", "Daring", "Eager", "Golden", "Humble", "Jolly", "Keen", "Royal",
];
const PIECES: [&str; 6] = ["Pawn", "Knight", "Bishop", "Rook", "Queen", "King"];

/// What a player is called: 3 to 20 of ASCII letters, digits, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(String);

/// Not a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 3 to 20 of the letters a to z, digits, _ and -")]
pub struct InvalidName;

impl Name {
    /// A friendly name for who wished none.
    #[must_use]
    pub fn generated() -> Self {
        let mut rng = rand::rng();
        let adjective = ADJECTIVES.choose(&mut rng).unwrap_or(&"Quiet");
        let piece = PIECES.choose(&mut rng).unwrap_or(&"Pawn");
        Self(format!("{adjective}{piece}{}", 100 + rand::random::<u16>() % 900))
    }

    /// Much like this one, for when this one is somebody's.
    #[must_use]
    pub fn varied(&self) -> Self {
        let stem = &self.0[..self.0.len().min(LONGEST - 4)];
        Self(format!("{stem}{}", 1000 + rand::random::<u16>() % 9000))
    }

    /// By which names are compared: without case.
    #[must_use]
    pub fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }

    /// As shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let fits = (SHORTEST..=LONGEST).contains(&text.len());
        let clean = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if fits && clean { Ok(Self(text.to_owned())) } else { Err(InvalidName) }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_name() {
        for good in ["abc", "A-b_9", "___", &"x".repeat(20)] {
            assert!(good.parse::<Name>().is_ok(), "{good}");
        }
        for bad in ["", "ab", &"x".repeat(21), "a b", "zoë", "a.b", "a\0b", "абв"] {
            assert_eq!(bad.parse::<Name>(), Err(InvalidName), "{bad}");
        }
    }

    #[test]
    fn made_names_are_names() {
        for _ in 0..500 {
            let name = Name::generated();
            assert!(name.as_str().parse::<Name>().is_ok(), "{name}");
            assert!(name.varied().as_str().parse::<Name>().is_ok(), "{name}");
        }
        assert!("x".repeat(20).parse::<Name>().is_ok_and(|name| name.varied().as_str().len() == 20));
    }
}
