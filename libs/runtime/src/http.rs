use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tower::ServiceExt as _;

use crate::Drain;

/// Far above what a router should refuse in its own words: beyond this hyper refuses, in none.
const HEADER_BYTES: usize = 64 * 1024;
/// Also how long an idle connection is kept: longer than the usual balancer in front keeps its side.
const HEADER_TIME: Duration = Duration::from_secs(75);
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// What answers still under way get when draining begins.
const DRAIN_TIME: Duration = Duration::from_secs(10);

/// Opens a listener; `name` is the setting to blame if that fails.
///
/// # Errors
/// If the address is taken or not ours.
pub async fn bind(name: &str, addr: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(addr).await.with_context(|| format!("{name}: cannot listen on {addr}"))
}

/// Serves HTTP/1.1 and HTTP/2 until the drain begins, then lets answers under way finish. Handlers can extract
/// the peer's address as `ConnectInfo<SocketAddr>`. Slow or oversized headers cost nobody else anything.
pub async fn serve_http(listener: TcpListener, router: Router, drain: Drain) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(HEADER_BYTES)
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEADER_BYTES as u32)
        .keep_alive_interval(Some(Duration::from_secs(20)));
    let open = GracefulShutdown::new();
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // Out of file handles, most likely: wait for some to close.
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            () = drain.draining() => break,
        };
        let _ = stream.set_nodelay(true);
        let service = router.clone().map_request(move |mut request: http::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(axum::extract::ConnectInfo(peer));
            request.map(axum::body::Body::new)
        });
        let (builder, watcher, drain) = (builder.clone(), open.watcher(), drain.clone());
        tokio::spawn(async move {
            // hyper waits without end for the first bytes, to tell HTTP/2 from HTTP/1; we do not.
            let mut first = [0; 1];
            let spoke = tokio::select! {
                peeked = tokio::time::timeout(HEADER_TIME, stream.peek(&mut first)) => matches!(peeked, Ok(Ok(1..))),
                () = drain.draining() => false,
            };
            if !spoke {
                return;
            }
            let connection =
                builder.serve_connection_with_upgrades(TokioIo::new(stream), TowerToHyperService::new(service));
            if let Err(error) = watcher.watch(connection).await {
                tracing::debug!(%error, "a connection ended badly");
            }
        });
    }
    drop(listener);
    if tokio::time::timeout(DRAIN_TIME, open.shutdown()).await.is_err() {
        tracing::warn!(waited_ms = DRAIN_TIME.as_millis() as u64, "connections were still busy at the end");
    }
}
