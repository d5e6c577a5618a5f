use reqwest::Method;
use serde_json::json;
use stories::{Answer, Caller, Player};

use crate::untouched::{NOBODYS_ID, Scene, wishes};

async fn raw(caller: &Caller, path: &str, media: &str, body: impl Into<reqwest::Body>) -> Answer {
    caller.send(caller.request(Method::POST, path).header("content-type", media).body(body)).await
}

#[tokio::test]
async fn ids_that_are_none() {
    let scene = Scene::set().await;
    let red = scene.red();
    for id in [
        "1",
        "nonsense",
        "..%2F..%2Fetc",
        "%00",
        "%F0%9F%A4%B4",
        NOBODYS_ID,
        &"9".repeat(3000),
        "0192f0c1-2345-7abc-8def-0123456789a",
    ] {
        for path in [
            "/v1/games/{}",
            "/v1/games/{}/events",
            "/v1/games/{}/export",
            "/v1/tickets/{}",
            "/v1/players/{}",
            "/v1/players/{}/ratings",
            "/v1/players/{}/games",
            "/v1/players/{}/rating-history",
            "/v1/invites/{}",
            "/v1/leaderboards/{}",
        ] {
            red.get(&path.replace("{}", id)).await.refused(404, "NOT_FOUND");
        }
        for path in ["/v1/games/{}/resignation", "/v1/games/{}/rematch"] {
            red.post(&path.replace("{}", id), &json!({})).await.refused(404, "NOT_FOUND");
        }
        red.delete(&format!("/v1/tickets/{id}")).await.refused(404, "NOT_FOUND");
        red.delete(&format!("/v1/games/{id}/seats/me")).await.refused(404, "NOT_FOUND");
        red.sit(id, "code", None).await.refused(404, "NOT_FOUND");
    }
    scene.end().await;
}

#[tokio::test]
async fn tokens_that_are_none() {
    let scene = Scene::set().await;
    let (visitor, token) = (scene.platform.visitor(), scene.red().token().to_owned());
    let path = format!("/v1/games/{}/moves", scene.table.game);
    let longer = format!("Bearer {token}A");
    let shorter = format!("Bearer {}", &token[..token.len() - 1]);
    for value in [
        "",
        "Bearer",
        "Bearer ",
        "Basic abc",
        &token,
        "Bearer a b",
        "Bearer ä",
        &longer,
        &shorter,
        &format!("Bearer {}", "A".repeat(5000)),
        "bearer.xyz",
    ] {
        let request = visitor.request(Method::POST, &path).header("authorization", value.as_bytes());
        let answer = visitor.send(request.json(&json!({"ply": 2, "move": "h13-h12"}))).await;
        answer.refused(401, "UNAUTHENTICATED");
    }
    for path in ["/v1/me", "/v1/me/events", "/v1/tokens", &format!("/v1/tickets/{NOBODYS_ID}")] {
        visitor.get(path).await.refused(401, "UNAUTHENTICATED");
        // A wrong token is not the same as none, even where none is needed.
        visitor.with_token("AAAA").get(path).await.refused(401, "UNAUTHENTICATED");
    }
    scene.end().await;
}

#[tokio::test]
async fn time_controls_that_are_none() {
    let scene = Scene::set().await;
    let red = scene.red();
    for control in [
        json!(""),
        json!("3"),
        json!("3+"),
        json!("+2"),
        json!("3+2x"),
        json!("3+2dd"),
        json!("-1+2"),
        json!("0+0"),
        json!("0.04+1"),
        json!("180.1+0"),
        json!("3+181"),
        json!("NaN+0"),
        json!("inf+0"),
        json!("1e2+0"),
        json!("3 + 2"),
        json!("٣+٢"),
        json!("3+2+1"),
        json!("3+2.5"),
        json!("3,5+2"),
        json!("9".repeat(400)),
        json!(3),
        json!(null),
        json!({"minutes": 3}),
    ] {
        red.post("/v1/games", &wishes(&control)).await.refused(400, "BAD_REQUEST");
        red.post("/v1/tickets", &json!({"time_control": control, "rated": true})).await.refused(400, "BAD_REQUEST");
    }
    // A good one that is not on the list.
    red.ticket("7+7", true).await.refused(400, "BAD_REQUEST");
    for body in [json!({"time_control": "3+2"}), json!({"time_control": "3+2", "rated": "yes"}), json!({"rated": true})]
    {
        red.post("/v1/tickets", &body).await.refused(400, "BAD_REQUEST");
    }
    scene.end().await;
}

#[tokio::test]
async fn pages_and_questions_that_are_none() {
    let scene = Scene::set().await;
    let red = scene.red();
    let (id, game) = (red.id.clone(), scene.table.game.clone());
    for list in [
        "/v1/games?",
        "/v1/games?status=over&",
        "/v1/leaderboards/blitz?",
        "/v1/leaderboards/blitz?provisional=true&",
        &format!("/v1/players/{id}/games?"),
        &format!("/v1/players/{id}/rating-history?"),
    ] {
        for query in [
            "limit=0",
            "limit=101",
            "limit=-1",
            "limit=x",
            "limit=",
            "cursor=nonsense",
            "cursor=%00",
            "cursor=AAAA",
            "cursor=%F0%9F%A4%B4",
            // A leaderboard's cursor that claims to have seen every rank there can be.
            "cursor=Ym9hcmQtYmxpdHotYWxsIDQ2NTQ0MjkxNjY0NTMzMDM5NzkgMDAwMDAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDAxIDQyOTQ5NjcyOTU",
            &format!("cursor={}", "9".repeat(2000)),
        ] {
            red.get(&format!("{list}{query}")).await.refused(400, "BAD_REQUEST");
        }
    }
    for path in [
        "/v1/games?status=lost".to_owned(),
        format!("/v1/games/{game}?include=everything"),
        format!("/v1/games/{game}/export?format=xml"),
        format!("/v1/players/{id}/rating-history?class=classical"),
        "/v1/leaderboards/blitz?provisional=maybe".to_owned(),
        "/v1/rules?lang=xx".to_owned(),
    ] {
        red.get(&path).await.refused(400, "BAD_REQUEST");
    }
    red.get("/v1/leaderboards/classical").await.refused(404, "NOT_FOUND");
    let ticket = red.ticket("3+2", true).await.expect(201)["id"].as_str().unwrap().to_owned();
    for wait in ["26", "-1", "x", "1.5"] {
        red.get(&format!("/v1/tickets/{ticket}?wait_s={wait}")).await.refused(400, "BAD_REQUEST");
    }
    red.delete(&format!("/v1/tickets/{ticket}")).await.expect(204);
    scene.end().await;
}

#[tokio::test]
async fn bodies_that_are_none() {
    let scene = Scene::set().await;
    let (red, visitor) = (scene.red(), scene.platform.visitor());
    let moves = format!("/v1/games/{}/moves", scene.table.game);
    let paths = [moves.as_str(), "/v1/games", "/v1/tickets", "/v1/accounts", "/v1/sessions"];
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for path in paths {
        for body in ["", "{", "nonsense", "[]", "null", "7", "\"text\"", "{} {}", "{\"a\":}", deep.as_str()] {
            raw(red, path, "application/json", body.to_owned()).await.refused(400, "BAD_REQUEST");
        }
        raw(red, path, "application/json", &b"\xff\xfe{}"[..]).await.refused(400, "BAD_REQUEST");
        for media in
            ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml", "json", ""]
        {
            raw(red, path, media, "{\"ply\":2,\"move\":\"h13-h12\"}").await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
        }
        let large = format!("{{\"name\":\"{}\"}}", "x".repeat(1 << 20));
        raw(red, path, "application/json", large).await.refused(413, "TOO_LARGE");
    }
    // Without a length the platform finds out by reading.
    let chunks = futures::stream::iter((0..64).map(|_| Ok::<_, std::io::Error>(" ".repeat(16_384))));
    raw(red, &moves, "application/json", reqwest::Body::wrap_stream(chunks)).await.refused(413, "TOO_LARGE");

    for name in [
        json!("ab"),
        json!("x".repeat(21)),
        json!("a b"),
        json!("zoë"),
        json!("<b>"),
        json!(""),
        json!(7),
        json!(["a"]),
    ] {
        visitor.post("/v1/guests", &json!({"name": name})).await.refused(400, "BAD_REQUEST");
        visitor
            .post("/v1/accounts", &json!({"name": name, "password": Player::PASSWORD}))
            .await
            .refused(400, "BAD_REQUEST");
    }
    for password in [json!(""), json!("short"), json!(7), json!(null), json!("x".repeat(5_000))] {
        visitor.post("/v1/accounts", &json!({"name": "Grace", "password": password})).await.refused(400, "BAD_REQUEST");
    }
    for seats in [
        json!(null),
        json!([]),
        json!({}),
        json!({"red": {"me": true}}),
        json!({"red": 1, "blue": 1, "yellow": 1, "green": 1}),
        json!({"red": {"me": true}, "blue": {"me": true}, "yellow": {"open": true}, "green": {"open": true}}),
        json!({"red": {"me": true}, "blue": null, "yellow": {"open": true}, "green": {"open": true}}),
        json!({"red": {"me": true}, "blue": {"open": false}, "yellow": {"open": true}, "green": {"open": true}}),
        json!({"red": {"computer": "genius"}, "blue": {"open": true}, "yellow": {"open": true}, "green": {"open": true}}),
    ] {
        red.post("/v1/games", &json!({"time_control": "3+2", "seats": seats})).await.refused(400, "BAD_REQUEST");
    }
    let mut visible = wishes(&json!("3+2"));
    visible["visibility"] = json!("secret");
    red.post("/v1/games", &visible).await.refused(400, "BAD_REQUEST");
    for body in [
        json!({}),
        json!({"invite_code": 7}),
        json!({"invite_code": ""}),
        json!({"invite_code": "x", "seat": "purple"}),
    ] {
        red.post(&format!("/v1/games/{}/seats", scene.table.game), &body).await.refused(400, "BAD_REQUEST");
    }
    scene.end().await;
}

#[tokio::test]
async fn paths_and_methods_that_are_none() {
    let scene = Scene::set().await;
    let red = scene.red();
    for path in ["/v1", "/v1/", "/v1/nothing", "/v1/games/", "/v2/games", "/v1/games/x/y/z", "/v1//games", "/v1/me/"] {
        red.get(path).await.refused(404, "NOT_FOUND");
        red.post(path, &json!({})).await.refused(404, "NOT_FOUND");
    }
    for (method, path) in [
        (Method::PUT, "/v1/games"),
        (Method::DELETE, "/v1/games"),
        (Method::PATCH, "/v1/me"),
        (Method::POST, "/v1/me"),
        (Method::GET, "/v1/guests"),
        (Method::GET, "/v1/sessions/current"),
        (Method::from_bytes(b"BREW").unwrap(), "/v1/games"),
    ] {
        let answer = red.send(red.request(method, path)).await;
        assert!(!answer.header("allow").is_empty(), "{}: which methods are allowed", answer.asked);
        answer.refused(405, "METHOD_NOT_ALLOWED");
    }
    let many = red.request(Method::GET, "/v1/me").header("x-long", "x".repeat(60_000));
    let answer = red.send(many).await;
    assert_eq!(answer.status, 431, "{}", answer.text);
    scene.end().await;
}
