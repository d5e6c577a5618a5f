use std::io::IsTerminal as _;

use anyhow::Context as _;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::WithExportConfig as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::{Environment, LogFormat};

/// Seconds; from a quick read to a long poll.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Logs, traces and metrics of a process; dropping it sends what is left of the traces.
pub struct Telemetry {
    /// Renders the metrics.
    pub metrics: PrometheusHandle,
    traces: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Starts logging to standard error, tracing to the OTLP endpoint if there is one, and counting. Once a process.
    ///
    /// # Errors
    /// If `FK_LOG` or the endpoint cannot be understood, or telemetry was started before.
    pub fn start(service: &'static str, environment: &Environment) -> anyhow::Result<Self> {
        let filter = EnvFilter::try_new(&environment.log)
            .with_context(|| format!("FK_LOG: expected a level or directives, got {:?}", environment.log))?;
        let lines =
            tracing_subscriber::fmt::layer().with_ansi(std::io::stderr().is_terminal()).with_writer(std::io::stderr);
        let lines = match environment.log_format {
            LogFormat::Text => lines.boxed(),
            LogFormat::Json => lines.json().flatten_event(true).boxed(),
        };
        let traces = environment.otlp_endpoint.as_deref().map(|endpoint| exporter(service, endpoint)).transpose()?;
        let spans = traces.as_ref().map(|traces| tracing_opentelemetry::layer().with_tracer(traces.tracer(service)));
        tracing_subscriber::registry().with(filter).with(lines).with(spans).try_init()?;
        opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());
        let metrics = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS)?
            .install_recorder()?;
        Ok(Self { metrics, traces })
    }
}

fn exporter(service: &'static str, endpoint: &str) -> anyhow::Result<SdkTracerProvider> {
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint(endpoint)
        .build()
        .with_context(|| format!("OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL, got {endpoint:?}"))?;
    let resource = Resource::builder().with_service_name(format!("four-kingdoms-{service}")).build();
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build())
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(traces) = &self.traces
            && let Err(error) = traces.shutdown()
        {
            tracing::warn!(%error, "the last traces could not be sent");
        }
    }
}
