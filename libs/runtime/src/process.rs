use std::future::Future;
use std::process::ExitCode;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::{Drain, Environment, Readiness, Telemetry, bind, ops_router, serve_http};

/// All of a drain; the process ends by then.
const DRAIN_LIMIT: Duration = Duration::from_secs(18);

/// What a main is given to build its services with.
pub struct Process {
    /// The settings.
    pub environment: Environment,
    /// Where long-lived tasks run.
    pub drain: Drain,
    /// What `/readyz` answers.
    pub readiness: Readiness,
}

/// Runs a process from start to drain: telemetry, the operating port, `build`, then waits for SIGTERM or SIGINT,
/// drains and ends. Exit code 0 after a clean drain, 1 if anything failed.
pub fn run<F>(service: &'static str, environment: Environment, build: impl FnOnce(Process) -> F) -> ExitCode
where
    F: Future<Output = anyhow::Result<()>>,
{
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.into()),
    };
    match runtime.block_on(live(service, environment, build)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => failed(&error),
    }
}

#[expect(clippy::print_stderr, reason = "logging may not have started")]
fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::FAILURE
}

async fn live<F>(
    service: &'static str,
    environment: Environment,
    build: impl FnOnce(Process) -> F,
) -> anyhow::Result<bool>
where
    F: Future<Output = anyhow::Result<()>>,
{
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let telemetry = Telemetry::start(service, &environment)?;
    let drain = Drain::new();
    let readiness = Readiness::new(drain.clone());
    let ops_stopped = Drain::new();
    let ops = bind("FK_OPS_ADDR", environment.ops_addr).await?;
    let ops_server = serve_http(ops, ops_router(readiness.clone(), telemetry.metrics.clone()), ops_stopped.clone());
    ops_stopped.spawn("ops", ops_server);
    readiness.set("started", false);
    let process = Process { environment, drain: drain.clone(), readiness: readiness.clone() };
    let began = tokio::select! {
        built = build(process) => { built?; true }
        _ = terminate.recv() => false,
        _ = interrupt.recv() => false,
    };
    if began {
        readiness.set("started", true);
        tracing::info!(service.name = service, "ready");
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            () = drain.draining() => {}
        }
    }
    tracing::info!("draining");
    drain.begin();
    let finished = drain.finished(DRAIN_LIMIT).await;
    if !finished {
        tracing::warn!(limit_ms = DRAIN_LIMIT.as_millis() as u64, "some work was still under way at the end");
    }
    ops_stopped.begin();
    tracing::info!("stopped");
    Ok(!drain.has_crashed())
}
