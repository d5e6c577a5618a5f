//! How players come together: by invites and by tickets, one game after the other.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::dice::Dice;
use crate::door::{Answer, Ask, Door};
use crate::journal::{Check, Journal};
use crate::play::Seat;

/// Short enough for flags to fall; one delay, one class each for the rated ones.
pub(crate) const PUBLISHED: [&str; 2] = ["0.2+1", "0.4+4"];
const PRIVATE: [&str; 5] = ["0.15+1", "0.1+2d", "0.3+1", "0.5+0", "3+2"];
const SEATS: [&str; 4] = ["red", "blue", "yellow", "green"];

/// Where everything happens.
pub(crate) struct World {
    pub(crate) door: Door,
    pub(crate) journal: Arc<Journal>,
    /// Turns true when games are to be brought to an end.
    pub(crate) closing: watch::Receiver<bool>,
    pub(crate) longest_thought_ms: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Player {
    pub(crate) id: String,
    pub(crate) token: String,
}

impl World {
    fn closes(&self) -> bool {
        *self.closing.borrow()
    }

    async fn ask(&self, dice: &mut Dice, ask: &Ask) -> Option<Answer> {
        self.door.ask(dice, ask).await
    }

    /// An answer that must be a success.
    async fn granted(&self, dice: &mut Dice, ask: &Ask) -> Option<Value> {
        let answer = self.ask(dice, ask).await?;
        if answer.status < 300 {
            return Some(answer.body);
        }
        self.journal.found(Check::Answers, format!("{ask:?} was refused: {} {}", answer.status, answer.body));
        None
    }

    /// Signs up, every eighth with an account.
    pub(crate) async fn sign_up(&self, dice: &mut Dice) -> Option<Player> {
        let key = dice.key();
        let ask = if dice.one_in(8) {
            let body = json!({"name": format!("p{}", &key[..16]), "password": "correct horse battery staple"});
            Ask::post("/v1/accounts".to_owned(), None, body)
        } else {
            Ask::post("/v1/guests".to_owned(), None, json!({"name": "Guest"}))
        };
        let signed = self.granted(dice, &ask.once(key)).await?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Some(Player { id: text(&signed["player"]["id"])?, token: text(&signed["token"])? })
    }

    /// Four friends who play one private game after the other.
    pub(crate) async fn friends(&self, mut players: Vec<Player>, mut dice: Dice) {
        while !self.closes() {
            let rotated = dice.roll(4) as usize;
            players.rotate_left(rotated);
            if self.private_game(&players, &mut dice).await.is_none() {
                sleep(Duration::from_secs(1)).await;
            }
        }
    }

    async fn private_game(&self, players: &[Player], dice: &mut Dice) -> Option<()> {
        let open = json!({"open": true});
        let wishes = json!({
            "time_control": dice.pick(&PRIVATE),
            "visibility": if dice.one_in(3) { "public" } else { "private" },
            "seats": {"red": {"me": true}, "blue": open, "yellow": open, "green": open},
        });
        let ask = Ask::post("/v1/games".to_owned(), Some(&players[0].token), wishes).once(dice.key());
        let waiting = self.granted(dice, &ask).await?;
        let (game, code) = (waiting["id"].as_str()?.to_owned(), waiting["invite_code"].as_str()?.to_owned());
        self.journal.sits(&game, &players[0].token);
        if dice.one_in(15) {
            let ask = Ask::delete(format!("/v1/games/{game}/seats/me"), &players[0].token);
            // Again after it has ended, it may say so.
            self.ask(dice, &ask).await?;
            return Some(());
        }
        for (player, seat) in players.iter().zip(SEATS).skip(1) {
            let body = json!({"invite_code": code, "seat": seat});
            let ask = Ask::post(format!("/v1/games/{game}/seats"), Some(&player.token), body);
            self.granted(dice, &ask).await?;
        }
        let seats = players.iter().zip(SEATS).map(|(player, seat)| {
            let dice = dice.fork();
            Seat::new(self, player, &game, seat, dice).play()
        });
        join_all(seats.collect::<Vec<_>>()).await;
        Some(())
    }

    /// A stranger who plays one rated game after the other.
    pub(crate) async fn stranger(&self, player: Player, control: &str, mut dice: Dice) {
        while !self.closes() {
            match self.ticket(&player, control, &mut dice).await {
                Some(Some((game, seat))) => Seat::new(self, &player, &game, &seat, dice.fork()).play().await,
                Some(None) => {}
                None => sleep(Duration::from_secs(1)).await,
            }
        }
    }

    /// The game and the seat, or nothing if the ticket was cancelled.
    async fn ticket(&self, player: &Player, control: &str, dice: &mut Dice) -> Option<Option<(String, String)>> {
        let wish = json!({"time_control": control, "rated": true});
        let ask = Ask::post("/v1/tickets".to_owned(), Some(&player.token), wish).once(dice.key());
        let opened = self.ask(dice, &ask).await?;
        let id = match (opened.status, opened.code()) {
            (201, _) => {
                self.journal.ticket(&opened.body, &player.id);
                opened.body["id"].as_str()?.to_owned()
            }
            _ => {
                let what = format!("{}: a ticket was refused: {} {}", player.id, opened.status, opened.body);
                self.journal.found(Check::Answers, what);
                return None;
            }
        };
        let path = format!("/v1/tickets/{id}");
        let mut fickle = dice.one_in(12);
        loop {
            let waited = Ask::get(format!("{path}?wait_s={}", dice.between(1, 4)), &player.token);
            let seen = self.granted(dice, &waited).await?;
            self.journal.ticket(&seen, &player.id);
            match seen["status"].as_str() {
                Some("matched") => {
                    let text = |member: &str| seen[member].as_str().map(str::to_owned);
                    return Some(Some((text("game_id")?, text("seat")?)));
                }
                Some("waiting") => {}
                _ => return Some(None),
            }
            if fickle || self.closes() {
                fickle = false;
                let answer = self.ask(dice, &Ask::delete(path.clone(), &player.token)).await?;
                match (answer.status, answer.code()) {
                    (204, _) | (409, "ALREADY_MATCHED") => {}
                    _ => {
                        let what = format!("cancelling ticket {id}: {} {}", answer.status, answer.body);
                        self.journal.found(Check::Answers, what);
                    }
                }
            }
        }
    }
}
