use std::time::Duration;

use proto::{Code, PlayerId, Refusal, TicketId};
use timekeeping::UnixMs;
use tokio::time::Instant;

use super::{ASKED_PRECISION_MS, Hall};
use crate::cooldown;
use crate::metrics;
use crate::store::{Cancelling, Opening, PoolState};
use crate::ticket::{CancelReason, Player, Pool, State, Ticket};
use crate::window::{Curve, Window};

/// In how many running games a player may sit.
pub(super) const MAX_GAMES: usize = 10;
/// Who waits for a change looks at least this often, for changes made by other replicas.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(2);

/// A wish to play.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) ticket: TicketId,
    pub(crate) player: PlayerId,
    pub(crate) name: String,
    pub(crate) guest: bool,
    pub(crate) pool: Pool,
}

/// A ticket as it is shown at one instant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct View {
    pub(crate) ticket: Ticket,
    pub(crate) waited_ms: i64,
    pub(crate) window: Window,
}

impl Hall {
    /// Opens a ticket; the same id again answers the ticket as it stands.
    pub(crate) async fn open(&self, request: Request) -> Result<View, Refusal> {
        if !self.given.config.time_controls.contains(&request.pool.time_control) {
            return Err(Refusal::bad_request("time_control", "not one of the published time controls"));
        }
        if let Some(known) = self.stored(request.ticket).await? {
            return self.known(known, request.player).await;
        }
        let open = self.given.store.open_ticket(request.player).await.map_err(|error| self.failed(&error))?;
        if let Some(open) = open {
            return Err(already_waiting(open.id));
        }
        let ticket = self.admit(request).await?;
        match self.given.store.open(&ticket).await.map_err(|error| self.failed(&error))? {
            Opening::Opened => {
                metrics::opened(ticket.pool);
                self.news.tell(ticket.player.id);
                self.bell.notify_one();
                self.view(ticket).await
            }
            Opening::Known(known) => self.known(known, ticket.player.id).await,
            Opening::AlreadyWaiting(other) => Err(already_waiting(other)),
        }
    }

    /// Asks the neighbours whether the player may wait, and with which rating.
    async fn admit(&self, request: Request) -> Result<Ticket, Refusal> {
        let (now, player, class) = (self.now(), request.player, request.pool.time_control.class());
        let neighbours = &self.given.neighbours;
        let aborts = async {
            if self.given.config.limits {
                neighbours.aborts(player, now - cooldown::MEMORY_MS).await
            } else {
                Ok(Vec::new())
            }
        };
        let asked = tokio::try_join!(neighbours.running_games(player), aborts, neighbours.standing(player, class));
        // Logged by the neighbour; whatever it was, trying again is safe.
        let (running, aborts, standing) = asked.map_err(|_| Refusal::unavailable())?;
        if running >= MAX_GAMES {
            return Err(Refusal::new(Code::TooManyGames, format!("a player may be in {MAX_GAMES} running games")));
        }
        if let Some(left_ms) = cooldown::remaining_ms(&aborts, now) {
            let detail = "your last game was aborted because you made no first move";
            return Err(Refusal::new(Code::Cooldown, detail).retry_after_ms(left_ms));
        }
        Ok(Ticket {
            id: request.ticket,
            player: Player {
                id: player,
                name: request.name,
                guest: request.guest,
                rating: standing.rating,
                provisional: standing.is_provisional(),
            },
            pool: request.pool,
            opened_ms: now,
            asked_ms: now,
            state: State::Waiting,
        })
    }

    async fn known(&self, ticket: Ticket, player: PlayerId) -> Result<View, Refusal> {
        if ticket.player.id != player {
            return Err(Refusal::bad_request("ticket_id", "already in use"));
        }
        self.view(ticket).await
    }

    /// The ticket, once it is closed or the time is up.
    pub(crate) async fn ticket(&self, id: TicketId, player: PlayerId, wait: Duration) -> Result<View, Refusal> {
        // Listens before it looks, so that no change falls between.
        let mut listener = self.news.listen(player);
        let until = Instant::now() + wait;
        let mut ticket = self.own(id, player).await?;
        self.note_asked(&ticket, ASKED_PRECISION_MS).await;
        while ticket.is_open() && Instant::now() < until {
            tokio::select! {
                () = listener.changed() => {}
                () = tokio::time::sleep_until(until.min(Instant::now() + LOOK_EVERY)) => {}
                () = self.given.drain.draining() => break,
            }
            ticket = self.own(id, player).await?;
        }
        self.note_asked(&ticket, ASKED_PRECISION_MS).await;
        self.view(ticket).await
    }

    /// Cancels the player's ticket, unless it is bound to a game.
    pub(crate) async fn cancel(&self, id: TicketId, player: PlayerId) -> Result<(), Refusal> {
        let now = self.now();
        match self.given.store.cancel(id, player, now).await.map_err(|error| self.failed(&error))? {
            Cancelling::Cancelled => {
                metrics::cancelled(CancelReason::Player);
                self.news.tell(player);
                self.closed.notify_one();
                Ok(())
            }
            Cancelling::Already => Ok(()),
            Cancelling::Matched(game) => {
                Err(Refusal::new(Code::AlreadyMatched, "the ticket has led to a game").game(game))
            }
            Cancelling::Unknown => Err(Refusal::not_found("ticket")),
        }
    }

    /// The player's open ticket.
    pub(crate) async fn open_ticket(&self, player: PlayerId) -> Result<Option<View>, Refusal> {
        match self.given.store.open_ticket(player).await.map_err(|error| self.failed(&error))? {
            Some(ticket) => self.view(ticket).await.map(Some),
            None => Ok(None),
        }
    }

    /// Every pool, in the order of the published list, and how many wait in it.
    pub(crate) async fn pools(&self) -> Result<Vec<(Pool, u32)>, Refusal> {
        let states = self.given.store.pools(self.asked_since()).await.map_err(|error| self.failed(&error))?;
        Ok(self.published().map(|pool| (pool, waiting_in(pool, &states))).collect())
    }

    pub(super) fn published(&self) -> impl Iterator<Item = Pool> + '_ {
        let controls = self.given.config.time_controls.iter().copied();
        controls.flat_map(|time_control| [false, true].map(|rated| Pool { time_control, rated }))
    }

    /// Notes that somebody asked, unless that was noted less than so long ago.
    pub(super) async fn note_asked(&self, ticket: &Ticket, precision_ms: i64) {
        let now = self.now();
        if ticket.is_open()
            && now - ticket.asked_ms >= precision_ms
            && let Err(error) = self.given.store.asked(ticket.id, now).await
        {
            // The ticket can be shown all the same; the next question is noted.
            self.note_failure(&error);
            tracing::warn!(%error, ticket.id = %ticket.id, "could not note that a ticket was asked after");
        }
    }

    pub(super) async fn view(&self, ticket: Ticket) -> Result<View, Refusal> {
        let now = self.now();
        let age_ms = if ticket.is_open() { now - self.oldest(&ticket).await? } else { ticket.waited_ms(now) };
        let width = Curve::of(ticket.pool.rated).width(age_ms);
        let window = Window::around(ticket.player.rating, width);
        Ok(View { waited_ms: ticket.waited_ms(now), window, ticket })
    }

    /// When the oldest ticket of this one's pool was opened.
    async fn oldest(&self, ticket: &Ticket) -> Result<UnixMs, Refusal> {
        let oldest = self.given.store.oldest(ticket.pool, self.asked_since()).await;
        let oldest = oldest.map_err(|error| self.failed(&error))?;
        Ok(oldest.unwrap_or(ticket.opened_ms).min(ticket.opened_ms))
    }

    async fn stored(&self, id: TicketId) -> Result<Option<Ticket>, Refusal> {
        self.given.store.ticket(id).await.map_err(|error| self.failed(&error))
    }

    async fn own(&self, id: TicketId, player: PlayerId) -> Result<Ticket, Refusal> {
        let ticket = self.stored(id).await?.filter(|ticket| ticket.player.id == player);
        ticket.ok_or_else(|| Refusal::not_found("ticket"))
    }
}

fn already_waiting(ticket: TicketId) -> Refusal {
    Refusal::new(Code::AlreadyWaiting, "you have an open ticket").ticket(ticket)
}

fn waiting_in(pool: Pool, states: &[PoolState]) -> u32 {
    states.iter().find(|state| state.pool == pool).map_or(0, |state| state.waiting)
}
