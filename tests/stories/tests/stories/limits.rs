use serde_json::json;
use stories::Platform;

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

    let answers = futures::future::join_all((0..300).map(|_| ada.get("/v1/me"))).await;
    let (good, limited): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert!(good.len() >= 50 && !limited.is_empty(), "{} answered, {} limited", good.len(), limited.len());
    for answer in limited {
        assert!(!answer.header("retry-after").is_empty());
        answer.refused(429, "RATE_LIMITED");
    }
    assert!(platform.ops("/metrics").await.is_some_and(|answer| answer.status() == 200), "operators are not limited");
}
