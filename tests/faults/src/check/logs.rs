//! The logs as both gateways tell them, held against the rules and against what clients were told.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use futures::StreamExt as _;
use serde_json::Value;
use stories::Record;
use tokio::time::{Instant, timeout_at};

use super::{Evidence, Logs};
use crate::feed::{Feed, Heard};
use crate::journal::{Check, Journal};

const AT_ONCE: usize = 8;
const READING: Duration = Duration::from_secs(30);

/// Every game's log; that two gateways tell different ones is a finding.
pub(super) async fn read_all(evidence: &Evidence<'_>) -> Logs {
    let games: Vec<(String, String)> =
        evidence.journal.seen().games.iter().map(|(game, seen)| (game.clone(), seen.token.clone())).collect();
    let reading = futures::stream::iter(games).map(async |(game, token)| {
        let mut logs = Vec::new();
        for gateway in &evidence.gateways {
            logs.push(read(*gateway, &game, &token).await);
        }
        if logs.iter().any(|log| *log != logs[0]) {
            let lengths: Vec<usize> = logs.iter().map(Vec::len).collect();
            evidence.journal.found(Check::Ends, format!("game {game}: gateways tell different logs, of {lengths:?}"));
        }
        (game, logs.swap_remove(0))
    });
    reading.buffer_unordered(AT_ONCE).collect().await
}

async fn read(gateway: SocketAddr, game: &str, token: &str) -> Vec<Value> {
    let (until, mut log): (Instant, Vec<Value>) = (Instant::now() + READING, Vec::new());
    while Instant::now() < until {
        let Ok(mut feed) = Feed::stream(gateway, game, token, log.len() as u64).await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        loop {
            match timeout_at(until, feed.hear()).await {
                Ok(Heard::Event(event)) => log.push(event),
                Ok(Heard::Frame(_)) => {}
                Ok(Heard::Last) => return log,
                Ok(Heard::Away | Heard::Broken) | Err(_) => break,
            }
        }
    }
    log
}

pub(super) fn check(journal: &Journal, logs: &Logs) {
    keep_the_rules(journal, logs);
    for (game, log) in logs {
        ends_once(journal, game, log);
        seen_by_clients(journal, game, log);
    }
    acknowledged(journal, logs);
    refused(journal, logs);
}

fn keep_the_rules(journal: &Journal, logs: &Logs) {
    let telling = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let broken: Vec<(&String, String)> = logs
        .iter()
        .filter_map(|(game, log)| {
            let replay = catch_unwind(AssertUnwindSafe(|| drop(Record::of(log))));
            let why = replay.err()?;
            let words = why.downcast_ref::<String>().map(String::as_str);
            Some((game, words.or(why.downcast_ref::<&str>().copied()).unwrap_or("no words").to_owned()))
        })
        .collect();
    std::panic::set_hook(telling);
    for (game, why) in broken {
        journal.found(Check::Rules, format!("game {game}: {why}"));
    }
}

fn ends_once(journal: &Journal, game: &str, log: &[Value]) {
    let count = |kind: &str| log.iter().filter(|event| event["type"] == kind).count();
    let rated = log.first().is_some_and(|created| created["rated"] == true);
    let last = log.last().map_or("nothing", |event| event["type"].as_str().unwrap_or_default());
    let right = match (count("over"), count("aborted"), count("rated")) {
        (1, 0, 1) => rated && last == "rated",
        (1, 0, 0) => !rated && last == "over",
        (0, 1, 0) => last == "aborted",
        _ => false,
    };
    if !right {
        let counts = ["over", "aborted", "rated"].map(count);
        let what = format!("game {game}: over, aborted, rated {counts:?} times, rated game {rated}, {last} comes last");
        journal.found(Check::Ends, what);
    }
}

fn seen_by_clients(journal: &Journal, game: &str, log: &[Value]) {
    let seen = journal.seen().games.get(game).map(|seen| seen.events.clone()).unwrap_or_default();
    for (version, event) in seen {
        let kept = log.get(version as usize - 1);
        if kept != Some(&event) {
            let what = format!("game {game}: a client got {event}, the log has {}", kept.unwrap_or(&Value::Null));
            journal.found(Check::Streams, what);
        }
    }
}

fn acknowledged(journal: &Journal, logs: &Logs) {
    let moves: BTreeMap<&String, Vec<&Value>> =
        logs.iter().map(|(game, log)| (game, log.iter().filter(|event| event["type"] == "move").collect())).collect();
    let resigned: BTreeSet<(&str, &str)> = logs
        .iter()
        .flat_map(|(game, log)| log.iter().map(move |event| (game.as_str(), event)))
        .filter(|(_, event)| event["type"] == "resigned")
        .filter_map(|(game, event)| Some((game, event["seat"].as_str()?)))
        .collect();
    let done = journal.seen().done.clone();
    for done in done {
        match &done.played {
            Some((ply, text)) => {
                let kept = moves.get(&done.game).and_then(|moves| moves.get(*ply as usize));
                let stands = kept.is_some_and(|kept| {
                    kept["move"] == text.as_str() && kept["seat"] == done.seat.as_str() && kept["by_roaming"] == false
                });
                if !stands {
                    journal.found(Check::Moves, format!("{done:?} was acknowledged, the log has {kept:?}"));
                }
            }
            None if !resigned.contains(&(done.game.as_str(), done.seat.as_str())) => {
                journal.found(Check::Resignations, format!("{done:?} was acknowledged, the log has none"));
            }
            None => {}
        }
    }
}

/// Who was refused did not play any more at that ply.
fn refused(journal: &Journal, logs: &Logs) {
    let all = journal.seen().refused.clone();
    for refused in all {
        let events = logs.get(&refused.game).map(Vec::as_slice).unwrap_or_default();
        let out = |event: &&Value| {
            // A resignation can come at any time, so only what it was refused for is held against the log.
            let ended = (refused.ply.is_some() || refused.code == "GAME_OVER")
                && matches!(event["type"].as_str(), Some("over" | "aborted"));
            let until = refused.ply.is_none_or(|ply| event["ply"].as_u64() <= Some(ply));
            until && (ended || event["armies"][&refused.seat] != "playing")
        };
        if !events.iter().any(|event| event["armies"].is_object() && out(&event)) {
            journal.found(Check::Answers, format!("{refused:?}, but the log lets it play"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Logs, acknowledged, ends_once, keep_the_rules, refused, seen_by_clients};
    use crate::journal::{Check, Done, Journal, Refused};

    fn moved(v: u64, text: &str) -> Value {
        json!({"v": v, "type": "move", "seat": "red", "move": text, "by_roaming": false})
    }

    fn found(judge: impl FnOnce(&Journal)) -> Vec<Check> {
        let journal = Journal::default();
        judge(&journal);
        let seen = journal.seen();
        seen.findings.keys().copied().collect()
    }

    #[test]
    fn an_acknowledged_move_that_is_gone_is_found() {
        let logs = Logs::from([("one".to_owned(), vec![json!({"v": 1, "type": "created"}), moved(2, "h2-h4")])]);
        for (ply, text, expected) in
            [(0, "h2-h4", &[][..]), (0, "g2-g4", &[Check::Moves]), (1, "h2-h4", &[Check::Moves])]
        {
            let done = Done { game: "one".to_owned(), seat: "red".to_owned(), played: Some((ply, text.to_owned())) };
            let judge = |journal: &Journal| {
                journal.done(done);
                acknowledged(journal, &logs);
            };
            assert_eq!(found(judge), expected, "{ply} {text}");
        }
        let resigned = Done { game: "one".to_owned(), seat: "red".to_owned(), played: None };
        let judge = |journal: &Journal| {
            journal.done(resigned);
            acknowledged(journal, &logs);
        };
        assert_eq!(found(judge), [Check::Resignations]);
    }

    #[test]
    fn a_refusal_that_the_log_does_not_bear_out_is_found() {
        let playing = json!({"red": "playing", "blue": "playing"});
        let out = json!({"red": "timed_out", "blue": "playing"});
        let log = vec![
            json!({"v": 1, "type": "move", "ply": 4, "armies": playing}),
            json!({"v": 2, "type": "timed_out", "ply": 5, "armies": out}),
            json!({"v": 3, "type": "over", "ply": 9, "armies": out}),
        ];
        let logs = Logs::from([("one".to_owned(), log)]);
        let judge = |seat: &str, ply| {
            let code = "NOT_PLAYING".to_owned();
            let refusal = Refused { game: "one".to_owned(), seat: seat.to_owned(), ply, code };
            found(|journal| {
                journal.refused(refusal);
                refused(journal, &logs);
            })
        };
        assert_eq!(judge("red", Some(5)), []);
        assert_eq!(judge("red", None), []);
        assert_eq!(judge("red", Some(4)), [Check::Answers]);
        assert_eq!(judge("blue", None), [Check::Answers]);
    }

    #[test]
    fn another_story_than_the_log_is_found() {
        let judge = |journal: &Journal| {
            journal.event("one", &moved(1, "h2-h4"));
            seen_by_clients(journal, "one", &[moved(1, "h2-h3")]);
        };
        assert_eq!(found(judge), [Check::Streams]);
    }

    #[test]
    fn a_game_ends_once() {
        let log = |kinds: &[&str]| kinds.iter().map(|kind| json!({"type": kind, "rated": true})).collect::<Vec<_>>();
        for (kinds, right) in [
            (&["created", "over", "rated"][..], true),
            (&["created", "aborted"], true),
            (&["created", "over"], false),
            (&["created", "over", "over", "rated"], false),
            (&["created", "over", "rated", "rated"], false),
            (&["created", "move"], false),
        ] {
            assert_eq!(found(|journal| ends_once(journal, "one", &log(kinds))).is_empty(), right, "{kinds:?}");
        }
    }

    #[test]
    fn a_log_with_a_gap_is_found() {
        let created = json!({"v": 2, "type": "created", "time_control": "1+0", "first_move_ms": 1, "roaming_delay_ms": 1,
            "at": "1970-01-01T00:00:00Z"});
        let logs = Logs::from([("one".to_owned(), vec![created])]);
        assert_eq!(found(|journal| keep_the_rules(journal, &logs)), [Check::Rules]);
    }
}
