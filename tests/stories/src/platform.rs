use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tempfile::TempDir;

use crate::home::home;
use crate::{Caller, Player, eventually, free_address};

const START_S: f64 = 30.0;
/// The promise for SIGTERM.
const STOP_S: f64 = 20.0;
/// Of the log of a failed story.
const SHOWN_LINES: usize = 150;

/// The platform as a process of its own, on free ports and a data folder that goes with it.
pub struct Platform {
    http: SocketAddr,
    ops: SocketAddr,
    data: TempDir,
    settings: Vec<(String, String)>,
    child: Option<Child>,
    log: Arc<Mutex<Vec<String>>>,
    agent: reqwest::Client,
}

impl Platform {
    /// Limits off, everything else by default.
    pub async fn start() -> Platform {
        Platform::with(&[]).await
    }

    /// With settings of its own; `FK_LIMITS` is `off` unless they say otherwise.
    pub async fn with(settings: &[(&str, &str)]) -> Platform {
        let base = [("FK_LIMITS", "off"), ("FK_LOG", "info")].iter().chain(settings);
        let mut platform = Platform {
            http: free_address(),
            ops: free_address(),
            data: tempfile::tempdir().unwrap(),
            settings: base.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            child: None,
            log: Arc::default(),
            agent: agent(),
        };
        platform.settings.extend(home().await);
        platform.migrate();
        for _ in 0..5 {
            if platform.launch().await {
                return platform;
            }
            // Somebody else was faster on one of the ports.
            (platform.http, platform.ops) = (free_address(), free_address());
        }
        panic!("no free ports for the platform")
    }

    /// Makes the schemas of a new PostgreSQL; a SQLite file needs none of it.
    fn migrate(&self) {
        if self.settings.iter().any(|(name, _)| name == "FK_DATABASE_URL") {
            let mut command = Command::new(binary());
            command.env_clear().envs(self.settings.iter().map(|(name, value)| (name, value))).arg("migrate");
            let done = command.output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        }
    }

    /// What it says when settings are such that it cannot start.
    pub fn refusal_to_start(settings: &[(&str, &str)]) -> String {
        let mut command = Command::new(binary());
        command.env_clear().env("FK_DATA_DIR", tempfile::tempdir().unwrap().path());
        for service in ["HTTP", "OPS", "GAME", "MATCHMAKING", "RATING", "CLOCK"] {
            command.env(format!("FK_{service}_ADDR"), "127.0.0.1:0");
        }
        let mut child = command.envs(settings.iter().copied()).stderr(Stdio::piped()).spawn().unwrap();
        for _ in 0..500 {
            if let Some(ended) = child.try_wait().unwrap() {
                assert!(!ended.success(), "{settings:?}: it ended well");
                let mut told = String::new();
                child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
                return told;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = child.kill();
        panic!("{settings:?}: it started");
    }

    /// Starts the process again, on the same ports and data.
    pub async fn start_again(&mut self) {
        assert!(self.child.is_none(), "it still runs");
        assert!(self.launch().await, "a port was taken meanwhile");
    }

    /// The same, unless it still runs.
    pub async fn start_again_if_down(&mut self) {
        if self.child.is_none() {
            self.start_again().await;
        }
    }

    /// False if a port was taken.
    async fn launch(&mut self) -> bool {
        let mut command = Command::new(binary());
        command.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.env("FK_HTTP_ADDR", self.http.to_string()).env("FK_OPS_ADDR", self.ops.to_string());
        for service in ["GAME", "MATCHMAKING", "RATING", "CLOCK"] {
            command.env(format!("FK_{service}_ADDR"), "127.0.0.1:0");
        }
        command.env("FK_DATA_DIR", self.data.path());
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        let mut child = command.spawn().unwrap();
        let (lines, log) = (BufReader::new(child.stderr.take().unwrap()).lines(), Arc::clone(&self.log));
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                log.lock().unwrap().push(line);
            }
        });
        self.child = Some(child);
        let ready = eventually(START_S, "the platform is ready", async || {
            if self.running().try_wait().unwrap().is_some() {
                return Some(false);
            }
            self.ops("/readyz").await.is_some_and(|answer| answer.status() == 200).then_some(true)
        })
        .await;
        if !ready {
            self.child = None;
            reader.join().unwrap();
            let log = self.log();
            assert!(log.contains("cannot listen"), "the platform did not start:\n{log}");
        }
        ready
    }

    fn running(&mut self) -> &mut Child {
        self.child.as_mut().expect("the platform runs")
    }

    /// A call to the operating port; nothing if there is no answer.
    pub async fn ops(&self, path: &str) -> Option<reqwest::Response> {
        self.agent.get(format!("http://{}{path}", self.ops)).send().await.ok()
    }

    /// Where its data is.
    pub fn data_folder(&self) -> &Path {
        self.data.path()
    }

    /// Everything logged so far, over all starts.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }

    /// Sends a signal by name, such as `STOP`.
    pub fn signal(&mut self, name: &str) {
        let id = self.running().id();
        let sent = Command::new("sh").arg("-c").arg(format!("kill -{name} {id}")).status().unwrap();
        assert!(sent.success(), "SIG{name} could not be sent");
    }

    /// SIGTERM, and how it ended.
    pub async fn stop(&mut self) -> ExitStatus {
        self.signal("TERM");
        let ended = eventually(STOP_S, "an end after SIGTERM", async || self.running().try_wait().unwrap()).await;
        self.child = None;
        ended
    }

    /// SIGKILL.
    pub fn kill(&mut self) {
        let mut child = self.child.take().expect("the platform runs");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Somebody without a token.
    pub fn visitor(&self) -> Caller {
        Caller::new(self.agent.clone(), self.http, None)
    }

    /// Signs a guest up.
    pub async fn guest(&self, name: &str) -> Player {
        Player::guest(&self.visitor(), name).await
    }

    /// Signs an account up.
    pub async fn account(&self, name: &str) -> Player {
        Player::account(&self.visitor(), name).await
    }

    /// Four guests.
    pub async fn guests(&self) -> [Player; 4] {
        let (a, b, c, d) = tokio::join!(self.guest("Ada"), self.guest("Bob"), self.guest("Cleo"), self.guest("Dan"));
        [a, b, c, d]
    }

    /// Four accounts.
    pub async fn accounts(&self) -> [Player; 4] {
        let (a, b, c, d) =
            tokio::join!(self.account("Ada"), self.account("Bob"), self.account("Cleo"), self.account("Dan"));
        [a, b, c, d]
    }
}

impl Drop for Platform {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
        if std::thread::panicking() {
            let log = self.log.lock().unwrap();
            let shown = &log[log.len().saturating_sub(SHOWN_LINES)..];
            eprintln!("--- the platform's log\n{}\n---", shown.join("\n"));
        }
    }
}

/// Lets go of connections that the platform may be about to close.
fn agent() -> reqwest::Client {
    let builder = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(40));
    builder.pool_idle_timeout(Duration::from_secs(3)).build().unwrap()
}

/// Beside this test's executable.
fn binary() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let binary = test.ancestors().nth(2).unwrap().join("standalone");
    assert!(binary.exists(), "{} is missing; `cargo build -p standalone` makes it", binary.display());
    binary
}
