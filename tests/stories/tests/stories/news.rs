use serde_json::{Value, json};
use stories::{Platform, Stream, Table};

async fn heard(news: &mut Stream, kind: &str, game: &str) -> Value {
    loop {
        let notice = news.notice(kind).await;
        if notice["game_id"] == game {
            return notice;
        }
    }
}

#[tokio::test]
async fn a_player_hears_of_tickets_games_turns_and_ends() {
    let platform = Platform::start().await;
    let players = platform.guests().await;
    let mut news = Vec::new();
    for player in &players {
        // Several at once are fine.
        news.push([player.stream("/v1/me/events").await, player.stream("/v1/me/events").await]);
    }
    let ids: Vec<String> = players.iter().map(|player| player.id.clone()).collect();
    let table = Table::matched(players, "3+2", true).await;
    table.play(&["d2-d3"]).await;
    table.resign(&["red", "yellow", "green"]).await;

    for (id, streams) in ids.iter().zip(&mut news) {
        let seat = table.players.iter().position(|player| player.id == *id).map(|n| stories::SEATS[n]).unwrap();
        for stream in streams {
            let ticket = stream.notice("ticket").await;
            assert_eq!(ticket["status"], "waiting");
            let started = heard(stream, "game_started", &table.game).await;
            assert_eq!(started["seat"], seat);
            if seat == "red" || seat == "blue" {
                let turn = heard(stream, "your_turn", &table.game).await;
                assert_eq!((&turn["seat"], &turn["ply"]), (&json!(seat), &json!(u8::from(seat == "blue"))));
            }
            let over = heard(stream, "game_over", &table.game).await;
            assert_eq!((&over["reason"], &over["standing"][0]["seat"]), (&json!("last_player"), &json!("blue")));
        }
    }
}

#[tokio::test]
async fn the_news_tell_when_a_ticket_is_matched_or_cancelled() {
    let platform = Platform::start().await;
    let players = platform.guests().await;
    let mut news = players[0].stream("/v1/me/events").await;
    let ticket = players[0].ticket("3+2", true).await.expect(201);
    assert_eq!(news.notice("ticket").await["id"], ticket["id"]);
    players[0].delete(&format!("/v1/tickets/{}", ticket["id"].as_str().unwrap())).await.expect(204);
    assert_eq!(news.notice("ticket").await["status"], "cancelled");
    let table = Table::matched(players, "3+2", true).await;
    let mut kinds = vec![news.notice("ticket").await["status"].clone()];
    let matched = news.notice("ticket").await;
    kinds.push(matched["status"].clone());
    assert_eq!(kinds, ["waiting", "matched"]);
    assert_eq!(matched["game_id"], table.game.as_str());
}
