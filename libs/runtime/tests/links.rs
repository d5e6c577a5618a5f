#![allow(clippy::unwrap_used, reason = "a test")]
//! How services find, call and lose each other.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::Parser;
use proto::clock::v1::clock_service_client::ClockServiceClient;
use proto::clock::v1::clock_service_server::{ClockService, ClockServiceServer};
use proto::clock::v1::{Lease, ListDeadlinesRequest, ListDeadlinesResponse, ListLeasesRequest, ListLeasesResponse};
use runtime::grpc::{Link, Mesh, Pace};
use runtime::{Drain, Environment, Readiness};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

/// How many calls at the replica `endless` were begun, and how many of them were given up.
static BEGUN: Semaphore = Semaphore::const_new(0);
static GIVEN_UP: Semaphore = Semaphore::const_new(0);

/// How many calls at the replica `still` were begun, and at the replica `patient`.
static STILL: Semaphore = Semaphore::const_new(0);
static PATIENT: Semaphore = Semaphore::const_new(0);

struct GivenUp;

impl Drop for GivenUp {
    fn drop(&mut self) {
        GIVEN_UP.add_permits(1);
    }
}

/// Answers with its own name.
struct Named(&'static str);

#[tonic::async_trait]
impl ClockService for Named {
    async fn list_deadlines(
        &self,
        _: Request<ListDeadlinesRequest>,
    ) -> Result<Response<ListDeadlinesResponse>, Status> {
        if self.0 == "quick" {
            return Ok(Response::new(ListDeadlinesResponse::default()));
        }
        if self.0 == "patient" {
            PATIENT.add_permits(1);
            // The first one is answered once there is a second one, and has both permits then.
            PATIENT.acquire_many(2).await.unwrap().forget();
            return Ok(Response::new(ListDeadlinesResponse::default()));
        } else if self.0 == "still" {
            STILL.add_permits(1);
        }
        // Longer than any call may take.
        let _given_up = (self.0 == "endless").then(|| {
            BEGUN.add_permits(1);
            GivenUp
        });
        tokio::time::sleep(Duration::from_secs(3600)).await;
        Err(Status::internal("nobody waits that long"))
    }

    async fn list_leases(&self, _: Request<ListLeasesRequest>) -> Result<Response<ListLeasesResponse>, Status> {
        let lease = Lease { holder: self.0.to_owned(), ..Lease::default() };
        Ok(Response::new(ListLeasesResponse { leases: vec![lease] }))
    }
}

struct Replica {
    drain: Drain,
    address: SocketAddr,
}

async fn replica(mesh: &Mesh, name: &'static str, address: &str) -> Replica {
    let listener = TcpListener::bind(address).await.unwrap();
    let address = listener.local_addr().unwrap();
    let drain = Drain::new();
    mesh.spawn(name, listener, Routes::new(ClockServiceServer::new(Named(name))), &drain);
    Replica { drain, address }
}

impl Replica {
    async fn stop(&self) {
        self.drain.begin();
        assert!(self.drain.finished(Duration::from_secs(10)).await);
    }
}

async fn who(client: &mut ClockServiceClient<Link>) -> Result<String, Status> {
    let answer = client.list_leases(ListLeasesRequest {}).await?;
    Ok(answer.into_inner().leases.remove(0).holder)
}

async fn everyone(client: &mut ClockServiceClient<Link>) -> HashSet<String> {
    let mut seen = HashSet::new();
    for _ in 0..64 {
        seen.insert(who(client).await.unwrap());
    }
    seen
}

#[tokio::test]
async fn calls_are_shared_and_no_caller_notices_that_a_replica_left() {
    let mesh = Mesh::default();
    let (a, b) = (replica(&mesh, "a", "127.0.0.1:0").await, replica(&mesh, "b", "127.0.0.1:0").await);
    let urls = format!("http://{},http://{}", a.address, b.address);
    let mut client = ClockServiceClient::new(mesh.connect("FK_X_URL", &urls).unwrap());
    while everyone(&mut client).await.len() < 2 {}
    a.stop().await;
    for _ in 0..200 {
        assert_eq!(who(&mut client).await.unwrap(), "b");
    }
    // It comes back at the same address and is found.
    let again = replica(&mesh, "again", &a.address.to_string()).await;
    while !everyone(&mut client).await.contains("again") {}
    b.stop().await;
    assert_eq!(who(&mut client).await.unwrap(), "again");
    again.stop().await;
}

#[tokio::test]
async fn a_replica_that_cannot_serve_is_left_out_until_it_can() {
    let unsure = Readiness::new(Drain::new());
    unsure.set("store", false);
    let a = replica(&Mesh::default(), "able", "127.0.0.1:0").await;
    let b = replica(&Mesh::default().following(unsure.clone()), "unsure", "127.0.0.1:0").await;
    let urls = format!("http://{},http://{}", a.address, b.address);
    let mut client = ClockServiceClient::new(Mesh::default().connect("FK_X_URL", &urls).unwrap());
    // It may be called before its first look at itself; once it has been left out it stays out.
    while everyone(&mut client).await.len() > 1 {}
    assert_eq!(everyone(&mut client).await, HashSet::from(["able".to_owned()]));
    unsure.set("store", true);
    while everyone(&mut client).await.len() < 2 {}
    a.stop().await;
    b.stop().await;
}

#[tokio::test]
async fn a_call_waits_for_a_service_that_is_still_starting() {
    let place = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let mesh = Mesh::default();
    let mut client = ClockServiceClient::new(mesh.connect("FK_X_URL", &format!("http://{place}")).unwrap());
    let (answer, late) = tokio::join!(who(&mut client), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        replica(&mesh, "late", &place.to_string()).await
    });
    assert_eq!(answer.unwrap(), "late");
    late.stop().await;
}

#[tokio::test]
async fn no_call_is_waited_for_without_end() {
    let mesh = Mesh::default();
    let slow = replica(&mesh, "slow", "127.0.0.1:0").await;
    let mut client = ClockServiceClient::new(mesh.connect("FK_X_URL", &format!("http://{}", slow.address)).unwrap());
    let mut request = Request::new(ListDeadlinesRequest { limit: 0 });
    request.set_timeout(Duration::from_millis(200));
    let status = client.list_deadlines(request).await.unwrap_err();
    assert!(matches!(status.code(), tonic::Code::Cancelled | tonic::Code::DeadlineExceeded), "{status}");
    slow.stop().await;
}

/// A way to a replica that counts its connections, and can swallow all that comes without a word.
struct Wire {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    dead: watch::Sender<bool>,
}

impl Wire {
    async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (connections, dead) = (Arc::<AtomicUsize>::default(), watch::channel(false).0);
        let (counted, death) = (Arc::clone(&connections), dead.subscribe());
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let mut death = death.clone();
                tokio::spawn(async move {
                    let Ok(mut server) = TcpStream::connect(server).await else { return };
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => return,
                        () = async { _ = death.wait_for(|dead| *dead).await } => {}
                    }
                    // Both ends stay open.
                    std::future::pending::<()>().await;
                });
            }
        });
        Self { address, connections, dead }
    }
}

#[tokio::test]
async fn connections_are_renewed_and_no_call_notices() {
    let mesh = Mesh::default().at(Pace { connection_age: Duration::from_millis(100), ..Pace::default() });
    let a = replica(&mesh, "a", "127.0.0.1:0").await;
    let wire = Wire::to(a.address).await;
    let mut client = ClockServiceClient::new(mesh.connect("FK_X_URL", &format!("http://{}", wire.address)).unwrap());
    // One for calls and one for health from the start.
    while wire.connections.load(Ordering::SeqCst) < 12 {
        assert_eq!(who(&mut client).await.unwrap(), "a");
    }
    a.stop().await;
}

#[tokio::test]
async fn a_peer_that_died_silently_is_noticed_on_both_sides() {
    let (keep_alive, keep_alive_timeout) = (Duration::from_secs(1), Duration::from_secs(2));
    let mesh = Mesh::default().at(Pace { keep_alive, keep_alive_timeout, ..Pace::default() });
    let endless = replica(&mesh, "endless", "127.0.0.1:0").await;
    let wire = Wire::to(endless.address).await;
    let place = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let urls = format!("http://{},http://{place}", wire.address);
    let mut client = ClockServiceClient::new(mesh.connect("FK_X_URL", &urls).unwrap());
    let mut request = Request::new(ListDeadlinesRequest { limit: 0 });
    request.set_timeout(Duration::from_secs(600));
    let call = tokio::spawn(async move { client.list_deadlines(request).await });
    BEGUN.acquire().await.unwrap().forget();
    let quick = replica(&mesh, "quick", &place.to_string()).await;
    wire.dead.send_replace(true);
    // The caller makes the call elsewhere, long before its own deadline; the service does not go on with it.
    tokio::time::timeout(Duration::from_secs(120), call).await.expect("in time").unwrap().unwrap();
    tokio::time::timeout(Duration::from_secs(120), GIVEN_UP.acquire()).await.expect("in time").unwrap().forget();
    quick.stop().await;
    endless.drain.begin();
}

#[tokio::test]
async fn a_call_at_a_replica_that_stands_still_is_made_at_another_too() {
    let (call, patience) = (Duration::from_secs(240), Duration::from_millis(500));
    // Nothing but the caller's patience ends it: the connection is not asked whether it is alive.
    let mesh = Mesh::default().at(Pace { call, patience, keep_alive: call, ..Pace::default() });
    let still = replica(&mesh, "still", "127.0.0.1:0").await;
    let wire = Wire::to(still.address).await;
    let place = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let urls = format!("http://{},http://{place}", wire.address);
    let mut client = ClockServiceClient::new(mesh.connect("FK_X_URL", &urls).unwrap());
    let call = tokio::spawn(async move { client.list_deadlines(ListDeadlinesRequest { limit: 0 }).await });
    STILL.acquire().await.unwrap().forget();
    wire.dead.send_replace(true);
    let quick = replica(&mesh, "quick", &place.to_string()).await;
    call.await.unwrap().expect("an answer from the other one");
    quick.stop().await;
    still.drain.begin();
}

#[tokio::test]
async fn a_call_that_takes_its_time_is_not_given_up() {
    let (call, patience) = (Duration::from_secs(240), Duration::from_millis(50));
    let mesh = Mesh::default().at(Pace { call, patience, ..Pace::default() });
    let patient = replica(&mesh, "patient", "127.0.0.1:0").await;
    let mut client = ClockServiceClient::new(mesh.connect("FK_X_URL", &format!("http://{}", patient.address)).unwrap());
    client.list_deadlines(ListDeadlinesRequest { limit: 0 }).await.unwrap();
    patient.stop().await;
}

#[tokio::test]
async fn a_message_that_is_too_long_is_refused() {
    let long: &'static str = "x".repeat(5 << 20).leak();
    let a = replica(&Mesh::default(), "a", "127.0.0.1:0").await;
    let link = Mesh::default().connect("FK_X_URL", &format!("http://{}", a.address)).unwrap();
    let question = HealthCheckRequest { service: long.to_owned() };
    let status = HealthClient::new(link.clone()).check(question).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::OutOfRange, "{status}");
    assert_eq!(who(&mut ClockServiceClient::new(link)).await.unwrap(), "a", "the next call is none the worse");
    a.stop().await;
}

#[tokio::test]
async fn a_url_that_is_none_is_refused() {
    for url in
        ["", "game:7001", "http://", "http://game", "ftp://game:7001", "http://a:7001,,http://b:7001", "http://a:7001,"]
    {
        let told = format!("{:#}", Mesh::default().connect("FK_X_URL", url).unwrap_err());
        assert!(told.starts_with("FK_X_URL: expected http://host:port"), "{told}");
        let wrong = if url.is_empty() || url.contains(',') { "commas" } else { url };
        assert!(told.contains(wrong), "{told}");
    }
}

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    environment: Environment,
}

/// PEM files as the settings name them.
struct Files {
    cert: PathBuf,
    key: PathBuf,
    ca: PathBuf,
}

impl Files {
    fn mesh(&self) -> anyhow::Result<Mesh> {
        let arguments = [("--tls-cert", &self.cert), ("--tls-key", &self.key), ("--tls-ca", &self.ca)];
        let arguments = arguments.map(|(flag, path)| format!("{flag}={}", path.display()));
        Mesh::new(&Program::parse_from([String::from("fk")].into_iter().chain(arguments)).environment)
    }
}

/// An authority and what it has signed for "localhost".
fn certificates(folder: &Path, name: &str) -> Files {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().unwrap();
    let authority_cert = authority.self_signed(&authority_key).unwrap();
    let key = KeyPair::generate().unwrap();
    let issuer = Issuer::from_params(&authority, &authority_key);
    let cert = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let file = |what: &str, text: String| {
        let path = folder.join(format!("{name}.{what}.pem"));
        std::fs::write(&path, text).unwrap();
        path
    };
    Files {
        cert: file("cert", cert.pem()),
        key: file("key", key.serialize_pem()),
        ca: file("ca", authority_cert.pem()),
    }
}

#[test]
fn a_tls_file_that_is_of_no_use_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let (ours, theirs) = (certificates(folder.path(), "ours"), certificates(folder.path(), "theirs"));
    ours.mesh().unwrap();
    let (none, missing) = (file("none", "root:x:0:0:root:/root:/bin/sh\n"), folder.path().join("missing"));
    let garbled = file("garbled", "-----BEGIN CERTIFICATE-----\nZm91ciBraW5nZG9tcw==\n-----END CERTIFICATE-----\n");
    let locked = file("locked", "-----BEGIN PRIVATE KEY-----\nZm91ciBraW5nZG9tcw==\n-----END PRIVATE KEY-----\n");
    for (setting, path, cause) in [
        ("FK_TLS_CERT", &none, "no certificate in it"),
        ("FK_TLS_CERT", &ours.key, "no certificate in it"),
        ("FK_TLS_CERT", &missing, "No such file"),
        ("FK_TLS_CERT", &garbled, "certificate"),
        ("FK_TLS_KEY", &none, "no private key in it"),
        ("FK_TLS_KEY", &ours.cert, "no private key in it"),
        ("FK_TLS_KEY", &missing, "No such file"),
        ("FK_TLS_KEY", &locked, "key"),
        ("FK_TLS_KEY", &theirs.key, "not the key of the certificate in"),
        ("FK_TLS_CA", &none, "no certificate in it"),
        ("FK_TLS_CA", &missing, "No such file"),
        ("FK_TLS_CA", &garbled, "certificate"),
    ] {
        let of = |name, usual: &PathBuf| if name == setting { path.clone() } else { usual.clone() };
        let files = Files {
            cert: of("FK_TLS_CERT", &ours.cert),
            key: of("FK_TLS_KEY", &ours.key),
            ca: of("FK_TLS_CA", &ours.ca),
        };
        let told = format!("{:#}", files.mesh().unwrap_err());
        let rest = told.strip_prefix(&format!("{setting}: {}: ", path.display()));
        assert!(rest.is_some_and(|rest| rest.contains(cause)), "{told}");
    }
}

#[tokio::test]
async fn with_tls_a_host_may_be_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = certificates(folder.path(), "ours").mesh().unwrap();
    for url in ["https://127.0.0.1:7001", "https://[::1]:7001", "https://game:7001"] {
        mesh.connect("FK_X_URL", url).unwrap();
    }
    let told = format!("{:#}", mesh.connect("FK_X_URL", "https://-game-:7001").unwrap_err());
    assert!(told.starts_with("FK_X_URL") && told.contains("-game-"), "{told}");
}

#[tokio::test]
async fn with_mutual_tls_only_members_are_heard() {
    let folder = tempfile::tempdir().unwrap();
    let [ours, theirs] = ["ours", "theirs"].map(|name| certificates(folder.path(), name).mesh().unwrap());
    let server = replica(&ours, "ours", "127.0.0.1:0").await;
    let url = format!("https://localhost:{}", server.address.port());
    let call = async |mesh: &Mesh, url: &str| {
        let mut request = Request::new(ListLeasesRequest {});
        request.set_timeout(Duration::from_millis(700));
        ClockServiceClient::new(mesh.connect("FK_X_URL", url).unwrap()).list_leases(request).await
    };
    let mut client = ClockServiceClient::new(ours.connect("FK_X_URL", &url).unwrap());
    assert_eq!(who(&mut client).await.unwrap(), "ours");
    assert!(call(&theirs, &url).await.is_err(), "another authority's certificate was believed");
    let plain = url.replace("https", "http");
    assert!(call(&Mesh::default(), &plain).await.is_err(), "a caller without a certificate was heard");
    server.stop().await;
}
