use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use futures::future::join_all;
use tempfile::TempDir;

use crate::home::Home;
use crate::replica::{Replica, links, migrate};
use crate::{Answer, Caller, Player, Service, eventually};

/// Many games are made from one address, and on a busy machine a story may come to its first move late.
const DEFAULTS: [(&str, &str); 2] = [("FK_LIMITS", "off"), ("FK_FIRST_MOVE_MS", "600000")];
/// Of the log of a failed story.
const SHOWN_LINES: usize = 150;

/// The platform as processes of its own, one or several, on free ports and with data that goes with it.
pub struct Platform {
    home: Home,
    settings: Vec<(String, String)>,
    replicas: Vec<Replica>,
    /// Who comes next is let in at another gateway.
    visitors: AtomicUsize,
    data: TempDir,
    log: Arc<Mutex<Vec<String>>>,
    readers: Vec<JoinHandle<()>>,
    agent: reqwest::Client,
}

impl Platform {
    /// Limits off and ten minutes for a first move, everything else by default.
    pub async fn start() -> Platform {
        Platform::with(&[]).await
    }

    /// With settings of its own, which may say otherwise.
    pub async fn with(settings: &[(&str, &str)]) -> Platform {
        let (home, data) = (Home::chosen().await, tempfile::tempdir().unwrap());
        let folder = data.path().to_str().unwrap().to_owned();
        let base = [DEFAULTS, [("FK_LOG", "info"), ("FK_DATA_DIR", &folder)]].concat();
        let base = base.iter().chain(settings).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut platform = Platform {
            settings: base.chain(home.settings.iter().cloned()).collect(),
            home,
            replicas: Vec::new(),
            visitors: AtomicUsize::new(0),
            data,
            log: Arc::default(),
            readers: Vec::new(),
            agent: agent(),
        };
        // A SQLite file needs none of it.
        if !platform.home.settings.is_empty() {
            migrate(&binaries(), platform.home.services, &platform.settings).unwrap();
        }
        for _ in 0..5 {
            platform.replicas = Replica::of(platform.home.services, platform.home.replicas);
            if platform.launch().await {
                return platform;
            }
            // Somebody else was faster on one of the ports.
            platform.kill();
        }
        panic!("no free ports for the platform")
    }

    /// What it says when settings are such that it cannot start.
    pub async fn refusal_to_start(settings: &[(&str, &str)]) -> String {
        let data = tempfile::tempdir().unwrap();
        let mut all = vec![("FK_DATA_DIR".to_owned(), data.path().to_str().unwrap().to_owned())];
        all.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let mut replica = Replica::of(&[Service::Standalone], 1).pop().unwrap();
        // Its own address is the setting that comes last.
        let addresses = settings.iter().filter(|(name, _)| name.ends_with("_ADDR"));
        let streams = |command: &mut Command| _ = command.envs(addresses.copied()).stderr(Stdio::piped());
        let mut told = replica.start(&binaries(), &all, streams).unwrap().stderr.take().unwrap();
        let ended = eventually("an end", async || replica.ended()).await;
        assert!(!ended.success(), "{settings:?}: it ended well");
        let mut text = String::new();
        told.read_to_string(&mut text).unwrap();
        text
    }

    /// Starts everything again, on the same ports and data.
    pub async fn start_again(&mut self) {
        assert!(self.is_down(), "it still runs");
        assert!(self.launch().await, "a port was taken meanwhile");
    }

    /// The same, unless it still runs.
    pub async fn start_again_if_down(&mut self) {
        if self.is_down() {
            self.start_again().await;
        }
    }

    fn is_down(&self) -> bool {
        !self.replicas.iter().any(Replica::runs)
    }

    /// Returns once all can serve; false if a port was taken.
    async fn launch(&mut self) -> bool {
        let settings = [self.settings.clone(), links(&self.replicas)].concat();
        for replica in &mut self.replicas {
            let name = if self.home.replicas > 1 {
                format!("{} {}: ", replica.service.name(), replica.number)
            } else {
                String::new()
            };
            let streams = |command: &mut Command| _ = command.stdout(Stdio::null()).stderr(Stdio::piped());
            let child = replica.start(&binaries(), &settings, streams).unwrap();
            let lines = BufReader::new(child.stderr.take().unwrap()).lines();
            let log = Arc::clone(&self.log);
            self.readers.push(std::thread::spawn(move || {
                for line in lines.map_while(Result::ok) {
                    log.lock().unwrap().push(format!("{name}{line}"));
                }
            }));
        }
        let ready = eventually("the platform is ready", async || {
            if self.replicas.iter_mut().any(|replica| replica.ended().is_some()) {
                return Some(false);
            }
            let answers = self.ops("/readyz").await;
            let all = answers.len() == self.replicas.len() && answers.iter().all(|answer| answer.status == 200);
            all.then_some(true)
        })
        .await;
        if !ready {
            self.kill();
            let log = self.log();
            assert!(log.contains("cannot listen"), "the platform did not start:\n{log}");
        }
        ready
    }

    /// What the operating port of each process answers; one that does not answer is left out.
    pub async fn ops(&self, path: &str) -> Vec<Answer> {
        let asked = self.replicas.iter().map(async |replica| {
            let caller = Caller::new(self.agent.clone(), replica.ops, None);
            caller.try_send(caller.request(reqwest::Method::GET, path)).await.ok()
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// Where the replicas of a service answer: the public API of the gateway, gRPC of the others.
    pub fn addresses(&self, service: Service) -> Vec<SocketAddr> {
        self.replicas.iter().filter_map(|replica| replica.address(service)).collect()
    }

    /// Where its data is, if it is in a file.
    pub fn data_folder(&self) -> &Path {
        self.data.path()
    }

    /// Everything logged so far, over all starts.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }

    /// Sends a signal by name, such as `STOP`, to every process.
    pub fn signal(&self, name: &str) {
        self.replicas.iter().for_each(|replica| replica.signal(name));
    }

    /// SIGTERM, to callers first as whoever ends a platform does. Each must end well.
    pub async fn stop(&mut self) {
        for service in self.home.services {
            let mut of = self.replicas.iter_mut().filter(|replica| replica.service == *service).collect::<Vec<_>>();
            of.iter().for_each(|replica| replica.signal("TERM"));
            for replica in &mut of {
                let ended = eventually("an end after SIGTERM", async || replica.ended()).await;
                assert_eq!(ended.code(), Some(0), "{} {}: {ended}", replica.service.name(), replica.number);
            }
        }
        self.read_to_end();
    }

    /// SIGKILL, to every process.
    pub fn kill(&mut self) {
        self.replicas.iter_mut().for_each(Replica::kill);
        self.read_to_end();
    }

    /// The last words of processes that have ended.
    fn read_to_end(&mut self) {
        self.readers.drain(..).for_each(|reader| reader.join().unwrap());
    }

    /// Somebody without a token.
    pub fn visitor(&self) -> Caller {
        let gateways = self.addresses(Service::Gateway);
        let next = self.visitors.fetch_add(1, Ordering::Relaxed);
        Caller::new(self.agent.clone(), gateways[next % gateways.len()], None)
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
fn binaries() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(2).unwrap().to_owned();
    let missing = "is missing; `cargo build --workspace --bins` makes it";
    assert!(folder.join(Service::Standalone.name()).exists(), "{}: standalone {missing}", folder.display());
    folder
}
