#![allow(clippy::unwrap_used, reason = "a test")]
//! How services find, call and lose each other.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser;
use proto::clock::v1::clock_service_client::ClockServiceClient;
use proto::clock::v1::clock_service_server::{ClockService, ClockServiceServer};
use proto::clock::v1::{Lease, ListDeadlinesRequest, ListDeadlinesResponse, ListLeasesRequest, ListLeasesResponse};
use runtime::grpc::{Link, Mesh};
use runtime::{Drain, Environment, Readiness};
use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// Answers with its own name.
struct Named(&'static str);

#[tonic::async_trait]
impl ClockService for Named {
    async fn list_deadlines(
        &self,
        _: Request<ListDeadlinesRequest>,
    ) -> Result<Response<ListDeadlinesResponse>, Status> {
        // Longer than any call may take.
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

/// An authority and what it has signed for "localhost".
fn certificates(folder: &std::path::Path, name: &str) -> Mesh {
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
    let arguments = [
        "fk".into(),
        "--tls-cert".into(),
        file("cert", cert.pem()).into_os_string(),
        "--tls-key".into(),
        file("key", key.serialize_pem()).into_os_string(),
        "--tls-ca".into(),
        file("ca", authority_cert.pem()).into_os_string(),
    ];
    let arguments: [std::ffi::OsString; 7] = arguments;
    Mesh::new(&Program::parse_from(arguments).environment).unwrap()
}

#[tokio::test]
async fn with_mutual_tls_only_members_are_heard() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (certificates(folder.path(), "ours"), certificates(folder.path(), "theirs"));
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
