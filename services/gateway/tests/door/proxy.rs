use std::sync::Arc;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What becomes of a server as seen from its clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weather {
    /// Connections pass.
    Fair,
    /// Connections are cut, new ones are closed at once: the server has stopped.
    Stopped,
    /// Connections are open and nothing passes: the server or the network hangs.
    Frozen,
}

/// Stands between a server and its clients.
#[derive(Debug, Clone)]
pub(crate) struct Proxy {
    pub(crate) port: u16,
    weather: Arc<watch::Sender<Weather>>,
}

impl Proxy {
    /// In front of a port of this machine.
    pub(crate) async fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy =
            Self { port: listener.local_addr().unwrap().port(), weather: Arc::new(watch::channel(Weather::Fair).0) };
        let weather = Arc::clone(&proxy.weather);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, server, weather.subscribe()));
            }
        });
        proxy
    }

    /// In front of the server of a URL; with the URL that leads through it.
    pub(crate) async fn of(url: &str) -> (Self, String) {
        let port: String = url.rsplit(':').next().unwrap().chars().take_while(char::is_ascii_digit).collect();
        let proxy = Self::before(port.parse().unwrap()).await;
        let through = url.replace(&format!(":{port}"), &format!(":{}", proxy.port));
        (proxy, through)
    }

    pub(crate) fn turn(&self, weather: Weather) {
        self.weather.send_replace(weather);
    }
}

async fn pass(mut client: TcpStream, server: u16, mut weather: watch::Receiver<Weather>) {
    loop {
        let now = *weather.borrow_and_update();
        match now {
            Weather::Stopped => return,
            Weather::Frozen => weather.changed().await.unwrap_or(()),
            Weather::Fair => break,
        }
    }
    let mut server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
    loop {
        tokio::select! {
            _ = copy_bidirectional(&mut client, &mut server) => return,
            _ = weather.changed() => {}
        }
        while *weather.borrow_and_update() == Weather::Frozen {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if *weather.borrow() == Weather::Stopped {
            return;
        }
    }
}
