use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use stories::{Answer, Platform, Player, Record, SEATS, Table};
use tokio::time::{Instant, sleep};

/// Chance that can be told: the story's failure names the seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// What a player was told was done.
#[derive(Debug)]
enum Done {
    Move { ply: u64, text: String },
    Resignation,
}

struct Restless {
    player: Player,
    seat: &'static str,
    game: String,
    dice: Dice,
    until: Instant,
    done: Vec<Done>,
}

impl Restless {
    /// Asks until there is an answer. Asking again does no harm.
    async fn answered(&self, method: Method, suffix: &str, body: Option<&Value>) -> Answer {
        loop {
            let request = self.player.request(method.clone(), &format!("/v1/games/{}{suffix}", self.game));
            let request =
                body.map_or_else(|| request.try_clone().unwrap(), |body| request.try_clone().unwrap().json(body));
            match self.player.try_send(request).await {
                Ok(answer) if answer.status != 503 => return answer,
                _ => sleep(Duration::from_millis(15)).await,
            }
            assert!(Instant::now() < self.until + Duration::from_secs(60), "{suffix}: no answer");
        }
    }

    async fn play(mut self) -> Restless {
        while Instant::now() < self.until {
            let state = self.answered(Method::GET, "?include=legal_moves", None).await.ok();
            if state["status"] != "running" || state["seats"][self.seat]["army"] != "playing" {
                break;
            }
            match self.dice.roll(1_000) {
                0 => self.resign().await,
                1..=10 => self.talk_nonsense(&state).await,
                _ if state["turn"] == self.seat => self.make_move(&state).await,
                _ => sleep(Duration::from_millis(self.dice.roll(25))).await,
            }
        }
        self
    }

    async fn make_move(&mut self, state: &Value) {
        let legal = state["legal_moves"].as_array().unwrap();
        let text = legal[self.dice.roll(legal.len() as u64) as usize].as_str().unwrap().to_owned();
        let ply = state["ply"].as_u64().unwrap();
        let body = json!({"ply": ply, "move": text});
        let answer = if self.dice.roll(4) == 0 {
            let (one, other) = tokio::join!(
                self.answered(Method::POST, "/moves", Some(&body)),
                self.answered(Method::POST, "/moves", Some(&body))
            );
            assert_eq!(one.status, other.status, "{} and {}", one.text, other.text);
            one
        } else {
            self.answered(Method::POST, "/moves", Some(&body)).await
        };
        if answer.status == 200 {
            self.done.push(Done::Move { ply, text });
        } else {
            // It was this player's turn: only the clock can have been quicker.
            assert!(["NOT_PLAYING", "GAME_OVER"].contains(&answer.code().as_str()), "{ply} {text}: {}", answer.text);
        }
    }

    async fn resign(&mut self) {
        let answer = self.answered(Method::POST, "/resignation", Some(&json!({}))).await;
        if answer.status == 200 {
            self.done.push(Done::Resignation);
        } else {
            assert!(["NOT_PLAYING", "GAME_OVER"].contains(&answer.code().as_str()), "{}", answer.text);
        }
    }

    async fn talk_nonsense(&mut self, state: &Value) {
        let ply = state["ply"].as_u64().unwrap() + 1000;
        let answer = self.answered(Method::POST, "/moves", Some(&json!({"ply": ply, "move": "h2-h4"}))).await;
        assert_eq!(answer.status, 409, "{}", answer.text);
    }
}

/// Reads a game's events through every outage, coming back with `after`.
async fn watch(player: Player, game: String, until: Instant) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    while Instant::now() < until {
        let path = format!("/v1/games/{game}/events?after={}", events.len());
        let Ok(response) = player.request(Method::GET, &path).send().await else {
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        if !response.status().is_success() {
            assert_eq!(response.status(), 503, "{path}");
            continue;
        }
        let mut stream = stories::Stream::open(response).await;
        while let Ok(Some(event)) = tokio::time::timeout_at(until, stream.event()).await {
            assert_eq!(event["v"], events.len() + 1, "a gap or a repeat");
            events.push(event);
        }
    }
    events
}

#[tokio::test]
async fn whatever_happens_the_logs_keep_the_rules() {
    let seed = RandomState::new().hash_one("chaos");
    println!("seed {seed}");
    let mut dice = Dice(seed);
    let mut platform = Platform::with(&[("FK_ROAMING_DELAY_MS", "120")]).await;
    let until = Instant::now() + Duration::from_secs(14);
    let (mut tables, mut playing, mut watching) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..3 {
        let table = Table::of_guests(&platform, "0.1+1").await;
        for (player, seat) in table.players.iter().zip(SEATS) {
            let dice = Dice(dice.roll(u64::MAX >> 34));
            let (player, game) = (player.clone(), table.game.clone());
            playing.push(tokio::spawn(Restless { player, seat, game, dice, until, done: Vec::new() }.play()));
        }
        watching.push(tokio::spawn(watch(table.players[0].clone(), table.game.clone(), until)));
        tables.push(table);
    }
    while Instant::now() + Duration::from_secs(4) < until {
        sleep(Duration::from_millis(300 + dice.roll(900))).await;
        match dice.roll(6) {
            0 => {
                platform.signal("STOP");
                sleep(Duration::from_millis(2_500)).await;
                platform.signal("CONT");
            }
            1 => platform.stop().await,
            2 => {
                platform.kill();
                sleep(Duration::from_millis(2_200)).await;
            }
            _ => platform.kill(),
        }
        platform.start_again_if_down().await;
    }
    let mut restless = Vec::new();
    for player in playing {
        restless.push(player.await.unwrap());
    }
    for (table, watched) in tables.iter().zip(watching) {
        // Only a game that is over stands still between reading its record and its export.
        for seat in SEATS {
            let answer = table.player(seat).resign(&table.game).await;
            assert!(
                answer.status == 200 || ["NOT_PLAYING", "GAME_OVER"].contains(&answer.code().as_str()),
                "{}",
                answer.text
            );
        }
        let record: Record = table.record().await;
        let watched = watched.await.unwrap();
        assert!(record.events.starts_with(&watched), "the stream told another story");
        let moves: Vec<_> = record.events.iter().filter(|event| event["type"] == "move").collect();
        for player in restless.iter().filter(|player| player.game == table.game) {
            for done in &player.done {
                let kept = match done {
                    Done::Move { ply, text } => {
                        let stored = moves.get(*ply as usize);
                        stored.is_some_and(|stored| stored["move"] == *text && stored["seat"] == player.seat)
                    }
                    Done::Resignation => {
                        record.events.iter().any(|event| event["type"] == "resigned" && event["seat"] == player.seat)
                    }
                };
                assert!(kept, "{}: {done:?} was lost", player.seat);
            }
        }
        assert_eq!(table.replayed_pgn4().await, record.game.fen4());
        assert!(record.game.over().is_some(), "the game never ended");
        println!("{} events, {:?}", record.events.len(), record.game.over());
    }
}
