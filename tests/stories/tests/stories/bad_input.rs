use reqwest::Method;
use serde_json::{Value, json};
use stories::{Answer, Caller, Platform, Player, Table};

const START: &str = "R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-3,yR,yN,yB,yK,yQ,yB,yN,yR,3/3,yP,yP,yP,yP,yP,yP,yP,yP,3/14/\
    gR,gP,10,bP,bR/gN,gP,10,bP,bN/gB,gP,10,bP,bB/gQ,gP,10,bP,bK/gK,gP,10,bP,bQ/gB,gP,10,bP,bB/gN,gP,10,bP,bN/\
    gR,gP,10,bP,bR/14/3,rP,rP,rP,rP,rP,rP,rP,rP,3/3,rR,rN,rB,rQ,rK,rB,rN,rR,3";
const NOBODYS_ID: &str = "0192f0c1-2345-7abc-8def-0123456789ab";

/// Four at a table; whatever is tried, their game is untouched.
struct Scene {
    platform: Platform,
    table: Table,
    before: Value,
}

impl Scene {
    async fn set() -> Scene {
        let platform = Platform::start().await;
        let table = Table::of_guests(&platform, "10+5").await;
        let before = table.play(&["d2-d3", "m4-l4"]).await;
        Scene { platform, table, before }
    }

    fn red(&self) -> &Player {
        self.table.player("red")
    }

    async fn end(self) {
        let after = self.table.state().await;
        for member in ["v", "ply", "fen4", "status", "turn"] {
            assert_eq!(after[member], self.before[member], "{member}");
        }
        let me = self.red().get("/v1/me").await.ok();
        assert_eq!((&me["ticket"], me["games"].as_array().unwrap().len()), (&Value::Null, 1), "nothing was made");
        assert!(!self.platform.log().contains("panicked"), "{}", self.platform.log());
    }
}

fn wishes(time_control: &Value) -> Value {
    let open = json!({"open": true});
    json!({"time_control": time_control, "seats": {"red": {"me": true}, "blue": open, "yellow": open, "green": open}})
}

async fn raw(caller: &Caller, path: &str, media: &str, body: impl Into<reqwest::Body>) -> Answer {
    caller.send(caller.request(Method::POST, path).header("content-type", media).body(body)).await
}

#[tokio::test]
async fn positions_that_are_none() {
    let scene = Scene::set().await;
    let replaced = [
        ("R-0,0,0,0", "P-0,0,0,0"),
        ("R-0,0,0,0", "R-0,0,0"),
        ("R-0,0,0,0", "R-0,0,0,2"),
        ("R-0,0,0,0", "R-1,0,0,0"),
        ("1,1,1,1-1,1,1,1", "1,1,1,1-1,1,1,x"),
        ("0,0,0,0-0-3", "0,0,0,10000-0-3"),
        ("0,0,0,0-0-3", "0,0,0,-1-0-3"),
        ("0,0,0,0-0-3", "0,0,0,0-x-3"),
        ("0,0,0,0-0-3", "0,0,0,0-0-{'resigned':(true,true)}-3"),
        ("0,0,0,0-0-3", "0,0,0,0-0-{'frozen':('1','','','')}-3"),
        ("0,0,0,0-0-3", "0,0,0,0-0-{'stalemated':(true,false,false,false)}-3"),
        ("0,0,0,0-0-3", "0,0,0,0-0-{'resigned':(true,true,true,false)}-3"),
        ("0,0,0,0-0-3", "0,0,0,0-200-3"),
        ("/14/3,rP", "/13/3,rP"),
        ("/14/3,rP", "/3,rP"),
        ("/14/3,rP", "/15/3,rP"),
        ("/14/3,rP", "/zZ,13/3,rP"),
        ("/14/3,rP", "/rK,13/3,rP"),
        ("3,rR,rN", "rR,2,rR,rN"),
        ("rQ,rK,rB", "rQ,rQ,rB"),
        ("3,rR,rN,rB", "3,rP,rN,rB"),
        ("3,rR,rN,rB", "3,drR,rN,rB"),
        ("/14/gR", "/7,rP,6/gR"),
    ];
    let mut bad: Vec<String> = replaced.iter().map(|(from, to)| START.replacen(from, to, 1)).collect();
    assert!(bad.iter().all(|fen4| fen4 != START), "every replacement replaces");
    bad.extend(["", "R", "hello", "----", "R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-", "\u{0}", "🤴"].map(str::to_owned));
    bad.push(format!("{START}/14"));
    bad.push(START.repeat(40));
    let red = scene.red();
    let mut wishes = wishes(&json!("3+2"));
    for fen4 in &bad {
        assert!(
            rules::Game::from_fen4(fen4).is_err() || rules::Game::from_fen4(fen4).unwrap().0.over().is_some(),
            "{fen4}"
        );
        wishes["start_fen4"] = json!(fen4);
        red.post("/v1/games", &wishes).await.refused(400, "BAD_POSITION");
    }
    for fen4 in [json!(7), json!([]), json!({"fen4": START}), json!(false)] {
        wishes["start_fen4"] = fen4;
        red.post("/v1/games", &wishes).await.refused(400, "BAD_REQUEST");
    }
    scene.end().await;
}

#[tokio::test]
async fn moves_that_are_none() {
    let scene = Scene::set().await;
    let (yellow, game) = (scene.table.player("yellow"), scene.table.game.clone());
    for text in [
        "",
        "h2",
        "h2h4",
        "h2-",
        "-h4",
        "h2-h4-h6",
        "z9-z8",
        "h0-h4",
        "h15-h16",
        "H13-H12",
        "resign",
        "0-0-0-0",
        "\u{0}",
        "h13-h12=N",
        "h13-h12=",
        "♔",
        "h13 - h12",
        "hhhhhhhhhhhhhhhhhhhhhhhhhhhh",
    ] {
        let refusal = yellow.play(&game, 2, text).await;
        let expected = if refusal.status == 422 { (422, "ILLEGAL_MOVE") } else { (400, "BAD_REQUEST") };
        refusal.refused(expected.0, expected.1);
    }
    for text in ["h13-h10", "h13-g12", "g14-g12", "d2-d4", "d3-d4", "a7-a8", "O-O", "O-O-O", "h8-h9"] {
        assert_eq!(yellow.play(&game, 2, text).await.refused(422, "ILLEGAL_MOVE")["ply"], 2, "{text}");
    }
    let path = format!("/v1/games/{game}/moves");
    for body in [
        json!({}),
        json!({"ply": 2}),
        json!({"move": "h13-h12"}),
        json!({"ply": "2", "move": "h13-h12"}),
        json!({"ply": -1, "move": "h13-h12"}),
        json!({"ply": 2.5, "move": "h13-h12"}),
        json!({"ply": 1e30, "move": "h13-h12"}),
        json!({"ply": null, "move": "h13-h12"}),
        json!({"ply": 2, "move": 13}),
        json!({"ply": 2, "move": null}),
        json!({"ply": 2, "move": ["h13", "h12"]}),
        json!([2, "h13-h12"]),
        json!("h13-h12"),
        Value::Null,
    ] {
        yellow.post(&path, &body).await.refused(400, "BAD_REQUEST");
    }
    yellow.play(&game, 1, "h13-h12").await.refused(409, "STALE_PLY");
    yellow.play(&game, 3, "h13-h12").await.refused(409, "STALE_PLY");
    yellow.play(&game, u64::from(u32::MAX), "h13-h12").await.refused(409, "STALE_PLY");
    yellow.play(NOBODYS_ID, 2, "h13-h12").await.refused(404, "NOT_FOUND");
    scene.end().await;
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
