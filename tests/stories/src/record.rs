use rules::{Army, Game};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::clockwork::Clockwork;

/// An instant of the API in Unix milliseconds.
pub fn millis(moment: &Value) -> i64 {
    let text = moment.as_str().unwrap_or_else(|| panic!("no instant: {moment}"));
    let moment = OffsetDateTime::parse(text, &Rfc3339).unwrap_or_else(|error| panic!("{text}: {error}"));
    (moment.unix_timestamp_nanos() / 1_000_000) as i64
}

/// The events of a game from the first on, held against the rules.
pub struct Record {
    /// As they came.
    pub events: Vec<Value>,
    /// The game that they tell.
    pub game: Game,
    plies: u64,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    Running,
    Ended,
}

impl Record {
    /// Replays the events in the rules library and checks each one's promises: no gap, time that does not run back,
    /// counters that are those of the rules, clocks that are those of the time control.
    pub fn of(events: &[Value]) -> Record {
        let mut record = Record { events: events.to_vec(), game: Game::start(), plies: 0, phase: Phase::Waiting };
        let mut clockwork = Clockwork::of(&events[0]);
        for (index, event) in events.iter().enumerate() {
            assert_eq!(event["v"], index + 1, "a gap before {event}");
            if index > 0 {
                assert!(millis(&event["at"]) >= millis(&events[index - 1]["at"]), "time runs back at {event}");
            }
            record.apply(event);
            let caused = events.get(index + 1).is_some_and(is_consequence);
            if !caused {
                record.check_counters(event);
            }
            if record.phase != Phase::Waiting && !is_consequence(event) && event["type"] != "rated" {
                clockwork.check(&events[index - 1], event, &record.game);
            }
        }
        record
    }

    fn apply(&mut self, event: &Value) {
        let seat = |member: &str| event[member].as_str().unwrap_or_default().parse::<Army>();
        match event["type"].as_str().unwrap() {
            "started" => {
                self.game = Game::from_fen4(event["fen4"].as_str().unwrap()).unwrap().0;
                self.phase = Phase::Running;
            }
            "move" => {
                let text = event["move"].as_str().unwrap();
                let mv = self.game.parse_move(text).unwrap_or_else(|error| panic!("{error}: {event}"));
                assert_eq!(Ok(self.game.turn()), seat("seat"), "{event}");
                assert_eq!(event["san"], self.game.san(mv), "{event}");
                let by_roaming = self.game.army_state(self.game.turn()).is_roaming();
                assert_eq!(event["by_roaming"], by_roaming, "{event}");
                self.game.play(mv).unwrap();
                self.plies += 1;
            }
            "resigned" => drop(self.game.resign(seat("seat").unwrap()).unwrap()),
            "timed_out" => drop(self.game.time_out(seat("seat").unwrap()).unwrap()),
            "army_out" => {
                let state = self.game.army_state(seat("seat").unwrap());
                assert_eq!(event["how"], state.as_str(), "{event}");
                assert!(seat("by").is_ok() && event["awarded"] == 20, "{event}");
            }
            "over" => {
                assert_eq!(event["reason"], self.game.over().expect("over by the rules").as_str());
                let told: Vec<Value> = event["standing"].as_array().unwrap().iter().map(place).collect();
                assert_eq!(told, self.standing(), "{event}");
                self.phase = Phase::Ended;
            }
            "aborted" if self.phase == Phase::Running => self.phase = Phase::Ended,
            _ => {}
        }
    }

    /// By the rules: seat, place and result of each, first place first.
    pub fn standing(&self) -> Vec<Value> {
        let armies = self.game.standing().into_iter().zip(1..);
        armies
            .map(|(army, place)| json!({"seat": army.as_str(), "place": place, "result": self.game.result(army)}))
            .collect()
    }

    fn check_counters(&self, event: &Value) {
        assert_eq!(event["ply"], self.plies, "{event}");
        for army in Army::ALL {
            let name = army.as_str();
            assert!(event["remaining_ms"][name].as_i64() >= Some(0), "{event}");
            if self.phase != Phase::Waiting {
                assert_eq!(event["points"][name], self.game.points(army), "{name}: {event}");
                assert_eq!(event["armies"][name], self.game.army_state(army).as_str(), "{name}: {event}");
            }
        }
        if self.phase == Phase::Running {
            assert_eq!(event["turn"], self.game.turn().as_str(), "{event}");
            assert!(millis(&event["deadline"]) >= millis(&event["clock_runs_from"]), "{event}");
        } else {
            let unset = ["turn", "deadline", "clock_runs_from"].map(|member| event[member].is_null());
            assert_eq!(unset, [true; 3], "{event}");
        }
    }

    /// The types, in order.
    pub fn types(&self) -> Vec<&str> {
        self.events.iter().map(|event| event["type"].as_str().unwrap()).collect()
    }

    /// The first event of a type.
    pub fn first(&self, kind: &str) -> &Value {
        self.events.iter().find(|event| event["type"] == kind).unwrap_or_else(|| panic!("no {kind}"))
    }
}

/// Whether one action caused this together with what stands before it.
fn is_consequence(event: &Value) -> bool {
    matches!(event["type"].as_str(), Some("army_out" | "over"))
}

fn place(standing: &Value) -> Value {
    json!({"seat": standing["seat"], "place": standing["place"], "result": standing["result"]})
}
