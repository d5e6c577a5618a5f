//! The platform's processes: started, killed and started again as an orchestrator would.

use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::journal::{Check, Journal, lock};
use crate::port;
use crate::service::{Binaries, Service};
use crate::timeline::{Subject, Timeline};

const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Before a process that ended is started again.
const PAUSE: Duration = Duration::from_millis(300);
const START: Duration = Duration::from_secs(60);
const SIGABRT: i32 = 6;
/// Kills what this process started, if it is itself killed.
const UNDERTAKER: &str = r#"
    alive=" "
    while read -r mark pid; do
        case $mark in
            born) alive="$alive$pid " ;;
            dead) alive=$(printf %s "$alive" | sed "s/ $pid / /") ;;
        esac
    done
    kill -s KILL $alive 2>/dev/null
"#;

struct Replica {
    service: Service,
    number: usize,
    /// The public API for a gateway, gRPC for the others.
    serves: SocketAddr,
    ops: SocketAddr,
    child: Option<Child>,
    /// Where it is to die.
    armed: Option<&'static str>,
    was_ready: bool,
    /// When to start it again; none while a fault keeps it down.
    again: Option<Instant>,
}

pub(crate) struct Fleet {
    binaries: Binaries,
    folder: PathBuf,
    settings: Vec<(String, String)>,
    replicas: Mutex<Vec<Replica>>,
    undertaker: Mutex<(Child, ChildStdin)>,
    timeline: Arc<Timeline>,
    journal: Arc<Journal>,
}

impl Fleet {
    /// Brings the tables up and starts every replica; returns once all can serve.
    pub(crate) async fn start(
        binaries: Binaries,
        folder: PathBuf,
        mut settings: Vec<(String, String)>,
        timeline: Arc<Timeline>,
        journal: Arc<Journal>,
    ) -> anyhow::Result<Arc<Fleet>> {
        let mut replicas = Vec::new();
        for (service, count) in &binaries.services {
            for number in 0..*count {
                let (service, serves, ops) = (*service, port::free()?, port::free()?);
                let (child, again) = (None, None);
                replicas.push(Replica { service, number, serves, ops, child, armed: None, was_ready: false, again });
            }
        }
        for service in Service::ALL.into_iter().filter(|_| binaries.services.len() > 1) {
            let of = replicas.iter().filter(|replica| replica.service == service);
            let urls: Vec<String> = of.map(|replica| format!("http://{}", replica.serves)).collect();
            settings.push((format!("FK_{}_URL", service.name().to_uppercase()), urls.join(",")));
        }
        settings.push(("FK_DATA_DIR".to_owned(), folder.join("data").display().to_string()));
        let mut shell = Command::new("sh");
        shell.args(["-c", UNDERTAKER]).stdin(Stdio::piped());
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut shell = shell.spawn().context("there is no shell")?;
        let input = shell.stdin.take().context("its input is a pipe")?;
        let replicas = Mutex::new(replicas);
        let fleet =
            Fleet { binaries, folder, settings, replicas, undertaker: Mutex::new((shell, input)), timeline, journal };
        fleet.migrate()?;
        for replica in lock(&fleet.replicas).iter_mut() {
            fleet.launch(replica, None)?;
        }
        let fleet = Arc::new(fleet);
        fleet.ready().await?;
        tokio::spawn(Arc::clone(&fleet).supervise());
        let watched = Arc::clone(&fleet);
        tokio::spawn(async move {
            loop {
                watched.look_at_readiness().await;
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        });
        Ok(fleet)
    }

    fn migrate(&self) -> anyhow::Result<()> {
        for service in self.binaries.migrating() {
            let mut command = Command::new(self.binaries.of(*service));
            let settings = self.settings.iter().map(|(name, value)| (name, value));
            let done = command.arg("migrate").env_clear().envs(settings).output()?;
            if !done.status.success() {
                bail!("{} migrate: {}", service.name(), String::from_utf8_lossy(&done.stderr));
            }
        }
        Ok(())
    }

    /// Where the public API is.
    pub(crate) fn gateways(&self) -> Vec<SocketAddr> {
        let replicas = lock(&self.replicas);
        let public = |replica: &&Replica| matches!(replica.service, Service::Gateway | Service::Standalone);
        replicas.iter().filter(public).map(|replica| replica.serves).collect()
    }

    pub(crate) fn game_replicas(&self) -> usize {
        lock(&self.replicas).iter().filter(|replica| keeps_heartbeat(replica.service)).count()
    }

    fn launch(&self, replica: &mut Replica, failpoint: Option<(&'static str, u64)>) -> anyhow::Result<()> {
        let name = replica.service.name();
        let path = self.folder.join(format!("{name}-{}.log", replica.number));
        let mut log = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(log, "--- started at {} ms", runtime::wall_clock_ms())?;
        let mut command = Command::new(self.binaries.of(replica.service));
        command.env_clear().envs(self.settings.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        command.env("FK_OPS_ADDR", replica.ops.to_string());
        if replica.service == Service::Standalone {
            for inner in ["GAME", "MATCHMAKING", "RATING", "CLOCK"] {
                command.env(format!("FK_{inner}_ADDR"), "127.0.0.1:0");
            }
        }
        let public = matches!(replica.service, Service::Gateway | Service::Standalone);
        let address = if public { "FK_HTTP_ADDR".to_owned() } else { format!("FK_{}_ADDR", name.to_uppercase()) };
        command.env(address, replica.serves.to_string());
        if let Some((place, times)) = failpoint {
            command.env("FK_FAILPOINTS", format!("{place}=1/{times}"));
        }
        if keeps_heartbeat(replica.service) {
            self.timeline.mark(Subject::Game(replica.number), true);
        }
        let child = command.spawn().with_context(|| format!("{name} cannot be started"))?;
        self.note("born", child.id());
        replica.child = Some(child);
        replica.armed = failpoint.map(|(place, _)| place);
        replica.was_ready = false;
        replica.again = None;
        Ok(())
    }

    fn note(&self, mark: &str, id: u32) {
        let _ = writeln!(lock(&self.undertaker).1, "{mark} {id}");
    }

    fn gone(&self, replica: &mut Replica) {
        if let Some(child) = replica.child.take() {
            self.note("dead", child.id());
        }
        if keeps_heartbeat(replica.service) {
            self.timeline.mark(Subject::Game(replica.number), false);
        }
    }

    /// SIGKILL; it stays down until [`Fleet::revive`].
    pub(crate) fn kill(&self, service: Service, number: usize) {
        self.with(service, number, |replica| {
            replica.again = None;
            if let Some(child) = &mut replica.child {
                let _ = child.kill();
                let _ = child.wait();
                self.gone(replica);
            }
        });
    }

    pub(crate) fn revive(&self, service: Service, number: usize, failpoint: Option<(&'static str, u64)>) {
        self.with(service, number, |replica| {
            if replica.child.is_none()
                && let Err(error) = self.launch(replica, failpoint)
            {
                self.journal.found(Check::Processes, format!("{error:#}"));
            }
        });
    }

    /// SIGSTOP or SIGCONT.
    pub(crate) fn pause(&self, service: Service, number: usize, stop: bool) {
        self.with(service, number, |replica| {
            let Some(child) = &replica.child else { return };
            let heart = keeps_heartbeat(replica.service).then_some(Subject::Game(replica.number));
            if let Some(subject) = heart.filter(|_| !stop) {
                self.timeline.mark(subject, true);
            }
            let signal = if stop { "STOP" } else { "CONT" };
            let _ = Command::new("sh").arg("-c").arg(format!("kill -s {signal} {}", child.id())).status();
            if let Some(subject) = heart.filter(|_| stop) {
                self.timeline.mark(subject, false);
            }
        });
    }

    fn with(&self, service: Service, number: usize, act: impl FnOnce(&mut Replica)) {
        let mut replicas = lock(&self.replicas);
        let standing_in = |replica: &&mut Replica| {
            replica.service == Service::Standalone || (replica.service == service && replica.number == number)
        };
        if let Some(replica) = replicas.iter_mut().find(standing_in) {
            act(replica);
        }
    }

    /// Waits until every replica can serve.
    pub(crate) async fn ready(&self) -> anyhow::Result<()> {
        let until = Instant::now() + START;
        loop {
            let waiting = self.look_at_readiness().await;
            if waiting.is_empty() {
                return Ok(());
            }
            if Instant::now() > until {
                bail!("not ready after {} s: {}", START.as_secs(), waiting.join(", "));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn look_at_readiness(&self) -> Vec<String> {
        let places: Vec<_> = lock(&self.replicas).iter().map(|one| (one.service, one.number, one.ops)).collect();
        let mut waiting = Vec::new();
        for (service, number, ops) in places {
            let asked =
                crate::door::client().get(format!("http://{ops}/readyz")).timeout(Duration::from_secs(2)).send();
            let ready = asked.await.is_ok_and(|answer| answer.status() == 200);
            self.with(service, number, |replica| replica.was_ready |= ready);
            if !ready {
                waiting.push(format!("{} {number}", service.name()));
            }
        }
        waiting
    }

    /// Starts again what has ended, and tells what ended without being made to.
    async fn supervise(self: Arc<Self>) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            for replica in lock(&self.replicas).iter_mut() {
                let ended = replica.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
                if let Some(status) = ended {
                    self.gone(replica);
                    self.judge(replica, status);
                    replica.again = Some(Instant::now() + PAUSE);
                }
                if replica.again.is_some_and(|again| again <= Instant::now())
                    && let Err(error) = self.launch(replica, None)
                {
                    self.journal.found(Check::Processes, format!("{error:#}"));
                    replica.again = None;
                }
            }
        }
    }

    /// A process may give up while it starts and a store is away, as an orchestrator starts it again.
    fn judge(&self, replica: &Replica, status: ExitStatus) {
        let (name, number) = (replica.service.name(), replica.number);
        match (status.signal(), replica.armed) {
            (Some(SIGABRT), Some(place)) => self.journal.injected(&format!("died at {place}")),
            (None, _) if status.code() == Some(1) && !replica.was_ready => {
                self.journal.injected(&format!("{name} gave up starting while a store was away"));
            }
            _ => self.journal.found(Check::Processes, format!("{name} {number} ended by itself: {status}")),
        }
    }

    pub(crate) fn stop(&self) {
        for replica in lock(&self.replicas).iter_mut() {
            replica.again = None;
            if let Some(mut child) = replica.child.take() {
                let _ = child.kill();
                let _ = child.wait();
                self.note("dead", child.id());
            }
        }
    }

    /// Lines of panics in the processes' logs.
    pub(crate) fn panics(&self) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "log") {
                let log = std::fs::read(&path).unwrap_or_default();
                let log = String::from_utf8_lossy(&log).into_owned();
                let lines = log.lines().filter(|line| line.contains("panicked"));
                found.extend(lines.map(|line| format!("{}: {line}", path.display())));
            }
        }
        found
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.stop();
    }
}

const fn keeps_heartbeat(service: Service) -> bool {
    matches!(service, Service::Game | Service::Standalone)
}
