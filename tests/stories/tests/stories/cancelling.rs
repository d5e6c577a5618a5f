use serde_json::{Value, json};
use stories::{Platform, Player};

const ROUNDS: usize = 12;

async fn status(player: &Player, ticket: &Value) -> Value {
    player.get(&format!("/v1/tickets/{}", ticket["id"].as_str().unwrap())).await.ok()
}

#[tokio::test]
async fn a_ticket_cancelled_while_being_matched_has_one_answer() {
    let platform = Platform::start().await;
    let players = platform.guests().await;
    let (mut cancelled, mut matched) = (0, 0);
    for round in 0..ROUNDS {
        let mut tickets = Vec::new();
        for player in &players[..3] {
            tickets.push(player.ticket("1+0", false).await.expect(201));
        }
        let cancel = async {
            // Before, while and after the fourth one comes.
            tokio::time::sleep(std::time::Duration::from_millis(round as u64)).await;
            players[0].delete(&format!("/v1/tickets/{}", tickets[0]["id"].as_str().unwrap())).await
        };
        let (last, answer) = tokio::join!(players[3].ticket("1+0", false), cancel);
        tickets.push(last.expect(201));
        if answer.status == 204 {
            cancelled += 1;
            let mine = status(&players[0], &tickets[0]).await;
            assert_eq!((&mine["status"], &mine["game_id"]), (&json!("cancelled"), &Value::Null));
            for (player, ticket) in players.iter().zip(&tickets).skip(1) {
                assert_eq!(status(player, ticket).await["status"], "waiting");
                player.delete(&format!("/v1/tickets/{}", ticket["id"].as_str().unwrap())).await.expect(204);
            }
        } else {
            matched += 1;
            let game = answer.refused(409, "ALREADY_MATCHED")["game_id"].as_str().unwrap().to_owned();
            for (player, ticket) in players.iter().zip(&tickets) {
                let ticket = player.settled(ticket["id"].as_str().unwrap()).await;
                assert_eq!((&ticket["status"], &ticket["game_id"]), (&json!("matched"), &json!(game)));
            }
            for player in &players[..3] {
                player.resign(&game).await.ok();
            }
            assert_eq!(players[3].state(&game).await["status"], "over");
        }
        // Nothing is left behind for the next round.
        for player in &players {
            let me = player.get("/v1/me").await.ok();
            assert_eq!((&me["ticket"], &me["games"]), (&Value::Null, &json!([])));
        }
    }
    assert_eq!(cancelled + matched, ROUNDS);
}
