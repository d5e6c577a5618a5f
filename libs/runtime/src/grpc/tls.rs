use std::path::Path;

use anyhow::{Context as _, bail};
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
    pub(crate) fn load(environment: &Environment) -> anyhow::Result<Option<Self>> {
        match (&environment.tls_cert, &environment.tls_key, &environment.tls_ca) {
            (None, None, None) => Ok(None),
            (Some(cert), Some(key), Some(ca)) => Ok(Some(Self {
                identity: Identity::from_pem(read("FK_TLS_CERT", cert)?, read("FK_TLS_KEY", key)?),
                authority: Certificate::from_pem(read("FK_TLS_CA", ca)?),
            })),
            _ => bail!("FK_TLS_CERT, FK_TLS_KEY, FK_TLS_CA: expected all three or none"),
        }
    }

    pub(crate) fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new().identity(self.identity.clone()).client_ca_root(self.authority.clone())
    }

    pub(crate) fn client(&self, host: &str) -> ClientTlsConfig {
        ClientTlsConfig::new().identity(self.identity.clone()).ca_certificate(self.authority.clone()).domain_name(host)
    }
}

fn read(name: &str, path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("{name}: cannot read {}", path.display()))
}
