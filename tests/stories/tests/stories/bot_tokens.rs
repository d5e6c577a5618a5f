use serde_json::{Value, json};
use stories::{Platform, Table};

#[tokio::test]
async fn an_account_gives_its_bots_tokens_and_takes_them_back() {
    let platform = Platform::start().await;
    let table = Table::of(platform.accounts().await, json!({"time_control": "10+5"})).await;
    let (game, ada) = (table.game.as_str(), &table.players[0]);
    let make =
        async |scopes: Value| ada.post("/v1/tokens", &json!({"label": "my bot", "scopes": scopes})).await.expect(201);
    let (reading, playing) = (make(json!(["read"])).await, make(json!(["read", "play"])).await);
    let (reader, player) =
        (ada.with_token(reading["token"].as_str().unwrap()), ada.with_token(playing["token"].as_str().unwrap()));

    assert_eq!(reader.state(game).await["status"], "running");
    assert_eq!(reader.get("/v1/me").await.ok()["player"]["id"], ada.id.as_str());
    let (moves, body) = (format!("/v1/games/{game}/moves"), json!({"ply": 0, "move": "d2-d4"}));
    reader.post(&moves, &body).await.refused(403, "FORBIDDEN");
    reader.post("/v1/tickets", &json!({"time_control": "3+2", "rated": true})).await.refused(403, "FORBIDDEN");
    let mut socket = reader.socket(game, 0).await;
    socket.send(&json!({"type": "move", "ply": 0, "move": "d2-d4", "id": 7})).await;
    assert_eq!(socket.frame("refused").await["code"], "FORBIDDEN");
    assert_eq!(table.state().await["ply"], 0);
    player.post(&moves, &body).await.ok();

    // Bots do not run the account.
    for bot in [&reader, &player] {
        bot.post("/v1/tokens", &json!({"label": "more", "scopes": ["play"]})).await.refused(403, "FORBIDDEN");
        bot.get("/v1/tokens").await.refused(403, "FORBIDDEN");
    }
    let listed = ada.get("/v1/tokens").await.ok();
    assert_eq!(listed["items"].as_array().unwrap().len(), 2);
    for token in [&reading, &playing] {
        assert!(!listed.to_string().contains(token["token"].as_str().unwrap()), "a token is shown once");
    }
    let path = format!("/v1/tokens/{}", playing["id"].as_str().unwrap());
    table.players[1].delete(&path).await.refused(404, "NOT_FOUND");
    ada.delete(&path).await.expect(204);
    player.get("/v1/me").await.refused(401, "UNAUTHENTICATED");
    assert_eq!(reader.get("/v1/me").await.status, 200);

    // Guests have none, and a token needs a purpose.
    let guest = platform.guest("Eve").await;
    guest.post("/v1/tokens", &json!({"label": "bot", "scopes": ["read"]})).await.refused(403, "FORBIDDEN");
    for body in [
        json!({"label": "", "scopes": ["read"]}),
        json!({"label": "x", "scopes": []}),
        json!({"label": "x", "scopes": ["rule"]}),
        json!({"label": "x"}),
    ] {
        ada.post("/v1/tokens", &body).await.refused(400, "BAD_REQUEST");
    }
}
