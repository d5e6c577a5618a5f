use std::future::Future;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory as _, FromArgMatches as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::signal::unix::{SignalKind, signal};

use crate::grpc::Mesh;
use crate::ops::STARTED;
use crate::{Drain, Environment, Readiness, Telemetry, bind, ops_router, serve_http};

/// All of a drain; the process ends by then.
const DRAIN_LIMIT: Duration = Duration::from_secs(18);
const HEALTHCHECK_LIMIT: Duration = Duration::from_secs(2);

/// What a main is given to build its services with.
pub struct Process {
    /// The settings.
    pub environment: Environment,
    /// Where long-lived tasks run.
    pub drain: Drain,
    /// What `/readyz` answers.
    pub readiness: Readiness,
    /// How services reach each other.
    pub mesh: Mesh,
}

/// What a main says of itself.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The service's name, as in logs and traces.
    pub name: &'static str,
    /// One line for `--help`.
    pub about: &'static str,
}

#[derive(Debug, clap::Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    environment: Environment,
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Debug, Clone, Copy, clap::Subcommand)]
enum Task {
    /// Brings this service's tables to their newest form, then ends.
    Migrate,
    /// Asks the process at FK_OPS_ADDR whether it can serve; exit code 0 if it can.
    Healthcheck,
}

impl Program {
    /// Runs the process: reads the environment, then either does a task and ends (`migrate`, `healthcheck`), or starts
    /// telemetry and the operating port, calls `start`, waits for SIGTERM or SIGINT, drains and ends. Exit code 0
    /// after a clean end, 1 if anything failed, 2 if a setting is wrong.
    pub fn run<S, M>(self, start: impl FnOnce(Process) -> S, migrate: impl FnOnce(Environment) -> M) -> ExitCode
    where
        S: Future<Output = anyhow::Result<()>>,
        M: Future<Output = anyhow::Result<()>>,
    {
        let command = Arguments::command().name(self.name).about(self.about);
        let arguments = match Arguments::from_arg_matches(&command.get_matches()) {
            Ok(arguments) => arguments,
            Err(error) => error.exit(),
        };
        let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return failed(&error.into()),
        };
        let environment = arguments.environment;
        let ended = runtime.block_on(async {
            match arguments.task {
                None => live(self.name, environment, start).await,
                Some(Task::Migrate) => migrate(environment).await.map(|()| true),
                Some(Task::Healthcheck) => healthcheck(environment.ops_addr).await.map(|()| true),
            }
        });
        match ended {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => failed(&error),
        }
    }
}

async fn healthcheck(ops: SocketAddr) -> anyhow::Result<()> {
    let asking = async {
        let mut stream = TcpStream::connect(ops).await?;
        stream.write_all(b"GET /readyz HTTP/1.0\r\n\r\n").await?;
        let mut answer = Vec::new();
        stream.take(4096).read_to_end(&mut answer).await?;
        anyhow::Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    let answer = tokio::time::timeout(HEALTHCHECK_LIMIT, asking).await??;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    if head.split(' ').nth(1) == Some("200") { Ok(()) } else { anyhow::bail!("{}", body.trim()) }
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
    let mesh = environment.check()?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let telemetry = Telemetry::start(service, &environment)?;
    let drain = Drain::new();
    let readiness = Readiness::new(drain.clone());
    readiness.set(STARTED, false);
    let ops_stopped = Drain::new();
    let ops = bind("FK_OPS_ADDR", environment.ops_addr).await?;
    let ops_server = serve_http(ops, ops_router(readiness.clone(), telemetry.metrics.clone()), ops_stopped.clone());
    ops_stopped.spawn("ops", ops_server);
    let process = Process { environment, drain: drain.clone(), readiness: readiness.clone(), mesh };
    let began = tokio::select! {
        built = build(process) => { built?; true }
        _ = terminate.recv() => false,
        _ = interrupt.recv() => false,
    };
    if began {
        readiness.set(STARTED, true);
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
