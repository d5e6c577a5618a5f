use stories::{Platform, Table, eventually};

#[tokio::test]
async fn a_wrong_setting_stops_the_start_and_is_named() {
    for (name, value) in [
        ("FK_HTTP_ADDR", "here"),
        ("FK_TIME_CONTROLS", "3+2,soon"),
        ("FK_FIRST_MOVE_MS", "-1"),
        ("FK_LIMITS", "maybe"),
        ("FK_LOG", "=x=y"),
        ("FK_GAME_URL", "game:7001"),
        ("FK_MATCHMAKING_URL", "http://matchmaking:7002,"),
        ("FK_RATING_URL", "http://rating"),
        ("FK_CORS_ORIGINS", "nowhere at all"),
        ("FK_DATA_DIR", "/dev/null/nowhere"),
    ] {
        let told = Platform::refusal_to_start(&[(name, value)]).await;
        assert!(told.contains(name), "{name}={value}: {told}");
    }
}

#[tokio::test]
async fn a_wrong_setting_is_found_before_a_store_is_waited_for() {
    let (redis, database) = (("FK_REDIS_URL", "redis://127.0.0.1:1"), ("FK_DATABASE_URL", "postgres://127.0.0.1:1/x"));
    for wrong in [
        ("FK_REDIS_URL", "http://:hidden@127.0.0.1"),
        ("FK_DATABASE_URL", "mysql://u:hidden@127.0.0.1/x"),
        ("FK_RATING_URL", "foo"),
        ("FK_CORS_ORIGINS", "nowhere at all"),
        ("FK_TLS_CERT", "/etc/passwd"),
    ] {
        let told = Platform::refusal_to_start(&[redis, database, wrong]).await;
        assert!(told.contains(wrong.0) && !told.contains("hidden"), "{wrong:?}: {told}");
    }
    let files = ["FK_TLS_CERT", "FK_TLS_KEY", "FK_TLS_CA"].map(|name| (name, "/etc/passwd"));
    let told = Platform::refusal_to_start(&[&[redis, database], &files[..]].concat()).await;
    assert!(told.contains("FK_TLS_CERT: /etc/passwd: no certificate in it"), "{told}");
}

#[tokio::test]
async fn a_process_says_whether_it_lives_and_can_serve() {
    let platform = Platform::start().await;
    for path in ["/healthz", "/readyz"] {
        let answers = platform.ops(path).await;
        assert!(!answers.is_empty() && answers.iter().all(|answer| answer.status == 200), "{path}: {answers:?}");
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
        let answer = platform.visitor().get(path).await;
        assert!(answer.status == 404 || !answer.text.contains("fk_"), "{path} is not for the public");
    }
}

#[tokio::test]
async fn a_process_that_ends_is_not_ready_first() {
    let mut platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    // Who does not answer the goodbye holds it up for a moment, and no longer.
    let _silent = table.players[0].socket(&table.game, 0).await;
    platform.signal("TERM");
    let not_ready = eventually("not ready", async || {
        let (ready, healthy) = tokio::join!(platform.ops("/readyz"), platform.ops("/healthz"));
        // Alive as long as it answers.
        assert!(healthy.iter().all(|answer| answer.status == 200), "{healthy:?}");
        ready.into_iter().find(|answer| answer.status == 503)
    })
    .await;
    assert!(not_ready.text.contains("draining"), "{}", not_ready.text);
    platform.stop().await;
}
