use std::time::{Duration, Instant};

use proto::game::v1::passing::{News, Presence};
use proto::types::v1 as types;
use serde_json::{Value, json};

use crate::door::{Door, Somebody, with};
use crate::fake::{moved, over};

/// A stream read line by line.
struct Lines {
    answer: reqwest::Response,
    rest: Vec<u8>,
}

impl Lines {
    async fn open(door: &Door, path: &str, who: Option<&Somebody>) -> Self {
        let answer = with(door.call("GET", path), who).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "application/x-ndjson");
        Self { answer, rest: Vec::new() }
    }

    /// The next line, also an empty one; `None` at a proper end.
    async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Some(String::from_utf8(line).unwrap().trim_end().to_owned());
            }
            let chunk = tokio::time::timeout(Duration::from_secs(10), self.answer.chunk()).await.unwrap().unwrap()?;
            self.rest.extend_from_slice(&chunk);
        }
    }

    /// False at a proper end; before either nothing comes but empty lines.
    async fn breaks_off(&mut self) -> bool {
        loop {
            match self.answer.chunk().await {
                Ok(Some(blank)) => assert_eq!(&blank[..], b"\n"),
                ended => return ended.is_err(),
            }
        }
    }

    async fn told(&mut self) -> Option<Value> {
        loop {
            let line = self.line().await?;
            if !line.is_empty() {
                return Some(serde_json::from_str(&line).unwrap());
            }
        }
    }
}

#[tokio::test]
async fn every_event_after_v_then_live_ones_then_the_end() {
    let door = Door::open().await;
    let game = door.fake.add_game(&["p"], true, false);
    door.fake.tell(&game, vec![moved("h2-h4"), moved("n5-l5")]);
    let mut all = Lines::open(&door, &format!("/v1/games/{game}/events"), None).await;
    let mut late = Lines::open(&door, &format!("/v1/games/{game}/events?after=2"), None).await;
    for v in 1..=3 {
        assert_eq!(all.told().await.unwrap()["v"], v);
    }
    assert_eq!(late.told().await.unwrap()["v"], 3);
    assert_eq!(late.line().await.unwrap(), "");
    door.fake.pass(&game, News::Presence(Presence { seat: types::Seat::Blue.into(), connected: true }));
    let passing = json!({"type": "presence", "seat": "blue", "connected": true});
    assert_eq!((late.told().await.unwrap(), all.told().await.unwrap()), (passing.clone(), passing));
    door.fake.tell(&game, vec![moved("g13-g11"), over()]);
    for stream in [&mut all, &mut late] {
        assert_eq!(stream.told().await.unwrap()["v"], 4);
        assert_eq!(stream.told().await.unwrap()["type"], "over");
        assert_eq!(stream.told().await, None);
    }
    assert_eq!(door.fake.calls("watch_game"), 1);
}

#[tokio::test]
async fn a_rated_game_ends_with_its_ratings() {
    let door = Door::open().await;
    let game = door.fake.add_game(&["p"], true, true);
    let mut lines = Lines::open(&door, &format!("/v1/games/{game}/events?after=1"), None).await;
    door.fake.tell(&game, vec![over()]);
    assert_eq!(lines.told().await.unwrap()["type"], "over");
    let change = types::RatingChange {
        seat: types::Seat::Red.into(),
        player_id: "p".to_owned(),
        before: 1500.0,
        after: 1579.96,
    };
    door.fake.tell(&game, vec![types::event::What::Rated(types::event::Rated { changes: vec![change] })]);
    let rated = lines.told().await.unwrap();
    assert_eq!(
        rated["changes"],
        json!([{"seat": "red", "player_id": "p", "rating_before": 1500.0, "rating_after": 1580.0}])
    );
    assert_eq!(lines.told().await, None);
}

#[tokio::test]
async fn what_a_watch_missed_is_found_and_a_broken_watch_is_taken_up_again() {
    let door = Door::open().await;
    let game = door.fake.add_game(&["p"], true, false);
    let mut lines = Lines::open(&door, &format!("/v1/games/{game}/events"), None).await;
    assert_eq!(lines.told().await.unwrap()["v"], 1);
    door.fake.tell_nobody(&game, vec![moved("h2-h4")]);
    assert_eq!(lines.told().await.unwrap()["v"], 2);
    door.fake.break_streams(&game);
    door.fake.tell_nobody(&game, vec![moved("h4-h5")]);
    assert_eq!(lines.told().await.unwrap()["v"], 3);
    // A gap in what is told is filled from the log.
    door.fake.tell_nobody(&game, vec![moved("h5-h6")]);
    tokio::time::sleep(Duration::from_millis(50)).await;
    door.fake.tell(&game, vec![moved("h6-h7")]);
    assert_eq!(lines.told().await.unwrap()["v"], 4);
    assert_eq!(lines.told().await.unwrap()["v"], 5);
}

#[tokio::test]
async fn a_client_ahead_of_the_game_must_start_again() {
    let door = Door::open().await;
    let game = door.fake.add_game(&["p"], true, false);
    let told = door.get(&format!("/v1/games/{game}/events?after=2"), None).await;
    told.refused(409, "RESYNC");
    assert_eq!(told.body["ply"], 0);
}

#[tokio::test]
async fn who_was_told_what_a_failover_lost_must_start_again() {
    let door = Door::open().await;
    let game = door.fake.add_game(&["p"], true, false);
    door.fake.tell(&game, vec![moved("h2-h4")]);
    let mut lines = Lines::open(&door, &format!("/v1/games/{game}/events?after=1"), None).await;
    assert_eq!(lines.told().await.unwrap()["move"], "h2-h4");
    door.fake.replace_last(&game, moved("h2-h3"));
    let last = lines.told().await.unwrap();
    assert_eq!((&last["type"], &last["code"]), (&json!("refused"), &json!("RESYNC")));
    assert!(lines.breaks_off().await);
    let mut anew = Lines::open(&door, &format!("/v1/games/{game}/events?after=1"), None).await;
    assert_eq!(anew.told().await.unwrap()["move"], "h2-h3");
}

#[tokio::test]
async fn outsiders_get_nothing_of_a_private_game_and_who_leaves_is_an_outsider() {
    let door = Door::open().await;
    let (red, blue) = (door.guest("Red").await, door.guest("Blue").await);
    let game = door.fake.add_game(&[&red.id, &blue.id], false, false);
    let path = format!("/v1/games/{game}/events");
    door.get(&path, None).await.refused(404, "NOT_FOUND");
    door.get(&path, Some(&door.guest("Stranger").await)).await.refused(404, "NOT_FOUND");
    let mut staying = Lines::open(&door, &path, Some(&red)).await;
    let mut leaving = Lines::open(&door, &path, Some(&blue)).await;
    door.delete(&format!("/v1/games/{game}/seats/me"), Some(&blue)).await.ok(204);
    for lines in [&mut staying, &mut leaving] {
        assert_eq!(lines.told().await.unwrap()["type"], "created");
        assert_eq!(lines.told().await.unwrap()["type"], "left");
    }
    door.fake.tell(&game, vec![moved("h2-h4")]);
    assert_eq!(staying.told().await.unwrap()["type"], "move");
    assert!(leaving.breaks_off().await);
}

#[tokio::test]
async fn my_events_tell_of_tickets_and_games_and_stay_alive() {
    let door = Door::open().await;
    let me = door.guest("Sunny").await;
    door.get("/v1/me/events", None).await.refused(401, "UNAUTHENTICATED");
    let ticket = door.post("/v1/tickets", Some(&me), json!({"time_control": "3+2", "rated": true})).await.ok(201);
    let mut one = Lines::open(&door, "/v1/me/events", Some(&me)).await;
    let mut two = Lines::open(&door, "/v1/me/events", Some(&me)).await;
    for lines in [&mut one, &mut two] {
        let mut told = [lines.told().await.unwrap(), lines.told().await.unwrap()];
        told.sort_by_key(|news| news["type"].as_str().unwrap().to_owned());
        assert_eq!((&told[0]["type"], &told[0]["seat"]), (&json!("game_started"), &json!("green")));
        assert_eq!(
            (&told[1]["type"], &told[1]["id"], &told[1]["status"]),
            (&json!("ticket"), &ticket["id"], &json!("waiting"))
        );
    }
    let began = Instant::now();
    assert_eq!(one.line().await.unwrap(), "");
    assert_eq!(one.line().await.unwrap(), "");
    assert!(began.elapsed() >= Duration::from_millis(250), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_reader_that_takes_nothing_is_dropped_and_hurts_nobody() {
    let door = Door::open().await;
    let game = door.fake.add_game(&["p"], true, false);
    let path = format!("/v1/games/{game}/events");
    let stuck = door.call("GET", &path).send().await.unwrap();
    let mut quick = Lines::open(&door, &path, None).await;
    // More than the buffers of the system between them hold.
    let long = "h2-h4".repeat(4_000);
    let events = 1_200;
    for _ in 0..events / 20 {
        door.fake.tell(&game, std::iter::repeat_with(|| moved(&long)).take(20).collect());
        for _ in 0..20 {
            quick.told().await.unwrap();
        }
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut stuck = stuck;
    let cut = loop {
        match tokio::time::timeout(Duration::from_secs(5), stuck.chunk()).await.expect("an end") {
            Ok(Some(_)) => {}
            ended => break ended.is_err(),
        }
    };
    assert!(cut, "the slow reader was cut off");
    door.fake.tell(&game, vec![over()]);
    while let Some(told) = quick.told().await {
        assert!(told["v"].as_u64().unwrap() <= events + 2);
    }
}

#[tokio::test]
async fn streams_break_off_when_the_gateway_stops() {
    let door = Door::open().await;
    let me = door.guest("Sunny").await;
    let game = door.fake.add_game(&["p"], true, false);
    let mut events = Lines::open(&door, &format!("/v1/games/{game}/events?after=1"), None).await;
    let mut news = Lines::open(&door, "/v1/me/events", Some(&me)).await;
    door.drain.begin();
    assert!(events.breaks_off().await);
    assert_eq!(news.told().await.map(|told| told["type"].clone()), Some(json!("game_started")));
    assert!(news.breaks_off().await);
    assert!(door.drain.finished(Duration::from_secs(5)).await);
}
