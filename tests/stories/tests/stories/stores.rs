//! Services as processes of their own, whose stores are away for a while.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use servers::{Postgres, Redis};
use stories::{eventually, free_address};
use tonic::transport::Channel;
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

const NAMES: [&str; 5] = ["rating", "game", "matchmaking", "clock", "gateway"];

struct Service {
    name: &'static str,
    ops: SocketAddr,
    own: SocketAddr,
    child: Child,
    log: Arc<Mutex<Vec<String>>>,
}

fn binary(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let mut command = Command::new(test.ancestors().nth(2).unwrap().join(name));
    command.env_clear();
    command
}

impl Service {
    fn start(name: &'static str, settings: &[(String, String)]) -> Service {
        let own = |name: &str| format!("FK_{}_ADDR", if name == "gateway" { "HTTP" } else { name }.to_uppercase());
        let address = settings.iter().find(|(setting, _)| *setting == own(name)).unwrap().1.parse().unwrap();
        let ops = free_address();
        let mut command = binary(name);
        command.envs(settings.iter().cloned()).env("FK_OPS_ADDR", ops.to_string()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (lines, log) = (BufReader::new(child.stderr.take().unwrap()).lines(), Arc::<Mutex<Vec<_>>>::default());
        let kept = Arc::clone(&log);
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| kept.lock().unwrap().push(line)));
        Service { name, ops, own: address, child, log }
    }

    async fn ask(&self, path: &str) -> Option<(u16, String)> {
        let answer = reqwest::get(format!("http://{}{path}", self.ops)).await.ok()?;
        Some((answer.status().as_u16(), answer.text().await.ok()?))
    }

    /// Waits until `/readyz` says this; the process lives all the time.
    async fn says(&self, status: u16, words: &str) {
        eventually(&format!("{} {status} {words}", self.name), async || {
            let (live, _) = self.ask("/healthz").await?;
            assert_eq!(live, 200);
            self.ask("/readyz").await.filter(|(code, text)| *code == status && text.contains(words))
        })
        .await;
    }

    async fn tells_callers(&self, status: ServingStatus) {
        eventually(&format!("{} {status:?}", self.name), async || {
            let channel = Channel::from_shared(format!("http://{}", self.own)).unwrap().connect().await.ok()?;
            let asked = HealthClient::new(channel).check(HealthCheckRequest::default()).await.ok()?;
            (asked.into_inner().status as i32 == status as i32).then_some(())
        })
        .await;
    }

    fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- the log of {}\n{}\n---", self.name, self.log());
        }
    }
}

/// All services on these stores, which need not be there.
fn all(redis: &str, database: &str) -> Vec<Service> {
    let mut settings = vec![("FK_REDIS_URL".to_owned(), redis.to_owned())];
    settings.push(("FK_DATABASE_URL".to_owned(), database.to_owned()));
    for service in ["GAME", "MATCHMAKING", "RATING", "CLOCK", "HTTP"] {
        settings.push((format!("FK_{service}_ADDR"), free_address().to_string()));
    }
    NAMES.map(|name| Service::start(name, &settings)).into()
}

fn migrate(database: &str) {
    for owner in ["rating", "gateway"] {
        let mut command = binary(owner);
        let done = command.envs([("FK_REDIS_URL", "redis://unused"), ("FK_DATABASE_URL", database)]).arg("migrate");
        assert!(done.status().unwrap().success(), "{owner}");
    }
}

#[tokio::test]
async fn a_service_without_its_store_is_not_ready_until_it_is_back() {
    if !stories::is_in_a_file() {
        return;
    }
    let (redis, postgres) = (Redis::start(servers::NONE).await, Postgres::start().await);
    let database = postgres.database().await;
    migrate(&database);
    let services = all(&redis.url(), &database);
    let [rating, game, matchmaking, clock, gateway] = services.as_slice() else { panic!("five services") };
    for service in &services {
        service.says(200, "ready").await;
    }

    redis.kill();
    let on_redis = [(game, "live store"), (clock, "live store's deadlines"), (matchmaking, "ticket store")];
    for (service, condition) in on_redis {
        service.says(503, condition).await;
        service.tells_callers(ServingStatus::NotServing).await;
    }
    for service in [rating, gateway] {
        service.says(200, "ready\n").await;
    }
    redis.restart("").await;
    for (service, _) in on_redis {
        service.says(200, "ready\n").await;
        service.tells_callers(ServingStatus::Serving).await;
    }

    postgres.kill();
    rating.says(503, "rating database").await;
    rating.tells_callers(ServingStatus::NotServing).await;
    gateway.says(200, "without: account database").await;
    let (_, metrics) = gateway.ask("/metrics").await.unwrap();
    assert!(metrics.contains("ready_condition{condition=\"account database\"} 0"), "{metrics}");
    postgres.restart().await;
    rating.says(200, "ready\n").await;
    rating.tells_callers(ServingStatus::Serving).await;
    gateway.says(200, "ready\n").await;
}

#[tokio::test]
async fn a_store_that_is_not_there_yet_is_named_and_waited_for() {
    if !stories::is_in_a_file() {
        return;
    }
    let redis = Redis::start(&["--requirepass", "sesame"]).await;
    let postgres = Postgres::start().await;
    let database = postgres.database().await;
    migrate(&database);
    redis.kill();
    postgres.kill();
    let database = database.replace("postgres@", "postgres:sesame@");
    let services = all(&redis.url().replace("://", "://:sesame@"), &database);
    let conditions = ["rating database", "live store", "ticket store", "live store", "account database"];
    for (service, condition) in services.iter().zip(conditions) {
        service.says(503, condition).await;
        eventually("a warning that names the server", async || {
            let log = service.log();
            let warned = |line: &str| line.contains("WARN") && line.contains(condition) && line.contains("refused");
            log.lines().any(warned).then_some(())
        })
        .await;
    }
    redis.restart("").await;
    postgres.restart().await;
    for service in &services {
        service.says(200, "ready\n").await;
        assert!(!service.log().contains("sesame"), "{}", service.log());
    }
}
