use rules::{Army, Game};
use serde_json::Value;

use crate::record::millis;

/// What the clocks of a game must show after each event, by its settings alone.
pub(crate) struct Clockwork {
    increment_ms: i64,
    delay_ms: i64,
    first_move_ms: i64,
    roaming_delay_ms: i64,
    remaining_ms: [i64; 4],
    has_moved: [bool; 4],
}

impl Clockwork {
    /// From the `created` event.
    pub(crate) fn of(created: &Value) -> Clockwork {
        let control = created["time_control"].as_str().unwrap();
        let (minutes, seconds) = control.split_once('+').unwrap();
        let base_ms = (minutes.parse::<f64>().unwrap() * 60_000.0).round() as i64;
        let seconds_ms = |text: &str| text.parse::<i64>().unwrap() * 1000;
        let (increment_ms, delay_ms) = match seconds.strip_suffix('d') {
            Some(delay) => (0, seconds_ms(delay)),
            None => (seconds_ms(seconds), 0),
        };
        let setting = |name: &str| created[name].as_i64().unwrap_or_else(|| panic!("no {name}: {created}"));
        Clockwork {
            increment_ms,
            delay_ms,
            first_move_ms: setting("first_move_ms"),
            roaming_delay_ms: setting("roaming_delay_ms"),
            remaining_ms: [base_ms; 4],
            has_moved: [false; 4],
        }
    }

    /// Checks an event of a game that has begun against the one before it; `game` is the game after it.
    pub(crate) fn check(&mut self, before: &Value, event: &Value, game: &Game) {
        let at = millis(&event["at"]);
        let seat = || event["seat"].as_str().unwrap().parse::<Army>().unwrap().index();
        let due = || millis(&before["deadline"]);
        match event["type"].as_str().unwrap() {
            "move" if event["by_roaming"] == true => assert!(at >= due(), "a roaming army moved too soon: {event}"),
            "move" => {
                assert!(at < due(), "a move came too late: {event}");
                if self.has_moved[seat()] {
                    self.charge(seat(), before, at);
                    self.remaining_ms[seat()] += self.increment_ms;
                }
                self.has_moved[seat()] = true;
            }
            // The clock that runs stops when its player resigns, and when the game ends.
            "resigned" if event["seat"] == before["turn"] || game.over().is_some() => {
                let turn = before["turn"].as_str().unwrap().parse::<Army>().unwrap();
                if self.has_moved[turn.index()] && before["armies"][turn.as_str()] == "playing" {
                    self.charge(turn.index(), before, at);
                }
            }
            "timed_out" => {
                assert!(at >= due(), "a flag fell too soon: {event}");
                self.remaining_ms[seat()] = 0;
            }
            "aborted" => assert!(at >= due(), "aborted too soon: {event}"),
            _ => {}
        }
        let shown = Army::ALL.map(|army| event["remaining_ms"][army.as_str()].as_i64().unwrap());
        assert_eq!(shown, self.remaining_ms, "{event} after {before}");
        if game.over().is_none() && event["type"] != "aborted" {
            self.check_turn(before, event, game);
        }
    }

    fn charge(&mut self, seat: usize, before: &Value, at: i64) {
        let taken = (at - millis(&before["clock_runs_from"])).max(0);
        self.remaining_ms[seat] = (self.remaining_ms[seat] - taken).max(0);
    }

    fn check_turn(&self, before: &Value, event: &Value, game: &Game) {
        let kind = event["type"].as_str().unwrap();
        let (runs_from, deadline) = (millis(&event["clock_runs_from"]), millis(&event["deadline"]));
        let begins = matches!(kind, "started" | "move" | "timed_out") || event["seat"] == before["turn"];
        let expected = if kind == "clock_adjusted" || !begins {
            let credit = event["credit_ms"].as_i64().unwrap_or(0);
            (millis(&before["clock_runs_from"]) + credit, millis(&before["deadline"]) + credit)
        } else {
            let (at, turn) = (millis(&event["at"]), game.turn());
            if game.army_state(turn).is_roaming() {
                (at, at + self.roaming_delay_ms)
            } else if self.has_moved[turn.index()] {
                (at + self.delay_ms, at + self.delay_ms + self.remaining_ms[turn.index()])
            } else {
                (at, at + self.first_move_ms)
            }
        };
        assert_eq!((runs_from, deadline), expected, "{event} after {before}");
    }
}
