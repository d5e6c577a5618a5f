use std::net::SocketAddr;

use proto::clock::v1::clock_service_client::ClockServiceClient;
use proto::clock::v1::{ListDeadlinesRequest, ListLeasesRequest};
use proto::game::v1::DeadlineKind;
use stories::{Platform, Service, Table, eventually, millis};
use tonic::transport::Channel;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

const SERVICES: [(Service, &str); 4] = [
    (Service::Game, "fourkingdoms.game.v1.GameService"),
    (Service::Matchmaking, "fourkingdoms.matchmaking.v1.MatchmakingService"),
    (Service::Rating, "fourkingdoms.rating.v1.RatingService"),
    (Service::Clock, "fourkingdoms.clock.v1.ClockService"),
];

async fn channel(address: SocketAddr) -> Channel {
    Channel::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap()
}

#[tokio::test]
async fn every_service_tells_its_health_and_its_calls() {
    let platform = Platform::start().await;
    let served = SERVICES
        .into_iter()
        .flat_map(|(service, name)| platform.addresses(service).into_iter().map(move |at| (name, at)));
    for (service, address) in served {
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
        assert!(listed.service.iter().any(|listed| listed.name == service), "{service} is not in {listed:?}");
    }
}

#[tokio::test]
async fn an_operator_sees_what_the_clock_waits_for() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let state = table.play(&["d2-d3", "m4-l4", "d13-d12", "b4-c4"]).await;
    let mut clock = ClockServiceClient::new(channel(platform.addresses(Service::Clock)[0]).await);
    let deadlines = clock.list_deadlines(ListDeadlinesRequest { limit: 0 }).await.unwrap().into_inner().deadlines;
    let [deadline] = deadlines.as_slice() else { panic!("{deadlines:?}") };
    assert_eq!(
        (deadline.game_id.as_str(), deadline.kind(), deadline.ply),
        (table.game.as_str(), DeadlineKind::Flag, 4)
    );
    assert_eq!(deadline.due_unix_ms, millis(&state["clock"]["deadline"]));
    let leases = eventually("a lease", async || {
        let leases = clock.list_leases(ListLeasesRequest {}).await.unwrap().into_inner().leases;
        (!leases.is_empty()).then_some(leases)
    })
    .await;
    assert!(leases.iter().all(|lease| !lease.holder.is_empty()), "{leases:?}");
}
