//! Writing files.

use std::fmt;

use super::layout::{LAYOUT, OUR_RULES, RULES, START};
use super::read::{DEEPEST, Word, ends_a_word, is_dot, read_word};
use super::text::{comment, header_name, header_value, is_space};
use super::token::is_invisible;
use super::{Action, Entry, Header, Leaving, Pgn4, Recorded, Round, Token, Variation};
use crate::{Army, ArmySet, Effect, Effects, Game, HowOut, Position, Setup};

/// An action that cannot happen in the game it is recorded for (rules, section 4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotOfThisGame {
    /// Which action, counted from 0.
    pub index: usize,
}

impl fmt::Display for NotOfThisGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "action {} cannot happen in this game", self.index)
    }
}

impl std::error::Error for NotOfThisGame {}

impl Pgn4 {
    /// Writes down a game of ours (rules, section 10).
    ///
    /// A player who leaves is told in a comment, `{ resigned=yellow clock=5000 }`, at the moment it happened, and by
    /// `R` or `T` on that army's next move; if it ends the game, by `R` or `T` alone, with `{ seat=yellow }` out of
    /// turn. The headers are `Variant`, `Rules`, `Layout`, `StartFen4` unless it is the start position, `Result` and,
    /// once it is over, `Termination`; add those of players and time with [`set_header`](Pgn4::set_header). In a date,
    /// `_` stands for what would end the word.
    ///
    /// # Errors
    /// Names the first action that cannot happen.
    pub fn of_game(start: &Position, actions: &[Recorded]) -> Result<Pgn4, NotOfThisGame> {
        let mut writer = Writer {
            file: Pgn4::default(),
            game: Game::from(start.clone()),
            last: None,
            round: 0,
            unmarked: ArmySet::EMPTY,
        };
        for (index, recorded) in actions.iter().enumerate() {
            writer.act(recorded).ok_or(NotOfThisGame { index })?;
        }
        let Writer { mut file, game, .. } = writer;
        file.set_header("Variant", "FFA");
        file.set_header(RULES, OUR_RULES);
        file.set_header(LAYOUT, "anticlockwise");
        if *start != Position::start() {
            file.set_header(START, Setup::from(start).to_string());
        }
        file.set_results(Army::ALL.map(Army::as_str), Army::ALL.map(|army| game.result(army)));
        if let Some(reason) = game.over() {
            file.set_header("Termination", reason.as_str());
        }
        Ok(file)
    }
}

struct Writer {
    file: Pgn4,
    game: Game,
    /// Whose entry came last.
    last: Option<Army>,
    round: u32,
    /// Armies that left and have not moved since.
    unmarked: ArmySet,
}

impl Writer {
    fn act(&mut self, recorded: &Recorded) -> Option<()> {
        match recorded.action {
            Action::Move(mv) => {
                let army = self.game.turn();
                let mut token: Token = self.game.san(mv).parse().ok()?;
                if self.unmarked.contains(army) {
                    self.unmarked.remove(army);
                    token.leaving = leaving_of(&self.game, army);
                }
                self.push(army, token, said(recorded, None));
                let effects = self.game.play(mv).ok()?;
                self.stalemates(&effects);
            }
            Action::Resign(army) | Action::TimeOut(army) => {
                let in_turn = army == self.game.turn();
                let (left, key) = match recorded.action {
                    Action::Resign(_) => (self.game.resign(army), "resigned"),
                    _ => (self.game.time_out(army), "timed_out"),
                };
                left.ok()?;
                if self.game.over().is_some() {
                    let token = Token { leaving: leaving_of(&self.game, army), ..Token::default() };
                    let seat = (!in_turn).then_some(("seat", army));
                    self.push(army, token, said(recorded, seat));
                } else {
                    self.unmarked.insert(army);
                    let comments = self.file.moves.last_mut().map_or(&mut self.file.intro, |entry| &mut entry.comments);
                    comments.extend(said(recorded, Some((key, army))));
                }
            }
        }
        Some(())
    }

    fn stalemates(&mut self, effects: &Effects) {
        for effect in effects {
            if let &Effect::ArmyOut { army, how: HowOut::Stalemated, .. } = effect {
                self.push(army, Token { stalemates: 1, ..Token::default() }, None);
            }
        }
    }

    fn push(&mut self, army: Army, token: Token, comment: Option<String>) {
        let begins = self.last.is_none_or(|last| army <= last);
        if begins {
            self.round += 1;
        }
        let late = self.last.is_none() && self.game.in_play().iter().any(|other| other < army);
        let round = begins.then_some(Round { number: self.round, late });
        self.last = Some(army);
        let comments = comment.into_iter().collect();
        self.file.moves.push(Entry { round, token, annotations: Vec::new(), comments, variations: Vec::new() });
    }
}

fn leaving_of(game: &Game, army: Army) -> Option<Leaving> {
    match game.army_state(army) {
        crate::ArmyState::Resigned => Some(Leaving::Resigned),
        crate::ArmyState::TimedOut => Some(Leaving::TimedOut),
        _ => None,
    }
}

/// `resigned=yellow date=... clock=...`, what there is of it.
fn said(recorded: &Recorded, about: Option<(&str, Army)>) -> Option<String> {
    let mut words = Vec::new();
    words.extend(about.map(|(key, army)| format!("{key}={army}")));
    let ends_the_word = |letter: char| letter.is_whitespace() || letter == '}';
    words.extend(recorded.date.as_deref().map(|date| format!("date={}", date.replace(ends_the_word, "_"))));
    words.extend(recorded.clock_ms.map(|clock| format!("clock={clock}")));
    (!words.is_empty()).then(|| words.join(" "))
}

impl fmt::Display for Pgn4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Header { name, value } in &self.headers {
            let value = header_value(value).replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, "[{} \"{value}\"]", header_name(name))?;
        }
        if !self.headers.is_empty() {
            writeln!(f)?;
        }
        write_comments(f, &self.intro)?;
        if !self.intro.is_empty() {
            writeln!(f)?;
        }
        write_entries(f, &self.moves, 1)?;
        match self.ending {
            Some(ending) if self.moves.is_empty() => writeln!(f, "{ending}"),
            Some(ending) => writeln!(f, "\n{ending}"),
            None if self.moves.is_empty() => Ok(()),
            None => writeln!(f),
        }
    }
}

fn write_comments(f: &mut fmt::Formatter<'_>, comments: &[String]) -> fmt::Result {
    for text in comments {
        write!(f, "{{ {} }} ", comment(text))?;
    }
    Ok(())
}

/// `depth` counts the line itself and those around it.
fn write_entries(f: &mut fmt::Formatter<'_>, entries: &[Entry], depth: usize) -> fmt::Result {
    for (index, entry) in entries.iter().enumerate() {
        match entry.round {
            Some(round) => {
                let separator = match (index, depth) {
                    (0, _) => "",
                    (_, 1) => "\n",
                    _ => " ",
                };
                write!(f, "{separator}{}. {}", round.number, if round.late { ".. " } else { "" })?;
            }
            None if index > 0 => f.write_str(" .. ")?,
            None => {}
        }
        let (token, is_understood) = word_of(&entry.token, index == 0, depth);
        f.write_str(&token)?;
        for (number, sign) in entry.annotations.iter().enumerate() {
            let is_joined = number == 0 && sign.is_joined() && is_understood;
            write!(f, "{}{sign}", if is_joined { "" } else { " " })?;
        }
        if !entry.comments.is_empty() {
            f.write_str(" ")?;
            write_comments(f, &entry.comments)?;
        }
        let variations = if depth <= DEEPEST { entry.variations.as_slice() } else { &[] };
        for Variation { intro, moves, ending } in variations {
            f.write_str(" ( ")?;
            write_comments(f, intro)?;
            write_entries(f, moves, depth + 1)?;
            f.write_str(" ")?;
            if let Some(ending) = ending {
                write!(f, "{ending} ")?;
            }
            f.write_str(")")?;
        }
    }
    Ok(())
}

/// A token as a word that reads back as itself, and whether it is a move or mark then.
fn word_of(token: &Token, is_first: bool, depth: usize) -> (String, bool) {
    let mut word = token.to_string();
    let is_known = !token.is_unknown();
    if is_known && reads_as(&word, is_first, depth, |read| read == token) {
        return (word, true);
    }
    let is_itself = |word: &str| reads_as(word, is_first, depth, |read| *read == Token::unknown(word.to_owned()));
    if !is_itself(&word) {
        let is_odd = |letter| ends_a_word(letter) || is_dot(letter) || is_invisible(letter);
        word = word.replace(is_odd, "_");
        if !is_itself(&word) {
            word.insert(0, '_');
        }
    }
    (word, false)
}

/// Whether a word is read as one token, and that as it should.
fn reads_as(word: &str, is_first: bool, depth: usize, is_right: impl Fn(&Token) -> bool) -> bool {
    match (word, word.chars().next()) {
        ("(", _) => return is_first || depth > DEEPEST,
        (")", _) => return depth == 1,
        (_, None | Some('[' | '{' | ';' | '%' | '(' | ')' | '.' | '…')) => return false,
        (_, Some(first)) if is_space(first) => return false,
        _ => {}
    }
    match read_word(word) {
        (Word::Move(token, signs), length) => length == word.len() && signs.is_empty() && is_right(&token),
        (Word::Sign(sign), length) => is_first && length == word.len() && is_right(&Token::unknown(sign.to_string())),
        _ => false,
    }
}
