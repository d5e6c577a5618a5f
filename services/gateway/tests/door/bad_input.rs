use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::door::{Answer, Door, config, with};

#[tokio::test]
async fn malformed_bodies_name_their_field() {
    let door = Door::open().await;
    let owner = door.account("Owner").await;
    let game = door.fake.add_game(&[&owner.id], true, false);
    let moves = format!("/v1/games/{game}/moves");
    let seats = format!("/v1/games/{game}/seats");
    let open = json!({"open": true});
    let all_open = json!({"red": open, "blue": open, "yellow": open, "green": open});
    let long = "x".repeat(5_000);
    let table: Vec<(&str, Value, &str)> = vec![
        ("/v1/guests", json!({"name": 7}), "name"),
        ("/v1/guests", json!({"name": "ab"}), "name"),
        ("/v1/guests", json!({"name": "a b c"}), "name"),
        ("/v1/guests", json!({"name": "x".repeat(21)}), "name"),
        ("/v1/guests", json!([]), "body"),
        ("/v1/accounts", json!({"name": "Abc"}), "password"),
        ("/v1/accounts", json!({"name": "Abc", "password": "short"}), "password"),
        ("/v1/accounts", json!({"name": "Abc", "password": "x".repeat(201)}), "password"),
        ("/v1/accounts", json!({"name": "Zoë", "password": "correct horse"}), "name"),
        ("/v1/sessions", json!({"name": "Abc"}), "password"),
        ("/v1/tokens", json!({"label": "", "scopes": ["read"]}), "label"),
        ("/v1/tokens", json!({"label": "a\u{7}", "scopes": ["read"]}), "label"),
        ("/v1/tokens", json!({"label": "a", "scopes": []}), "scopes"),
        ("/v1/tokens", json!({"label": "a", "scopes": ["write"]}), "scopes[0]"),
        ("/v1/tickets", json!({"time_control": "3", "rated": true}), "time_control"),
        ("/v1/tickets", json!({"time_control": "9+9", "rated": true}), "time_control"),
        ("/v1/tickets", json!({"time_control": "3+2"}), "rated"),
        ("/v1/tickets", json!({"time_control": "3+2", "rated": "yes"}), "rated"),
        ("/v1/tickets", json!({"time_control": "3+2", "rated": true, "fill_with_computers_after_s": -1}), "fill_with"),
        (
            "/v1/tickets",
            json!({"time_control": "3+2", "rated": true, "fill_with_computers_after_s": 9999}),
            "fill_with",
        ),
        ("/v1/games", json!({"time_control": "3+2"}), "seats"),
        ("/v1/games", json!({"time_control": "0.01+0", "seats": all_open}), "time_control"),
        ("/v1/games", json!({"time_control": "3+2", "seats": all_open, "visibility": "secret"}), "visibility"),
        ("/v1/games", json!({"time_control": "3+2", "seats": {"red": open}}), "seats.blue"),
        ("/v1/games", json!({"time_control": "3+2", "seats": all_open, "start_fen4": 3}), "start_fen4"),
        ("/v1/games", json!({"time_control": "3+2", "seats": [open, open, open, open]}), "seats"),
        (&moves, json!([0, "h2-h4"]), "body"),
        (&moves, json!({"move": "h2-h4"}), "ply"),
        (&moves, json!({"ply": -1, "move": "h2-h4"}), "ply"),
        (&moves, json!({"ply": 0.5, "move": "h2-h4"}), "ply"),
        (&moves, json!({"ply": 4_294_967_296_u64, "move": "h2-h4"}), "ply"),
        (&moves, json!({"ply": 0}), "move"),
        (&moves, json!({"ply": 0, "move": ""}), "move"),
        (&moves, json!({"ply": 0, "move": long}), "move"),
        (&seats, json!({}), "invite_code"),
        (&seats, json!({"invite_code": ""}), "invite_code"),
        (&seats, json!({"invite_code": "C", "seat": "purple"}), "seat"),
    ];
    for (path, body, field) in table {
        let told = door.post(path, Some(&owner), body.clone()).await.refused(400, "BAD_REQUEST");
        assert!(told.contains(field), "{path} {body}: {told}");
    }
    for start_fen4 in [String::new(), long] {
        let body = json!({"time_control": "3+2", "seats": all_open, "start_fen4": start_fen4});
        door.post("/v1/games", Some(&owner), body).await.refused(400, "BAD_POSITION");
    }
    for name in ["create_game", "open_ticket", "make_move", "take_seat"] {
        assert_eq!(door.fake.calls(name), 0, "{name}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_told_in_terms_of_json() {
    let door = Door::open().await;
    let me = door.account("Owner").await;
    let moves = format!("/v1/games/{}/moves", door.fake.add_game(&[&me.id], true, false));
    for (path, body, told) in [
        ("/v1/guests", r#""x""#, "body: invalid type: string \"x\", expected an object at line 1"),
        ("/v1/guests", r#"{"na"#, "body: EOF while parsing"),
        ("/v1/guests", r#"{"name": tru"#, "name: "),
        ("/v1/sessions", "3", "body: invalid type: integer `3`, expected an object at line 1"),
        (&moves, r#"{"ply": 0, "move": {"from": 1}}"#, "move: invalid type: object, expected a string"),
        (
            &moves,
            r#"{"ply": [], "move": "h2-h4"}"#,
            "ply: invalid type: array, expected a whole number from 0 to 4294967295",
        ),
        (&moves, r#"{"ply": -1, "move": "h2-h4"}"#, "expected a whole number from 0 to 4294967295"),
        (&moves, r#"{"ply": 0, "ply": 1, "move": "h2-h4"}"#, "more than one `ply`"),
        (
            "/v1/tokens",
            r#"{"label": "a", "scopes": ["fly"]}"#,
            "scopes[0]: unknown value `fly`, expected `read` or `play`",
        ),
        ("/v1/tokens", r#"{"label": "a", "scopes": "read"}"#, "expected an array"),
        ("/v1/games", r#"{"time_control": "3+2", "seats": []}"#, "seats: invalid type: array, expected an object"),
        ("/v1/games", r#"{"time_control": "3+2", "seats": {"red": 1}}"#, "seats.red: must be an object"),
        ("/v1/games", r#"{"time_control": "3+2", "seats": {"red": "#, "seats.red: "),
    ] {
        let request = with(door.call("POST", path), Some(&me)).header("content-type", "application/json");
        let detail = Answer::of(request.body(body)).await.refused(400, "BAD_REQUEST");
        assert!(detail.contains(told), "{body}: {detail}");
        assert!(!detail.contains("struct") && !detail.contains('?'), "{body}: {detail}");
    }
}

#[tokio::test]
async fn malformed_json_and_media_types() {
    let door = Door::open().await;
    let cases: [(&str, &[u8], u16, &str); 12] = [
        ("application/json", b"{", 400, "BAD_REQUEST"),
        ("application/json", b"{} {}", 400, "BAD_REQUEST"),
        ("application/json", b"{\"name\":\"Abc\",\"name\":\"Abd\"}", 400, "BAD_REQUEST"),
        ("application/json", b"{\"name\":\"\xff\"}", 400, "BAD_REQUEST"),
        ("application/json", b"null", 400, "BAD_REQUEST"),
        ("application/json", &[b'['; 10_000], 400, "BAD_REQUEST"),
        ("application/json; charset=utf-8", b"{\"name\":\"Abc\"}", 201, ""),
        ("application/merge-patch+json", b"{\"name\":\"Abc\"}", 201, ""),
        ("application/json", b"{\"unknown\":{\"field\":1}}", 201, ""),
        ("text/plain", b"{}", 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("application/x-www-form-urlencoded", b"name=Abc", 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("", b"{}", 415, "UNSUPPORTED_MEDIA_TYPE"),
    ];
    for (kind, body, status, code) in cases {
        let request = door.call("POST", "/v1/guests").header("content-type", kind).body(body.to_vec());
        let answer = Answer::of(request).await;
        assert_eq!(
            answer.status,
            status,
            "{kind} {:?}: {:?}",
            String::from_utf8_lossy(&body[..body.len().min(30)]),
            answer.body
        );
        if status >= 400 {
            answer.refused(status, code);
        }
    }
    let empty = Answer::of(door.call("POST", "/v1/sessions")).await;
    empty.refused(415, "UNSUPPORTED_MEDIA_TYPE");
}

#[tokio::test]
async fn what_is_too_large_or_too_slow_is_refused() {
    let door = Door::open().await;
    let large = json!({"name": "Abc", "padding": "x".repeat(70_000)});
    door.post("/v1/guests", None, large).await.refused(413, "TOO_LARGE");
    let huge = json!({"name": "Abc", "padding": "x".repeat(2_000_000)});
    door.post("/v1/guests", None, huge).await.refused(413, "TOO_LARGE");
    let fits = json!({"name": "Abc", "padding": "x".repeat(60_000)});
    door.post("/v1/guests", None, fits).await.ok(201);
    // What is declared is refused before it comes.
    let mut wire = TcpStream::connect(&door.address).await.unwrap();
    wire.write_all(b"POST /v1/guests HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    wire.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("TOO_LARGE"), "{answer}");
    for length in [13_000, 40_000] {
        let heavy = door.call("GET", "/v1/rules").header("x-heavy", "x".repeat(length));
        Answer::of(heavy).await.refused(431, "HEADERS_TOO_LARGE");
    }
    // Without a declared length it is counted as it comes.
    let chunks = futures::stream::iter((0..10).map(|_| Ok::<_, std::io::Error>(vec![b' '; 10_000])));
    let streamed = door.call("POST", "/v1/guests").header("content-type", "application/json");
    Answer::of(streamed.body(reqwest::Body::wrap_stream(chunks))).await.refused(413, "TOO_LARGE");
    let never = futures::stream::pending::<Result<Vec<u8>, std::io::Error>>();
    let slow = door.call("POST", "/v1/guests").header("content-type", "application/json");
    Answer::of(slow.body(reqwest::Body::wrap_stream(never))).await.refused(408, "REQUEST_TIMEOUT");
}

#[tokio::test]
async fn a_body_that_is_not_needed_must_make_sense() {
    let door = Door::open().await;
    let me = door.account("Owner").await;
    let game = door.fake.add_game(&[&me.id], true, false);
    let large = format!("{{}}{}", " ".repeat(70_000));
    for (method, path) in [
        ("POST", format!("/v1/games/{game}/resignation")),
        ("POST", format!("/v1/games/{game}/rematch")),
        ("DELETE", format!("/v1/games/{game}/seats/me")),
        ("DELETE", format!("/v1/tickets/{game}")),
        ("DELETE", format!("/v1/tokens/{game}")),
        ("DELETE", "/v1/sessions/current".to_owned()),
    ] {
        for (body, status, code) in [
            ("[]", 400, "BAD_REQUEST"),
            ("[[", 400, "BAD_REQUEST"),
            ("null", 400, "BAD_REQUEST"),
            (r#"{"a":1}x"#, 400, "BAD_REQUEST"),
            (&large, 413, "TOO_LARGE"),
        ] {
            let request = with(door.call(method, &path), Some(&me)).header("content-type", "application/json");
            Answer::of(request.body(body.to_owned())).await.refused(status, code);
        }
    }
    for name in ["resign", "rematch", "leave_seat", "cancel_ticket"] {
        assert_eq!(door.fake.calls(name), 0, "{name}");
    }
    let resignation = format!("/v1/games/{game}/resignation");
    door.post(&resignation, Some(&me), json!({})).await.ok(200);
    Answer::of(with(door.call("POST", &resignation), Some(&me))).await.ok(200);
}

#[tokio::test]
async fn a_connection_outlives_a_refusal() {
    let mut patient = config();
    patient.pace.body = std::time::Duration::from_secs(60);
    let door = Door::open_with(patient).await;
    // More than waits in any buffer when the refusal is known.
    let body = " ".repeat(1_000_000);
    for (head, status) in [
        ("POST /v1/tickets HTTP/1.1\r\nAuthorization: Bearer x", "401"),
        ("POST /v1/nothing HTTP/1.1", "404"),
        ("PUT /v1/games HTTP/1.1", "405"),
        ("POST /v1/guests HTTP/1.1\r\nContent-Type: application/json\r\nIdempotency-Key: a b", "400"),
        ("POST /v1/guests HTTP/1.1\r\nContent-Type: application/json", "413"),
    ] {
        let first = format!("{head}\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let second = "GET /v1/time-controls HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        let mut wire = TcpStream::connect(&door.address).await.unwrap();
        wire.write_all(format!("{first}{second}").as_bytes()).await.unwrap();
        let mut told = String::new();
        wire.read_to_string(&mut told).await.unwrap();
        let answers: Vec<&str> = told.split("HTTP/1.1 ").skip(1).map(|answer| &answer[..3]).collect();
        assert_eq!(answers, [status, "200"], "{head}");
    }
}

#[tokio::test]
async fn a_refusal_waits_for_no_body_that_never_comes() {
    let door = Door::open().await;
    let mut wire = TcpStream::connect(&door.address).await.unwrap();
    wire.write_all(b"POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n").await.unwrap();
    let mut told = String::new();
    wire.read_to_string(&mut told).await.unwrap();
    assert!(told.starts_with("HTTP/1.1 404") && told.contains("connection: close"), "{told}");
}

#[tokio::test]
async fn malformed_ids_queries_and_paths() {
    let door = Door::open().await;
    let me = door.guest("Sunny").await;
    let game = door.fake.add_game(&[&me.id], true, false);
    let upper = game.to_uppercase();
    let table: Vec<(String, u16, &str)> = vec![
        ("/v1/games/nonsense".to_owned(), 404, "NOT_FOUND"),
        (format!("/v1/games/{upper}"), 404, "NOT_FOUND"),
        ("/v1/games/%ff".to_owned(), 404, "NOT_FOUND"),
        (format!("/v1/games/{game}?include=everything"), 400, "BAD_REQUEST"),
        (format!("/v1/games/{game}/events?after=-1"), 400, "BAD_REQUEST"),
        (format!("/v1/games/{game}/events?after=x"), 400, "BAD_REQUEST"),
        (format!("/v1/games/{game}/events?after=1&after=2"), 400, "BAD_REQUEST"),
        (format!("/v1/games/{game}/events?after=18446744073709551616"), 400, "BAD_REQUEST"),
        ("/v1/games?limit=0".to_owned(), 400, "BAD_REQUEST"),
        ("/v1/games?limit=101".to_owned(), 400, "BAD_REQUEST"),
        ("/v1/games?limit=ten".to_owned(), 400, "BAD_REQUEST"),
        (format!("/v1/games?cursor={}", "x".repeat(600)), 400, "BAD_REQUEST"),
        ("/v1/games?status=lost".to_owned(), 400, "BAD_REQUEST"),
        ("/v1/tickets/nonsense".to_owned(), 404, "NOT_FOUND"),
        (format!("/v1/tickets/{game}?wait_s=26"), 400, "BAD_REQUEST"),
        (format!("/v1/tickets/{game}?wait_s=-1"), 400, "BAD_REQUEST"),
        (format!("/v1/tickets/{game}"), 404, "NOT_FOUND"),
        ("/v1/invites/NOTHING".to_owned(), 404, "NOT_FOUND"),
        (format!("/v1/invites/{}", "x".repeat(100)), 404, "NOT_FOUND"),
        ("/v1/players/nonsense".to_owned(), 404, "NOT_FOUND"),
        (format!("/v1/players/{game}"), 404, "NOT_FOUND"),
        (format!("/v1/players/{game}/ratings"), 404, "NOT_FOUND"),
        (format!("/v1/players/{}/rating-history?class=slow", me.id), 400, "BAD_REQUEST"),
        (format!("/v1/players/{}/games?status=lost", me.id), 400, "BAD_REQUEST"),
        ("/v1/leaderboards/slow".to_owned(), 404, "NOT_FOUND"),
        ("/v1/leaderboards/blitz?provisional=maybe".to_owned(), 400, "BAD_REQUEST"),
        ("/v1/rules?lang=xx".to_owned(), 400, "BAD_REQUEST"),
        ("/v1".to_owned(), 404, "NOT_FOUND"),
        ("/v1/nothing".to_owned(), 404, "NOT_FOUND"),
        ("/v1/games/".to_owned(), 404, "NOT_FOUND"),
        ("/no-such-page".to_owned(), 404, "NOT_FOUND"),
        ("/../../etc/passwd".to_owned(), 404, "NOT_FOUND"),
        ("/%2e%2e/%2e%2e/etc/passwd".to_owned(), 404, "NOT_FOUND"),
    ];
    for (path, status, code) in table {
        let answer = door.get(&path, Some(&me)).await;
        assert_eq!((answer.status, answer.body["code"].as_str()), (status, Some(code)), "{path}: {:?}", answer.body);
        answer.refused(status, code);
    }
    let told = door.get("/v1/games?limit=ten", None).await.refused(400, "BAD_REQUEST");
    assert!(told.contains("limit: expected a whole number"), "{told}");
    let told = door.get("/v1/games?limit=4294967296", None).await.refused(400, "BAD_REQUEST");
    assert!(told.contains("limit: the number is too large"), "{told}");
}

#[tokio::test]
async fn wrong_methods_name_the_right_ones() {
    let door = Door::open().await;
    for (method, path, allowed) in [
        ("PUT", "/v1/guests", "POST"),
        ("GET", "/v1/guests", "POST"),
        ("PATCH", "/v1/games", "GET"),
        ("POST", "/v1/rules", "GET"),
        ("DELETE", "/v1/me", "GET"),
        ("POST", "/openapi.json", "GET"),
    ] {
        let answer = Answer::of(door.call(method, path)).await;
        answer.refused(405, "METHOD_NOT_ALLOWED");
        assert!(answer.headers["allow"].to_str().unwrap().contains(allowed), "{path} {:?}", answer.headers);
    }
    Answer::of(door.call("POST", "/no-such-page")).await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn tokens_that_are_none() {
    let door = Door::open().await;
    let guest = door.guest("Sunny").await;
    let long = format!("Bearer {}", "x".repeat(5_000));
    let doubled = format!("Bearer {}, Bearer {}", guest.token, guest.token);
    let basic = format!("Basic {}", guest.token);
    let unknown = format!("Bearer {}", "A".repeat(43));
    for header in ["", "Bearer", "Bearer ", "Bearer x", &long, &doubled, &basic, &guest.token, &unknown] {
        for path in ["/v1/me", "/v1/games/0199d7a0-0000-7000-8000-000000000000"] {
            let answer = Answer::of(door.call("GET", path).header("authorization", header)).await;
            answer.refused(401, "UNAUTHENTICATED");
            assert_eq!(answer.headers["www-authenticate"], "Bearer", "{header}");
        }
    }
    door.get("/v1/me", None).await.refused(401, "UNAUTHENTICATED");
    let relaxed = door.call("GET", "/v1/me").header("authorization", format!("bearer {}", guest.token));
    assert_eq!(Answer::of(relaxed).await.status, 200);
    let _ = with(door.call("GET", "/v1/rules"), Some(&guest)).send().await.unwrap();
}

#[tokio::test]
async fn garbage_on_the_wire_ends_the_connection_and_nothing_else() {
    let door = Door::open().await;
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n",
    ] {
        let mut wire = TcpStream::connect(&door.address).await.unwrap();
        wire.write_all(garbage).await.unwrap();
        let mut answer = Vec::new();
        let _ = tokio::time::timeout(std::time::Duration::from_secs(2), wire.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    door.get("/v1/rules", None).await.ok(200);
}
