use futures::future::join_all;
use serde_json::json;
use stories::{Platform, SEATS, Table};

const FIRST_MOVES: [&str; 4] = ["d2-d3", "m4-l4", "d13-d12", "b4-c4"];

#[tokio::test]
async fn two_clients_racing_one_ply_make_one_move() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let (mut winners, mut races) = (Vec::new(), 0);
    for ply in 0..24 {
        let path = format!("/v1/games/{}?include=legal_moves", table.game);
        let state = table.players[0].get(&path).await.ok();
        let player = table.player(state["turn"].as_str().unwrap());
        let legal: Vec<&str> =
            state["legal_moves"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
        // Who is in check may have one move only.
        let wished = if let [one, other, ..] = legal[..] { vec![one, other] } else { legal };
        let answers = join_all(wished.iter().map(|text| player.play(&table.game, ply, text))).await;
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
        assert_eq!(won.len(), 1, "{won:?} {lost:?}");
        for won in won {
            let state = won.ok();
            assert_eq!(state["ply"], ply + 1);
            winners.push(state["last_move"]["move"].clone());
        }
        for lost in lost {
            assert_eq!(lost.refused(409, "STALE_PLY")["ply"], ply + 1);
            races += 1;
        }
    }
    assert!(races >= 12, "{races} races");
    let record = table.record().await;
    let moves: Vec<_> =
        record.events.iter().filter(|event| event["type"] == "move").map(|e| e["move"].clone()).collect();
    assert_eq!(moves, winners);
}

#[tokio::test]
async fn the_same_move_sent_many_times_is_made_once() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let game = table.game.as_str();
    for (ply, (seat, text)) in SEATS.iter().zip(FIRST_MOVES).enumerate() {
        let player = table.player(seat);
        let mut socket = player.socket(game, 0).await;
        socket.send(&json!({"type": "move", "ply": ply, "move": text, "id": "by socket"})).await;
        let answers = join_all((0..5).map(|_| player.play(game, ply as u64, text))).await;
        for answer in answers {
            assert_eq!(answer.ok()["ply"], ply + 1);
        }
        let ack = socket.frame("ack").await;
        assert_eq!((&ack["id"], &ack["ply"]), (&json!("by socket"), &json!(ply + 1)));
    }
    // Long afterwards it still is the same move, and any other is stale.
    let red = table.player("red");
    assert_eq!(red.play(game, 0, "d2-d3").await.ok()["ply"], 4);
    red.play(game, 0, "d2-d4").await.refused(409, "STALE_PLY");
    red.play(game, 5, "d3-d4").await.refused(409, "STALE_PLY");
    table.player("blue").play(game, 4, "m5-l5").await.refused(409, "NOT_YOUR_TURN");
    let record = table.record().await;
    assert_eq!(record.types(), [&["created"][..], &["seated"; 4], &["started"], &["move"; 4]].concat());
}

#[tokio::test]
async fn five_who_want_four_seats_get_one_each_or_none() {
    let platform = Platform::start().await;
    let players = platform.guests().await;
    let (eve, open) = (platform.guest("Eve").await, json!({"open": true}));
    let wishes = json!({"time_control": "3+2", "seats": {"red": open, "blue": open, "yellow": open, "green": open}});
    let waiting = players[0].post("/v1/games", &wishes).await.expect(201);
    let (game, code) = (waiting["id"].as_str().unwrap(), waiting["invite_code"].as_str().unwrap());
    // All five want red; whoever is refused takes what is left.
    let everyone: Vec<_> = players.iter().chain([&eve]).collect();
    let answers = join_all(everyone.iter().map(|player| player.sit(game, code, Some("red")))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    let losers = everyone.iter().zip(answers).filter(|(_, answer)| answer.status != 200);
    let losers: Vec<_> = losers.map(|(player, answer)| (player, answer.refused(409, "SEAT_TAKEN"))).collect();
    let answers = join_all(losers.iter().map(|(player, _)| player.sit(game, code, None))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 3, "three seats were left");
    assert_eq!(answers.iter().filter(|answer| answer.code() == "SEAT_TAKEN").count(), 1);
    assert_eq!(players[0].state(game).await["status"], "running");
}
