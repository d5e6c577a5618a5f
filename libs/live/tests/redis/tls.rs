//! Servers that speak TLS only to who believes their authority.

use std::process::Stdio;

use live::RedisLiveStore;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use crate::suite;
use servers::{Redis, free_port};

const URL: &str = "LIVE_TEST_TLS_URL";

/// Run by the next test in a process of its own: the authorities a process believes come from its environment.
#[tokio::test]
#[ignore = "run by a_server_is_believed_by_its_authority"]
#[expect(clippy::disallowed_methods, reason = "how one test tells the other")]
async fn in_a_process_of_its_own() {
    let url = std::env::var(URL).unwrap();
    let store = RedisLiveStore::connect(&url).await.unwrap();
    suite::readers_are_told_what_was_stored(&store).await;
}

#[tokio::test]
async fn a_server_is_believed_by_its_authority() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let (authority_key, key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let authority_certificate = authority.self_signed(&authority_key).unwrap();
    let issuer = Issuer::new(authority, authority_key);
    let certificate = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    std::fs::write(file("ca"), authority_certificate.pem()).unwrap();
    std::fs::write(file("certificate"), certificate.pem()).unwrap();
    std::fs::write(file("key"), key.serialize_pem()).unwrap();
    let port = free_port().to_string();
    let server = [
        ["--tls-port", &port],
        ["--tls-cert-file", &file("certificate")],
        ["--tls-key-file", &file("key")],
        ["--tls-ca-cert-file", &file("ca")],
        ["--tls-auth-clients", "no"],
    ];
    let _server = Redis::start(server.as_flattened()).await;

    let believes = async |ca: &str| {
        let mut inner = tokio::process::Command::new(std::env::current_exe().unwrap());
        inner.args(["--exact", "tls::in_a_process_of_its_own", "--ignored"]);
        inner.env(URL, format!("rediss://localhost:{port}?durability=relaxed")).env("SSL_CERT_FILE", ca);
        inner.stdout(Stdio::null()).stderr(Stdio::null()).status().await.unwrap().success()
    };
    assert!(believes(&file("ca")).await);
    // Any other certificate will do for an authority that did not sign this one.
    assert!(!believes(&file("certificate")).await);
}
