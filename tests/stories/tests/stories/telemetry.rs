use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::json;
use stories::{Platform, Player, Table, eventually};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// Takes traces as a collector would.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<Span>>>);

#[tonic::async_trait]
impl TraceService for Sink {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let resources = request.into_inner().resource_spans.into_iter();
        let spans = resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans);
        self.0.lock().unwrap().extend(spans);
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Sink {
    /// Listens; the endpoint to name.
    async fn open(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let server = tonic::transport::Server::builder().add_service(TraceServiceServer::new(self.clone()));
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        endpoint
    }

    /// The names of spans, by trace.
    fn traces(&self) -> BTreeMap<Vec<u8>, BTreeSet<String>> {
        let mut traces: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        for span in self.0.lock().unwrap().iter() {
            traces.entry(span.trace_id.clone()).or_default().insert(span.name.clone());
        }
        traces
    }
}

/// The names in the registry of metrics.
fn registered() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/telemetry.md");
    let page = std::fs::read_to_string(path).unwrap();
    let metrics = page.split("## ").find(|section| section.starts_with("Metrics")).unwrap();
    let cells = metrics.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    cells.flat_map(|cell| cell.split(", ")).map(|name| name.trim_matches('`').to_owned()).collect()
}

#[tokio::test]
async fn one_trace_leads_from_the_request_to_the_store() {
    let sink = Sink::default();
    let mut platform = Platform::with(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &sink.open().await)]).await;
    let table = Table::of_guests(&platform, "10+5").await;
    table.play(&["d2-d3"]).await;
    platform.stop().await;
    let traces = sink.traces();
    let whole = traces.values().find(|names| {
        let has = |part: &str| names.iter().any(|name| name.contains(part));
        has("/v1/games/{id}/moves") && has("MakeMove") && has("live.append")
    });
    assert!(whole.is_some(), "{traces:#?}");
}

#[tokio::test]
async fn the_numbers_an_operator_needs_are_there() {
    let platform = Platform::start().await;
    let table = Table::matched(platform.guests().await, "3+2", true).await;
    let _socket = table.players[0].socket(&table.game, 0).await;
    table.play(&["d2-d3"]).await;
    table.players[1].play(&table.game, 0, "m4-l4").await.refused(409, "STALE_PLY");
    // The answers are there a moment before they are counted.
    let metrics = eventually("the numbers", async || {
        let pages = platform.ops("/metrics").await.into_iter().map(|answer| answer.text);
        let metrics = pages.collect::<Vec<_>>().join("\n");
        let of = |name: &str, label: &str| -> f64 {
            let lines = metrics.lines().filter(|line| line.starts_with(name) && line.contains(label));
            lines.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum()
        };
        let numbers = [
            of("gateway_requests_total{", "route=\"/v1/games/{id}/moves\",method=\"POST\",code=\"200\""),
            of("gateway_requests_total{", "route=\"/v1/games/{id}/moves\",method=\"POST\",code=\"409\""),
            of("gateway_sockets{", ""),
            of("game_moves_total{", "player"),
        ];
        (numbers == [1.0; 4]).then_some(metrics)
    })
    .await;
    // Counters and gauges begin at nothing instead of not being there: who watches them must see that.
    let registered = registered();
    let listed = |name: &&String| metrics.lines().any(|line| line.starts_with(&format!("# TYPE {name} ")));
    // Histograms, and what counts calls to Redis by their names, begin with the first one.
    let begins_later = |name: &str| name.ends_with("_seconds") || name.starts_with("redis_");
    let absent: Vec<&String> = registered.iter().filter(|name| !begins_later(name) && !listed(name)).collect();
    assert!(absent.is_empty(), "registered but not listed: {absent:?}");
    // Every number says what it means.
    for line in metrics.lines().filter(|line| line.starts_with("# TYPE ")) {
        let name = line.split(' ').nth(2).unwrap();
        assert!(metrics.contains(&format!("# HELP {name} ")), "{name} has no help text");
        assert!(registered.iter().any(|known| known == name), "{name} is not in docs/telemetry.md");
    }
}

#[tokio::test]
async fn no_secret_is_logged() {
    let mut platform = Platform::with(&[("FK_LOG", "debug")]).await;
    let visitor = platform.visitor();
    let players = platform.accounts().await;
    let mut secrets = vec![Player::PASSWORD.to_owned(), "a wrong password".to_owned()];
    secrets.extend(players.iter().map(|player| player.token().to_owned()));
    let bot = players[0].post("/v1/tokens", &json!({"label": "bot", "scopes": ["play"]})).await.expect(201);
    secrets.push(bot["token"].as_str().unwrap().to_owned());
    visitor
        .post("/v1/sessions", &json!({"name": "Ada", "password": "a wrong password"}))
        .await
        .refused(401, "UNAUTHENTICATED");
    visitor
        .post("/v1/accounts", &json!({"name": "Ada", "password": "a wrong password"}))
        .await
        .refused(409, "NAME_TAKEN");
    let table = Table::of(players, json!({"time_control": "10+5"})).await;
    let mut socket = table.players[0].socket(&table.game, 0).await;
    socket.frame("started").await;
    table.play(&["d2-d3", "m4-l4"]).await;
    table.players[3].delete("/v1/sessions/current").await.expect(204);
    table.players[3].get("/v1/me").await.refused(401, "UNAUTHENTICATED");
    platform.stop().await;
    let log = platform.log();
    assert!(log.lines().count() > 20, "{log}");
    for secret in secrets {
        let line = log.lines().find(|line| line.contains(&secret));
        assert_eq!(line, None, "a secret stands in the log");
    }
}
