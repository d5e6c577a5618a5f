use std::sync::Arc;
use std::time::Duration;

use proto::{Code, GameId, PlayerId, Refusal, TicketId};
use tokio::time::MissedTickBehavior;

use super::{EXPIRY_MS, Hall, desk};
use crate::forming;
use crate::metrics;
use crate::neighbours::MAKE_TIME;
use crate::store::{Dissolving, StoreError};
use crate::ticket::{CancelReason, Four, Pool};
use crate::window::Curve;

/// Windows widen by the second.
const TICK: Duration = Duration::from_secs(1);
/// A four that another replica was quicker to break is formed anew, so many times a round.
const ATTEMPTS: usize = 8;
/// How long a claim on a four lasts: longer than the call.
const CLAIM_MS: i64 = 8_000;
/// When a four is tried again whose game could not be made.
const RETRY_MS: i64 = 1_000;
/// Until this age of a four its game is made; as long as a ticket lives unasked. The game service is told, and makes
/// none later, so that a call of a replica that was stopped for long puts nobody into a second game.
const MAKE_UNTIL_MS: i64 = EXPIRY_MS;
/// From this age on a four without a game is given up. The game service judges by the clock of the live store and we by
/// the clock of ours, which may be another server's: both are kept together (NTP) and known to some ms. Storing a game
/// takes it the 5 s of the call at most once it has judged, or it is given up with the call, so the clocks may be some
/// seconds apart.
const GIVE_UP_AT_MS: i64 = MAKE_UNTIL_MS + 15_000;
/// How long tickets stay out of new fours after the game service refused theirs.
const HOLD_MS: i64 = 10_000;

impl Hall {
    pub(super) async fn match_until_drained(self: Arc<Self>) {
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let ticked = tokio::select! {
                () = self.given.drain.draining() => return,
                () = self.bell.notified() => false,
                _ = tick.tick() => true,
            };
            let round = async {
                if ticked {
                    self.resume().await?;
                }
                self.form_everywhere().await
            };
            if let Err(error) = round.await {
                tracing::error!(%error, "could not form fours; trying again in a second");
            }
        }
    }

    /// Sees to fours whose game is not known to be made, for lack of an answer or by a crash, here or elsewhere.
    pub(super) async fn resume(self: &Arc<Self>) -> Result<(), StoreError> {
        let now = self.now();
        for four in self.given.store.claim(now, now + CLAIM_MS).await? {
            self.make(four);
        }
        Ok(())
    }

    /// Forms all the fours that fit by now.
    pub(super) async fn form_everywhere(self: &Arc<Self>) -> Result<(), StoreError> {
        let states = self.given.store.pools(self.asked_since()).await?;
        let now = self.now();
        for pool in self.published() {
            let state = states.iter().find(|state| state.pool == pool);
            metrics::pool(pool, state.map_or(0, |state| state.waiting), state.map_or(0, |state| now - state.oldest_ms));
        }
        for state in states.iter().filter(|state| state.waiting >= 4) {
            self.form_in(state.pool).await?;
        }
        Ok(())
    }

    async fn form_in(self: &Arc<Self>, pool: Pool) -> Result<(), StoreError> {
        let mut lost = 0;
        while lost < ATTEMPTS {
            let now = self.now();
            let waiting = self.given.store.waiting(pool, self.asked_since(), now).await?;
            let Some(chosen) = forming::form(&waiting, Curve::of(pool.rated), now) else { return Ok(()) };
            let tickets = chosen.map(|index| waiting[index].ticket);
            match self.seat(pool, tickets).await? {
                Some(four) => self.make(four),
                // Another replica was quicker, or a player cancelled.
                None => lost += 1,
            }
        }
        Ok(())
    }

    /// Deals the seats and binds the tickets to a game to be made.
    async fn seat(&self, pool: Pool, tickets: [TicketId; 4]) -> Result<Option<Four>, StoreError> {
        let mut seats = Vec::with_capacity(4);
        for (seat, id) in (self.given.deal)().into_iter().zip(tickets) {
            let Some(ticket) = self.given.store.ticket(id).await? else { return Ok(None) };
            seats.push((seat, ticket));
        }
        seats.sort_by_key(|(seat, _)| *seat as i32);
        let now = self.now();
        let four = Four { game: GameId::new(), pool, formed_ms: now, claimed_until_ms: now + CLAIM_MS, seats };
        if !self.given.store.form(&four).await? {
            return Ok(None);
        }
        metrics::formed(pool);
        tracing::info!(game.id = %four.game, pool.time_control = %pool.time_control, pool.rated, "four formed");
        Ok(Some(four))
    }

    /// Sees to a four that this process has claimed, in a task of its own.
    fn make(self: &Arc<Self>, four: Four) {
        let hall = Arc::clone(self);
        self.given.drain.spawn("matchmaking game", async move {
            if let Err(error) = hall.finish(&four).await {
                tracing::error!(%error, game.id = %four.game, "could not note what became of a four");
            }
        });
    }

    async fn finish(&self, four: &Four) -> Result<(), StoreError> {
        let age_ms = self.now() - four.formed_ms;
        let made = if age_ms < MAKE_UNTIL_MS {
            self.create(four).await
        } else if age_ms < GIVE_UP_AT_MS {
            Err(Refusal::unavailable())
        } else {
            self.find(four).await
        };
        match made {
            Ok(()) => {
                let now = self.now();
                if self.given.store.complete(four.game, now).await? {
                    metrics::matched(four, now);
                    tracing::info!(game.id = %four.game, "four matched");
                }
            }
            Err(refusal) if is_settled(four, age_ms, &refusal) => self.dissolve(four, &refusal).await?,
            // The game may have been made although no answer came, so it stays unfinished, with the same id.
            Err(_) => return self.given.store.release(four, self.now() + RETRY_MS).await,
        }
        for (_, ticket) in &four.seats {
            self.news.tell(ticket.player.id);
        }
        self.closed.notify_one();
        Ok(())
    }

    async fn create(&self, four: &Four) -> Result<(), Refusal> {
        let creating = self.given.neighbours.create_game(four, four.formed_ms + MAKE_UNTIL_MS);
        let created = tokio::time::timeout(MAKE_TIME, creating).await;
        created.unwrap_or_else(|_| Err(Refusal::unavailable()))
    }

    /// The players of an old four may be gone, so its game is not made any more, but it may have been.
    async fn find(&self, four: &Four) -> Result<(), Refusal> {
        if self.given.neighbours.game_exists(four.game).await? { Ok(()) } else { Err(Refusal::not_found("game")) }
    }

    /// The game will not be made: the players wait again, but for those who sit in too many games by now.
    async fn dissolve(&self, four: &Four, refusal: &Refusal) -> Result<(), StoreError> {
        let now = self.now();
        let mut cancelled = Vec::new();
        if refusal.code == Code::TooManyGames {
            for (_, ticket) in &four.seats {
                if self.is_full(ticket.player.id).await {
                    cancelled.push(ticket.id);
                }
            }
        } else if refusal.code != Code::NotFound {
            tracing::error!(game.id = %four.game, error = %refusal, "the game service refuses a four");
        }
        // With the full ones gone, or the game service back, the others may go on at once.
        let hold = cancelled.is_empty() && refusal.code != Code::NotFound;
        let hold_until = if hold { now + HOLD_MS } else { now };
        let closed = cancelled.len();
        let dissolving = Dissolving { cancelled, reason: CancelReason::TooManyGames, now, hold_until };
        if self.given.store.dissolve(four, &dissolving).await? {
            for _ in 0..closed {
                metrics::cancelled(CancelReason::TooManyGames);
            }
            self.bell.notify_one();
        }
        Ok(())
    }

    async fn is_full(&self, player: PlayerId) -> bool {
        self.given.neighbours.running_games(player).await.is_ok_and(|running| running >= desk::MAX_GAMES)
    }
}

/// Whether it is certain that there is no game and will be none. If a four was claimed anew, the call of who had it before
/// may still be under way when ours is refused, and may not be; so only a four that is too old for any call is settled.
const fn is_settled(four: &Four, age_ms: i64, refusal: &Refusal) -> bool {
    let first_call = four.claimed_until_ms == four.formed_ms + CLAIM_MS;
    is_final(refusal.code) && (first_call || age_ms >= GIVE_UP_AT_MS)
}

/// Whether the same request would be refused again.
const fn is_final(code: Code) -> bool {
    !matches!(code, Code::Unavailable | Code::Internal | Code::RateLimited | Code::RequestTimeout)
}
