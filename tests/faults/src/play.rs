//! A scripted player in one game, from sitting down to its last event.

use std::net::SocketAddr;
use std::time::Duration;

use rules::Army;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use crate::dice::Dice;
use crate::door::{Answer, Ask};
use crate::feed::{Closed, Feed, Heard};
use crate::journal::{Check, Done, Refused};
use crate::lobby::{Player, World};
use crate::view::View;

/// For an answer over a socket; then the move is sent again over HTTP.
const FRAME: Duration = Duration::from_secs(3);
/// Over which players resign once the end is near.
const LAST_MOMENTS_MS: u64 = 4_000;

/// How a player means to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Stay,
    /// After so many own moves.
    Resign(u64),
    /// Goes silent after so many own moves, until the clock has run out.
    Leave(u64),
}

pub(crate) struct Seat<'a> {
    world: &'a World,
    player: &'a Player,
    game: String,
    army: Army,
    dice: Dice,
    view: View,
    ending: Ending,
    by_socket: bool,
    /// Where it follows the game.
    at: Option<SocketAddr>,
    own_moves: u64,
    /// No move of this ply or before is to be sent any more.
    settled: u64,
    resigned: bool,
    acts_at: Option<Instant>,
    made: Vec<(u64, String)>,
}

impl<'a> Seat<'a> {
    pub(crate) fn new(world: &'a World, player: &'a Player, game: &str, seat: &str, mut dice: Dice) -> Seat<'a> {
        world.journal.sits(game, &player.token);
        let moves = dice.between(2, 9);
        let ending = match dice.roll(20) {
            // Before the first move it aborts the game.
            0 if dice.one_in(4) => Ending::Leave(0),
            0..3 => Ending::Leave(moves),
            3..14 => Ending::Resign(moves),
            _ => Ending::Stay,
        };
        Seat {
            world,
            player,
            game: game.to_owned(),
            army: seat.parse().unwrap_or(Army::Red),
            by_socket: dice.one_in(2),
            at: None,
            dice,
            view: View::new(),
            ending,
            own_moves: 0,
            settled: 0,
            resigned: false,
            acts_at: None,
            made: Vec::new(),
        }
    }

    /// Plays until the game's last event has come.
    pub(crate) async fn play(mut self) {
        let mut closing = self.world.closing.clone();
        while !self.view.ended {
            let Some(mut feed) = self.open().await else { return };
            loop {
                self.look();
                let acts_at = self.acts_at;
                tokio::select! {
                    heard = feed.hear() => {
                        if feed.is_socket() && matches!(heard, Heard::Broken) {
                            self.cut_off();
                        }
                        if !self.take(heard) { break }
                    }
                    () = sleep_until(acts_at.unwrap_or_else(Instant::now)), if acts_at.is_some() => {
                        self.acts_at = None;
                        if !self.act(&mut feed).await { break }
                    }
                    Ok(()) = closing.changed() => self.acts_at = None,
                }
                if self.dice.one_in(80) {
                    self.world.journal.injected("feed dropped by the client");
                    break;
                }
            }
        }
        self.ask_late().await;
    }

    async fn open(&mut self) -> Option<Feed> {
        loop {
            let gateway = *self.dice.pick(&self.world.door.gateways);
            let (game, token, after) = (&self.game, &self.player.token, self.view.version);
            let opened = if self.by_socket {
                Feed::socket(gateway, game, token, after).await
            } else {
                Feed::stream(gateway, game, token, after).await
            };
            self.at = Some(gateway);
            match opened {
                Ok(feed) => return Some(feed),
                Err(Closed::ForNow) => sleep(Duration::from_millis(self.dice.between(50, 300))).await,
                Err(Closed::Refused(why)) => {
                    self.found(Check::Streams, &format!("the feed after {after} was refused: {why}"));
                    return None;
                }
            }
        }
    }

    /// False if the feed is of no use any more.
    fn take(&mut self, heard: Heard) -> bool {
        match heard {
            Heard::Event(event) => {
                self.world.journal.event(&self.game, &event);
                if let Err(why) = self.view.absorb(&event) {
                    self.found(Check::Streams, &why);
                    return false;
                }
                !self.view.ended
            }
            Heard::Frame(_) => true,
            Heard::Away => {
                self.world.journal.injected("socket told to come back");
                false
            }
            Heard::Last | Heard::Broken => false,
        }
    }

    /// A gateway that ends says so to who listens.
    fn cut_off(&self) {
        if self.world.journal.seen().leaving == self.at {
            self.found(Check::Streams, "the socket at a gateway that was asked to end was cut off without a word");
        }
    }

    /// Sets when to act next.
    fn look(&mut self) {
        if self.acts_at.is_some() || self.resigned || !self.view.may_resign(self.army) {
            return;
        }
        let after = if *self.world.closing.borrow() {
            self.dice.roll(LAST_MOMENTS_MS)
        } else if self.view.may_move(self.army) && self.view.ply >= self.settled && !self.is_away() {
            self.dice.between(20, self.world.longest_thought_ms)
        } else {
            return;
        };
        self.acts_at = Some(Instant::now() + Duration::from_millis(after));
    }

    fn is_away(&self) -> bool {
        matches!(self.ending, Ending::Leave(moves) if self.own_moves >= moves)
    }

    /// False if the feed broke.
    async fn act(&mut self, feed: &mut Feed) -> bool {
        let gives_up = matches!(self.ending, Ending::Resign(moves) if self.own_moves >= moves);
        if !self.view.may_resign(self.army) {
            return true;
        }
        if gives_up || *self.world.closing.borrow() {
            self.resign().await;
            return true;
        }
        if !self.view.may_move(self.army) {
            return true;
        }
        let moves = self.view.game.legal_moves();
        let mv = moves[self.dice.roll(moves.len() as u64) as usize].to_string();
        let ply = self.view.ply;
        let over_socket = feed.is_socket() && self.dice.one_in(2);
        self.settled = ply + 1;
        let known = if over_socket { self.send(feed, ply, &mv).await } else { Some(false) };
        if known == Some(false) {
            self.post(ply, &mv).await;
        }
        known.is_some()
    }

    /// Over the socket. Some(true): it is settled; Some(false): it is not; None: it is, and the feed is of no use.
    async fn send(&mut self, feed: &mut Feed, ply: u64, mv: &str) -> Option<bool> {
        let id = self.dice.key();
        feed.send(&json!({"type": "move", "ply": ply, "move": mv, "id": id})).await;
        let until = Instant::now() + FRAME;
        loop {
            let heard = tokio::select! {
                heard = feed.hear() => heard,
                () = sleep_until(until) => Heard::Broken,
            };
            match heard {
                Heard::Frame(frame) if frame["id"] == id.as_str() => {
                    if frame["type"] == "ack" {
                        self.made(ply, mv);
                        return Some(true);
                    }
                    if frame["code"] == "UNAVAILABLE" {
                        return Some(false);
                    }
                    self.judge_refusal(ply, mv, frame["code"].as_str().unwrap_or_default(), &frame);
                    return Some(true);
                }
                heard => {
                    if !self.take(heard) {
                        if !self.view.ended {
                            self.post(ply, mv).await;
                        }
                        return None;
                    }
                }
            }
        }
    }

    /// Over HTTP, now and then twice at once.
    async fn post(&mut self, ply: u64, mv: &str) {
        let ask = self.ask_for(ply, mv);
        let answers = if self.dice.one_in(10) {
            self.world.journal.injected("request sent twice at once");
            let (mut one, mut other) = (self.dice.fork(), self.dice.fork());
            let door = &self.world.door;
            let (one, other) = tokio::join!(door.ask(&mut one, &ask), door.ask(&mut other, &ask));
            if let (Some(one), Some(other)) = (&one, &other)
                && (one.status == 200) != (other.status == 200)
            {
                let why = format!(
                    "{mv} at {ply} sent twice got {} {} and {} {}",
                    one.status,
                    one.code(),
                    other.status,
                    other.code()
                );
                self.found(Check::Answers, &why);
            }
            [one, other]
        } else {
            [self.world.door.ask(&mut self.dice, &ask).await, None]
        };
        for answer in answers.into_iter().flatten() {
            self.judge(ply, mv, &answer);
        }
    }

    fn ask_for(&self, ply: u64, mv: &str) -> Ask {
        let path = format!("/v1/games/{}/moves", self.game);
        Ask::post(path, Some(&self.player.token), json!({"ply": ply, "move": mv}))
    }

    fn judge(&mut self, ply: u64, mv: &str, answer: &Answer) {
        if answer.status != 200 {
            return self.judge_refusal(ply, mv, answer.code(), &answer.body);
        }
        if answer.body["ply"].as_u64() <= Some(ply) {
            self.found(Check::Answers, &format!("{mv} at {ply} was taken, but the state shows {}", answer.body["ply"]));
        }
        self.made(ply, mv);
    }

    /// It was this player's turn at this ply, so only the clock or the end can have been quicker; the log will tell.
    fn judge_refusal(&mut self, ply: u64, mv: &str, code: &str, body: &Value) {
        match code {
            "NOT_PLAYING" | "GAME_OVER" => self.refused(Some(ply), code),
            _ => self.found(Check::Answers, &format!("{mv} at {ply} was refused: {body}")),
        }
    }

    fn refused(&self, ply: Option<u64>, code: &str) {
        let (seat, code) = (self.army.as_str().to_owned(), code.to_owned());
        self.world.journal.refused(Refused { game: self.game.clone(), seat, ply, code });
    }

    fn made(&mut self, ply: u64, mv: &str) {
        if self.made.last().is_none_or(|(last, _)| *last != ply) {
            self.own_moves += 1;
            self.made.push((ply, mv.to_owned()));
        }
        self.done(Some((ply, mv.to_owned())));
    }

    fn done(&self, played: Option<(u64, String)>) {
        let seat = self.army.as_str().to_owned();
        self.world.journal.done(Done { game: self.game.clone(), seat, played });
    }

    async fn resign(&mut self) {
        let path = format!("/v1/games/{}/resignation", self.game);
        let ask = Ask::post(path, Some(&self.player.token), json!({}));
        let Some(answer) = self.world.door.ask(&mut self.dice, &ask).await else { return };
        self.resigned = true;
        match (answer.status, answer.code()) {
            (200, _) => self.done(None),
            (_, code @ ("NOT_PLAYING" | "GAME_OVER")) => self.refused(None, code),
            _ => self.found(Check::Answers, &format!("a resignation was refused: {}", answer.body)),
        }
    }

    /// An old move once more is granted and changes nothing; another move for that ply is refused.
    async fn ask_late(&mut self) {
        if self.made.is_empty() || !self.dice.one_in(2) {
            return;
        }
        self.world.journal.injected("request sent late");
        let (ply, mv) = self.dice.pick(&self.made).clone();
        let ask = self.ask_for(ply, &mv);
        if let Some(answer) = self.world.door.ask(&mut self.dice, &ask).await
            && answer.status != 200
        {
            self.found(Check::Answers, &format!("{mv} at {ply} sent late again was refused: {}", answer.body));
        }
        let other = if mv == "h2-h4" { "g2-g4" } else { "h2-h4" };
        let ask = self.ask_for(ply, other);
        if let Some(answer) = self.world.door.ask(&mut self.dice, &ask).await
            && answer.status != 409
        {
            let Answer { status, body } = answer;
            self.found(Check::Answers, &format!("{other} at {ply}, where {mv} stands, got {status} {body}"));
        }
    }

    fn found(&self, check: Check, what: &str) {
        self.world.journal.found(check, format!("game {}, {}: {what}", self.game, self.army));
    }
}
