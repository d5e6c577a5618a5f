use stories::Platform;

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
async fn the_schema_lists_every_call_and_the_page_needs_no_internet() {
    let platform = Platform::start().await;
    let visitor = platform.visitor();
    let schema = visitor.get("/openapi.json").await.ok();
    assert!(schema["openapi"].as_str().unwrap().starts_with("3.1"), "{}", schema["openapi"]);
    for (method, path) in CALLS {
        assert!(schema["paths"][path][method].is_object(), "{method} {path} is missing");
    }
    let page = visitor.get("/docs/").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").starts_with("text/html"));
    let mut loaded = 0;
    for part in page.text.split(['"', '\'']).filter(|part| part.ends_with(".js") || part.ends_with(".css")) {
        assert!(!part.contains("//"), "{part} is not ours");
        let path =
            if part.starts_with('/') { part.to_owned() } else { format!("/docs/{}", part.trim_start_matches("./")) };
        assert_eq!(visitor.get(&path).await.status, 200, "{path}");
        loaded += 1;
    }
    assert!(loaded > 0, "{}", page.text);
}

#[tokio::test]
async fn the_rules_can_be_read_in_six_languages() {
    let platform = Platform::start().await;
    let visitor = platform.visitor();
    let mut texts = std::collections::BTreeSet::new();
    for lang in ["en", "ar", "nl", "id", "hi", "es"] {
        texts.insert(visitor.get(&format!("/v1/rules?lang={lang}")).await.ok().to_string());
    }
    assert_eq!(texts.len(), 6, "six different texts");
}
