use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use rustls::RootCertStore;
use rustls::crypto::ring;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};

use crate::Environment;

/// Mutual TLS: what a service shows, and whom it believes.
#[derive(Debug, Clone)]
pub struct Tls {
    identity: Identity,
    authority: Certificate,
}

impl Tls {
    /// From `FK_TLS_CERT`, `FK_TLS_KEY` and `FK_TLS_CA`, PEM files; none if none of them is set.
    ///
    /// # Errors
    /// Names the setting, the file, and what is wrong with it.
    pub(crate) fn load(environment: &Environment) -> anyhow::Result<Option<Self>> {
        let (cert, key, ca) = match (&environment.tls_cert, &environment.tls_key, &environment.tls_ca) {
            (None, None, None) => return Ok(None),
            (Some(cert), Some(key), Some(ca)) => {
                (File::read("FK_TLS_CERT", cert)?, File::read("FK_TLS_KEY", key)?, File::read("FK_TLS_CA", ca)?)
            }
            _ => bail!("FK_TLS_CERT, FK_TLS_KEY, FK_TLS_CA: expected all three or none"),
        };
        // tonic would take an empty file, or one that holds something else, and every call would fail.
        let shown = cert.certificates()?;
        for certificate in &shown {
            ParsedCertificate::try_from(certificate).map_err(|error| cert.blamed(error))?;
        }
        let mut believed = RootCertStore::empty();
        for certificate in ca.certificates()? {
            believed.add(certificate).map_err(|error| ca.blamed(error))?;
        }
        let secret =
            PrivateKeyDer::from_pem_slice(&key.pem).map_err(|error| key.unread(error, "no private key in it"))?;
        let secret =
            ring::default_provider().key_provider.load_private_key(secret).map_err(|error| key.blamed(error))?;
        CertifiedKey::new(shown, secret)
            .keys_match()
            .with_context(|| format!("{}: not the key of the certificate in {}", key.named(), cert.path.display()))?;
        Ok(Some(Self { identity: Identity::from_pem(cert.pem, key.pem), authority: Certificate::from_pem(ca.pem) }))
    }

    pub(crate) fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new().identity(self.identity.clone()).client_ca_root(self.authority.clone())
    }

    pub(crate) fn client(&self, host: &str) -> ClientTlsConfig {
        ClientTlsConfig::new().identity(self.identity.clone()).ca_certificate(self.authority.clone()).domain_name(host)
    }
}

struct File<'a> {
    setting: &'static str,
    path: &'a Path,
    pem: Vec<u8>,
}

impl<'a> File<'a> {
    fn read(setting: &'static str, path: &'a Path) -> anyhow::Result<Self> {
        let pem = std::fs::read(path).with_context(|| format!("{setting}: {}", path.display()))?;
        Ok(Self { setting, path, pem })
    }

    fn named(&self) -> String {
        format!("{}: {}", self.setting, self.path.display())
    }

    fn blamed(&self, error: rustls::Error) -> anyhow::Error {
        anyhow::Error::new(error).context(self.named())
    }

    fn unread(&self, error: PemError, nothing: &str) -> anyhow::Error {
        match error {
            PemError::NoItemsFound => anyhow!("{}: {nothing}", self.named()),
            error => anyhow::Error::new(error).context(self.named()),
        }
    }

    /// At least one.
    fn certificates(&self) -> anyhow::Result<Vec<CertificateDer<'static>>> {
        let nothing = "no certificate in it";
        let found = CertificateDer::pem_slice_iter(&self.pem).collect::<Result<Vec<_>, _>>();
        let found = found.map_err(|error| self.unread(error, nothing))?;
        if found.is_empty() { Err(self.unread(PemError::NoItemsFound, nothing)) } else { Ok(found) }
    }
}
