//! Reading files.

use std::fmt;
use std::str::FromStr;

use super::{Entry, Header, Pgn4, Round, Token, Variation};

/// Variations may be nested so deep. Deeper ones are refused: nobody writes them, and they would exhaust the stack.
const DEEPEST: usize = 32;

/// A text that is no PGN4, with the line that shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pgn4Error {
    /// The line of the text, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: String,
}

impl fmt::Display for Pgn4Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for Pgn4Error {}

impl FromStr for Pgn4 {
    type Err = Pgn4Error;

    /// Reads a text of one game.
    fn from_str(text: &str) -> Result<Pgn4, Pgn4Error> {
        let mut reader = Reader::new(text);
        let game = reader.game()?;
        if reader.rest().is_empty() { Ok(game) } else { Err(reader.error("a second game begins here")) }
    }
}

impl Pgn4 {
    /// Reads a text of any number of games, one after the other.
    ///
    /// # Errors
    /// Names the first line that cannot be read.
    pub fn read_all(text: &str) -> Result<Vec<Pgn4>, Pgn4Error> {
        let mut reader = Reader::new(text);
        let mut games = Vec::new();
        while !reader.rest().is_empty() {
            games.push(reader.game()?);
        }
        Ok(games)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// A line of moves that is not finished yet.
#[derive(Default)]
struct Open {
    intro: Vec<String>,
    moves: Vec<Entry>,
    round: Option<Round>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        let at = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let mut reader = Reader { text, at };
        reader.skip_space();
        reader
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, problem: impl Into<String>) -> Pgn4Error {
        let line = self.text[..self.at].bytes().filter(|&byte| byte == b'\n').count() + 1;
        Pgn4Error { line, problem: problem.into() }
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Headers, then moves up to the next header or the end.
    fn game(&mut self) -> Result<Pgn4, Pgn4Error> {
        let mut game = Pgn4::default();
        self.skip_space();
        while self.rest().starts_with('[') {
            let header = self.header()?;
            game.headers.push(header);
            self.skip_space();
        }
        let mut lines = vec![Open::default()];
        loop {
            self.skip_space();
            let rest = self.rest();
            let Some(first) = rest.chars().next().filter(|&first| first != '[') else { break };
            match first {
                '{' => {
                    let comment = self.comment()?;
                    let open = self.last(&mut lines)?;
                    open.moves.last_mut().map_or(&mut open.intro, |entry| &mut entry.comments).push(comment);
                }
                '(' => {
                    if self.last(&mut lines)?.moves.is_empty() {
                        return Err(self.error("a variation comes before the first move"));
                    }
                    if lines.len() > DEEPEST {
                        return Err(self.error("variations are nested too deep"));
                    }
                    lines.push(Open::default());
                    self.at += 1;
                }
                ')' => {
                    let closed = lines.pop().unwrap_or_default();
                    let Some(entry) = lines.last_mut().and_then(|open| open.moves.last_mut()) else {
                        return Err(self.error("a variation ends that did not begin"));
                    };
                    entry.variations.push(Variation { intro: closed.intro, moves: closed.moves });
                    self.at += 1;
                }
                '.' => {
                    self.at += rest.len() - rest.trim_start_matches('.').len();
                    if let Some(round) = &mut self.last(&mut lines)?.round {
                        round.late = true;
                    }
                }
                _ => self.word(&mut game, &mut lines)?,
            }
        }
        if lines.len() > 1 {
            return Err(self.error("a variation does not end"));
        }
        let main = lines.pop().unwrap_or_default();
        game.intro = main.intro;
        game.moves = main.moves;
        Ok(game)
    }

    fn last<'b>(&self, lines: &'b mut [Open]) -> Result<&'b mut Open, Pgn4Error> {
        lines.last_mut().ok_or_else(|| self.error("no line of moves is open"))
    }

    /// A round's number, a move, a mark or a result.
    fn word(&mut self, game: &mut Pgn4, lines: &mut [Open]) -> Result<(), Pgn4Error> {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || "{}()[].".contains(c)).unwrap_or(rest.len());
        let word = &rest[..end.max(rest.chars().next().map_or(1, char::len_utf8))];
        let open = self.last(lines)?;
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            let number = word.parse().map_err(|_| self.error("a round's number is too big"))?;
            open.round = Some(Round { number, late: false });
            // The dot that belongs to the number; more of them say that the round starts late.
            self.at += word.len();
            if self.rest().starts_with('.') {
                self.at += 1;
            }
            return Ok(());
        }
        if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") || word.starts_with('$') {
            if !word.starts_with('$') && lines.len() == 1 {
                game.ending = Some(word.to_owned());
            }
        } else {
            let token: Token = word.parse().map_err(|error| self.error(format!("{}: {error}", shortened(word))))?;
            let round = open.round.take();
            open.moves.push(Entry { round, token, comments: Vec::new(), variations: Vec::new() });
        }
        self.at += word.len();
        Ok(())
    }

    fn comment(&mut self) -> Result<String, Pgn4Error> {
        let inside = &self.rest()[1..];
        let end = inside.find('}').ok_or_else(|| self.error("a comment does not end"))?;
        self.at += end + 2;
        Ok(without_returns(inside[..end].trim()))
    }

    /// `[Name "value"]`: the value ends at a quote that a bracket follows, so that names may hold quotes.
    fn header(&mut self) -> Result<Header, Pgn4Error> {
        let inside = &self.rest()[1..];
        let quote = inside.find(['"', ']', '\n']).filter(|&at| inside[at..].starts_with('"'));
        let opening = quote.ok_or_else(|| self.error("a header is [Name \"value\"]"))?;
        let name = inside[..opening].trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(self.error("a header's name is one word"));
        }
        let text = &inside[opening + 1..];
        let mut value = String::new();
        let mut letters = text.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' if text[at + 1..].starts_with(['"', '\\']) => value.extend(letters.next().map(|(_, next)| next)),
                '"' => {
                    let after = text[at + 1..].trim_start();
                    if let Some(after) = after.strip_prefix(']') {
                        self.at = self.text.len() - after.len();
                        return Ok(Header { name: name.to_owned(), value: without_returns(&value) });
                    }
                    value.push('"');
                }
                _ => value.push(letter),
            }
        }
        Err(self.error("a header does not end"))
    }
}

fn without_returns(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The first letters of a word, for messages.
fn shortened(word: &str) -> String {
    let mut short: String = word.chars().take(20).collect();
    if short.len() < word.len() {
        short.push_str("...");
    }
    short
}
