use std::time::Duration;

use async_trait::async_trait;
use proto::{GameId, PlayerId};
use tokio::sync::broadcast;

use super::{News, Peers, Rate};

/// The only gateway.
#[derive(Debug)]
pub(crate) struct Alone(broadcast::Sender<News>);

impl Alone {
    pub(crate) fn new() -> Self {
        Self(broadcast::channel(1).0)
    }
}

#[async_trait]
impl Peers for Alone {
    async fn count(&self, _: &'static str, _: &str, _: Rate) -> Option<Duration> {
        None
    }

    async fn tell(&self, _: News) {}

    fn hear(&self) -> broadcast::Receiver<News> {
        self.0.subscribe()
    }

    async fn presence(&self, _: GameId, _: PlayerId, _: bool) -> bool {
        false
    }
}
