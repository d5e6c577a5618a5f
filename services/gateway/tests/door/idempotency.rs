use serde_json::json;

use crate::door::{Answer, Door, with};

#[tokio::test]
async fn the_same_key_caller_and_body_give_the_first_answer_again() {
    let door = Door::open().await;
    let first = door.post_keyed("/v1/guests", None, "k1", json!({"name": "Sunny"})).await;
    let again = door.post_keyed("/v1/guests", None, "k1", json!({"name": "Sunny"})).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    let guest = first.signed();
    door.get("/v1/me", Some(&guest)).await.ok(200);
    assert_ne!(door.post_keyed("/v1/guests", None, "k2", json!({"name": "Sunny"})).await.signed().id, guest.id);

    let named = json!({"name": "Nora", "password": "correct horse"});
    let first = door.post_keyed("/v1/accounts", None, "k1", named.clone()).await;
    let again = door.post_keyed("/v1/accounts", None, "k1", named).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    let owner = first.signed();

    let bot = json!({"label": "bot", "scopes": ["read", "play"]});
    let first = door.post_keyed("/v1/tokens", Some(&owner), "k1", bot.clone()).await.ok(201);
    assert_eq!(door.post_keyed("/v1/tokens", Some(&owner), "k1", bot).await.ok(201), first);

    let ticket = json!({"time_control": "3+2", "rated": true});
    let first = door.post_keyed("/v1/tickets", Some(&owner), "k1", ticket.clone()).await.ok(201);
    assert_eq!(door.post_keyed("/v1/tickets", Some(&owner), "k1", ticket).await.ok(201), first);
    assert_eq!(door.fake.calls("open_ticket"), 1);

    let game = new_game();
    let first = door.post_keyed("/v1/games", Some(&owner), "k1", game.clone()).await.ok(201);
    assert_eq!(door.post_keyed("/v1/games", Some(&owner), "k1", game).await.ok(201), first);
    assert_eq!((door.fake.calls("create_game"), door.fake.games()), (1, 1));
}

fn new_game() -> serde_json::Value {
    let open = json!({"open": true});
    json!({"time_control": "3+2", "seats": {"red": {"me": true}, "blue": open, "yellow": open, "green": open}})
}

#[tokio::test]
async fn a_guest_who_became_an_account_gets_the_same_answer_again() {
    let door = Door::open().await;
    let guest = door.guest("Wish").await;
    let named = json!({"name": "Settled", "password": "correct horse"});
    let first = door.post_keyed("/v1/accounts", Some(&guest), "k", named.clone()).await;
    let again = door.post_keyed("/v1/accounts", Some(&guest), "k", named).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    assert_eq!(first.signed().token, guest.token);
}

#[tokio::test]
async fn another_body_is_refused_and_another_caller_is_another_request() {
    let door = Door::open().await;
    let (one, two) = (door.guest("One").await, door.guest("Two").await);
    let rated = json!({"time_control": "3+2", "rated": true});
    let casual = json!({"time_control": "3+2", "rated": false});
    let first = door.post_keyed("/v1/tickets", Some(&one), "k", rated.clone()).await.ok(201);
    door.post_keyed("/v1/tickets", Some(&one), "k", casual).await.refused(409, "IDEMPOTENCY_KEY_REUSED");
    // Another spelling of the same body is the same request.
    let spelled = with(door.call("POST", "/v1/tickets"), Some(&one))
        .header("content-type", "application/json")
        .header("idempotency-key", "k")
        .body(r#"{ "rated" : true, "time_control":"3+2" }"#);
    assert_eq!(Answer::of(spelled).await.ok(201), first);
    let other = door.post_keyed("/v1/tickets", Some(&two), "k", rated).await.ok(201);
    assert_ne!(other["id"], first["id"]);
    let named = |password: &str| json!({"name": "Nora", "password": password});
    door.post_keyed("/v1/accounts", None, "k", named("correct horse")).await.ok(201);
    door.post_keyed("/v1/accounts", None, "k", named("another horse")).await.refused(409, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn two_requests_at_once_with_one_key_make_one_game() {
    let door = Door::open().await;
    let maker = door.guest("Maker").await;
    door.fake.be_slow();
    let request = || door.post_keyed("/v1/games", Some(&maker), "k", new_game());
    let (one, two, three) = tokio::join!(request(), request(), request());
    let one = one.ok(201);
    assert_eq!((two.ok(201), three.ok(201)), (one.clone(), one));
    assert_eq!((door.fake.calls("create_game"), door.fake.games()), (1, 1));
}

#[tokio::test]
async fn a_request_that_was_broken_off_makes_no_second_game_when_it_comes_again() {
    let door = Door::open().await;
    let maker = door.guest("Maker").await;
    door.fake.be_slow();
    let hasty = with(door.call("POST", "/v1/games").json(&new_game()), Some(&maker))
        .header("idempotency-key", "k")
        .timeout(std::time::Duration::from_millis(150));
    assert!(hasty.send().await.unwrap_err().is_timeout());
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    let game = door.post_keyed("/v1/games", Some(&maker), "k", new_game()).await.ok(201);
    assert_eq!(door.fake.games(), 1);
    assert_eq!(door.get(&format!("/v1/games/{}", game["id"].as_str().unwrap()), Some(&maker)).await.status, 200);
}

#[tokio::test]
async fn a_final_refusal_is_an_answer_and_a_fault_is_none() {
    let door = Door::open().await;
    let guest = door.guest("Guest").await;
    let ticket = json!({"time_control": "3+2", "rated": true});
    door.fake.go_away(true);
    door.post_keyed("/v1/tickets", Some(&guest), "k", ticket.clone()).await.refused(503, "UNAVAILABLE");
    door.fake.go_away(false);
    let open = door.post_keyed("/v1/tickets", Some(&guest), "k", ticket.clone()).await.ok(201);
    let second = door.post_keyed("/v1/tickets", Some(&guest), "k2", ticket.clone()).await;
    second.refused(409, "ALREADY_WAITING");
    assert_eq!(second.body["ticket_id"], open["id"]);
    door.delete(&format!("/v1/tickets/{}", open["id"].as_str().unwrap()), Some(&guest)).await.ok(204);
    let again = door.post_keyed("/v1/tickets", Some(&guest), "k2", ticket).await;
    again.refused(409, "ALREADY_WAITING");
    assert_eq!(again.body["ticket_id"], open["id"]);
}

#[tokio::test]
async fn a_key_is_visible_ascii() {
    let door = Door::open().await;
    for key in ["", "two words", &"k".repeat(256), "ключ"] {
        let told = door.post_keyed("/v1/guests", None, key, json!({})).await.refused(400, "BAD_REQUEST");
        assert!(told.contains("Idempotency-Key"), "{told}");
    }
    door.post_keyed("/v1/guests", None, &"k".repeat(255), json!({})).await.ok(201);
}
