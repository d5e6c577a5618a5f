use reqwest::Method;
use stories::{Answer, Platform};

async fn asked_from(platform: &Platform, origin: &str, method: Method) -> Answer {
    let visitor = platform.visitor();
    let request = visitor.request(method, "/v1/time-controls").header("origin", origin);
    visitor.send(request.header("access-control-request-method", "GET")).await
}

#[tokio::test]
async fn only_pages_of_known_origins_may_call_from_a_browser() {
    let platform = Platform::with(&[("FK_CORS_ORIGINS", "https://play.example,https://other.example")]).await;
    for origin in ["https://play.example", "https://other.example"] {
        for method in [Method::GET, Method::OPTIONS] {
            let answer = asked_from(&platform, origin, method).await;
            assert_eq!(answer.header("access-control-allow-origin"), origin);
        }
    }
    for method in [Method::GET, Method::OPTIONS] {
        let answer = asked_from(&platform, "https://evil.example", method).await;
        assert_eq!(answer.header("access-control-allow-origin"), "");
    }
    let closed = Platform::start().await;
    let answer = asked_from(&closed, "https://play.example", Method::GET).await;
    assert_eq!(answer.header("access-control-allow-origin"), "", "closed unless configured");
}

#[tokio::test]
async fn the_web_client_is_served_with_the_api() {
    let platform = Platform::start().await;
    let page = platform.visitor().get("/").await;
    assert_eq!((page.status, page.header("content-type").starts_with("text/html")), (200, true));
}
