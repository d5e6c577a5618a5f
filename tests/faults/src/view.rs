use rules::{Army, ArmyState, Game};
use serde_json::Value;

/// A game as one client knows it, from the events it got.
pub(crate) struct View {
    /// The version of the last event.
    pub(crate) version: u64,
    pub(crate) ply: u64,
    pub(crate) game: Game,
    pub(crate) rated: bool,
    pub(crate) running: bool,
    /// No event follows.
    pub(crate) ended: bool,
}

impl View {
    pub(crate) fn new() -> View {
        View { version: 0, ply: 0, game: Game::start(), rated: false, running: false, ended: false }
    }

    /// Takes the next event; an error says what cannot be.
    pub(crate) fn absorb(&mut self, event: &Value) -> Result<(), String> {
        if event["v"].as_u64() != Some(self.version + 1) {
            return Err(format!("after version {} came {event}", self.version));
        }
        self.version += 1;
        self.follow(event).map_err(|why| format!("{why}: {event}"))
    }

    fn follow(&mut self, event: &Value) -> Result<(), String> {
        let army = || event["seat"].as_str().unwrap_or_default().parse::<Army>().map_err(|_| "no seat".to_owned());
        match event["type"].as_str().unwrap_or_default() {
            "created" => self.rated = event["rated"] == true,
            "started" => {
                let fen4 = event["fen4"].as_str().unwrap_or_default();
                self.game = Game::from_fen4(fen4).map_err(|error| error.to_string())?.0;
                self.running = true;
            }
            "move" => {
                let text = event["move"].as_str().unwrap_or_default();
                let mv = self.game.parse_move(text).map_err(|error| error.to_string())?;
                self.game.play(mv).map_err(|error| error.to_string())?;
                self.ply += 1;
            }
            "resigned" => drop(self.game.resign(army()?).map_err(|error| error.to_string())?),
            "timed_out" => drop(self.game.time_out(army()?).map_err(|error| error.to_string())?),
            "over" => {
                self.running = false;
                self.ended = !self.rated;
            }
            "rated" => self.ended = true,
            "aborted" => {
                self.running = false;
                self.ended = true;
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn may_move(&self, army: Army) -> bool {
        self.may_resign(army) && self.game.turn() == army
    }

    pub(crate) fn may_resign(&self, army: Army) -> bool {
        self.running && self.game.over().is_none() && self.game.army_state(army) == ArmyState::Playing
    }
}
