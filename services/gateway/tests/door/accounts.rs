use std::time::Duration;

use gateway::Config;
use serde_json::json;

use crate::door::{Answer, Door, config, next};

#[tokio::test]
async fn a_guest_signs_up_and_is_known_by_the_token() {
    let door = Door::open().await;
    let answer = door.post("/v1/guests", None, json!({"name": "Sunny"})).await.ok(201);
    assert_eq!(answer["player"]["guest"], true);
    assert_eq!(answer["player"]["name"], "Sunny");
    assert_eq!(answer["token"].as_str().unwrap().len(), 43);
    assert!(answer["expires_at"].as_str().unwrap().ends_with('Z'));
    let nameless = Door::call(&door, "POST", "/v1/guests").send().await.unwrap();
    assert_eq!(nameless.status(), 201);
    let sunny = door.guest("Sunny").await;
    let me = door.get("/v1/me", Some(&sunny)).await.ok(200);
    assert_eq!(me["player"]["id"], sunny.id.as_str());
    assert_eq!(me["ratings"]["blitz"], json!({"rating": 1526.7, "games": 1, "provisional": true}));
    assert_eq!(me["ticket"], json!(null));
    assert_eq!(me["games"], json!([]));
}

#[tokio::test]
async fn an_account_signs_in_and_out() {
    let door = Door::open().await;
    let account = door.account("Nora_1").await;
    let signed = json!({"name": "nora_1", "password": "correct horse"});
    let session = door.post("/v1/sessions", None, signed.clone()).await.signed();
    assert_eq!((session.id.as_str(), session.name.as_str()), (account.id.as_str(), "Nora_1"));
    assert_ne!(session.token, account.token);
    assert_eq!(door.delete("/v1/sessions/current", Some(&session)).await.status, 204);
    door.get("/v1/me", Some(&session)).await.refused(401, "UNAUTHENTICATED");
    door.delete("/v1/sessions/current", Some(&session)).await.refused(401, "UNAUTHENTICATED");
    door.get("/v1/me", Some(&account)).await.ok(200);
}

#[tokio::test]
async fn an_unknown_name_and_a_wrong_password_look_the_same() {
    let door = Door::open().await;
    door.account("Nora").await;
    let wrong = door.post("/v1/sessions", None, json!({"name": "Nora", "password": "wrong horse"})).await;
    let unknown = door.post("/v1/sessions", None, json!({"name": "Nobody", "password": "wrong horse"})).await;
    let no_name = door.post("/v1/sessions", None, json!({"name": "?", "password": ""})).await;
    let told = wrong.refused(401, "UNAUTHENTICATED");
    assert_eq!(unknown.refused(401, "UNAUTHENTICATED"), told);
    assert_eq!(no_name.refused(401, "UNAUTHENTICATED"), told);
}

#[tokio::test]
async fn a_guest_becomes_an_account_and_keeps_id_and_token() {
    let door = Door::open().await;
    let guest = door.guest("Wish").await;
    let wanted = json!({"name": "Settled", "password": "correct horse"});
    let account = door.post("/v1/accounts", Some(&guest), wanted.clone()).await;
    assert_eq!(account.body["player"], json!({"id": guest.id, "name": "Settled", "guest": false}));
    assert_eq!(account.signed().token, guest.token);
    // The answer was lost, the client asks again.
    assert_eq!(door.post("/v1/accounts", Some(&guest), wanted).await.signed().id, guest.id);
    let me = door.get("/v1/me", Some(&guest)).await.ok(200);
    assert_eq!(me["player"]["name"], "Settled");
    let other = json!({"name": "Another", "password": "correct horse"});
    door.post("/v1/accounts", Some(&guest), other).await.refused(403, "FORBIDDEN");
    let session = json!({"name": "SETTLED", "password": "correct horse"});
    assert_eq!(door.post("/v1/sessions", None, session).await.signed().id, guest.id);
}

#[tokio::test]
async fn names_are_unique_among_accounts_and_guests_give_way() {
    let door = Door::open().await;
    let guest = door.guest("Magnus").await;
    let twin = door.guest("magnus").await;
    assert_eq!((guest.name.as_str(), twin.name.as_str()), ("Magnus", "magnus"));
    door.get("/v1/me", Some(&guest)).await.ok(200);
    door.account("MAGNUS").await;
    let password = json!({"name": "magnuS", "password": "correct horse"});
    door.post("/v1/accounts", None, password.clone()).await.refused(409, "NAME_TAKEN");
    door.post("/v1/accounts", Some(&guest), password).await.refused(409, "NAME_TAKEN");
    for player in [&guest, &twin] {
        let shown = door.get("/v1/me", Some(player)).await.ok(200)["player"]["name"].as_str().unwrap().to_owned();
        assert_ne!(shown.to_lowercase(), "magnus");
        assert!(shown.to_lowercase().starts_with("magnus") && shown.len() <= 20, "{shown}");
        let profile = door.get(&format!("/v1/players/{}", player.id), None).await.ok(200);
        assert_eq!(profile["name"], shown.as_str());
    }
    let late = door.guest("Magnus").await;
    assert_ne!(late.name.to_lowercase(), "magnus");
}

#[tokio::test]
async fn bots_get_tokens_with_scopes() {
    let door = Door::open().await;
    let guest = door.guest("Guest").await;
    let wish = json!({"label": "my bot", "scopes": ["read"]});
    door.post("/v1/tokens", Some(&guest), wish.clone()).await.refused(403, "FORBIDDEN");
    let owner = door.account("Owner").await;
    let made = door.post("/v1/tokens", Some(&owner), wish).await.ok(201);
    assert_eq!((&made["label"], &made["scopes"]), (&json!("my bot"), &json!(["read"])));
    let mut bot = owner.clone();
    bot.token = made["token"].as_str().unwrap().to_owned();
    door.get("/v1/me", Some(&bot)).await.ok(200);
    let ticket = json!({"time_control": "3+2", "rated": false});
    let told = door.post("/v1/tickets", Some(&bot), ticket.clone()).await.refused(403, "FORBIDDEN");
    assert!(told.contains("play"), "{told}");
    door.get("/v1/tokens", Some(&bot)).await.refused(403, "FORBIDDEN");
    door.delete("/v1/sessions/current", Some(&bot)).await.refused(403, "FORBIDDEN");
    let player = door.post("/v1/tokens", Some(&owner), json!({"label": "2", "scopes": ["play"]})).await.ok(201);
    let mut playing = owner.clone();
    playing.token = player["token"].as_str().unwrap().to_owned();
    door.post("/v1/tickets", Some(&playing), ticket).await.ok(201);
    door.get("/v1/me", Some(&playing)).await.refused(403, "FORBIDDEN");

    let listed = door.get("/v1/tokens", Some(&owner)).await.ok(200);
    assert_eq!(listed["items"].as_array().unwrap().len(), 2);
    assert!(!listed.to_string().contains(&bot.token));
    let path = format!("/v1/tokens/{}", made["id"].as_str().unwrap());
    door.delete(&path, Some(&door.account("Stranger").await)).await.refused(404, "NOT_FOUND");
    assert_eq!(door.delete(&path, Some(&owner)).await.status, 204);
    door.delete(&path, Some(&owner)).await.refused(404, "NOT_FOUND");
    door.get("/v1/me", Some(&bot)).await.refused(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn a_revoked_token_closes_its_sockets_and_streams() {
    let door = Door::open().await;
    let owner = door.account("Owner").await;
    let game = door.fake.add_game(&[&owner.id], true, false);
    let mut socket = door.socket(&format!("/v1/games/{game}/socket"), Some(&owner)).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["type"], "created");
    let stream = door.call("GET", "/v1/me/events").bearer_auth(&owner.token).send().await.unwrap();
    let ended = tokio::spawn(stream.text());
    door.delete("/v1/sessions/current", Some(&owner)).await.ok(204);
    let closed = tokio::time::timeout(Duration::from_secs(10), next(&mut socket)).await.unwrap();
    assert_eq!(closed.unwrap_err().0, 4401);
    let told = tokio::time::timeout(Duration::from_secs(10), ended).await.unwrap().unwrap().unwrap();
    assert!(told.contains("game_started"), "{told}");
}

#[tokio::test]
async fn passwords_and_tokens_are_nowhere_in_the_database() {
    let door = Door::open().await;
    let guest = door.post_keyed("/v1/guests", None, "key-1", json!({})).await.signed();
    let named = json!({"name": "Nora", "password": "correct horse"});
    let account = door.post_keyed("/v1/accounts", None, "key-2", named).await.signed();
    let bot = json!({"label": "bot", "scopes": ["play"]});
    let bot = door.post_keyed("/v1/tokens", Some(&account), "key-3", bot).await.ok(201);
    for secret in [&guest.token, &account.token, bot["token"].as_str().unwrap(), "correct horse", "key-1"] {
        for table in ["gateway_player", "gateway_token", "gateway_answer"] {
            assert!(!dump(&door, table).await.contains(secret), "{table} holds {secret}");
        }
    }
    assert!(dump(&door, "gateway_player").await.contains("$argon2id$"));
}

async fn dump(door: &Door, table: &str) -> String {
    use sqlx::{Column as _, Row as _, ValueRef as _};
    let query = sqlx::AssertSqlSafe(format!("select * from {table}"));
    let rows = sqlx::query(query).fetch_all(&door.sqlite.sqlite.reader).await.unwrap();
    assert!(!rows.is_empty(), "{table} is empty");
    let mut text = String::new();
    for row in &rows {
        for column in row.columns() {
            if !row.try_get_raw(column.ordinal()).unwrap().is_null() {
                let bytes: Vec<u8> = row.try_get_unchecked(column.ordinal()).unwrap_or_default();
                text.push_str(&String::from_utf8_lossy(&bytes));
                text.push('\n');
            }
        }
    }
    text
}

#[tokio::test]
async fn play_goes_on_from_the_cache_while_the_database_is_away() {
    let mut config = config();
    config.pace.token_fresh = Duration::ZERO;
    let door = Door::open_with(config).await;
    let guest = door.guest("Sunny").await;
    let game = door.fake.add_game(&[&guest.id], false, false);
    let path = format!("/v1/games/{game}");
    door.get(&path, Some(&guest)).await.ok(200);
    door.sqlite.sqlite.reader.close().await;
    door.get(&path, Some(&guest)).await.ok(200);
    let mut stranger = guest.clone();
    stranger.token = "A".repeat(43);
    door.get(&path, Some(&stranger)).await.refused(503, "UNAVAILABLE");
}

#[tokio::test]
async fn signing_up_is_limited_and_says_when_to_come_back() {
    let mut config = config();
    config.limits = true;
    let door = Door::open_with(config).await;
    let mut refused = None;
    for _ in 0..40 {
        let answer = door.post("/v1/guests", None, json!({})).await;
        if answer.status != 201 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("a limit");
    refused.refused(429, "RATE_LIMITED");
    let wait: u64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=4).contains(&wait));
    // Others are not held up by it, and an address as a whole is limited too.
    door.get("/v1/time-controls", None).await.ok(200);
    door.is_limited("/v1/rules", None).await;
}

/// Whoever guesses from many addresses is slowed down by the account's name, whether or not there is one.
#[tokio::test]
async fn guessing_at_one_account_is_limited_from_everywhere() {
    let trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    let door = Door::open_with(Config { limits: true, trusted_proxies, ..config() }).await;
    let guess = async |number: u32, name: &str| {
        let guess = door.call("POST", "/v1/sessions").json(&json!({"name": name, "password": "wrong horse"}));
        Answer::of(guess.header("x-forwarded-for", format!("192.0.2.{number}"))).await
    };
    for number in 0..20 {
        guess(number, "Nora").await.refused(401, "UNAUTHENTICATED");
    }
    let mut refused = 0;
    for number in 20..25 {
        refused += u32::from(guess(number, "nora").await.status == 429);
    }
    assert!(refused >= 3, "{refused} of 5 were refused");
    guess(30, "Other").await.refused(401, "UNAUTHENTICATED");
}
