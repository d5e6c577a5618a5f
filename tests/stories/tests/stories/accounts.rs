use serde_json::json;
use stories::{Answer, Heard, Platform, Player, Table, in_time, within_reason};
use tokio::time::Instant;

#[tokio::test]
async fn a_guest_who_makes_an_account_keeps_everything() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let (ada, visitor) = (&table.players[0], platform.visitor());
    assert_eq!(visitor.get(&format!("/v1/players/{}", ada.id)).await.ok()["guest"], true);
    let body = json!({"name": "Ada_L", "password": Player::PASSWORD});
    let signed = ada.post("/v1/accounts", &body).await.expect(201);
    assert_eq!(signed["player"], json!({"id": ada.id, "name": "Ada_L", "guest": false}));

    // The token of before, the game of before.
    let me = ada.get("/v1/me").await.ok();
    assert_eq!((&me["player"]["name"], &me["games"][0]["id"]), (&json!("Ada_L"), &json!(table.game)));
    table.play(&["d2-d4"]).await;

    // And from anywhere else with name, in any case, and password.
    let body = json!({"name": "aDA_l", "password": Player::PASSWORD});
    let elsewhere = Player::signed(&visitor, &visitor.post("/v1/sessions", &body).await.expect(201));
    assert_eq!((&elsewhere.id, elsewhere.name.as_str()), (&ada.id, "Ada_L"));
    assert_ne!(elsewhere.token(), ada.token());
    assert_eq!(elsewhere.get("/v1/me").await.ok()["games"][0]["id"], table.game.as_str());
    // Once more is once too often.
    let again = ada.post("/v1/accounts", &json!({"name": "Ada_M", "password": Player::PASSWORD})).await;
    assert!((400..500).contains(&again.status), "{}", again.text);
    assert_eq!(ada.get("/v1/me").await.ok()["player"]["name"], "Ada_L");
}

#[tokio::test]
async fn a_guest_becomes_one_account_at_most() {
    let platform = Platform::start().await;
    let (guest, visitor) = (platform.guest("Eve").await, platform.visitor());
    let names = ["Eve_One", "Eve_Two", "Eve_Three"];
    let bodies = names.map(|name| json!({"name": name, "password": Player::PASSWORD}));
    let answers = futures::future::join_all(bodies.iter().map(|body| guest.post("/v1/accounts", body))).await;
    let made: Vec<_> = answers.iter().filter(|answer| answer.status == 201).map(Answer::json).collect();
    assert_eq!(made.len(), 1, "{answers:?}");
    assert_eq!(made[0]["player"]["id"], guest.id.as_str());
    // The names that were not taken are still free.
    for (name, body) in names.iter().zip(&bodies) {
        let answer = visitor.post("/v1/accounts", body).await;
        assert_eq!(
            answer.status,
            if made[0]["player"]["name"] == *name { 409 } else { 201 },
            "{name}: {}",
            answer.text
        );
    }
}

#[tokio::test]
async fn a_name_belongs_to_one_account() {
    let platform = Platform::start().await;
    let visitor = platform.visitor();
    let ada = platform.account("Ada").await;
    for name in ["Ada", "ada", "ADA"] {
        visitor
            .post("/v1/accounts", &json!({"name": name, "password": Player::PASSWORD}))
            .await
            .refused(409, "NAME_TAKEN");
        let guest = platform.guest(name).await;
        assert_ne!(guest.name.to_lowercase(), "ada", "a guest never has an account's name");
    }
    // Two at once: one gets it.
    let body = json!({"name": "Grace", "password": Player::PASSWORD});
    let (one, other) = tokio::join!(visitor.post("/v1/accounts", &body), visitor.post("/v1/accounts", &body));
    let mut outcomes = [one.status, other.status];
    outcomes.sort_unstable();
    assert_eq!(outcomes, [201, 409]);

    // A guest's wish may be anybody's, and needs none at all.
    let (one, other) = (platform.guest("Bob").await, platform.guest("Bob").await);
    assert_ne!(one.id, other.id);
    let unnamed = visitor.post("/v1/guests", &json!({})).await.expect(201);
    let name = unnamed["player"]["name"].as_str().unwrap();
    assert!((3..=20).contains(&name.len()), "{name}");
    assert!(stories::millis(&unnamed["expires_at"]) > 0);

    for (name, password) in [("Ada", "wrong password entirely"), ("Nobody", Player::PASSWORD), ("", ""), ("Ada", "")] {
        let refusal = visitor.post("/v1/sessions", &json!({"name": name, "password": password})).await;
        let told = refusal.refused(401, "UNAUTHENTICATED");
        assert_eq!(told["detail"], "unknown name or wrong password", "it is not said which");
    }
    assert_eq!(ada.get("/v1/me").await.status, 200);
}

#[tokio::test]
async fn a_token_that_is_revoked_is_dead_at_once_everywhere() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let (game, visitor) = (table.game.as_str(), platform.visitor());
    let account = json!({"name": "Ada_L", "password": Player::PASSWORD});
    table.players[0].post("/v1/accounts", &account).await.expect(201);
    in_time(1_000, async || {
        let ada = Player::signed(&visitor, &visitor.post("/v1/sessions", &account).await.expect(201));
        let mut socket = ada.socket(game, 6).await;
        let mut stream = ada.follow(game, 6).await;
        let mut news = ada.stream("/v1/me/events").await;
        ada.delete("/v1/sessions/current").await.expect(204);
        let revoked = Instant::now();
        ada.get("/v1/me").await.refused(401, "UNAUTHENTICATED");
        ada.play(game, 0, "d2-d4").await.refused(401, "UNAUTHENTICATED");
        let ends = async {
            let closed = loop {
                if let Heard::Closed(code, _) = socket.hear().await {
                    break code;
                }
            };
            while stream.line().await.is_some() {}
            while news.line().await.is_some() {}
            closed
        };
        assert_eq!(within_reason("the ends of the dead token's connections", ends).await, 4401);
        revoked.elapsed().as_millis() as i64
    })
    .await;
    // Others play on, and so does the player with another token.
    assert_eq!(table.play(&["d2-d4"]).await["ply"], 1);
}
