use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use http::HeaderMap;
use http::request::Parts;
use ipnet::IpNet;

use crate::app::App;

/// Where a request comes from: the peer, or what the trusted proxies in front of us say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);

impl FromRequestParts<App> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let peer = parts
            .extensions
            .get::<ConnectInfo<SocketAddr>>()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(peer)| peer.ip());
        Ok(Self(client(peer, &parts.headers, &app.config.trusted_proxies)))
    }
}

/// Walks `X-Forwarded-For` from the nearest hop; the first address that is no trusted proxy is the client.
fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let trusts = |address: IpAddr| trusted.iter().any(|network| network.contains(&address.to_canonical()));
    let lines = headers.get_all("x-forwarded-for").iter().rev();
    let mut hops = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
    let mut client = peer;
    while trusts(client) {
        match hops.next().and_then(|hop| hop.trim().parse().ok()) {
            Some(hop) => client = hop,
            None => break,
        }
    }
    client.to_canonical()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_forwarded_header_is_believed_only_behind_a_trusted_proxy() {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
        for (peer, forwarded, expected) in [
            ("192.0.2.1", Some("203.0.113.9"), "192.0.2.1"),
            ("10.0.0.1", None, "10.0.0.1"),
            ("10.0.0.1", Some("203.0.113.9"), "203.0.113.9"),
            ("10.0.0.1", Some("198.51.100.1, 203.0.113.9"), "203.0.113.9"),
            ("10.0.0.1", Some("203.0.113.9, 10.2.3.4"), "203.0.113.9"),
            ("10.0.0.1", Some("garbage"), "10.0.0.1"),
            ("::ffff:10.0.0.1", Some("203.0.113.9"), "203.0.113.9"),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(forwarded) = forwarded {
                headers.insert("x-forwarded-for", HeaderValue::from_static(forwarded));
            }
            let told = client(peer.parse().unwrap(), &headers, &trusted);
            assert_eq!(told, expected.parse::<IpAddr>().unwrap(), "{peer} {forwarded:?}");
        }
    }
}
