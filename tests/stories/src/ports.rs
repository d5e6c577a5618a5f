use std::net::{Ipv4Addr, SocketAddr};

/// An address of this machine on which nobody listens now.
pub fn free_address() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, servers::free_port()).into()
}
