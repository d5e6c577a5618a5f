use rules::Pgn4;
use serde_json::{Value, json};

use crate::{Platform, Player, Record};

/// The seats in turn order.
pub const SEATS: [&str; 4] = ["red", "blue", "yellow", "green"];

/// Four players at a game of theirs.
pub struct Table {
    /// The game.
    pub game: String,
    /// In turn order.
    pub players: [Player; 4],
}

impl Table {
    /// Four guests in a private game that has just begun.
    pub async fn of_guests(platform: &Platform, time_control: &str) -> Table {
        Table::of(platform.guests().await, json!({"time_control": time_control})).await
    }

    /// These players in turn order, in a game made with `wishes`, the seats aside: the first makes it, the others
    /// come with the invite.
    pub async fn of(players: [Player; 4], mut wishes: Value) -> Table {
        let open = json!({"open": true});
        wishes["seats"] = json!({"red": {"me": true}, "blue": open, "yellow": open, "green": open});
        let waiting = players[0].post("/v1/games", &wishes).await.expect(201);
        let (game, code) = (waiting["id"].as_str().unwrap().to_owned(), waiting["invite_code"].as_str().unwrap());
        for (player, seat) in players.iter().zip(SEATS).skip(1) {
            player.sit(&game, code, Some(seat)).await.ok();
        }
        Table { game, players }
    }

    /// Four players who wait for the same game until they are matched, now in turn order.
    pub async fn matched(players: [Player; 4], time_control: &str, rated: bool) -> Table {
        let mut tickets = Vec::new();
        for player in &players {
            tickets.push(player.ticket(time_control, rated).await.expect(201));
        }
        let mut seated = Vec::new();
        for (player, ticket) in players.into_iter().zip(tickets) {
            let ticket = player.settled(ticket["id"].as_str().unwrap()).await;
            assert_eq!(ticket["status"], "matched", "{ticket}");
            let seat = SEATS.iter().position(|seat| ticket["seat"] == *seat).unwrap_or_else(|| panic!("{ticket}"));
            seated.push((seat, ticket["game_id"].as_str().unwrap().to_owned(), player));
        }
        seated.sort_by_key(|(seat, ..)| *seat);
        let game = seated[0].1.clone();
        assert!(seated.iter().enumerate().all(|(n, (seat, id, _))| n == *seat && *id == game), "one game, four seats");
        let players: Vec<Player> = seated.into_iter().map(|(_, _, player)| player).collect();
        Table { game, players: players.try_into().unwrap_or_else(|_| unreachable!()) }
    }

    /// The player of a seat.
    pub fn player(&self, seat: &str) -> &Player {
        &self.players[SEATS.iter().position(|known| *known == seat).unwrap()]
    }

    /// The state as the first player sees it.
    pub async fn state(&self) -> Value {
        self.players[0].state(&self.game).await
    }

    /// Each plays the next of these moves in turn; the state after the last.
    pub async fn play(&self, moves: &[&str]) -> Value {
        let mut state = self.state().await;
        for text in moves {
            let player = self.player(state["turn"].as_str().unwrap_or_else(|| panic!("{text} after the end: {state}")));
            state = player.play(&self.game, state["ply"].as_u64().unwrap(), text).await.ok();
        }
        state
    }

    /// These seats resign one after the other; the state after the last.
    pub async fn resign(&self, seats: &[&str]) -> Value {
        let mut state = Value::Null;
        for seat in seats {
            state = self.player(seat).resign(&self.game).await.ok();
        }
        state
    }

    /// The game so far, replayed and checked.
    pub async fn record(&self) -> Record {
        Record::of(&self.players[0].events(&self.game).await)
    }

    /// The game so far in PGN4, read and replayed by the rules: the position it leads to.
    pub async fn replayed_pgn4(&self) -> String {
        let export = self.players[0].get(&format!("/v1/games/{}/export?format=pgn4", self.game)).await;
        assert_eq!(export.status, 200, "{}", export.text);
        let games = Pgn4::read_all(&export.text).unwrap_or_else(|error| panic!("{error:?}: {}", export.text));
        let replay = games[0].replay();
        assert!(replay.stop.is_none(), "{:?}: {}", replay.stop, export.text);
        replay.game.fen4()
    }
}
