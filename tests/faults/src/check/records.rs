//! What PostgreSQL holds of ended games and ratings, held against the logs and the formula.

use std::collections::BTreeMap;

use ratings::Standing;
use serde_json::Value;
use sqlx::{PgConnection, Row as _};

use super::{Logs, text};
use crate::journal::{Check, Journal};

/// The API shows one decimal.
const SHOWN: f64 = 0.051;
const SAME: f64 = 1e-9;

struct Place {
    player: String,
    place: i32,
    result: i32,
    rating: Option<(f64, f64)>,
}

#[derive(Default)]
struct Kept {
    status: String,
    class: String,
    rated: bool,
    plies: i32,
    sequence: Option<i64>,
    events: i32,
    moves: Vec<(i32, String, String)>,
    places: BTreeMap<String, Place>,
    history: u32,
}

pub(super) async fn check(journal: &Journal, logs: &Logs, postgres: &mut PgConnection) -> anyhow::Result<()> {
    let records = read(postgres).await?;
    for (game, log) in logs {
        match records.get(game) {
            Some(kept) => same(journal, game, log, kept),
            None if log.iter().any(|event| event["type"] == "over" || event["type"] == "aborted") => {
                journal.found(Check::Records, format!("game {game} has ended and is not on record"));
            }
            None => {}
        }
    }
    for game in records.keys().filter(|game| !logs.contains_key(*game)) {
        journal.found(Check::Records, format!("game {game} is on record, but no client saw it"));
    }
    let numbers = recompute(journal, &records);
    kept_ratings(journal, &numbers, postgres).await
}

async fn read(postgres: &mut PgConnection) -> anyhow::Result<BTreeMap<String, Kept>> {
    let mut records: BTreeMap<String, Kept> = BTreeMap::new();
    let rows = sqlx::query(
        "SELECT r.game_id::text AS game, r.status, r.class, r.rated, r.plies, r.sequence, l.events
         FROM rating.record r JOIN rating.log l USING (game_id)",
    );
    for row in rows.fetch_all(&mut *postgres).await? {
        let kept = Kept {
            status: text(&row, "status")?,
            class: text(&row, "class")?,
            rated: row.try_get("rated")?,
            plies: row.try_get("plies")?,
            sequence: row.try_get("sequence")?,
            events: row.try_get("events")?,
            ..Kept::default()
        };
        records.insert(text(&row, "game")?, kept);
    }
    let rows = sqlx::query("SELECT game_id::text AS game, ply, seat, move FROM rating.move ORDER BY game_id, ply");
    for row in rows.fetch_all(&mut *postgres).await? {
        let kept = records.entry(text(&row, "game")?).or_default();
        kept.moves.push((row.try_get("ply")?, text(&row, "seat")?, text(&row, "move")?));
    }
    let rows = sqlx::query(
        "SELECT game_id::text AS game, seat, player_id::text AS player, place, result, rating_before, rating_after
         FROM rating.record_seat WHERE place IS NOT NULL AND player_id IS NOT NULL",
    );
    for row in rows.fetch_all(&mut *postgres).await? {
        let (before, after): (Option<f64>, Option<f64>) = (row.try_get("rating_before")?, row.try_get("rating_after")?);
        let place = Place {
            player: text(&row, "player")?,
            place: row.try_get("place")?,
            result: row.try_get("result")?,
            rating: before.zip(after),
        };
        records.entry(text(&row, "game")?).or_default().places.insert(text(&row, "seat")?, place);
    }
    let rows = sqlx::query("SELECT game_id::text AS game FROM rating.history");
    for row in rows.fetch_all(&mut *postgres).await? {
        records.entry(text(&row, "game")?).or_default().history += 1;
    }
    Ok(records)
}

/// A rated game that is over changes four ratings, any other none.
fn rated_once(journal: &Journal, game: &str, kept: &Kept) {
    let expected = if kept.rated && kept.status == "over" { 4 } else { 0 };
    if kept.history != expected {
        let what = format!("game {game} ({}, rated {}) changed {} ratings", kept.status, kept.rated, kept.history);
        journal.found(Check::RatedOnce, what);
    }
}

fn same(journal: &Journal, game: &str, log: &[Value], kept: &Kept) {
    let differs = |what: String| journal.found(Check::Records, format!("game {game}: {what}"));
    let of = |kind: &str| log.iter().filter(|event| event["type"] == kind).cloned().collect::<Vec<Value>>();
    let moves: Vec<(i32, String, String)> = (1..)
        .zip(of("move"))
        .map(|(ply, event)| {
            let word = |member: &str| event[member].as_str().unwrap_or_default().to_owned();
            (ply, word("seat"), word("move"))
        })
        .collect();
    if moves != kept.moves || kept.plies as usize != moves.len() {
        differs(format!("{} moves in the log, {} on record, {} plies", moves.len(), kept.moves.len(), kept.plies));
    }
    if kept.events as usize != log.len() {
        differs(format!("{} events in the log, {} on record", log.len(), kept.events));
    }
    let over = of("over");
    if (kept.status == "over") != (over.len() == 1) {
        differs(format!("on record as {}", kept.status));
    }
    for (place, standing) in (1..).zip(over.first().and_then(|over| over["standing"].as_array()).into_iter().flatten())
    {
        let seat = standing["seat"].as_str().unwrap_or_default();
        let right = kept.places.get(seat).is_some_and(|kept| kept.place == place && standing["result"] == kept.result);
        if !right {
            differs(format!("{seat} ended {place}. with {}, on record otherwise", standing["result"]));
        }
    }
    for rated in of("rated") {
        for change in rated["changes"].as_array().into_iter().flatten() {
            let seat = change["seat"].as_str().unwrap_or_default();
            let told = change["rating_before"].as_f64().zip(change["rating_after"].as_f64());
            let kept = kept.places.get(seat).and_then(|place| place.rating);
            let right = told.zip(kept).is_some_and(|((a, b), (c, d))| (a - c).abs() < SHOWN && (b - d).abs() < SHOWN);
            if !right {
                let what = format!("game {game}: {seat} was told {told:?}, on record is {kept:?}");
                journal.found(Check::RatedOnce, what);
            }
        }
    }
}

/// By player and class.
type Numbers = BTreeMap<(String, String), Standing>;

/// All ratings once more, game by game in the order of their numbers.
fn recompute(journal: &Journal, records: &BTreeMap<String, Kept>) -> Numbers {
    let wrong = |what: String| journal.found(Check::Ratings, what);
    for (game, kept) in records {
        rated_once(journal, game, kept);
    }
    let mut order: Vec<(&str, i64, &String, &Kept)> =
        records.iter().filter_map(|(game, kept)| Some((kept.class.as_str(), kept.sequence?, game, kept))).collect();
    order.sort_unstable_by_key(|(class, sequence, ..)| (*class, *sequence));
    let mut numbers = Numbers::new();
    let mut last: BTreeMap<&str, i64> = BTreeMap::new();
    for (class, sequence, game, kept) in order {
        let before = last.insert(class, sequence).unwrap_or(0);
        if sequence != before + 1 {
            wrong(format!("{class}: number {sequence} follows {before}"));
        }
        let mut places: Vec<&Place> = kept.places.values().collect();
        places.sort_unstable_by_key(|place| place.place);
        let Ok(places) = <[&Place; 4]>::try_from(places) else {
            wrong(format!("game {game} has not four places"));
            continue;
        };
        let keys = places.map(|place| (place.player.clone(), class.to_owned()));
        let standings = keys.clone().map(|key| numbers.get(&key).copied().unwrap_or(Standing::NEW));
        for (index, rating) in ratings::rate(standings).into_iter().enumerate() {
            let expected = (standings[index].rating, rating);
            let same =
                |(before, after): (f64, f64)| (before - expected.0).abs() < SAME && (after - expected.1).abs() < SAME;
            if !places[index].rating.is_some_and(same) {
                let what =
                    format!("game {game}, place {}: {:?}, recomputed {expected:?}", index + 1, places[index].rating);
                wrong(what);
            }
            numbers.insert(keys[index].clone(), Standing { rating, games: standings[index].games + 1 });
        }
    }
    numbers
}

async fn kept_ratings(journal: &Journal, numbers: &Numbers, postgres: &mut PgConnection) -> anyhow::Result<()> {
    let wrong = |what: String| journal.found(Check::Ratings, what);
    let rows = sqlx::query("SELECT player_id::text AS player, class, rating, games FROM rating.player WHERE games > 0");
    let mut kept = 0;
    for row in rows.fetch_all(&mut *postgres).await? {
        kept += 1;
        let (key, rating, games) = (
            (text(&row, "player")?, text(&row, "class")?),
            row.try_get::<f64, _>("rating")?,
            row.try_get::<i32, _>("games")?,
        );
        let right = numbers
            .get(&key)
            .is_some_and(|known| (known.rating - rating).abs() < SAME && i64::from(known.games) == i64::from(games));
        if !right {
            wrong(format!("{key:?} is kept with {rating} after {games} games, recomputed {:?}", numbers.get(&key)));
        }
    }
    if kept != numbers.len() {
        wrong(format!("{kept} players have a rating, {} by recomputation", numbers.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ratings::{Standing, rate};
    use serde_json::{Value, json};

    use super::{Kept, Place, recompute, same};
    use crate::journal::{Check, Journal};

    const SEATS: [&str; 4] = ["red", "blue", "yellow", "green"];

    /// A first rated game of four, whose winner is red.
    fn kept() -> Kept {
        let after = rate([Standing::NEW; 4]);
        let places = SEATS.iter().zip(1..).zip(after).map(|((seat, place), after)| {
            let rating = Some((Standing::NEW.rating, after));
            ((*seat).to_owned(), Place { player: (*seat).to_owned(), place, result: 40 - place, rating })
        });
        Kept {
            status: "over".to_owned(),
            class: "blitz".to_owned(),
            rated: true,
            plies: 1,
            sequence: Some(1),
            events: 2,
            moves: vec![(1, "red".to_owned(), "h2-h4".to_owned())],
            places: places.collect(),
            history: 4,
        }
    }

    fn log() -> Vec<Value> {
        let standing: Vec<Value> =
            SEATS.iter().zip(1..).map(|(seat, place)| json!({"seat": seat, "result": 40 - place})).collect();
        vec![json!({"type": "move", "seat": "red", "move": "h2-h4"}), json!({"type": "over", "standing": standing})]
    }

    fn found(spoil: impl FnOnce(&mut Kept)) -> Vec<Check> {
        let (journal, mut kept) = (Journal::default(), kept());
        spoil(&mut kept);
        same(&journal, "one", &log(), &kept);
        recompute(&journal, &BTreeMap::from([("one".to_owned(), kept)]));
        let seen = journal.seen();
        seen.findings.keys().copied().collect()
    }

    fn red(kept: &mut Kept) -> &mut Place {
        kept.places.get_mut("red").unwrap()
    }

    #[test]
    fn a_record_that_differs_from_the_log_is_found() {
        assert_eq!(found(|_| ()), []);
        assert_eq!(found(|kept| kept.moves[0].2 = "g2-g4".to_owned()), [Check::Records]);
        assert_eq!(found(|kept| drop(kept.moves.pop())), [Check::Records]);
        assert_eq!(found(|kept| kept.events = 3), [Check::Records]);
        assert_eq!(found(|kept| red(kept).result = 1), [Check::Records]);
    }

    #[test]
    fn ratings_that_are_not_those_of_the_formula_are_found() {
        assert_eq!(found(|kept| kept.history = 8), [Check::RatedOnce]);
        assert_eq!(found(|kept| kept.sequence = Some(2)), [Check::Ratings]);
        assert_eq!(found(|kept| red(kept).rating = Some((1500.0, 1580.1))), [Check::Ratings]);
        assert_eq!(found(|kept| red(kept).rating = None), [Check::Ratings]);
    }
}
