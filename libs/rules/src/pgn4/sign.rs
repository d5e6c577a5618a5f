//! What stands between moves and is none: results, and signs of what is thought of a move.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A result at the end of a line of moves, as chess has it; that of our games is a header (rules, section 10).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// `1-0`
    FirstWon,
    /// `0-1`
    SecondWon,
    /// `1/2-1/2`
    Drawn,
    /// `*`, not known or not over.
    Open,
}

impl Ending {
    const ALL: [Ending; 4] = [Ending::FirstWon, Ending::SecondWon, Ending::Drawn, Ending::Open];

    /// The result as printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Ending::FirstWon => "1-0",
            Ending::SecondWon => "0-1",
            Ending::Drawn => "1/2-1/2",
            Ending::Open => "*",
        }
    }

    /// Reads a word, with the dashes and halves of typesetters too.
    pub(super) fn read(word: &str) -> Option<Ending> {
        let plain =
            if word.is_ascii() { Cow::Borrowed(word) } else { word.replace('–', "-").replace('½', "1/2").into() };
        Ending::ALL.into_iter().find(|ending| ending.as_str() == plain)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A sign of what is thought of a move (rules, section 10): `!?`, `$5`, `±`, `e.p.`.
///
/// ```
/// use rules::Sign;
/// assert_eq!("!?".parse::<Sign>()?.as_str(), "!?");
/// assert_eq!("ep".parse::<Sign>()?.as_str(), "e.p.");
/// assert!("h2-h4".parse::<Sign>().is_err());
/// # Ok::<(), rules::NoSign>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sign(Cow<'static, str>);

/// A text that is no [`Sign`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoSign;

impl fmt::Display for NoSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no sign like !?, $5 or e.p.")
    }
}

impl std::error::Error for NoSign {}

impl Sign {
    pub(super) const EN_PASSANT: Sign = Sign(Cow::Borrowed("e.p."));

    /// The sign as printed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it can stand at the move itself, without space: `!?`.
    pub(super) fn is_joined(&self) -> bool {
        self.0.starts_with(['!', '?'])
    }
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Sign {
    type Err = NoSign;

    fn from_str(text: &str) -> Result<Sign, NoSign> {
        if matches!(text, "e.p." | "e.p" | "ep" | "E.P" | "E.P.") {
            return Ok(Sign::EN_PASSANT);
        }
        let signs = ["=", "±", "∓", "⩲", "⩱", "∞", "□", "+-", "-+", "+/-", "-/+", "+=", "=+"];
        let is_sign = match text.strip_prefix('$') {
            Some(number) => !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()),
            None => {
                signs.contains(&text) || (!text.is_empty() && text.chars().all(|letter| matches!(letter, '!' | '?')))
            }
        };
        if is_sign { Ok(Sign(Cow::Owned(text.to_owned()))) } else { Err(NoSign) }
    }
}
