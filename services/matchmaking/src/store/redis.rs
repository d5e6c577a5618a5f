//! Tickets in Redis, for any number of replicas. Each step is one script, whole or not at all, and may be repeated
//! when its answer was lost.
//!
//! All keys have one hash tag, so one slot of a cluster holds them:
//!
//! | key | type | holds | until | swept by |
//! | --- | --- | --- | --- | --- |
//! | `{matchmaking}:tickets` | hash | ticket: what never changes of it | a day after it closed, once reported | `forget` |
//! | `{matchmaking}:states` | hash | ticket: where it stands | as above | `forget` |
//! | `{matchmaking}:newest` | hash | player: the newest ticket | as above | `forget` |
//! | `{matchmaking}:open` | hash | player: the open ticket | it closes | `cancel`, `complete`, `dissolve`, `expire` |
//! | `{matchmaking}:asked` | zset | open tickets by when somebody asked | it closes | as above |
//! | `{matchmaking}:waiting` | zset | `pool opened ticket rating`, in the order of letters | it closes or is bound | as above, `form` |
//! | `{matchmaking}:fours` | hash | game: `claimed-until formed pool tickets` | the game is known to be made, or given up | `complete`, `dissolve` |
//! | `{matchmaking}:claims` | zset | games of the fours by until when they are claimed | as above | as above |
//! | `{matchmaking}:unreported` | zset | closed tickets by when they closed | the rating service has it | `reported` |
//! | `{matchmaking}:reported` | zset | reported tickets by when they closed | a day after it closed | `forget` |
//! | `{matchmaking}:news` | channel | players whose tickets have changed | not kept | none |
//!
//! A hash or set without entries is no key. Only this service writes them.

mod clock;
mod link;
mod reply;
mod script;
#[cfg(test)]
mod tests;
mod url;
mod wakeups;

use std::sync::Arc;

use anyhow::{Context as _, ensure};
use async_trait::async_trait;
use proto::{GameId, PlayerId, TicketId};
use redis::{FromRedisValue, Script, ScriptInvocation, cmd};
use runtime::Drain;
use timekeeping::UnixMs;

use super::{Cancelling, Dissolving, Opening, PoolState, Store, StoreError, word};
use crate::forming::Waiting;
use crate::news::News;
use crate::ticket::{Four, Pool, Ticket};
use clock::Clock;
use link::{Link, Request};

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
}

impl RedisStore {
    /// Finds the server.
    pub(crate) async fn open(url: &str) -> anyhow::Result<Self> {
        Self::open_with_tag(url, TAG).await
    }

    pub(crate) async fn open_with_tag(url: &str, tag: &str) -> anyhow::Result<Self> {
        let url = url.parse().map_err(|why| anyhow::anyhow!("FK_REDIS_URL: {why}"))?;
        let keys = KEYS.map(|key| format!("{tag}:{key}"));
        let link = Arc::new(Link::new(url, keys[0].clone()));
        let about: String =
            link.ask(Request::Command(&cmd("INFO"))).await.context("FK_REDIS_URL: cannot reach Redis")?;
        check(&about)?;
        let clock = Clock::start(&link).await.context("FK_REDIS_URL: cannot reach Redis")?;
        Ok(Self { link, clock: Arc::new(clock), keys, channel: format!("{tag}:news") })
    }

    /// Whether it may be opened later although nobody puts anything right.
    pub(crate) fn is_away(error: &anyhow::Error) -> bool {
        error.downcast_ref().is_some_and(|error| !link::is_final(error))
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

    async fn run<T: FromRedisValue>(
        &self,
        script: &Script,
        give: impl FnOnce(&mut ScriptInvocation<'_>) + Send,
    ) -> Result<T, StoreError> {
        Ok(self.link.ask(Request::Script(&self.invocation(script, give))).await?)
    }

    fn invocation<'a>(
        &self,
        script: &'a Script,
        give: impl FnOnce(&mut ScriptInvocation<'_>) + Send,
    ) -> ScriptInvocation<'a> {
        let mut invocation = script.prepare_invoke();
        for key in &self.keys {
            invocation.key(key);
        }
        give(&mut invocation);
        invocation
    }

    /// A script that takes one text and answers a ticket or nothing.
    async fn show(&self, script: &Script, which: impl ToString + Send) -> Result<Option<Ticket>, StoreError> {
        let which = which.to_string();
        let shown: Vec<String> = self.run(script, |with| _ = with.arg(which)).await?;
        reply::ticket(&shown)
    }
}

/// Refuses a server that cannot keep tickets.
fn check(about: &str) -> anyhow::Result<()> {
    let said = |name: &str| {
        let value = about.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value.unwrap_or_default().trim()
    };
    let (version, policy) = (said("redis_version"), said("maxmemory_policy"));
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    ensure!(major.is_some_and(|major| major >= 7), "FK_REDIS_URL: Redis {version}, and 7 is the oldest that will do");
    ensure!(
        policy == "noeviction",
        "FK_REDIS_URL: maxmemory-policy {policy} throws tickets away; set it to noeviction"
    );
    Ok(())
}

#[async_trait]
impl Store for RedisStore {
    async fn ping(&self) -> Result<(), StoreError> {
        let [tickets, ..] = &self.keys;
        Ok(self.link.ask(Request::Command(cmd("EXISTS").arg(tickets))).await?)
    }

    async fn open(&self, ticket: &Ticket) -> Result<Opening, StoreError> {
        let answer: Vec<String> = self
            .run(&script::OPEN, |with| {
                with.arg(ticket.id.to_string()).arg(ticket.player.id.to_string());
                with.arg(ticket.asked_ms).arg(reply::facts(ticket));
            })
            .await?;
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
            self.run(&script::CANCEL, |with| _ = with.arg(id.to_string()).arg(player.to_string()).arg(now)).await?;
        reply::cancelling(&answer)
    }

    async fn asked(&self, id: TicketId, now: UnixMs) -> Result<(), StoreError> {
        self.run(&script::ASKED, |with| _ = with.arg(id.to_string()).arg(now)).await
    }

    async fn pools(&self, asked_since: UnixMs) -> Result<Vec<PoolState>, StoreError> {
        let pools: Vec<_> = self.run(&script::POOLS, |with| _ = with.arg(asked_since)).await?;
        pools.into_iter().map(reply::pool_state).collect()
    }

    async fn waiting(&self, pool: Pool, asked_since: UnixMs, now: UnixMs) -> Result<Vec<Waiting>, StoreError> {
        let name = reply::pool_name(pool);
        let waiting: Vec<_> = self.run(&script::WAITING, |with| _ = with.arg(name).arg(asked_since).arg(now)).await?;
        waiting.into_iter().map(reply::waiting).collect()
    }

    async fn oldest(&self, pool: Pool, asked_since: UnixMs) -> Result<Option<UnixMs>, StoreError> {
        let name = reply::pool_name(pool);
        self.run(&script::OLDEST, |with| _ = with.arg(name).arg(asked_since)).await
    }

    async fn form(&self, four: &Four) -> Result<bool, StoreError> {
        let form = self.invocation(&script::FORM, |with| {
            with.arg(four.game.to_string()).arg(four.formed_ms).arg(four.claimed_until_ms);
            with.arg(reply::pool_name(four.pool));
            for (seat, ticket) in &four.seats {
                with.arg(ticket.id.to_string()).arg(seat.word());
            }
        });
        // If a failover lost it after its game was made, its players would wait again, and play twice.
        Ok(self.link.ask(Request::Replicated(&form)).await?)
    }

    async fn claim(&self, now: UnixMs, until: UnixMs) -> Result<Vec<Four>, StoreError> {
        let claimed: Vec<_> = self.run(&script::CLAIM, |with| _ = with.arg(now).arg(until).arg(AT_ONCE)).await?;
        let mut fours = Vec::with_capacity(claimed.len());
        for four in claimed {
            fours.push(reply::four(four, until)?);
        }
        fours.sort_by_key(|four| (four.formed_ms, four.game));
        Ok(fours)
    }

    async fn release(&self, four: &Four, until: UnixMs) -> Result<(), StoreError> {
        self.run(&script::RELEASE, |with| _ = with.arg(four.game.to_string()).arg(four.claimed_until_ms).arg(until))
            .await
    }

    async fn complete(&self, game: GameId, now: UnixMs) -> Result<bool, StoreError> {
        self.run(&script::COMPLETE, |with| _ = with.arg(game.to_string()).arg(now)).await
    }

    async fn dissolve(&self, four: &Four, dissolving: &Dissolving) -> Result<bool, StoreError> {
        self.run(&script::DISSOLVE, |with| {
            with.arg(four.game.to_string()).arg(four.claimed_until_ms).arg(word::of_reason(dissolving.reason));
            with.arg(dissolving.now).arg(dissolving.hold_until);
            for ticket in &dissolving.cancelled {
                with.arg(ticket.to_string());
            }
        })
        .await
    }

    async fn expire(&self, asked_before: UnixMs, now: UnixMs) -> Result<Vec<PlayerId>, StoreError> {
        let players: Vec<String> = self.run(&script::EXPIRE, |with| _ = with.arg(asked_before).arg(now)).await?;
        players.iter().map(|player| reply::parsed(player)).collect()
    }

    async fn unreported(&self, limit: u32) -> Result<Vec<Ticket>, StoreError> {
        let last = i64::from(limit) - 1;
        let shown: Vec<Vec<String>> = self.run(&script::UNREPORTED, |with| _ = with.arg(last)).await?;
        shown.iter().filter_map(|ticket| reply::ticket(ticket).transpose()).collect()
    }

    async fn reported(&self, id: TicketId) -> Result<(), StoreError> {
        self.run(&script::REPORTED, |with| _ = with.arg(id.to_string())).await
    }

    async fn forget(&self, closed_before: UnixMs) -> Result<(), StoreError> {
        loop {
            let forgotten: u32 = self.run(&script::FORGET, |with| _ = with.arg(closed_before).arg(AT_ONCE)).await?;
            if forgotten < AT_ONCE {
                return Ok(());
            }
        }
    }
}
