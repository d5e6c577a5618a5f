use serde_json::{Value, json};
use stories::{Caller, Platform, Table};

/// Every way to ask for a game, and that each is answered as if there were no such game.
async fn sees_nothing(outsider: &Caller, game: &str) {
    let path = format!("/v1/games/{game}");
    for suffix in
        ["", "?include=legal_moves", "/events", "/events?after=3", "/export?format=json", "/export?format=pgn4"]
    {
        outsider.get(&format!("{path}{suffix}")).await.refused(404, "NOT_FOUND");
    }
    assert_eq!(outsider.socket(game, 0).await.to_end().await, (vec![], 4404, String::new()));
}

/// Every way to do something in a game.
async fn can_do_nothing(outsider: &Caller, game: &str, status: u16, code: &str) {
    let path = format!("/v1/games/{game}");
    outsider.post(&format!("{path}/moves"), &json!({"ply": 0, "move": "d2-d4"})).await.refused(status, code);
    outsider.post(&format!("{path}/resignation"), &json!({})).await.refused(status, code);
    outsider.post(&format!("{path}/rematch"), &json!({})).await.refused(status, code);
    outsider.delete(&format!("{path}/seats/me")).await.refused(status, code);
}

#[tokio::test]
async fn an_outsider_sees_nothing_of_a_private_game() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "3+2").await;
    let (game, eve, visitor) = (table.game.as_str(), platform.guest("Eve").await, platform.visitor());
    let before = table.state().await;
    sees_nothing(&eve, game).await;
    sees_nothing(&visitor, game).await;
    can_do_nothing(&eve, game, 404, "NOT_FOUND").await;
    can_do_nothing(&visitor, game, 401, "UNAUTHENTICATED").await;
    eve.sit(game, "AAAAAAAA", None).await.refused(404, "NOT_FOUND");
    for status in ["running", "waiting", "over", "aborted"] {
        assert_eq!(visitor.get(&format!("/v1/games?status={status}")).await.ok()["items"], json!([]));
        let games = format!("/v1/players/{}/games?status={status}", table.players[0].id);
        assert_eq!(eve.get(&games).await.ok()["items"], json!([]));
    }
    assert_eq!(table.state().await["v"], before["v"], "nothing happened");
    // The same words for a game that is not there.
    let strip = |mut problem: Value| {
        problem["request_id"].take();
        problem
    };
    let private = strip(eve.get(&format!("/v1/games/{game}")).await.refused(404, "NOT_FOUND"));
    let none = strip(eve.get("/v1/games/0192f0c1-2345-7abc-8def-0123456789ab").await.refused(404, "NOT_FOUND"));
    assert_eq!(private, none);

    // The same after the end, when it is on record.
    table.resign(&["red", "blue", "yellow"]).await;
    sees_nothing(&eve, game).await;
    can_do_nothing(&eve, game, 404, "NOT_FOUND").await;
}

#[tokio::test]
async fn anyone_may_watch_a_public_game_but_not_touch_it() {
    let platform = Platform::start().await;
    let wishes = json!({"time_control": "3+2", "visibility": "public"});
    let table = Table::of(platform.guests().await, wishes).await;
    let (game, eve, visitor) = (table.game.as_str(), platform.guest("Eve").await, platform.visitor());
    let mut stream = visitor.follow(game, 0).await;
    let mut socket = visitor.socket(game, 0).await;
    let mut hers = eve.socket(game, 0).await;
    let mut seen = stream.up_to(6).await;
    let state = table.play(&["d2-d4", "m4-l4"]).await;
    seen.extend(stream.up_to(8).await);
    assert_eq!(seen, table.record().await.events);
    for event in &seen {
        assert_eq!((&socket.event().await, &hers.event().await), (event, event));
    }
    let watched = visitor.state(game).await;
    assert_eq!((&watched["fen4"], &watched["v"]), (&state["fen4"], &state["v"]));
    assert!(watched.get("invite_code").is_none_or(Value::is_null), "{watched}");
    assert_eq!(visitor.get("/v1/games").await.ok()["items"][0]["id"], game);
    assert_eq!(visitor.get("/v1/games?status=running&limit=1").await.ok()["items"][0]["id"], game);
    let page = format!("/v1/players/{}/games?status=running", table.players[0].id);
    assert_eq!(visitor.get(&page).await.ok()["items"][0]["id"], game);

    // Watching is all.
    can_do_nothing(&eve, game, 403, "FORBIDDEN").await;
    can_do_nothing(&visitor, game, 401, "UNAUTHENTICATED").await;
    for (mut watcher, code) in [(hers, "FORBIDDEN"), (socket, "UNAUTHENTICATED")] {
        watcher.send(&json!({"type": "move", "ply": 2, "move": "d13-d12", "id": 1})).await;
        let refused = watcher.frame("refused").await;
        assert_eq!((&refused["id"], &refused["code"]), (&json!(1), &json!(code)), "{refused}");
        watcher.send(&json!({"type": "resign", "id": 2})).await;
        assert_eq!(watcher.frame("refused").await["code"], code);
    }
    assert_eq!(table.state().await["v"], 8);
    table.resign(&["red", "blue", "yellow"]).await;
    stream.to_end().await;
    assert_eq!(visitor.get(&format!("/v1/games/{game}/export?format=json")).await.ok()["status"], "over");
    can_do_nothing_more(&visitor, game).await;
}

/// A finished public game stays on the public lists.
async fn can_do_nothing_more(visitor: &Caller, game: &str) {
    assert_eq!(visitor.get("/v1/games").await.ok()["items"], json!([]));
    stories::eventually("the record", async || {
        let over = visitor.get("/v1/games?status=over").await.ok();
        (over["items"][0]["id"] == game).then_some(())
    })
    .await;
}
