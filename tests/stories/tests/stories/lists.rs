use serde_json::{Value, json};
use stories::{Caller, Platform, Table, eventually};

/// All pages of a list, two lines each.
async fn pages(caller: &Caller, path: &str) -> Vec<Vec<String>> {
    let separator = if path.contains('?') { '&' } else { '?' };
    let (mut pages, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = caller.get(&format!("{path}{separator}limit=2{cursor}")).await.ok();
        let id = |item: &Value| item["id"].as_str().unwrap().to_owned();
        pages.push(page["items"].as_array().unwrap().iter().map(id).collect());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return pages,
        }
        assert!(pages.len() < 10, "it ends");
    }
}

#[tokio::test]
async fn lists_of_games_come_in_pages_newest_first() {
    let platform = Platform::start().await;
    let players = platform.guests().await;
    let mut made = Vec::new();
    for _ in 0..5 {
        let table = Table::of(players.clone(), json!({"time_control": "3+2", "visibility": "public"})).await;
        made.push(table);
    }
    let newest_first: Vec<&str> = made.iter().rev().map(|table| table.game.as_str()).collect();
    let visitor = platform.visitor();
    let running = pages(&visitor, "/v1/games").await;
    assert_eq!(running.concat(), newest_first);
    assert_eq!(running.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);

    for table in &made {
        table.resign(&["red", "blue", "yellow"]).await;
    }
    let ended_last_first: Vec<&str> = newest_first.clone();
    for path in ["/v1/games?status=over".to_owned(), format!("/v1/players/{}/games", players[2].id)] {
        let over = eventually("five records", async || {
            let over = pages(&visitor, &path).await;
            (over.concat().len() == 5).then_some(over)
        })
        .await;
        assert_eq!(over.concat(), ended_last_first, "{path}");
    }
    assert_eq!(pages(&visitor, "/v1/games").await.concat(), Vec::<String>::new());

    // A cursor of one list is no cursor of another.
    let page = visitor.get("/v1/games?status=over&limit=2").await.ok();
    let cursor = page["next_cursor"].as_str().unwrap();
    visitor.get(&format!("/v1/leaderboards/blitz?cursor={cursor}")).await.refused(400, "BAD_REQUEST");
}
