use reqwest::Method;
use serde_json::{Value, json};
use stories::{Answer, Caller, Platform, Player};

async fn with_key(caller: &Caller, path: &str, key: &str, body: &Value) -> Answer {
    caller.send(caller.request(Method::POST, path).header("idempotency-key", key).json(body)).await
}

#[tokio::test]
async fn asking_twice_with_one_key_makes_one_thing() {
    let mut platform = Platform::start().await;
    let visitor = platform.visitor();
    let name = json!({"name": "Ada"});
    let first = with_key(&visitor, "/v1/guests", "a-guest", &name).await.expect(201);
    assert_eq!(with_key(&visitor, "/v1/guests", "a-guest", &name).await.expect(201), first);
    assert_ne!(
        with_key(&visitor, "/v1/guests", "another", &name).await.expect(201)["player"]["id"],
        first["player"]["id"]
    );

    let account = json!({"name": "Grace", "password": Player::PASSWORD});
    let signed = with_key(&visitor, "/v1/accounts", "an-account", &account).await.expect(201);
    assert_eq!(with_key(&visitor, "/v1/accounts", "an-account", &account).await.expect(201), signed);
    let (ada, grace) = (Player::signed(&visitor, &first), Player::signed(&visitor, &signed));

    let token = json!({"label": "bot", "scopes": ["read"]});
    let made = with_key(&grace, "/v1/tokens", "t", &token).await.expect(201);
    assert_eq!(with_key(&grace, "/v1/tokens", "t", &token).await.expect(201), made);
    assert_eq!(grace.get("/v1/tokens").await.ok()["items"].as_array().unwrap().len(), 1);

    let ticket = json!({"time_control": "3+2", "rated": true});
    let opened = with_key(&ada, "/v1/tickets", "k", &ticket).await.expect(201);
    assert_eq!(with_key(&ada, "/v1/tickets", "k", &ticket).await.expect(201)["id"], opened["id"]);
    with_key(&ada, "/v1/tickets", "l", &ticket).await.refused(409, "ALREADY_WAITING");

    let open = json!({"open": true});
    let game =
        json!({"time_control": "3+2", "seats": {"red": {"me": true}, "blue": open, "yellow": open, "green": open}});
    let (one, other) = tokio::join!(with_key(&ada, "/v1/games", "g", &game), with_key(&ada, "/v1/games", "g", &game));
    let (one, other) = (one.expect(201), other.expect(201));
    assert_eq!((&one["id"], &one["invite_code"]), (&other["id"], &other["invite_code"]));

    // Keys are the caller's own; another body under the same key is refused; a restart forgets nothing.
    let hers = with_key(&grace, "/v1/games", "g", &game).await.expect(201);
    assert_ne!(hers["id"], one["id"]);
    let changed = json!({"time_control": "5+5", "seats": game["seats"]});
    let refused = with_key(&ada, "/v1/games", "g", &changed).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    platform.kill();
    platform.start_again().await;
    assert_eq!(with_key(&ada, "/v1/games", "g", &game).await.expect(201)["id"], one["id"]);
    assert_eq!(with_key(&visitor, "/v1/guests", "a-guest", &name).await.expect(201)["token"], first["token"]);
    let refused = with_key(&ada, "/v1/games", &"k".repeat(1000), &game).await;
    refused.refused(400, "BAD_REQUEST");
}
