//! Tickets as their players saw them, as the rating service keeps them, and the games they led to.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{PgConnection, Row as _};

use super::{Logs, text};
use crate::journal::{Check, Journal, TicketSeen};

/// Player, outcome and game.
type Kept = (String, String, Option<String>);

pub(super) async fn check(journal: &Journal, logs: &Logs, postgres: &mut PgConnection) -> anyhow::Result<()> {
    let seen = journal.seen().tickets.clone();
    let mut kept: BTreeMap<String, Kept> = BTreeMap::new();
    let rows = sqlx::query(
        "SELECT ticket_id::text AS ticket, player_id::text AS player, outcome, game_id::text AS game FROM rating.ticket",
    );
    for row in rows.fetch_all(&mut *postgres).await? {
        kept.insert(text(&row, "ticket")?, (text(&row, "player")?, text(&row, "outcome")?, row.try_get("game")?));
    }
    compare(journal, logs, &seen, &kept);
    Ok(())
}

fn compare(journal: &Journal, logs: &Logs, seen: &BTreeMap<String, TicketSeen>, kept: &BTreeMap<String, Kept>) {
    let mut tickets_of: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for (id, ticket) in seen {
        if ticket.games.len() > 1 {
            journal.found(Check::OneGame, format!("ticket {id} was told to be in {:?}", ticket.games));
        }
        for (game, seat) in &ticket.games {
            tickets_of.entry(game).or_default().insert((&ticket.player, seat));
        }
        if ticket.status == "waiting" {
            journal.found(Check::Tickets, format!("ticket {id} of {} still waits", ticket.player));
            continue;
        }
        let Some((player, outcome, game)) = kept.get(id) else {
            journal.found(Check::Tickets, format!("ticket {id} was {} and is not kept", ticket.status));
            continue;
        };
        let told = ticket.games.first().map(|(game, _)| game);
        if (outcome == "matched") != (ticket.status == "matched") || *player != ticket.player || told != game.as_ref() {
            let what = format!("ticket {id}: its player saw {ticket:?}, kept is {outcome} in {game:?} for {player}");
            journal.found(Check::Tickets, what);
        }
    }
    for id in kept.keys().filter(|id| !seen.contains_key(*id)) {
        journal.found(Check::Tickets, format!("ticket {id} is kept, but no client opened it"));
    }
    for (game, log) in logs.iter().filter(|(_, log)| log.first().is_some_and(|created| created["rated"] == true)) {
        let Some(started) = log.iter().find(|event| event["type"] == "started") else {
            journal.found(Check::OneGame, format!("game {game} came from tickets and never started"));
            continue;
        };
        let seats: BTreeSet<(&str, &str)> = ["red", "blue", "yellow", "green"]
            .into_iter()
            .map(|seat| (started["seats"][seat]["id"].as_str().unwrap_or_default(), seat))
            .collect();
        let tickets = tickets_of.get(game.as_str()).cloned().unwrap_or_default();
        if seats != tickets {
            journal.found(Check::OneGame, format!("game {game} seats {seats:?}, its tickets are of {tickets:?}"));
        }
    }
    for game in tickets_of.keys().filter(|game| !logs.contains_key(**game)) {
        journal.found(Check::OneGame, format!("a ticket led to game {game}, which is not there"));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::{Kept, compare};
    use crate::check::Logs;
    use crate::journal::{Check, Journal, TicketSeen};

    const SEATS: [&str; 4] = ["red", "blue", "yellow", "green"];

    fn found(spoil: impl FnOnce(&mut BTreeMap<String, TicketSeen>, &mut BTreeMap<String, Kept>)) -> Vec<Check> {
        let seats: BTreeMap<&str, _> =
            SEATS.iter().map(|seat| (*seat, json!({"id": format!("player {seat}")}))).collect();
        let log = vec![json!({"type": "created", "rated": true}), json!({"type": "started", "seats": seats})];
        let logs = Logs::from([("one".to_owned(), log)]);
        let (mut seen, mut kept) = (BTreeMap::new(), BTreeMap::new());
        for seat in SEATS {
            let player = format!("player {seat}");
            let games = [("one".to_owned(), seat.to_owned())].into();
            seen.insert(seat.to_owned(), TicketSeen { player: player.clone(), status: "matched".to_owned(), games });
            kept.insert(seat.to_owned(), (player, "matched".to_owned(), Some("one".to_owned())));
        }
        spoil(&mut seen, &mut kept);
        let journal = Journal::default();
        compare(&journal, &logs, &seen, &kept);
        let seen = journal.seen();
        seen.findings.keys().copied().collect()
    }

    #[test]
    fn a_ticket_in_no_game_or_in_two_is_found() {
        assert_eq!(found(|_, _| ()), []);
        assert_eq!(found(|_, kept| _ = kept.remove("red")), [Check::Tickets]);
        assert_eq!(found(|_, kept| kept.get_mut("red").unwrap().2 = Some("two".to_owned())), [Check::Tickets]);
        assert_eq!(found(|seen, _| seen.get_mut("red").unwrap().status = "waiting".to_owned()), [Check::Tickets]);
        let twice = ("two".to_owned(), "blue".to_owned());
        assert!(found(|seen, _| _ = seen.get_mut("red").unwrap().games.insert(twice)).contains(&Check::OneGame));
        assert_eq!(
            found(|seen, _| seen.get_mut("red").unwrap().player = "x".to_owned()),
            [Check::OneGame, Check::Tickets]
        );
    }
}
