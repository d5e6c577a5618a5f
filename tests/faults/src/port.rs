use std::hash::{BuildHasher as _, RandomState};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

/// Below the range from which the system takes ports for outgoing connections, so that a port stays free while its
/// process is restarted.
const RANGE: std::ops::Range<u16> = 10_000..32_000;

/// An address of this machine on which nobody listens now.
pub(crate) fn free() -> anyhow::Result<SocketAddr> {
    for _ in 0..100 {
        let random = RandomState::new().hash_one(std::process::id());
        let port = RANGE.start + (random % u64::from(RANGE.end - RANGE.start)) as u16;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok((Ipv4Addr::LOCALHOST, port).into());
        }
    }
    anyhow::bail!("no free port")
}
