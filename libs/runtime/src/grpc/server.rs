use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::propagation::Extractor;
use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower_http::trace::TraceLayer;
use tracing::{Span, field};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use super::Mesh;
use crate::{Drain, Readiness};

const STREAMS_PER_CONNECTION: u32 = 100_000;
/// How soon callers learn that a condition holds no longer.
const LOOK_EVERY: Duration = Duration::from_millis(250);

pub(super) async fn serve(
    service: &'static str,
    listener: TcpListener,
    routes: Routes,
    drain: Drain,
    mesh: &Mesh,
) -> anyhow::Result<()> {
    let (health, health_service) = tonic_health::server::health_reporter();
    // The health protocol asks for one entry a service beside that of the whole server.
    let names = [String::new(), full_name(service)];
    tell(&health, &names, ServingStatus::Serving).await;
    let routes = routes
        .add_service(health_service)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?);
    let readiness = mesh.readiness.clone();
    let stop = async move {
        let holds = || readiness.as_ref().is_none_or(Readiness::surroundings_hold);
        let mut looks = tokio::time::interval(LOOK_EVERY);
        loop {
            tokio::select! {
                _ = looks.tick() => {}
                () = drain.draining() => break,
            }
            let status = if holds() { ServingStatus::Serving } else { ServingStatus::NotServing };
            tell(&health, &names, status).await;
        }
        tell(&health, &names, ServingStatus::NotServing).await;
    };
    let mut server = Server::builder();
    if let Some(tls) = &mesh.tls {
        server = server.tls_config(tls.server())?;
    }
    let trace = TraceLayer::new_for_grpc()
        .make_span_with(move |request: &http::Request<_>| span(service, request))
        .on_request(())
        .on_response(())
        .on_failure(());
    let serving = server
        .http2_keepalive_interval(Some(mesh.pace.keep_alive))
        .http2_keepalive_timeout(Some(mesh.pace.keep_alive_timeout))
        .max_connection_age(mesh.pace.connection_age)
        .max_concurrent_streams(STREAMS_PER_CONNECTION)
        .layer(trace)
        .add_routes(routes)
        .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), stop);
    Box::pin(serving).await.with_context(|| format!("the {service} service stopped listening"))
}

async fn tell(health: &HealthReporter, names: &[String], status: ServingStatus) {
    for name in names {
        health.set_service_status(name, status).await;
    }
}

/// `game` is `fourkingdoms.game.v1.GameService`.
fn full_name(service: &str) -> String {
    let (first, rest) = service.split_at(service.len().min(1));
    format!("fourkingdoms.{service}.v1.{}{rest}Service", first.to_ascii_uppercase())
}

fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure().register_encoded_file_descriptor_set(proto::DESCRIPTORS)
}

fn span<B>(service: &'static str, request: &http::Request<B>) -> Span {
    let path = request.uri().path();
    let span = tracing::info_span!("grpc", otel.name = field::Empty, rpc.service = service, rpc.method = path);
    span.record("otel.name", path);
    let parent =
        opentelemetry::global::get_text_map_propagator(|propagator| propagator.extract(&Headers(request.headers())));
    // Fails only when no tracing to OTLP is set up; then there is no trace to join.
    let _ = span.set_parent(parent);
    span
}

struct Headers<'a>(&'a http::HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(|value| value.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}
