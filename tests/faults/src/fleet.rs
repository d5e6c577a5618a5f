//! The platform's processes: started, killed and started again as an orchestrator would.

use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use stories::{Replica, Service, links, migrate};

use crate::journal::{Check, Journal, lock};
use crate::service::{Binaries, REPLICAS};
use crate::timeline::{Subject, Timeline};

const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Before a process that ended is started again.
const PAUSE: Duration = Duration::from_millis(300);
const START: Duration = Duration::from_secs(60);
/// The promise for SIGTERM.
const END: Duration = Duration::from_secs(20);
const SIGABRT: i32 = 6;

/// A replica, and what is meant for it.
struct Post {
    replica: Replica,
    /// Where it is to die.
    armed: Option<&'static str>,
    was_ready: bool,
    /// When to start it again; none while a fault keeps it down.
    again: Option<Instant>,
    /// When it was asked to end.
    asked_to_end: Option<Instant>,
}

pub(crate) struct Fleet {
    binaries: Binaries,
    folder: PathBuf,
    settings: Vec<(String, String)>,
    posts: Mutex<Vec<Post>>,
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
        let replicas = Replica::of(&Service::APART, REPLICAS);
        settings.extend(links(&replicas));
        migrate(&binaries.folder, &Service::APART, &settings).map_err(anyhow::Error::msg)?;
        let post = |replica| Post { replica, armed: None, was_ready: false, again: None, asked_to_end: None };
        let posts = Mutex::new(replicas.into_iter().map(post).collect());
        let fleet = Fleet { binaries, folder, settings, posts, timeline, journal };
        for post in lock(&fleet.posts).iter_mut() {
            fleet.launch(post, None)?;
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

    /// Where the public API is.
    pub(crate) fn gateways(&self) -> Vec<SocketAddr> {
        lock(&self.posts).iter().filter_map(|post| post.replica.address(Service::Gateway)).collect()
    }

    fn launch(&self, post: &mut Post, failpoint: Option<(&'static str, u64)>) -> anyhow::Result<()> {
        let (service, number) = (post.replica.service, post.replica.number);
        let path = self.folder.join(format!("{}-{number}.log", service.name()));
        let mut log = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(log, "--- started at {} ms", runtime::wall_clock_ms())?;
        let errors = log.try_clone()?;
        if service == Service::Game {
            self.timeline.mark(Subject::Game(number), true);
        }
        let started = post.replica.start(&self.binaries.folder, &self.settings, |command| {
            command.stdout(log).stderr(errors);
            if let Some((place, times)) = failpoint {
                command.env("FK_FAILPOINTS", format!("{place}=1/{times}"));
            }
        });
        started.with_context(|| format!("{} cannot be started", service.name()))?;
        post.armed = failpoint.map(|(place, _)| place);
        post.was_ready = false;
        post.again = None;
        post.asked_to_end = None;
        Ok(())
    }

    fn gone(&self, post: &Post) {
        if post.replica.service == Service::Game {
            self.timeline.mark(Subject::Game(post.replica.number), false);
        }
    }

    /// SIGKILL; it stays down until [`Fleet::revive`].
    pub(crate) fn kill(&self, service: Service, number: usize) {
        self.with(service, number, |post| {
            post.again = None;
            if post.replica.runs() {
                post.replica.kill();
                self.gone(post);
            }
        });
    }

    /// SIGTERM. It is started again once it has ended; returns then.
    pub(crate) async fn end(&self, service: Service, number: usize) {
        self.with(service, number, |post| {
            if post.replica.runs() {
                post.asked_to_end = Some(Instant::now());
                self.journal.seen().leaving = post.replica.address(Service::Gateway);
                post.replica.signal("TERM");
            }
        });
        let mut ends = true;
        while ends {
            tokio::time::sleep(LOOK_EVERY).await;
            self.with(service, number, |post| ends = post.asked_to_end.is_some());
        }
        self.journal.seen().leaving = None;
    }

    pub(crate) fn revive(&self, service: Service, number: usize, failpoint: Option<(&'static str, u64)>) {
        self.with(service, number, |post| {
            if !post.replica.runs()
                && let Err(error) = self.launch(post, failpoint)
            {
                self.journal.found(Check::Processes, format!("{error:#}"));
            }
        });
    }

    /// SIGSTOP or SIGCONT.
    pub(crate) fn pause(&self, service: Service, number: usize, stop: bool) {
        self.with(service, number, |post| {
            if !post.replica.runs() {
                return;
            }
            let heart = (service == Service::Game).then_some(Subject::Game(number));
            if let Some(subject) = heart.filter(|_| !stop) {
                self.timeline.mark(subject, true);
            }
            post.replica.signal(if stop { "STOP" } else { "CONT" });
            if let Some(subject) = heart.filter(|_| stop) {
                self.timeline.mark(subject, false);
            }
        });
    }

    fn with(&self, service: Service, number: usize, act: impl FnOnce(&mut Post)) {
        let mut posts = lock(&self.posts);
        let meant = |post: &&mut Post| post.replica.service == service && post.replica.number == number;
        if let Some(post) = posts.iter_mut().find(meant) {
            act(post);
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
        let places: Vec<_> = lock(&self.posts)
            .iter()
            .map(|post| (post.replica.service, post.replica.number, post.replica.ops))
            .collect();
        let mut waiting = Vec::new();
        for (service, number, ops) in places {
            let asked =
                crate::door::client().get(format!("http://{ops}/readyz")).timeout(Duration::from_secs(2)).send();
            let ready = asked.await.is_ok_and(|answer| answer.status() == 200);
            self.with(service, number, |post| post.was_ready |= ready);
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
            for post in lock(&self.posts).iter_mut() {
                if let Some(status) = post.replica.ended() {
                    self.gone(post);
                    self.judge(post, status);
                    post.again = Some(Instant::now() + PAUSE);
                }
                if post.again.is_some_and(|again| again <= Instant::now())
                    && let Err(error) = self.launch(post, None)
                {
                    self.journal.found(Check::Processes, format!("{error:#}"));
                    post.again = None;
                }
                if post.asked_to_end.is_some_and(|asked| asked.elapsed() > END) {
                    post.asked_to_end = None;
                    let (name, number) = (post.replica.service.name(), post.replica.number);
                    self.journal.found(Check::Processes, format!("{name} {number} still runs {END:?} after SIGTERM"));
                }
            }
        }
    }

    /// A process may give up while it starts and a store is away, as an orchestrator starts it again.
    fn judge(&self, post: &Post, status: ExitStatus) {
        let (name, number) = (post.replica.service.name(), post.replica.number);
        match (status.signal(), post.armed) {
            (Some(SIGABRT), Some(place)) => self.journal.injected(&format!("died at {place}")),
            (None, _) if status.code() == Some(0) && post.asked_to_end.is_some() => {
                self.journal.injected(&format!("{name} ended well after SIGTERM"));
            }
            (None, _) if status.code() == Some(1) && !post.was_ready => {
                self.journal.injected(&format!("{name} gave up starting while a store was away"));
            }
            _ => self.journal.found(Check::Processes, format!("{name} {number} ended by itself: {status}")),
        }
    }

    pub(crate) fn stop(&self) {
        for post in lock(&self.posts).iter_mut() {
            post.again = None;
            post.replica.kill();
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
