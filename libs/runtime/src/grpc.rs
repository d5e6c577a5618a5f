//! gRPC between services: how one listens and how another calls it, in one process or in several.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::propagation::{Extractor, Injector};
use tokio::net::TcpListener;
use tonic::metadata::{KeyRef, MetadataKey, MetadataMap};
use tonic::service::interceptor::InterceptedService;
use tonic::service::{Interceptor, Routes};
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Status};
use tower_http::trace::TraceLayer;
use tracing::{Span, field};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::Drain;

const KEEP_ALIVE: Duration = Duration::from_secs(20);
const CONNECT_TIME: Duration = Duration::from_secs(2);
/// What a call may take that says nothing of it.
const CALL_TIME: Duration = Duration::from_secs(5);
const STREAMS_PER_CONNECTION: u32 = 100_000;

/// The channel to another service: connects when first used and again after a loss, gives every call a deadline,
/// and carries the trace along.
pub type Link = InterceptedService<Channel, Outgoing>;

/// Makes a link; the service need not be up yet.
///
/// # Errors
/// If the URL cannot be understood.
pub fn connect(url: &str) -> anyhow::Result<Link> {
    let channel = Endpoint::from_shared(url.to_owned())
        .with_context(|| format!("expected a URL like http://127.0.0.1:7001, got {url:?}"))?
        .connect_timeout(CONNECT_TIME)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(KEEP_ALIVE)
        .keep_alive_while_idle(true)
        .connect_lazy();
    Ok(InterceptedService::new(channel, Outgoing))
}

/// Adds to each outgoing call what [`Link`] promises.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing;

impl Interceptor for Outgoing {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if !request.metadata().contains_key("grpc-timeout") {
            request.set_timeout(CALL_TIME);
        }
        let context = Span::current().context();
        opentelemetry::global::get_text_map_propagator(|propagator| {
            propagator.inject_context(&context, &mut Metadata(request.metadata_mut()));
        });
        Ok(request)
    }
}

struct Metadata<'a>(&'a mut MetadataMap);

impl Injector for Metadata<'_> {
    fn set(&mut self, key: &str, value: String) {
        if let (Ok(key), Ok(value)) = (MetadataKey::from_bytes(key.as_bytes()), value.parse()) {
            self.0.insert(key, value);
        }
    }
}

impl Extractor for Metadata<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(|value| value.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        self.0
            .keys()
            .filter_map(|key| match key {
                KeyRef::Ascii(key) => Some(key.as_str()),
                KeyRef::Binary(_) => None,
            })
            .collect()
    }
}

/// Serves one service's routes with health and reflection until the drain begins; then calls under way finish
/// and long streams are expected to end by themselves.
///
/// # Errors
/// If the reflection data is broken or the listener fails.
pub async fn serve(service: &'static str, listener: TcpListener, routes: Routes, drain: Drain) -> anyhow::Result<()> {
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_service_status("", tonic_health::ServingStatus::Serving).await;
    let routes = routes
        .add_service(health_service)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?);
    let stop = async move {
        drain.draining().await;
        health.set_service_status("", tonic_health::ServingStatus::NotServing).await;
    };
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let server = Server::builder()
        .http2_keepalive_interval(Some(KEEP_ALIVE))
        .max_concurrent_streams(STREAMS_PER_CONNECTION)
        .layer(
            TraceLayer::new_for_grpc()
                .make_span_with(move |request: &http::Request<_>| span(service, request))
                .on_failure(())
                .on_request(())
                .on_response(()),
        )
        .add_routes(routes)
        .serve_with_incoming_shutdown(incoming, stop);
    let server: Pin<Box<dyn Future<Output = _> + Send>> = Box::pin(server);
    server.await.with_context(|| format!("the {service} service stopped listening"))
}

fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure().register_encoded_file_descriptor_set(proto::DESCRIPTORS)
}

fn span<B>(service: &'static str, request: &http::Request<B>) -> Span {
    let span =
        tracing::info_span!("grpc", otel.name = field::Empty, rpc.service = service, rpc.method = request.uri().path());
    span.record("otel.name", request.uri().path());
    let headers = MetadataMap::from_headers(request.headers().clone());
    let parent = opentelemetry::global::get_text_map_propagator(|propagator| {
        propagator.extract(&Metadata(&mut headers.clone()))
    });
    // Fails only when no tracing to OTLP is set up; then there is no trace to join.
    let _ = span.set_parent(parent);
    span
}
