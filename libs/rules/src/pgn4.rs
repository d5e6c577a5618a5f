//! PGN4 (rules, section 10).

mod layout;
mod read;
mod replay;
mod sign;
mod text;
mod token;
mod write;

pub use layout::{Layout, UnknownStart};
pub use read::Pgn4Error;
pub use replay::{Action, Departure, Recorded, Replay, Stop};
pub use sign::{Ending, NoSign, Sign};
pub(crate) use token::read_castling;
pub use token::{Leaving, Token, UnreadableToken, WrittenMove};
pub use write::NotOfThisGame;

/// One game of a file of PGN4, the game format (rules, section 10): understood but not judged.
///
/// It is the text of the game, its headers, moves as written, comments and variations, and may be of any variant that
/// four-player sites have. [`Pgn4::replay`] plays it under our rules, as far as they go.
///
/// ```
/// use rules::{Action, Army, Pgn4, Recorded};
/// let text = "[Red \"ann\"]\n\n1. d2-d4 { clock=59000 } .. m7-k7 .. k13-k12 { resigned=red } .. b8-d8\n2. Nj1-i3R\n";
/// let file: Pgn4 = text.parse()?;
/// let replay = file.replay();
/// assert_eq!(replay.stop, None);
/// assert_eq!(replay.actions[3].action, Action::Resign(Army::Red));
/// // and the other way round
/// let written = Pgn4::of_game(&replay.start, &replay.actions)?;
/// assert_eq!(written.replay().actions, replay.actions);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What is printed reads back as itself. For that, what is made by hand may be changed in print: see [`Header`] and
/// [`Entry`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pgn4 {
    /// The headers in the order of the file, `[Name "value"]`.
    pub headers: Vec<Header>,
    /// Comments that come before the first move.
    pub intro: Vec<String>,
    /// The moves of the game.
    pub moves: Vec<Entry>,
    /// A result at the end of the moves.
    pub ending: Option<Ending>,
}

/// A name and a value (rules, section 10).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// One word of letters, digits and `_-.:`. When printed, `_` stands for anything else.
    pub name: String,
    /// Anything, over several lines too. When printed, lines end with a line feed; none but the first begins with
    /// `[Name "`, and none but the last ends with `"]`: parentheses stand for the brackets.
    pub value: String,
}

/// A move of a file, or a mark in its place, with what is said about it (rules, section 10).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The round's number, on the first entry of a round.
    pub round: Option<Round>,
    /// The move or mark. When printed, one that would read back as anything else than itself is a word that nobody
    /// understands: `_` stands at its beginning, and for space, dots and brackets.
    pub token: Token,
    /// Comments after it, without braces. Many hold `key=value` pairs: see [`comment_value`]. When printed, a comment
    /// loses the space around it, `}` becomes `)`, and no line but the first begins with `[Name "`.
    pub comments: Vec<String>,
    /// What is said about it in signs.
    pub annotations: Vec<Sign>,
    /// What might have been played instead. Those nested deeper than 32 are not printed.
    pub variations: Vec<Variation>,
}

/// The number before the first move of a round (rules, section 10).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// Counted from 1.
    pub number: u32,
    /// Whether dots follow it: the round starts later than with its first army.
    pub late: bool,
}

/// A line of moves in parentheses, instead of the move before it (rules, section 10).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variation {
    /// Comments that come before its first move.
    pub intro: Vec<String>,
    /// Its moves.
    pub moves: Vec<Entry>,
    /// A result at its end.
    pub ending: Option<Ending>,
}

impl Pgn4 {
    /// The value of the first header of a name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let name = text::header_name(name);
        self.headers.iter().find(|header| header.name == name).map(|header| header.value.as_str())
    }

    /// Gives a header a value, in its old place or at the end. Name and value become what can be printed: see
    /// [`Header`].
    ///
    /// ```
    /// let mut file = rules::Pgn4::default();
    /// file.set_header("White Elo", "1500\r\n");
    /// assert_eq!(file.header("White Elo"), Some("1500\n"));
    /// assert_eq!(file.to_string(), "[White_Elo \"1500\n\"]\n\n");
    /// ```
    pub fn set_header(&mut self, name: &str, value: impl Into<String>) {
        let (name, value) = (text::header_name(name), text::header_value(&value.into()));
        match self.headers.iter_mut().find(|header| header.name == name) {
            Some(header) => header.value = value,
            None => self.headers.push(Header { name: name.into_owned(), value }),
        }
    }

    /// Removes every header of a name.
    pub fn remove_header(&mut self, name: &str) {
        let name = text::header_name(name);
        self.headers.retain(|header| header.name != name);
    }

    /// The results of the header `Result`, red first, if it has the form `name: 51 - name: 53 - name: 9 - name: 0`.
    /// Names may hold dashes and colons; if one holds what looks like the end of a result, none is returned.
    ///
    /// ```
    /// let mut file = rules::Pgn4::default();
    /// file.set_header("Result", "a - b: 51 - c: 53 - d: 9 - e: 0");
    /// assert_eq!(file.results(), Some([51, 53, 9, 0]));
    /// file.set_header("Result", "a: 7 - b: 51 - c: 53 - d: 9 - e: 0");
    /// assert_eq!(file.results(), None); // five players?
    /// ```
    #[must_use]
    pub fn results(&self) -> Option<[u32; 4]> {
        let mut results = Vec::new();
        let mut parts = self.header("Result")?.split(" - ").peekable();
        while let Some(part) = parts.next() {
            match (result_at_end(part), parts.peek()) {
                (Some(result), _) => results.push(result),
                (None, Some(_)) => {}
                (None, None) => return None,
            }
        }
        results.try_into().ok()
    }

    /// Sets the header `Result`, `name: 51 - name: 53 - name: 9 - name: 0`, red first. A dash in a name that would end
    /// a result there becomes a longer one.
    pub fn set_results(&mut self, names: [&str; 4], results: [u32; 4]) {
        let name = |text: &str| {
            let mut name = String::with_capacity(text.len());
            let mut before = None;
            for part in text.split(" - ") {
                let ends = before.map(|before| result_at_end(before).is_some());
                name.push_str(ends.map_or("", |ends| if ends { " – " } else { " - " }));
                name.push_str(part);
                before = Some(part);
            }
            name
        };
        let parts: Vec<String> =
            names.iter().zip(results).map(|(&text, result)| format!("{}: {result}", name(text))).collect();
        self.set_header("Result", parts.join(" - "));
    }
}

/// `51` of `name: 51`.
fn result_at_end(text: &str) -> Option<u32> {
    let (_, number) = text.rsplit_once(": ")?;
    let number = number.trim();
    if number.bytes().all(|byte| byte.is_ascii_digit()) { number.parse().ok() } else { None }
}

/// The value of `key` in a comment of `key=value` words (rules, section 10).
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
