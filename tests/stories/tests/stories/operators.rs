use proto::clock::v1::clock_service_client::ClockServiceClient;
use proto::clock::v1::{ListDeadlinesRequest, ListLeasesRequest};
use proto::game::v1::DeadlineKind;
use stories::{Platform, Table, free_address, millis};
use tonic::transport::Channel;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

const SERVICES: [(&str, &str); 4] = [
    ("FK_GAME_ADDR", "fourkingdoms.game.v1.GameService"),
    ("FK_MATCHMAKING_ADDR", "fourkingdoms.matchmaking.v1.MatchmakingService"),
    ("FK_RATING_ADDR", "fourkingdoms.rating.v1.RatingService"),
    ("FK_CLOCK_ADDR", "fourkingdoms.clock.v1.ClockService"),
];

async fn channel(address: &str) -> Channel {
    Channel::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap()
}

#[tokio::test]
async fn every_service_tells_its_health_and_its_calls() {
    let addresses = SERVICES.map(|_| free_address().to_string());
    let settings: Vec<_> = SERVICES.iter().zip(&addresses).map(|((name, _), at)| (*name, at.as_str())).collect();
    let _platform = Platform::with(&settings).await;
    for ((_, service), address) in SERVICES.iter().zip(&addresses) {
        let mut health = HealthClient::new(channel(address).await);
        for asked in ["", service] {
            let answer = health.check(HealthCheckRequest { service: asked.to_owned() }).await.unwrap();
            assert_eq!(answer.into_inner().status(), ServingStatus::Serving, "{service}, asked for {asked:?}");
        }
        let mut reflection = ServerReflectionClient::new(channel(address).await);
        let question = ServerReflectionRequest {
            message_request: Some(MessageRequest::ListServices(String::new())),
            ..Default::default()
        };
        let answers = reflection.server_reflection_info(tokio_stream::once(question)).await;
        let answer = answers.unwrap().into_inner().message().await.unwrap().unwrap();
        let Some(MessageResponse::ListServicesResponse(listed)) = answer.message_response else { panic!("{answer:?}") };
        assert!(listed.service.iter().any(|listed| listed.name == *service), "{service} is not in {listed:?}");
    }
}

#[tokio::test]
async fn an_operator_sees_what_the_clock_waits_for() {
    let address = free_address().to_string();
    let platform = Platform::with(&[("FK_CLOCK_ADDR", &address)]).await;
    let table = Table::of_guests(&platform, "10+5").await;
    let state = table.play(&["d2-d3", "m4-l4", "d13-d12", "b4-c4"]).await;
    let mut clock = ClockServiceClient::new(channel(&address).await);
    let deadlines = clock.list_deadlines(ListDeadlinesRequest { limit: 0 }).await.unwrap().into_inner().deadlines;
    let [deadline] = deadlines.as_slice() else { panic!("{deadlines:?}") };
    assert_eq!(
        (deadline.game_id.as_str(), deadline.kind(), deadline.ply),
        (table.game.as_str(), DeadlineKind::Flag, 4)
    );
    assert_eq!(deadline.due_unix_ms, millis(&state["clock"]["deadline"]));
    let leases = clock.list_leases(ListLeasesRequest {}).await.unwrap().into_inner().leases;
    assert!(!leases.is_empty() && leases.iter().all(|lease| !lease.holder.is_empty()), "{leases:?}");
}
