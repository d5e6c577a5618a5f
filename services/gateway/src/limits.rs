//! How much one caller may ask for. Requests are counted here and, where there are several gateways, together with
//! them; what only the others know of is forgiven while they cannot be asked. Open connections count per gateway.

use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use dashmap::DashMap;
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use proto::{Code, PlayerId, Refusal};

use crate::metrics;
use crate::name::Name;
use crate::peers::{Peers, Rate};
use crate::token::TokenHash;

/// Requests of one address: 50 a second, 200 at once.
const ADDRESS: (u32, u32) = (50_000, 200);
/// Files of the web client to one address: 1000 a second, 4000 at once, which is forty first visits from behind one router.
const FILES: (u32, u32) = (1_000_000, 4000);
/// Requests with one token: 20 a second, 100 at once.
const TOKEN: (u32, u32) = (20_000, 100);
/// Signing up or in from one address: one in 4 seconds, 20 at once.
const SIGN_UP: (u32, u32) = (250, 20);
/// Signing in to one account: one in 6 seconds, 20 at once, whoever tries.
const SIGN_IN: (u32, u32) = (167, 20);
/// Open sockets and streams of one player.
const OPEN_OF_PLAYER: usize = 40;
/// Open sockets and streams of one address.
const OPEN_OF_ADDRESS: usize = 200;

type Keyed<K> = DefaultKeyedRateLimiter<K>;

/// All limits; with `on` false none holds.
#[derive(Debug)]
pub(crate) struct Limits {
    on: bool,
    clock: DefaultClock,
    peers: Arc<dyn Peers>,
    address: Keyed<IpAddr>,
    files: Keyed<IpAddr>,
    token: Keyed<TokenHash>,
    sign_up: Keyed<IpAddr>,
    sign_in: Keyed<String>,
    open: Arc<DashMap<Holder, usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    Player(PlayerId),
    Address(IpAddr),
}

/// A place among the open connections, given back when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    open: Arc<DashMap<Holder, usize>>,
    held: Vec<Holder>,
}

impl Limits {
    pub(crate) fn new(on: bool, peers: Arc<dyn Peers>) -> Self {
        Self {
            on,
            clock: DefaultClock::default(),
            peers,
            address: limiter(ADDRESS),
            files: limiter(FILES),
            token: limiter(TOKEN),
            sign_up: limiter(SIGN_UP),
            sign_in: limiter(SIGN_IN),
            open: Arc::default(),
        }
    }

    pub(crate) async fn request_from(&self, address: IpAddr) -> Result<(), Refusal> {
        let block = block(address);
        self.check("address", ADDRESS, &self.address, &block, || block.to_string()).await
    }

    /// Apart from requests to the API, which a page's many small files would use up. They come from memory and are kept
    /// by browsers, so every gateway counts for itself.
    pub(crate) fn file_to(&self, address: IpAddr) -> Result<(), Refusal> {
        if !self.on {
            return Ok(());
        }
        self.files.check_key(&block(address)).map_err(|until| refusal("files", until.wait_time_from(self.clock.now())))
    }

    pub(crate) async fn request_with(&self, token: TokenHash) -> Result<(), Refusal> {
        self.check("token", TOKEN, &self.token, &token, || URL_SAFE_NO_PAD.encode(token.0)).await
    }

    pub(crate) async fn sign_up_from(&self, address: IpAddr) -> Result<(), Refusal> {
        let block = block(address);
        self.check("sign_up", SIGN_UP, &self.sign_up, &block, || block.to_string()).await
    }

    /// Whether or not there is an account of this name.
    pub(crate) async fn sign_in_to(&self, name: &Name) -> Result<(), Refusal> {
        self.check("sign_in", SIGN_IN, &self.sign_in, &name.key(), || name.key()).await
    }

    async fn check<K: Hash + Eq + Clone>(
        &self,
        name: &'static str,
        limit: (u32, u32),
        here: &Keyed<K>,
        caller: &K,
        written: impl Fn() -> String,
    ) -> Result<(), Refusal> {
        if !self.on {
            return Ok(());
        }
        // Whom one gateway refuses all would refuse; so a flood does not reach Redis.
        let wait = match here.check_key(caller) {
            Err(until) => Some(until.wait_time_from(self.clock.now())),
            Ok(()) => self.peers.count(name, &written(), rate(limit)).await,
        };
        wait.map_or(Ok(()), |wait| Err(refusal(name, wait)))
    }

    /// Opens a long-lived connection.
    pub(crate) fn open(&self, player: Option<PlayerId>, address: IpAddr) -> Result<Place, Refusal> {
        let mut place = Place { open: Arc::clone(&self.open), held: Vec::new() };
        if !self.on {
            return Ok(place);
        }
        let player = player.map(|player| (Holder::Player(player), OPEN_OF_PLAYER));
        for (holder, most) in player.into_iter().chain([(Holder::Address(block(address)), OPEN_OF_ADDRESS)]) {
            let mut count = self.open.entry(holder).or_insert(0);
            if *count >= most {
                metrics::limited("open");
                return Err(limited("too many open connections", Duration::from_secs(5)));
            }
            *count += 1;
            drop(count);
            place.held.push(holder);
        }
        Ok(place)
    }

    /// Forgets who has been quiet for long.
    pub(crate) fn sweep(&self) {
        self.address.retain_recent();
        self.files.retain_recent();
        self.token.retain_recent();
        self.sign_up.retain_recent();
        self.sign_in.retain_recent();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for holder in &self.held {
            self.open.remove_if_mut(holder, |_, count| {
                *count = count.saturating_sub(1);
                *count == 0
            });
        }
    }
}

fn refusal(limit: &'static str, wait: Duration) -> Refusal {
    metrics::limited(limit);
    limited("too many requests", wait)
}

fn limited(what: &str, wait: Duration) -> Refusal {
    let ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
    Refusal::new(Code::RateLimited, what).retry_after_ms(ms)
}

fn rate((per_1000_seconds, burst): (u32, u32)) -> Rate {
    Rate { period: Duration::from_secs(1000) / per_1000_seconds.max(1), burst }
}

fn limiter<K: Hash + Eq + Clone>(limit: (u32, u32)) -> Keyed<K> {
    let Rate { period, burst } = rate(limit);
    let quota = Quota::with_period(period).unwrap_or_else(|| Quota::per_second(NonZeroU32::MIN));
    RateLimiter::keyed(quota.allow_burst(NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN)))
}

/// One customer's addresses: an IPv4 address, or the /64 of an IPv6 one.
fn block(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::Alone;

    fn limits(on: bool) -> Limits {
        Limits::new(on, Arc::new(Alone::new()))
    }

    #[tokio::test]
    async fn a_burst_passes_and_then_it_says_when_to_come_back() {
        let limits = limits(true);
        let here = IpAddr::from([10, 0, 0, 1]);
        for _ in 0..SIGN_UP.1 {
            limits.sign_up_from(here).await.unwrap();
        }
        let refusal = limits.sign_up_from(here).await.unwrap_err();
        assert_eq!(refusal.code, Code::RateLimited);
        assert!((1..=4000).contains(&refusal.retry_after_ms.unwrap()));
        limits.sign_up_from(IpAddr::from([10, 0, 0, 2])).await.unwrap();
    }

    #[test]
    fn files_have_an_allowance_of_their_own() {
        let limits = limits(true);
        let here = IpAddr::from([10, 0, 0, 1]);
        let refused = (0..2 * FILES.1).find_map(|_| limits.file_to(here).err()).unwrap();
        assert_eq!(refused.code, Code::RateLimited);
        assert_eq!(refused.retry_after_ms, Some(1));
        limits.file_to(IpAddr::from([10, 0, 0, 2])).unwrap();
    }

    #[test]
    fn neighbours_in_one_ipv6_network_share_a_limit() {
        let one: IpAddr = "2001:db8:1:2::1".parse().unwrap();
        let two: IpAddr = "2001:db8:1:2:ffff::9".parse().unwrap();
        assert_eq!(block(one), block(two));
        assert_eq!(block("::ffff:10.0.0.1".parse().unwrap()), IpAddr::from([10, 0, 0, 1]));
    }

    #[test]
    fn a_closed_connection_gives_its_place_back() {
        let limits = limits(true);
        let (player, here) = (Some(PlayerId::new()), IpAddr::from([10, 0, 0, 1]));
        let mut places: Vec<Place> = (0..OPEN_OF_PLAYER).map(|_| limits.open(player, here).unwrap()).collect();
        assert_eq!(limits.open(player, here).unwrap_err().code, Code::RateLimited);
        places.pop();
        limits.open(player, here).unwrap();
        drop(places);
        assert!(limits.open.is_empty());
    }

    #[tokio::test]
    async fn off_is_off() {
        let limits = limits(false);
        for _ in 0..1000 {
            limits.sign_up_from(IpAddr::from([10, 0, 0, 1])).await.unwrap();
        }
    }
}
