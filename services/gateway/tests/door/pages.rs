use gateway::Config;
use serde_json::Value;

use crate::door::{Answer, Door, config};

/// Every call of the contract.
const CALLS: [(&str, &str); 31] = [
    ("post", "/v1/guests"),
    ("post", "/v1/accounts"),
    ("post", "/v1/sessions"),
    ("delete", "/v1/sessions/current"),
    ("post", "/v1/tokens"),
    ("get", "/v1/tokens"),
    ("delete", "/v1/tokens/{id}"),
    ("get", "/v1/me"),
    ("get", "/v1/me/events"),
    ("get", "/v1/time-controls"),
    ("post", "/v1/tickets"),
    ("get", "/v1/tickets/{id}"),
    ("delete", "/v1/tickets/{id}"),
    ("post", "/v1/games"),
    ("get", "/v1/games"),
    ("get", "/v1/invites/{invite_code}"),
    ("post", "/v1/games/{id}/seats"),
    ("delete", "/v1/games/{id}/seats/me"),
    ("post", "/v1/games/{id}/rematch"),
    ("get", "/v1/games/{id}"),
    ("post", "/v1/games/{id}/moves"),
    ("post", "/v1/games/{id}/resignation"),
    ("get", "/v1/games/{id}/events"),
    ("get", "/v1/games/{id}/socket"),
    ("get", "/v1/games/{id}/export"),
    ("get", "/v1/players/{id}"),
    ("get", "/v1/players/{id}/ratings"),
    ("get", "/v1/players/{id}/rating-history"),
    ("get", "/v1/players/{id}/games"),
    ("get", "/v1/leaderboards/{class}"),
    ("get", "/v1/rules"),
];

#[tokio::test]
async fn the_document_describes_every_call_and_every_answer() {
    let door = Door::open().await;
    let document = door.get("/openapi.json", None).await.ok(200);
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    assert_eq!(document["info"]["title"], "Four Kingdoms");
    assert_eq!(document["components"]["securitySchemes"]["bearer"]["scheme"], "bearer");
    let mut described = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert!(CALLS.contains(&(method.as_str(), path.as_str())), "{method} {path} is not in the contract");
            described += 1;
            assert!(operation["summary"].is_string() && operation["security"].is_array(), "{method} {path}");
            let responses = operation["responses"].as_object().unwrap();
            for (status, response) in responses {
                let text = response["description"].as_str().unwrap();
                assert!(!text.is_empty(), "{method} {path} {status} has no description");
                if status.as_str() >= "400" {
                    let schema = &response["content"]["application/problem+json"]["schema"]["$ref"];
                    assert_eq!(schema, "#/components/schemas/Problem", "{method} {path} {status}");
                }
            }
            for status in ["429", "500", "503"] {
                assert!(responses.contains_key(status), "{method} {path} lacks {status}");
            }
        }
    }
    assert_eq!(described, CALLS.len());
    for (method, path) in CALLS {
        assert!(document["paths"][path][method].is_object(), "{method} {path} is missing");
    }
    references_resolve(&document, &document);
    let optional = &document["paths"]["/v1/guests"]["post"]["requestBody"];
    assert_eq!(optional["required"], false);
    assert_eq!(
        optional["content"]["application/json"]["schema"]["$ref"], "#/components/schemas/NewGuest",
        "never null"
    );
}

fn references_resolve(document: &Value, part: &Value) {
    match part {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{reference} points nowhere");
            }
            members.values().for_each(|member| references_resolve(document, member));
        }
        Value::Array(items) => items.iter().for_each(|item| references_resolve(document, item)),
        _ => {}
    }
}

#[tokio::test]
async fn the_documentation_page_needs_nothing_from_elsewhere() {
    let door = Door::open().await;
    let page = door.call("GET", "/docs/").send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("default-src 'self'"));
    let text = page.text().await.unwrap();
    for needed in ["swagger-ui.css", "swagger-ui-bundle.js", "swagger-initializer.js"] {
        assert!(text.contains(needed), "{text}");
        let file = door.call("GET", &format!("/docs/{needed}")).send().await.unwrap();
        assert_eq!(file.status(), 200, "{needed}");
    }
    assert!(!text.contains("src=\"http") && !text.contains("href=\"http"), "{text}");
    let initializer = door.call("GET", "/docs/swagger-initializer.js").send().await.unwrap().text().await.unwrap();
    assert!(initializer.contains("/openapi.json"), "{initializer}");
    assert_eq!(door.call("GET", "/docs").send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn the_web_client_is_served_with_tags_and_a_strict_policy() {
    let door = Door::open().await;
    let page = door.call("GET", "/").send().await.unwrap();
    assert_eq!(page.status(), 200);
    let headers = page.headers().clone();
    assert_eq!(headers["content-type"], "text/html; charset=utf-8");
    assert_eq!(headers["cache-control"], "no-cache");
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'self'") && !policy.contains("unsafe") && !policy.contains("http"));
    let tag = headers["etag"].to_str().unwrap().to_owned();
    let again = door.call("GET", "/").header("if-none-match", &tag).send().await.unwrap();
    assert_eq!((again.status().as_u16(), again.headers()["etag"].to_str().unwrap()), (304, tag.as_str()));
    assert_eq!(again.text().await.unwrap(), "");
    let head = door.call("HEAD", "/").send().await.unwrap();
    assert_eq!((head.status().as_u16(), head.text().await.unwrap()), (200, String::new()));
    Answer::of(door.call("POST", "/")).await.refused(404, "NOT_FOUND");
}

/// What the page refers to, up to the next quotation mark.
fn references(page: &str) -> Vec<&str> {
    page.split("=\"/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[tokio::test]
async fn files_of_the_web_client_are_kept_for_good_under_the_hash_of_all_of_them() {
    let door = Door::open().await;
    let page = door.call("GET", "/").send().await.unwrap().text().await.unwrap();
    let files = references(&page);
    assert!(files.len() > 50 && !page.contains("\"./"), "{page}");
    let prefix = files[0].split('/').take(2).collect::<Vec<_>>().join("/");
    assert_eq!((prefix.split_once('/').unwrap().0, prefix.len()), ("assets", "assets/".len() + 16), "{prefix}");
    for file in &files {
        assert!(file.starts_with(&prefix), "{file} is not under {prefix}");
        let answer = door.call("GET", &format!("/{file}")).send().await.unwrap();
        let headers = answer.headers();
        assert_eq!(answer.status(), 200, "{file}");
        assert_eq!(headers["cache-control"], "public, max-age=31536000, immutable", "{file}");
        let kind = match file.rsplit('.').next().unwrap() {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            _ => "image/svg+xml",
        };
        assert_eq!(headers["content-type"], kind, "{file}");
        let tag = headers["etag"].to_str().unwrap();
        let known = door.call("GET", &format!("/{file}")).header("if-none-match", tag).send().await.unwrap();
        assert_eq!(known.status(), 304, "{file}");
    }
    // Four people behind one router who open an invitation at once are not held up by its many files.
    let limited = Door::open_with(Config { limits: true, ..config() }).await;
    for _ in 0..4 {
        for file in &files {
            assert_eq!(limited.call("GET", &format!("/{file}")).send().await.unwrap().status(), 200, "{file}");
        }
    }
    // A page of another version still gets what it asks for, but does not keep it.
    let older = door.call("GET", "/assets/0123456789abcdef/main.js").send().await.unwrap();
    assert_eq!((older.status().as_u16(), older.headers()["cache-control"].to_str().unwrap()), (200, "no-cache"));
    for path in
        ["/main.js", &format!("/{prefix}/nothing.js"), &format!("/{prefix}/index.html"), "/assets/", "/assets/main.js"]
    {
        assert_eq!(door.call("GET", path).send().await.unwrap().status(), 404, "{path}");
    }
}

#[tokio::test]
async fn answers_carry_security_headers_and_a_request_id() {
    let door = Door::open().await;
    for path in ["/", "/v1/rules", "/v1/me", "/nothing", "/docs/"] {
        let answer = door.call("GET", path).header("x-request-id", "my-request.1").send().await.unwrap();
        let headers = answer.headers();
        assert_eq!(headers["x-request-id"], "my-request.1", "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["x-frame-options"], "DENY", "{path}");
        assert_eq!(headers["referrer-policy"], "no-referrer", "{path}");
        assert!(headers.contains_key("content-security-policy"), "{path}");
    }
    for insane in ["", "a b", &"x".repeat(200), "\u{e9}"] {
        let answer = Answer::of(door.call("GET", "/v1/me").header("x-request-id", insane)).await;
        answer.refused(401, "UNAUTHENTICATED");
        assert_ne!(answer.headers["x-request-id"], insane);
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
}

#[tokio::test]
async fn only_configured_origins_may_call() {
    let door = Door::open().await;
    let preflight = |origin: &'static str| {
        let request = door.call("OPTIONS", "/v1/games").header("origin", origin);
        let request = request.header("access-control-request-method", "POST");
        request.header("access-control-request-headers", "authorization,content-type,idempotency-key").send()
    };
    let friend = preflight("https://play.example").await.unwrap();
    assert_eq!(friend.headers()["access-control-allow-origin"], "https://play.example");
    let allowed = friend.headers()["access-control-allow-headers"].to_str().unwrap().to_owned();
    assert!(allowed.contains("authorization") && allowed.contains("idempotency-key"), "{allowed}");
    let stranger = preflight("https://evil.example").await.unwrap();
    assert!(!stranger.headers().contains_key("access-control-allow-origin"));
    let refused = door.call("GET", "/v1/me").header("origin", "https://play.example").send().await.unwrap();
    assert_eq!(refused.headers()["access-control-allow-origin"], "https://play.example");
}

#[tokio::test]
async fn the_rules_come_in_the_readers_language() {
    let door = Door::open().await;
    assert_eq!(door.get("/v1/rules?lang=hi", None).await.ok(200)["lang"], "hi");
    assert_eq!(door.get("/v1/rules", None).await.ok(200)["lang"], "en");
    assert!(door.get("/v1/rules?lang=ar", None).await.ok(200)["tips"].as_array().unwrap().len() > 5);
    let dutch = Answer::of(door.call("GET", "/v1/rules").header("accept-language", "nl-BE,en;q=0.5")).await;
    assert_eq!(dutch.headers["content-language"], "nl");
    assert_eq!(dutch.ok(200)["lang"], "nl");
}

#[tokio::test]
async fn a_page_is_compressed_and_a_secret_is_not() {
    let door = Door::open().await;
    let rules = door.call("GET", "/openapi.json").header("accept-encoding", "gzip").send().await.unwrap();
    assert_eq!(rules.headers()["content-encoding"], "gzip");
    let guest = door.call("POST", "/v1/guests").header("accept-encoding", "gzip").send().await.unwrap();
    assert!(!guest.headers().contains_key("content-encoding"));
}
