//! PGN4, the game format (rules, section 10): files as they are written, and games replayed from them.
//!
//! A [`Pgn4`] is the text of one game, understood but not judged: headers, moves as written, comments, variations. It
//! may be of any variant that four-player sites have. [`Pgn4::replay`] plays it under our rules, as far as they go.
//!
//! ```
//! use rules::{Action, Army, Pgn4, Recorded};
//! let text = "[Red \"ann\"]\n\n1. d2-d4 { clock=59000 } .. m7-k7 .. k13-k12 { resigned=red } .. b8-d8\n2. Nj1-i3R\n";
//! let file: Pgn4 = text.parse()?;
//! let replay = file.replay();
//! assert_eq!(replay.stop, None);
//! assert_eq!(replay.actions[3].action, Action::Resign(Army::Red));
//! // and the other way round
//! let written = Pgn4::of_game(&replay.start, &replay.actions)?;
//! assert_eq!(written.replay().actions, replay.actions);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod layout;
mod read;
mod replay;
mod token;
mod write;

pub use layout::{Layout, UnknownStart};
pub use read::Pgn4Error;
pub use replay::{Action, Departure, Recorded, Replay, Stop};
pub use token::{Leaving, Token, UnreadableToken, WrittenMove};
pub use write::NotOfThisGame;

/// One game of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pgn4 {
    /// The headers in the order of the file, `[Name "value"]`.
    pub headers: Vec<Header>,
    /// Comments that come before the first move.
    pub intro: Vec<String>,
    /// The moves of the game.
    pub moves: Vec<Entry>,
    /// A result at the end of the moves, such as `1-0` or `*`.
    pub ending: Option<String>,
}

/// A name and a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// One word.
    pub name: String,
    /// Anything, over several lines too.
    pub value: String,
}

/// A move of a file, or a mark in its place, with what is said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The round's number, on the first entry of a round.
    pub round: Option<Round>,
    /// The move or mark.
    pub token: Token,
    /// Comments after it, without braces. Many hold `key=value` pairs: see [`comment_value`].
    pub comments: Vec<String>,
    /// What might have been played instead.
    pub variations: Vec<Variation>,
}

/// The number before the first move of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// Counted from 1.
    pub number: u32,
    /// Whether dots follow it: the round starts later than with its first army.
    pub late: bool,
}

/// A line of moves in parentheses, instead of the move before it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variation {
    /// Comments that come before its first move.
    pub intro: Vec<String>,
    /// Its moves.
    pub moves: Vec<Entry>,
}

impl Pgn4 {
    /// The value of a header, by its exact name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|header| header.name == name).map(|header| header.value.as_str())
    }

    /// Gives a header a value, in its old place or at the end.
    pub fn set_header(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.headers.iter_mut().find(|header| header.name == name) {
            Some(header) => header.value = value,
            None => self.headers.push(Header { name: name.to_owned(), value }),
        }
    }

    /// Removes a header.
    pub fn remove_header(&mut self, name: &str) {
        self.headers.retain(|header| header.name != name);
    }

    /// The results of the header `Result`, red first, if it has the form `name: 51 - name: 53 - name: 9 - name: 0`.
    ///
    /// ```
    /// let mut file = rules::Pgn4::default();
    /// file.set_header("Result", "a - b: 51 - c: 53 - d: 9 - e: 0");
    /// assert_eq!(file.results(), Some([51, 53, 9, 0]));
    /// ```
    #[must_use]
    pub fn results(&self) -> Option<[u32; 4]> {
        let mut rest = self.header("Result")?;
        let mut results = [0; 4];
        for (place, result) in results.iter_mut().enumerate().rev() {
            let (before, number) = rest.rsplit_once(": ")?;
            *result = number.trim().parse().ok()?;
            rest = if place > 0 {
                // The name may hold dashes itself: the number before the last one that follows a number ends it.
                let mut end = before.len();
                loop {
                    let dash = before[..end].rfind(" - ")?;
                    if before[..dash].ends_with(|c: char| c.is_ascii_digit()) {
                        break &before[..dash];
                    }
                    end = dash;
                }
            } else {
                before
            };
        }
        Some(results)
    }
}

/// The value of `key` in a comment of `key=value` words.
///
/// ```
/// use rules::comment_value;
/// assert_eq!(comment_value(" date=2020-07-17T17:13:12.297Z clock=178312 ", "clock"), Some("178312"));
/// assert_eq!(comment_value("a fine move", "clock"), None);
/// ```
#[must_use]
pub fn comment_value<'a>(comment: &'a str, key: &str) -> Option<&'a str> {
    comment.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}
