//! The record of a game as a file.

use proto::game::v1 as game;
use proto::types::v1 as wire;
use proto::types::v1::event::What;
use proto::{Code, Refusal};
use rules::{Action, Army, Game as Replayed, Header, Pgn4, Position, Recorded, Setup};
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::Problem;
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

/// PGN4 (rules, section 10), with clocks and times as comments.
pub(crate) fn pgn4(game: &game::Game, events: &[wire::Event]) -> Result<String, Problem> {
    let file = start(events).and_then(|start| {
        let actions = actions(&start, events)?;
        Pgn4::of_game(&start, &actions).ok()
    });
    let Some(mut file) = file else {
        tracing::error!(game.id, "a log cannot be replayed");
        return Err(Refusal::new(Code::Internal, "something went wrong on our side").into());
    };
    let names = names(game);
    let results = Army::ALL.map(|army| seat(game, army).map_or(0, |seat| seat.result));
    file.set_results([&names[0], &names[1], &names[2], &names[3]], results);
    file.headers.splice(0..0, headers(game, events, &names));
    Ok(file.to_string())
}

/// Where the game starts; the usual place while it waits for players.
fn start(events: &[wire::Event]) -> Option<Position> {
    let fen4 = events.iter().find_map(|event| match event.what.as_ref() {
        Some(What::Started(started)) => Some(started.fen4.as_str()),
        _ => None,
    });
    match fen4 {
        None | Some("") => Some(Position::start()),
        Some(fen4) => Setup::from_fen4(fen4).ok()?.0.position().ok(),
    }
}

/// What players, clocks and roaming armies did; `None` if it cannot have happened.
fn actions(start: &Position, events: &[wire::Event]) -> Option<Vec<Recorded>> {
    let mut game = Replayed::from(start.clone());
    let mut actions = Vec::new();
    for event in events {
        let (seat, action) = match event.what.as_ref() {
            Some(What::Moved(moved)) => (moved.seat(), Action::Move(game.parse_move(&moved.r#move).ok()?)),
            Some(What::Resigned(resigned)) => (resigned.seat(), Action::Resign(resigned.seat().try_into().ok()?)),
            Some(What::TimedOut(out)) => (out.seat(), Action::TimeOut(out.seat().try_into().ok()?)),
            _ => continue,
        };
        let army: Army = seat.try_into().ok()?;
        match action {
            Action::Move(mv) => drop(game.play(mv).ok()?),
            Action::Resign(army) => drop(game.resign(army).ok()?),
            Action::TimeOut(army) => drop(game.time_out(army).ok()?),
        }
        let left = event.after.as_ref().and_then(|after| after.remaining_ms.get(army as usize));
        actions.push(Recorded {
            action,
            clock_ms: left.and_then(|ms| u64::try_from(*ms).ok()),
            date: Some(moment(event.at_unix_ms)),
        });
    }
    Some(actions)
}

fn seat(game: &game::Game, army: Army) -> Option<&game::SeatState> {
    game.seats.iter().find(|seat| seat.seat() == wire::Seat::from(army))
}

/// Of the players, or of the armies without one.
fn names(game: &game::Game) -> [String; 4] {
    Army::ALL.map(|army| {
        let player = seat(game, army).and_then(|seat| seat.player.as_ref());
        player.map_or_else(|| army.as_str().to_owned(), |player| player.name.clone())
    })
}

fn headers(game: &game::Game, events: &[wire::Event], names: &[String; 4]) -> Vec<Header> {
    let header = |name: &str, value: String| Header { name: name.to_owned(), value };
    let mut headers = vec![header("Site", "Four Kingdoms".to_owned()), header("GameNr", game.id.clone())];
    if let Some(first) = events.first() {
        headers.push(header("Date", moment(first.at_unix_ms)));
    }
    headers.push(header("TimeControl", game.time_control.clone()));
    headers.push(header("Rated", if game.rated { "yes" } else { "no" }.to_owned()));
    for (army, name) in Army::ALL.into_iter().zip(names) {
        if let Some(player) = seat(game, army).and_then(|seat| seat.player.as_ref()) {
            let mut color = army.as_str().to_owned();
            color[..1].make_ascii_uppercase();
            headers.push(header(&format!("{color}Elo"), format!("{:.1}", player.rating)));
            headers.push(header(&color, name.clone()));
        }
    }
    headers
}
