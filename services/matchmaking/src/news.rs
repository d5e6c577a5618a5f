use proto::PlayerId;
use tokio::sync::broadcast;

const BACKLOG: usize = 1024;

/// Tells those who wait in this process that a player's tickets have changed. Only a wake-up: listeners read the
/// store, and read it now and then anyway, since news of another replica's change may be lost.
#[derive(Debug, Clone)]
pub(crate) struct News {
    /// Nobody in particular is everybody.
    sender: broadcast::Sender<Option<PlayerId>>,
}

impl News {
    pub(crate) fn new() -> Self {
        Self { sender: broadcast::Sender::new(BACKLOG) }
    }

    pub(crate) fn tell(&self, player: PlayerId) {
        // Fails only if nobody listens.
        let _ = self.sender.send(Some(player));
    }

    /// News may have been missed: whoever listens looks.
    pub(crate) fn tell_all(&self) {
        let _ = self.sender.send(None);
    }

    /// How many listen now.
    #[cfg(test)]
    pub(crate) fn listeners(&self) -> usize {
        self.sender.receiver_count()
    }

    /// From now on.
    pub(crate) fn listen(&self, player: PlayerId) -> Listener {
        Listener { receiver: self.sender.subscribe(), player }
    }
}

/// Hears of one player.
#[derive(Debug)]
pub(crate) struct Listener {
    receiver: broadcast::Receiver<Option<PlayerId>>,
    player: PlayerId,
}

impl Listener {
    /// Resolves once something may have changed. Loses nothing if dropped and called again.
    pub(crate) async fn changed(&mut self) {
        loop {
            match self.receiver.recv().await {
                Ok(Some(player)) if player != self.player => {}
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return,
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}
