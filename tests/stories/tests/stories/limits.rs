use serde_json::json;
use stories::Platform;

/// Signs guests up, each with such a header, until one is refused or 40 were not; how many were not.
async fn sign_ups(platform: &Platform, forwarded_for: impl Fn(u8) -> String) -> u8 {
    let visitor = platform.visitor();
    for n in 0..40 {
        let request = visitor.request(reqwest::Method::POST, "/v1/guests").header("x-forwarded-for", forwarded_for(n));
        let answer = visitor.send(request.json(&json!({}))).await;
        if answer.status != 201 {
            answer.refused(429, "RATE_LIMITED");
            return n;
        }
    }
    40
}

#[tokio::test]
async fn who_asks_too_much_is_told_when_to_come_back() {
    let platform = Platform::with(&[("FK_LIMITS", "on")]).await;
    let visitor = platform.visitor();
    let ada = platform.guest("Ada").await;
    let mut refused = None;
    for _ in 0..60 {
        let answer = visitor.post("/v1/guests", &json!({})).await;
        if answer.status != 201 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("signing up has a limit");
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait} s");
    refused.refused(429, "RATE_LIMITED");

    let (mut good, mut limited) = (0, Vec::new());
    // A slow machine may not get beyond the limit at once.
    for _ in 0..20 {
        let answers = futures::future::join_all((0..300).map(|_| ada.get("/v1/me"))).await;
        let (granted, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
        good += granted.len();
        limited.extend(refused);
        if !limited.is_empty() {
            break;
        }
    }
    assert!(good >= 50 && !limited.is_empty(), "{good} answered, {} limited", limited.len());
    for answer in limited {
        assert!(!answer.header("retry-after").is_empty());
        answer.refused(429, "RATE_LIMITED");
    }
    let metrics = platform.ops("/metrics").await;
    assert!(metrics.iter().all(|answer| answer.status == 200), "operators are not limited");
}

#[tokio::test]
async fn nobody_gets_around_a_limit_by_inventing_addresses() {
    let platform = Platform::with(&[("FK_LIMITS", "on")]).await;
    assert!(
        sign_ups(&platform, |n| format!("10.1.1.{n}")).await < 40,
        "without a trusted proxy the header means nothing"
    );

    let platform = Platform::with(&[("FK_LIMITS", "on"), ("FK_TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    assert_eq!(
        sign_ups(&platform, |n| format!("10.1.1.{n}")).await,
        40,
        "everybody behind the proxy has a limit of their own"
    );
    assert!(
        sign_ups(&platform, |n| format!("10.2.2.{n}, 10.9.9.9")).await < 40,
        "what the client put before is not believed"
    );
    assert!(sign_ups(&platform, |n| format!("nonsense{n}")).await < 40, "what is no address counts as the proxy's");
}
