use std::fmt;
use std::str::FromStr;

const MS_PER_MINUTE: i64 = 60_000;
const MAX_MINUTES_MS: i64 = 180 * MS_PER_MINUTE;
const MIN_MINUTES_MS: i64 = 3_000;
const MAX_SECONDS: i64 = 180;

/// How much time a player has: minutes for the whole game and seconds for each own move, the latter either an
/// increment added after the move or a delay before the clock runs.
///
/// Read and printed as `3+2` (increment) or `1+7d` (delay); one control has one printed form.
///
/// ```
/// use timekeeping::{Class, TimeControl};
/// let control: TimeControl = "3.0+2".parse()?;
/// assert_eq!(control.to_string(), "3+2");
/// assert_eq!(control.class(), Class::Blitz);
/// assert_eq!((control.base_ms(), control.increment_ms(), control.delay_ms()), (180_000, 2_000, 0));
/// # Ok::<(), timekeeping::InvalidTimeControl>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeControl {
    base_ms: i64,
    seconds: i64,
    delay: bool,
}

/// What speed a time control counts as; each has its own rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Under 180 s.
    Bullet,
    /// Under 600 s.
    Blitz,
    /// From 600 s on.
    Rapid,
}

impl Class {
    /// Every class, quickest first.
    pub const ALL: [Self; 3] = [Self::Bullet, Self::Blitz, Self::Rapid];

    /// The word of the public API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bullet => "bullet",
            Self::Blitz => "blitz",
            Self::Rapid => "rapid",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Class {
    type Err = InvalidTimeControl;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|class| class.as_str() == word).ok_or(InvalidTimeControl::Class)
    }
}

/// Why a text is no time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTimeControl {
    /// Not of the form.
    #[error("expected <minutes>+<seconds> or <minutes>+<seconds>d, like 3+2 or 1+7d")]
    Form,
    /// Minutes out of range.
    #[error("minutes must be 0.05 to 180, with at most three decimals")]
    Minutes,
    /// Seconds out of range.
    #[error("seconds must be a whole number from 0 to 180")]
    Seconds,
    /// No such class.
    #[error("expected bullet, blitz or rapid")]
    Class,
}

impl TimeControl {
    /// Time for the whole game, before any increment.
    #[must_use]
    pub const fn base_ms(self) -> i64 {
        self.base_ms
    }

    /// Added after each own move.
    #[must_use]
    pub const fn increment_ms(self) -> i64 {
        if self.delay { 0 } else { self.seconds * 1000 }
    }

    /// Passes in each own turn before the clock runs.
    #[must_use]
    pub const fn delay_ms(self) -> i64 {
        if self.delay { self.seconds * 1000 } else { 0 }
    }

    /// By minutes x 60 + 40 x seconds, increment and delay alike.
    #[must_use]
    pub const fn class(self) -> Class {
        match self.base_ms + 40 * self.seconds * 1000 {
            ..180_000 => Class::Bullet,
            180_000..600_000 => Class::Blitz,
            _ => Class::Rapid,
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thousandths = self.base_ms * 1000 / MS_PER_MINUTE;
        write!(f, "{}", thousandths / 1000)?;
        if thousandths % 1000 != 0 {
            let fraction = format!("{:03}", thousandths % 1000);
            write!(f, ".{}", fraction.trim_end_matches('0'))?;
        }
        write!(f, "+{}{}", self.seconds, if self.delay { "d" } else { "" })
    }
}

impl FromStr for TimeControl {
    type Err = InvalidTimeControl;

    fn from_str(text: &str) -> Result<Self, InvalidTimeControl> {
        let (minutes, rest) = text.split_once('+').ok_or(InvalidTimeControl::Form)?;
        let (seconds, delay) = rest.strip_suffix('d').map_or((rest, false), |seconds| (seconds, true));
        let (whole, fraction) = minutes.split_once('.').unwrap_or((minutes, "0"));
        if [whole, fraction, seconds].iter().any(|part| part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit())) {
            return Err(InvalidTimeControl::Form);
        }
        let fraction = fraction.trim_end_matches('0');
        if whole.len() > 6 || fraction.len() > 3 {
            return Err(InvalidTimeControl::Minutes);
        }
        let thousandths: i64 = format!("{whole}{fraction:0<3}").parse().map_err(|_| InvalidTimeControl::Minutes)?;
        let base_ms = thousandths * MS_PER_MINUTE / 1000;
        if !(MIN_MINUTES_MS..=MAX_MINUTES_MS).contains(&base_ms) {
            return Err(InvalidTimeControl::Minutes);
        }
        let seconds =
            seconds.parse().ok().filter(|s| (0..=MAX_SECONDS).contains(s)).ok_or(InvalidTimeControl::Seconds)?;
        // A delay of nothing and an increment of nothing are the same control.
        Ok(Self { base_ms, seconds, delay: delay && seconds > 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_printed_form() {
        for (text, printed) in [
            ("3+2", "3+2"),
            ("3.0+2", "3+2"),
            ("03+02", "3+2"),
            ("1+7d", "1+7d"),
            ("0.05+0", "0.05+0"),
            ("0.5+0", "0.5+0"),
            ("1.250+1", "1.25+1"),
            ("180+180d", "180+180d"),
            ("5+0d", "5+0"),
        ] {
            assert_eq!(text.parse::<TimeControl>().map(|c| c.to_string()).as_deref(), Ok(printed), "{text}");
        }
    }

    #[test]
    fn classes_by_the_published_formula() {
        use Class::{Blitz, Bullet, Rapid};
        for (text, class) in [
            ("1+0", Bullet),
            ("1+7d", Blitz),
            ("3+2", Blitz),
            ("5+5", Blitz),
            ("10+5", Rapid),
            ("15+15d", Rapid),
            ("2.999+0", Bullet),
            ("3+0", Blitz),
            ("9.999+0", Blitz),
        ] {
            assert_eq!(text.parse::<TimeControl>().map(TimeControl::class), Ok(class), "{text}");
        }
    }

    #[test]
    fn what_is_refused() {
        use InvalidTimeControl::{Form, Minutes, Seconds};
        for (text, why) in [
            ("", Form),
            ("3", Form),
            ("+", Form),
            ("3+", Form),
            ("+2", Form),
            ("3+d", Form),
            ("3+2D", Form),
            ("-3+2", Form),
            ("3+-2", Form),
            (" 3+2", Form),
            ("3++2", Form),
            ("3.+2", Form),
            ("1e2+2", Form),
            ("٣+2", Form),
            ("3+2.5", Form),
            ("0.04+0", Minutes),
            ("0+5", Minutes),
            ("180.001+0", Minutes),
            ("1.0001+0", Minutes),
            ("99999999999999999999+0", Minutes),
            ("3+181", Seconds),
            ("3+99999999999999999999", Seconds),
        ] {
            assert_eq!(text.parse::<TimeControl>(), Err(why), "{text}");
        }
    }
}
