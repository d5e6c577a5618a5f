//! What clients saw: events, acknowledgements, tickets; and what of it was wrong at once.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What can be found, each a check of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Check {
    Streams,
    Answers,
    Processes,
    Rules,
    Moves,
    Resignations,
    Ends,
    Charged,
    Given,
    Records,
    RatedOnce,
    Ratings,
    OneGame,
    Tickets,
    Left,
    Reread,
}

impl Check {
    pub(crate) const ALL: [(Check, &'static str); 16] = [
        (Check::Streams, "every stream and socket brought the same events, in order, without gap or repeat"),
        (Check::Answers, "every request got an answer of the contract, and got it in the end"),
        (Check::Processes, "no process panicked or ended by itself"),
        (Check::Rules, "every log keeps the rules and the clocks, plies and versions without gap"),
        (Check::Moves, "every acknowledged move stands in the log exactly once, at its ply"),
        (Check::Resignations, "every acknowledged resignation stands in the log"),
        (Check::Ends, "every game ended, once, and every replica tells the same"),
        (Check::Charged, "no seat was charged for an outage"),
        (Check::Given, "no time was given without an outage, or twice"),
        (Check::Records, "every ended game is on record, with the moves, places and results of its log"),
        (Check::RatedOnce, "every rated game was rated once, and no other"),
        (Check::Ratings, "ratings equal a recomputation in the order of the numbers"),
        (Check::OneGame, "no ticket is in two games, and no game has other players than its tickets"),
        (Check::Tickets, "every ticket was resolved, and is kept so"),
        (Check::Left, "Redis holds nothing of ended games once they have retired"),
        (Check::Reread, "retired games read the same as before, from the record"),
    ];
}

#[derive(Debug, Clone)]
pub(crate) struct Done {
    pub(crate) game: String,
    pub(crate) seat: String,
    /// None: a resignation.
    pub(crate) played: Option<(u64, String)>,
}

/// A move or a resignation that was refused because its army no longer plays, or the game is over.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) game: String,
    pub(crate) seat: String,
    /// None: a resignation.
    pub(crate) ply: Option<u64>,
    pub(crate) code: String,
}

/// A ticket as its player last saw it.
#[derive(Debug, Clone, Default)]
pub(crate) struct TicketSeen {
    pub(crate) player: String,
    pub(crate) status: String,
    pub(crate) games: BTreeSet<(String, String)>,
}

/// A game as clients saw it.
#[derive(Debug, Clone, Default)]
pub(crate) struct GameSeen {
    /// Of one of its players.
    pub(crate) token: String,
    /// By version.
    pub(crate) events: BTreeMap<u64, Value>,
}

#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) done: Vec<Done>,
    pub(crate) refused: Vec<Refused>,
    pub(crate) tickets: BTreeMap<String, TicketSeen>,
    pub(crate) games: BTreeMap<String, GameSeen>,
    pub(crate) findings: BTreeMap<Check, Vec<String>>,
    pub(crate) injected: BTreeMap<String, u64>,
    /// The gateway that was asked to end, until it is started again.
    pub(crate) leaving: Option<SocketAddr>,
    pub(crate) requests: u64,
    pub(crate) repeated: u64,
    running: BTreeSet<String>,
    pub(crate) most_at_once: usize,
}

#[derive(Default)]
pub(crate) struct Journal(Mutex<Seen>);

impl Journal {
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        lock(&self.0)
    }

    pub(crate) fn found(&self, check: Check, finding: impl Into<String>) {
        let finding = finding.into();
        crate::report::say(&format!("FINDING {check:?}: {}", brief(&finding)));
        self.seen().findings.entry(check).or_default().push(finding);
    }

    pub(crate) fn injected(&self, kind: &str) {
        *self.seen().injected.entry(kind.to_owned()).or_default() += 1;
    }

    pub(crate) fn done(&self, done: Done) {
        self.seen().done.push(done);
    }

    pub(crate) fn refused(&self, refused: Refused) {
        self.seen().refused.push(refused);
    }

    /// A player is in a game.
    pub(crate) fn sits(&self, game: &str, token: &str) {
        let mut seen = self.seen();
        let known = seen.games.entry(game.to_owned()).or_default();
        if known.token.is_empty() {
            token.clone_into(&mut known.token);
        }
    }

    /// An event as one client got it; all must get the same.
    pub(crate) fn event(&self, game: &str, event: &Value) {
        let other = {
            let mut seen = self.seen();
            match event["type"].as_str() {
                Some("started") => _ = seen.running.insert(game.to_owned()),
                Some("over" | "aborted") => _ = seen.running.remove(game),
                _ => {}
            }
            seen.most_at_once = seen.most_at_once.max(seen.running.len());
            let version = event["v"].as_u64().unwrap_or_default();
            let events = &mut seen.games.entry(game.to_owned()).or_default().events;
            events.entry(version).or_insert_with(|| event.clone()).clone()
        };
        if other != *event {
            self.found(Check::Streams, format!("game {game}: one client got {event}, another {other}"));
        }
    }

    pub(crate) fn ticket(&self, ticket: &Value, player: &str) {
        let text = |member: &str| ticket[member].as_str().unwrap_or_default().to_owned();
        let mut seen = self.seen();
        let known = seen.tickets.entry(text("id")).or_default();
        player.clone_into(&mut known.player);
        known.status = text("status");
        if known.status == "matched" {
            known.games.insert((text("game_id"), text("seat")));
        }
    }
}

pub(crate) fn brief(text: &str) -> String {
    if text.len() <= 400 { text.to_owned() } else { format!("{}...", text.chars().take(400).collect::<String>()) }
}
