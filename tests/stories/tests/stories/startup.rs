use stories::Platform;

#[tokio::test]
async fn a_wrong_setting_stops_the_start_and_is_named() {
    for (name, value) in [
        ("FK_HTTP_ADDR", "here"),
        ("FK_TIME_CONTROLS", "3+2,soon"),
        ("FK_FIRST_MOVE_MS", "-1"),
        ("FK_LIMITS", "maybe"),
        ("FK_LOG", "=x=y"),
        ("FK_DATA_DIR", "/dev/null/nowhere"),
    ] {
        let told = Platform::refusal_to_start(&[(name, value)]);
        assert!(told.contains(name), "{name}={value}: {told}");
    }
}

#[tokio::test]
async fn a_process_says_whether_it_lives_and_can_serve() {
    let platform = Platform::start().await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(platform.ops(path).await.unwrap().status(), 200, "{path}");
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
        let answer = platform.visitor().get(path).await;
        assert!(answer.status == 404 || !answer.text.contains("fk_"), "{path} is not for the public");
    }
}
