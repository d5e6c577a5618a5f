//! The record of a game as a file. Made from the events alone; no rules of play are needed.

use std::fmt::Write as _;

use proto::game::v1 as game;
use proto::types::v1 as wire;
use proto::types::v1::event::What;
use serde::Serialize;
use utoipa::ToSchema;

use crate::view::event::Event;
use crate::view::game::Game;
use crate::view::moment;

/// A game's state and every event.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Record {
    #[serde(flatten)]
    game: Game,
    events: Vec<Event>,
}

impl Record {
    pub(crate) fn of(game: &game::Game, events: &[wire::Event]) -> Self {
        Self { game: game.into(), events: events.iter().filter_map(Event::of).collect() }
    }
}

/// PGN4 (rules, section 10): headers, then one numbered round of the armies a line.
pub(crate) fn pgn4(game: &game::Game, events: &[wire::Event]) -> String {
    let mut text = String::new();
    for (key, value) in headers(game, events) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[{key} \"{}\"]", value.replace(['"', '\\', '\n'], ""));
    }
    text.push('\n');
    let mut rounds = Rounds::default();
    for event in events {
        match event.what.as_ref() {
            Some(What::Moved(moved)) => rounds.mark(moved.seat(), &moved.san),
            Some(What::Resigned(resigned)) => rounds.note(resigned.seat(), "R"),
            Some(What::TimedOut(timed_out)) => rounds.note(timed_out.seat(), "T"),
            Some(What::ArmyOut(out)) if out.how() == wire::ArmyState::Stalemated => rounds.mark(out.seat(), "S"),
            _ => {}
        }
    }
    text.push_str(&rounds.finished());
    text
}

fn headers(game: &game::Game, events: &[wire::Event]) -> Vec<(String, String)> {
    let mut headers = vec![
        ("Site".to_owned(), "Four Kingdoms".to_owned()),
        ("GameNr".to_owned(), game.id.clone()),
        ("Variant".to_owned(), "FFA".to_owned()),
        ("TimeControl".to_owned(), game.time_control.clone()),
        ("Rated".to_owned(), if game.rated { "yes" } else { "no" }.to_owned()),
    ];
    let started = events.iter().find_map(|event| match event.what.as_ref() {
        Some(What::Started(started)) => Some((event.at_unix_ms, started)),
        _ => None,
    });
    if let Some((at, started)) = started {
        headers.push(("Date".to_owned(), moment(at)));
        headers.push(("StartFen4".to_owned(), started.fen4.clone()));
    }
    for seat in &game.seats {
        let mut color = seat.seat().word().to_owned();
        color[..1].make_ascii_uppercase();
        if let Some(player) = &seat.player {
            headers.push((format!("{color}Elo"), format!("{:.1}", player.rating)));
            headers.insert(1, (color, player.name.clone()));
        }
    }
    if let Some(over) = &game.over {
        let result = |seat: wire::Seat| {
            let place = over.standing.iter().find(|place| place.seat() == seat);
            place.map_or_else(String::new, |place| format!("{}: {}", seat.word(), place.result))
        };
        headers.push(("Result".to_owned(), wire::Seat::ALL.map(result).join(" - ")));
        headers.push((
            "Termination".to_owned(),
            over.reason().as_str_name().trim_start_matches("END_REASON_").to_lowercase(),
        ));
    }
    headers
}

/// Moves by rounds: a new one begins when the turn has passed the last army.
#[derive(Debug, Default)]
struct Rounds {
    text: String,
    round: u32,
    last: wire::Seat,
}

impl Rounds {
    /// A move, or what stands in a move's place.
    fn mark(&mut self, seat: wire::Seat, mark: &str) {
        if self.round == 0 || seat as i32 <= self.last as i32 {
            self.round += 1;
            let _ = write!(self.text, "{}{}. {mark}", if self.round == 1 { "" } else { "\n" }, self.round);
        } else {
            let _ = write!(self.text, " .. {mark}");
        }
        self.last = seat;
    }

    /// A mark out of turn does not move the turn on.
    fn note(&mut self, seat: wire::Seat, mark: &str) {
        let last = self.last;
        if self.round == 0 || seat as i32 > last as i32 {
            self.mark(seat, mark);
        } else {
            let _ = write!(self.text, " {mark}{{{}}}", seat.word());
        }
        self.last = if last == wire::Seat::Unspecified { last } else { self.last };
    }

    fn finished(mut self) -> String {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text
    }
}
