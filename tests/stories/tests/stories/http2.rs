use serde_json::json;
use stories::{Platform, Stream, Table};

#[tokio::test]
async fn the_api_speaks_http2_as_well() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let agent = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let base = format!("http://{}/v1/games/{}", platform.visitor().http, table.game);
    let token = table.players[0].token();
    // Many streams and a move over one connection.
    let mut streams = Vec::new();
    for _ in 0..20 {
        let response = agent.get(format!("{base}/events?after=6")).bearer_auth(token).send().await.unwrap();
        assert_eq!(response.version(), reqwest::Version::HTTP_2);
        streams.push(Stream::open(response).await);
    }
    let body = json!({"ply": 0, "move": "d2-d3"});
    let moved = agent.post(format!("{base}/moves")).bearer_auth(token).json(&body).send().await.unwrap();
    assert_eq!(moved.status(), 200);
    for stream in &mut streams {
        assert_eq!(stream.event().await.unwrap()["move"], "d2-d3");
    }
}
