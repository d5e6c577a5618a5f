//! Tickets in Redis, for any number of replicas. Each step is one script, whole or not at all, and may be repeated
//! when its answer was lost.
//!
//! All keys have one hash tag, so one slot of a cluster holds them. What they and the scripts are is in
//! docs/decisions/live-state-in-redis.md, and why in docs/decisions/tickets-in-redis.md.

mod reply;
mod script;
#[cfg(test)]
mod tests;
mod wakeups;

use std::sync::Arc;

use async_trait::async_trait;
use proto::{GameId, PlayerId, TicketId};
use redis::FromRedisValue;
use redis_link::{Call, Clock, Failure, Link, OpenError, Script, slot};
use runtime::Drain;
use timekeeping::UnixMs;

use super::{Cancelling, Dissolving, Opening, PoolState, Store, StoreError, word};
use crate::forming::Waiting;
use crate::news::News;
use crate::ticket::{Four, Pool, Ticket};

const TAG: &str = "{matchmaking}";
/// In the order in which the scripts take them.
const KEYS: [&str; 10] =
    ["tickets", "states", "open", "newest", "asked", "waiting", "fours", "claims", "unreported", "reported"];
/// How much one run of a script goes through; others wait meanwhile.
const AT_ONCE: u32 = 200;

/// The store in Redis.
pub(crate) struct RedisStore {
    link: Arc<Link>,
    clock: Arc<Clock>,
    keys: [String; 10],
    channel: String,
    at_once: u32,
}

impl RedisStore {
    /// Finds the server.
    pub(crate) async fn open(url: &str) -> Result<Self, OpenError> {
        Self::open_with_tag(url, TAG).await
    }

    pub(crate) async fn open_with_tag(url: &str, tag: &str) -> Result<Self, OpenError> {
        let link = Arc::new(Link::new(url, script::all())?);
        link.ask_directions().await?;
        let slot = slot(tag);
        link.greet(&*link.owner(slot).ok_or(Failure::NoOwner(slot))?).await?;
        let clock = Arc::new(Clock::new(slot));
        clock.sample(&link).await?;
        let keys = KEYS.map(|key| format!("{tag}:{key}"));
        Ok(Self { link, clock, keys, channel: format!("{tag}:news"), at_once: AT_ONCE })
    }

    #[cfg(test)]
    pub(crate) fn in_parts_of(self, at_once: u32) -> Self {
        Self { at_once, ..self }
    }

    /// Redis' own time.
    pub(crate) fn clock(&self) -> impl Fn() -> UnixMs + Send + Sync + use<> {
        let clock = Arc::clone(&self.clock);
        move || clock.now()
    }

    /// Until the process stops, keeps the clock right and passes on what other replicas change.
    pub(crate) fn attend(&self, news: News, drain: &Drain) {
        let clock = Arc::clone(&self.clock).keep(Arc::clone(&self.link));
        let hearing = wakeups::hear(Arc::clone(&self.link), self.channel.clone(), news);
        let stop = drain.clone();
        drain.spawn("matchmaking wake-ups", async move {
            tokio::select! {
                () = stop.draining() => {}
                () = clock => {}
                () = hearing => {}
            }
        });
    }

    /// All scripts take all keys.
    fn script(&self, script: &'static Script) -> Call {
        Call::script(script, &self.keys.each_ref().map(String::as_str))
    }

    async fn get<T: FromRedisValue>(&self, call: Call) -> Result<T, StoreError> {
        Ok(self.link.get(call).await?)
    }

    /// A script that takes one text and answers a ticket or nothing.
    async fn show(&self, script: &'static Script, which: impl ToString + Send) -> Result<Option<Ticket>, StoreError> {
        let shown: Vec<String> = self.get(self.script(script).arg(which.to_string())).await?;
        reply::ticket(&shown)
    }
}

#[async_trait]
impl Store for RedisStore {
    async fn ping(&self) -> Result<(), StoreError> {
        let [tickets, ..] = &self.keys;
        self.get(Call::command("EXISTS", tickets)).await
    }

    async fn open(&self, ticket: &Ticket) -> Result<Opening, StoreError> {
        let open = self.script(&script::OPEN).arg(ticket.id.to_string()).arg(ticket.player.id.to_string());
        let answer: Vec<String> = self.get(open.arg(ticket.asked_ms).arg(reply::facts(ticket))).await?;
        reply::opening(&answer)
    }

    async fn ticket(&self, id: TicketId) -> Result<Option<Ticket>, StoreError> {
        self.show(&script::TICKET, id).await
    }

    async fn open_ticket(&self, player: PlayerId) -> Result<Option<Ticket>, StoreError> {
        self.show(&script::OPEN_TICKET, player).await
    }

    async fn newest(&self, player: PlayerId) -> Result<Option<Ticket>, StoreError> {
        self.show(&script::NEWEST, player).await
    }

    async fn cancel(&self, id: TicketId, player: PlayerId, now: UnixMs) -> Result<Cancelling, StoreError> {
        let answer: Vec<String> =
            self.get(self.script(&script::CANCEL).arg(id.to_string()).arg(player.to_string()).arg(now)).await?;
        reply::cancelling(&answer)
    }

    async fn asked(&self, id: TicketId, now: UnixMs) -> Result<(), StoreError> {
        self.get(self.script(&script::ASKED).arg(id.to_string()).arg(now)).await
    }

    async fn pools(&self, asked_since: UnixMs) -> Result<Vec<PoolState>, StoreError> {
        let mut states: Vec<PoolState> = Vec::new();
        let mut from = "-".to_owned();
        while !from.is_empty() {
            let part = self.script(&script::POOLS).arg(asked_since).arg(from).arg(self.at_once);
            let (next, pools): (String, Vec<_>) = self.get(part).await?;
            for state in pools {
                let state = reply::pool_state(state)?;
                match states.last_mut() {
                    Some(begun) if begun.pool == state.pool => begun.waiting += state.waiting,
                    _ => states.push(state),
                }
            }
            from = next;
        }
        Ok(states)
    }

    async fn waiting(&self, pool: Pool, asked_since: UnixMs, now: UnixMs) -> Result<Vec<Waiting>, StoreError> {
        let (name, mut all, mut from) = (reply::pool_name(pool), Vec::new(), String::new());
        loop {
            let part = self.script(&script::WAITING).arg(&name).arg(asked_since).arg(now).arg(from).arg(self.at_once);
            let (next, waiting): (String, Vec<_>) = self.get(part).await?;
            for waiting in waiting {
                all.push(reply::waiting(waiting)?);
            }
            if next.is_empty() {
                return Ok(all);
            }
            from = next;
        }
    }

    async fn oldest(&self, pool: Pool, asked_since: UnixMs) -> Result<Option<UnixMs>, StoreError> {
        let (name, mut from) = (reply::pool_name(pool), String::new());
        // Nearly always it is the one in front.
        let mut at_once = 1;
        loop {
            let part = self.script(&script::OLDEST).arg(&name).arg(asked_since).arg(from).arg(at_once);
            let (next, oldest) = reply::oldest(&self.get::<Vec<String>>(part).await?)?;
            if oldest.is_some() || next.is_empty() {
                return Ok(oldest);
            }
            (from, at_once) = (next, self.at_once);
        }
    }

    async fn form(&self, four: &Four) -> Result<bool, StoreError> {
        let form = self.script(&script::FORM).arg(four.game.to_string()).arg(four.formed_ms).arg(four.claimed_until_ms);
        let form = four.seats.iter().fold(form.arg(reply::pool_name(four.pool)), |form, (seat, ticket)| {
            form.arg(ticket.id.to_string()).arg(seat.word())
        });
        // If a failover lost it after its game was made, its players would wait again, and play twice.
        self.get(form.replicated()).await
    }

    async fn claim(&self, now: UnixMs, until: UnixMs) -> Result<Vec<Four>, StoreError> {
        let claimed: Vec<_> = self.get(self.script(&script::CLAIM).arg(now).arg(until).arg(self.at_once)).await?;
        let mut fours = Vec::with_capacity(claimed.len());
        for four in claimed {
            fours.push(reply::four(four, until)?);
        }
        fours.sort_by_key(|four| (four.formed_ms, four.game));
        Ok(fours)
    }

    async fn release(&self, four: &Four, until: UnixMs) -> Result<(), StoreError> {
        self.get(self.script(&script::RELEASE).arg(four.game.to_string()).arg(four.claimed_until_ms).arg(until)).await
    }

    async fn complete(&self, game: GameId, now: UnixMs) -> Result<bool, StoreError> {
        self.get(self.script(&script::COMPLETE).arg(game.to_string()).arg(now)).await
    }

    async fn dissolve(&self, four: &Four, dissolving: &Dissolving) -> Result<bool, StoreError> {
        let dissolve = self.script(&script::DISSOLVE).arg(four.game.to_string()).arg(four.claimed_until_ms);
        let dissolve = dissolve.arg(word::of_reason(dissolving.reason)).arg(dissolving.now).arg(dissolving.hold_until);
        let cancelled: Vec<String> = dissolving.cancelled.iter().map(ToString::to_string).collect();
        self.get(dissolve.arg(cancelled)).await
    }

    async fn expire(&self, asked_before: UnixMs, now: UnixMs) -> Result<Vec<PlayerId>, StoreError> {
        let mut all = Vec::new();
        let mut bound = 0;
        loop {
            let part = self.script(&script::EXPIRE).arg(asked_before).arg(now).arg(bound).arg(self.at_once);
            let (looked_at, players): (usize, Vec<String>) = self.get(part).await?;
            for player in &players {
                all.push(reply::parsed(player)?);
            }
            if looked_at < self.at_once as usize {
                return Ok(all);
            }
            bound += looked_at - players.len();
        }
    }

    async fn unreported(&self, limit: u32) -> Result<Vec<Ticket>, StoreError> {
        let last = i64::from(limit) - 1;
        let shown: Vec<Vec<String>> = self.get(self.script(&script::UNREPORTED).arg(last)).await?;
        shown.iter().filter_map(|ticket| reply::ticket(ticket).transpose()).collect()
    }

    async fn reported(&self, id: TicketId) -> Result<(), StoreError> {
        self.get(self.script(&script::REPORTED).arg(id.to_string())).await
    }

    async fn forget(&self, closed_before: UnixMs) -> Result<(), StoreError> {
        loop {
            let forgotten: u32 = self.get(self.script(&script::FORGET).arg(closed_before).arg(self.at_once)).await?;
            if forgotten < self.at_once {
                return Ok(());
            }
        }
    }
}
