//! Outages are nobody's time: whoever was to move while no heart could beat got it back, and nobody got more.

use std::collections::BTreeSet;

use live::{LiveStore, Outage};
use proto::GameId;
use serde_json::Value;
use stories::millis;

use super::{Evidence, Logs};
use crate::journal::{Check, Journal};
use crate::timeline::Window;

/// A shorter gap is none (services/game/src/heartbeat.rs); a little more, as clocks are sampled.
const OUTAGE_MS: i64 = 2_100;
const TOLERANCE_MS: i64 = 100;

/// Returns how many outages the store knows.
pub(super) async fn check(evidence: &Evidence<'_>, logs: &Logs, store: &dyn LiveStore) -> anyhow::Result<usize> {
    let busy = evidence.timeline.busy();
    let mut known = BTreeSet::new();
    for (game, log) in logs {
        let Ok(id) = game.parse::<GameId>() else { continue };
        let outages = store.outages(id.shard(), 0).await?;
        let mut dead = evidence.timeline.dead(id.shard());
        dead.retain(|window| window.length() > OUTAGE_MS);
        let mut turns = Turns::of(log);
        for turn in &mut turns.0 {
            charged(evidence.journal, game, turn, &dead);
            given(evidence.journal, game, turn, &outages);
        }
        for outage in outages {
            let meets = |window: &Window| window.from - TOLERANCE_MS < outage.to && window.to > outage.from;
            let explained = || evidence.timeline.weak(id.shard()).iter().chain(&busy).any(meets);
            if known.insert((outage.from, outage.to)) && !explained() {
                let Outage { from, to, .. } = outage;
                let what = format!("an outage of {} ms at {from} in which a heart could beat", to - from);
                evidence.journal.found(Check::Given, what);
            }
        }
    }
    Ok(known.len())
}

/// A turn of a player whose time counted, and the credits in it.
struct Turn {
    seat: String,
    began: i64,
    /// None: the log ends in it.
    ended: Option<i64>,
    /// By something its player did, and not by the clock or by others.
    ended_by_player: bool,
    credits: Vec<(i64, Value)>,
}

struct Turns(Vec<Turn>);

impl Turns {
    fn of(log: &[Value]) -> Turns {
        let (mut turns, mut open): (Vec<Turn>, Option<Turn>) = (Vec::new(), None);
        for event in log {
            let at = millis(&event["at"]);
            let turn = event["turn"].as_str().unwrap_or_default();
            match event["type"].as_str().unwrap_or_default() {
                "clock_adjusted" => {
                    if let Some(open) = &mut open {
                        open.credits.push((event["credit_ms"].as_i64().unwrap_or_default(), event.clone()));
                    }
                    continue;
                }
                "started" | "move" | "timed_out" | "over" | "aborted" => {}
                // Another one's resignation leaves the clock that runs alone.
                "resigned" if open.as_ref().is_some_and(|open| event["seat"] != open.seat.as_str()) => continue,
                "resigned" => {}
                _ => continue,
            }
            if let Some(mut over) = open.take() {
                over.ended = Some(at);
                over.ended_by_player = event["seat"] == over.seat.as_str() && event["type"] != "timed_out";
                turns.push(over);
            }
            if event["armies"][turn] == "playing" {
                let seat = turn.to_owned();
                open = Some(Turn { seat, began: at, ended: None, ended_by_player: false, credits: Vec::new() });
            }
        }
        turns.extend(open);
        Turns(turns)
    }
}

fn charged(journal: &Journal, game: &str, turn: &Turn, dead: &[Window]) {
    let Some(ended) = turn.ended else { return };
    let span = Window { from: turn.began, to: ended };
    // Who moved while Redis was away was not kept from it: the move counts from when it reached the game service, and
    // what was thought until then counts as thought.
    let hindered = |window: &&Window| !(turn.ended_by_player && ended < window.to);
    let lost: i64 = dead.iter().filter(hindered).map(|window| window.overlap(span)).sum();
    let credited: i64 = turn.credits.iter().map(|(credit, _)| credit).sum();
    if credited + TOLERANCE_MS < lost {
        let what = format!(
            "game {game}: {} was to move from {} to {ended}, nothing could run for {lost} ms of it, {credited} ms were \
             given back",
            turn.seat, turn.began
        );
        journal.found(Check::Charged, what);
    }
}

/// Each credit is what one outage took of the turn, and no outage is credited twice.
fn given(journal: &Journal, game: &str, turn: &Turn, outages: &[Outage]) {
    let (mut since, mut used) = (turn.began, BTreeSet::new());
    for (credit, event) in &turn.credits {
        let meets = |outage: &&Outage| !used.contains(&outage.id) && outage.to - outage.from.max(since) == *credit;
        match outages.iter().find(meets) {
            Some(outage) => _ = used.insert(outage.id.clone()),
            None => journal.found(Check::Given, format!("game {game}: no outage explains {event}")),
        }
        since += credit;
    }
}

#[cfg(test)]
mod tests {
    use live::Outage;
    use serde_json::{Value, json};

    use super::{Turns, charged, given};
    use crate::journal::{Check, Journal};
    use crate::timeline::Window;

    fn event(kind: &str, at_s: u32, seat: &str, turn: &str) -> Value {
        let armies = json!({"red": "playing", "blue": "playing", "yellow": "playing", "green": "playing"});
        json!({"type": kind, "at": format!("1970-01-01T00:00:{at_s:02}Z"), "seat": seat, "turn": turn, "armies": armies})
    }

    /// What is found if nothing ran from second 12 to second 16, and so many milliseconds were given back for it.
    fn found(credit_ms: Option<i64>, ends_with: &str, at_s: u32) -> Vec<Check> {
        let mut log = vec![event("started", 10, "", "red")];
        if let Some(credit_ms) = credit_ms {
            let mut adjusted = event("clock_adjusted", 17, "red", "red");
            adjusted["credit_ms"] = credit_ms.into();
            log.push(adjusted);
        }
        log.push(event(ends_with, at_s, "red", "blue"));
        let journal = Journal::default();
        let outage = Outage { id: "11500-16500".to_owned(), from: 11_500, to: 16_500 };
        for turn in &Turns::of(&log).0 {
            charged(&journal, "one", turn, &[Window { from: 12_000, to: 16_000 }]);
            given(&journal, "one", turn, std::slice::from_ref(&outage));
        }
        let seen = journal.seen();
        seen.findings.keys().copied().collect()
    }

    #[test]
    fn an_outage_is_given_back_whole_and_nothing_else() {
        assert_eq!(found(Some(5_000), "move", 20), []);
        assert_eq!(found(None, "move", 20), [Check::Charged]);
        assert_eq!(found(Some(3_000), "move", 20), [Check::Charged, Check::Given]);
        assert_eq!(found(Some(9_000), "move", 20), [Check::Given]);
    }

    #[test]
    fn only_a_player_may_end_a_turn_while_nothing_runs() {
        assert_eq!(found(None, "move", 14), []);
        assert_eq!(found(None, "timed_out", 14), [Check::Charged]);
    }
}
