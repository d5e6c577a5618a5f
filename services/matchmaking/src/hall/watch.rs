use std::sync::Arc;

use proto::{PlayerId, Refusal, TicketId};

use super::desk::LOOK_EVERY;
use super::{Hall, View};
use crate::news::Listener;
use crate::ticket::{State, Ticket};

/// While a player watches, the open ticket is asked after this often; a fraction of the time it takes to expire.
const ASK_EVERY_MS: i64 = 20_000;

/// What a player sees of a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    Matched,
    Cancelled,
}

/// The changes of one player's tickets, as they come.
pub(crate) struct Watch {
    hall: Arc<Hall>,
    player: PlayerId,
    listener: Listener,
    seen: Option<(TicketId, Phase)>,
    begun: bool,
    ended: bool,
}

impl Watch {
    pub(crate) fn new(hall: Arc<Hall>, player: PlayerId) -> Self {
        let listener = hall.news.listen(player);
        Self { hall, player, listener, seen: None, begun: false, ended: false }
    }

    /// The next change, the open ticket first. Ends with `UNAVAILABLE` when the process stops or the store fails;
    /// the watcher comes back.
    pub(crate) async fn next(&mut self) -> Option<Result<View, Refusal>> {
        while !self.ended {
            let newest = match self.hall.given.store.newest(self.player).await {
                Ok(newest) => newest,
                Err(error) => {
                    let refusal = self.hall.failed(&error);
                    return self.end(refusal);
                }
            };
            if let Some(ticket) = newest {
                self.hall.note_asked(&ticket, ASK_EVERY_MS).await;
                if self.is_news(&ticket) {
                    return Some(self.hall.view(ticket).await);
                }
            }
            self.begun = true;
            tokio::select! {
                () = self.listener.changed() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
                () = self.hall.given.drain.draining() => return self.end(Refusal::unavailable()),
            }
        }
        None
    }

    fn end(&mut self, refusal: Refusal) -> Option<Result<View, Refusal>> {
        self.ended = true;
        Some(Err(refusal))
    }

    /// A ticket that closed before the watch began is none.
    fn is_news(&mut self, ticket: &Ticket) -> bool {
        let phase = match ticket.state {
            State::Waiting | State::Forming(_) => Phase::Open,
            State::Matched(..) => Phase::Matched,
            State::Cancelled(..) => Phase::Cancelled,
        };
        let now = Some((ticket.id, phase));
        let news = self.seen != now && (self.begun || phase == Phase::Open);
        self.seen = now;
        self.begun = true;
        news
    }
}
