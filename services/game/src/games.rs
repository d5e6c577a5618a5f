//! Commands to games: load, decide, append, and again if another writer was quicker.

use std::sync::Arc;

use live::{Append, Appended, Deadline, Head, LiveStore, Projection};
use metrics::counter;
use moka::sync::Cache;
use proto::types::v1::{Event, GameStatus};
use proto::{Code, CommandId, GameId, PlayerId, Refusal};
use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use tokio::sync::{Mutex, Notify};

use crate::config::Config;
use crate::decide::{Command, Creation, Decision, Dice, create, decide, not_found};
use crate::fact::{Counters, Fact, Plan, events};
use crate::failpoint;
use crate::failure::{unavailable, unreadable};
use crate::heartbeat::Heartbeat;
use crate::record::Records;
use crate::state::State;

/// Games whose state is kept at hand.
const CACHED: u64 = 50_000;
/// Commands to one game queue here instead of losing to each other; a collision costs only a wait.
const LANES: usize = 1024;
/// How often a command is decided again after losing to another replica.
const ATTEMPTS: u32 = 8;
/// Running games a player may be in.
const MOST_GAMES: usize = 10;
/// Waiting games a player may sit in; nobody fills so many.
const MOST_WAITING: usize = 100;

/// The operating system's generator: not foreseeable by anybody.
struct SystemDice;

impl Dice for SystemDice {
    fn roll(&self, sides: usize) -> usize {
        UnwrapErr(SysRng).random_range(0..sides)
    }
}

/// What became of a decision.
enum Stored {
    /// It stands; the game after it, and what is to be answered.
    Done(Arc<State>, Result<(), Refusal>),
    /// The log ended elsewhere.
    Elsewhere,
    /// The store did not answer, and has not got it. Should it still come, it meets the head it was decided on, or loses.
    Not,
}

/// All games of the platform, as this replica serves them.
pub(crate) struct Games {
    pub(crate) config: Config,
    pub(crate) store: Arc<dyn LiveStore>,
    pub(crate) records: Records,
    pub(crate) heartbeat: Heartbeat,
    /// Rings when this replica has put something into the outbox.
    pub(crate) reported: Notify,
    cache: Cache<GameId, Arc<State>>,
    lanes: Vec<Mutex<()>>,
}

impl Games {
    pub(crate) fn new(config: Config, store: Arc<dyn LiveStore>, records: Records, heartbeat: Heartbeat) -> Self {
        Self {
            config,
            store,
            records,
            heartbeat,
            reported: Notify::new(),
            cache: Cache::new(CACHED),
            lanes: std::iter::repeat_with(|| Mutex::new(())).take(LANES).collect(),
        }
    }

    /// Makes a game; the same id again gives the game as it is.
    pub(crate) async fn create(&self, creation: Creation) -> Result<Arc<State>, Refusal> {
        let Creation { id, maker, make_until, .. } = creation;
        let _lane = self.lane(id).lock().await;
        if let Some(state) = self.find_live(id).await? {
            return Ok(state);
        }
        if let Some(state) = self.records.find(id).await? {
            return Ok(state);
        }
        if let Some(maker) = maker {
            self.check_number_of_games(maker).await?;
        }
        let decision = create(creation, self.store.now())?;
        if decision.state.status == GameStatus::Running {
            self.check_players(&decision.state, maker).await?;
        }
        // The last thing before it is stored: whoever asked may have been stopped for long, and so may we.
        if make_until.is_some_and(|until| self.store.now() > until) {
            tracing::warn!(game.id = %id, "a game was asked for too late");
            return Err(Refusal::unavailable());
        }
        match self.store_decision(id, None, decision).await? {
            Stored::Done(state, answer) => answer.map(|()| state),
            // Another replica made the same game in the meantime.
            Stored::Elsewhere => self.live(id).await,
            Stored::Not => Err(Refusal::unavailable()),
        }
    }

    /// Gives a command to a game and returns the game after it.
    pub(crate) async fn execute(&self, id: GameId, command: Command) -> Result<Arc<State>, Refusal> {
        // Nobody pays for having to wait here.
        let mut now = self.store.now();
        let _lane = self.lane(id).lock().await;
        let mut again = true;
        for _ in 0..ATTEMPTS {
            let Some(state) = self.find_live(id).await? else {
                return self.answer_from_record(id, &command).await;
            };
            now = now.max(state.last_at);
            let outages =
                self.heartbeat.outages(&*self.store, id.shard(), state.last_at - 1).await.map_err(unavailable)?;
            // What came during an outage counts from its end, and the outage is nobody's time.
            now = outages.iter().fold(now, |now, outage| now.max(outage.to));
            let decision = decide(&state, &command, now, &outages, &SystemDice);
            if decision.facts.is_empty() {
                // Nothing is appended, so nothing would tell that the log ends elsewhere: ask before answering.
                if self.is_behind(&state).await? {
                    self.cache.invalidate(&id);
                    continue;
                }
                return decision.answer.map(|()| state);
            }
            match self.store_decision(id, state.head, decision).await? {
                Stored::Done(state, answer) => return answer.map(|()| state),
                Stored::Elsewhere => counter!("game_append_conflicts_total").increment(1),
                // Judged anew, as there may have been an outage meanwhile.
                Stored::Not if again => again = false,
                Stored::Not => return Err(Refusal::unavailable()),
            }
            self.cache.invalidate(&id);
        }
        tracing::warn!(game.id = %id, attempts = ATTEMPTS, "a command kept losing to other writers");
        Err(Refusal::unavailable())
    }

    /// A game on record takes no more commands; decide says so in its own words.
    async fn answer_from_record(&self, id: GameId, command: &Command) -> Result<Arc<State>, Refusal> {
        let state = self.records.find(id).await?.ok_or_else(|| not_found(id))?;
        decide(&state, command, state.last_at, &[], &SystemDice).answer.map(|()| state)
    }

    /// Stores what was decided.
    async fn store_decision(&self, id: GameId, expected: Option<Head>, decision: Decision) -> Result<Stored, Refusal> {
        let Decision { facts, mut state, answer } = decision;
        let command = CommandId::new();
        let (events, head) = events(&facts, expected, command, state.last_at);
        state.head = head;
        let report = matches!(state.status, GameStatus::Over | GameStatus::Aborted);
        let append = Append {
            game: id,
            expected,
            command,
            deadline: state.due().map(|due| Deadline { game: id, kind: due.kind, ply: state.ply(), due: due.at }),
            projection: projection(&state),
            report,
            events,
        };
        match self.append(append).await? {
            Some(Appended::Done) => {}
            Some(Appended::Conflict) => return Ok(Stored::Elsewhere),
            None => return Ok(Stored::Not),
        }
        failpoint::reach("append_before_answer");
        count(&facts);
        if report {
            self.reported.notify_one();
        }
        let state = Arc::new(state);
        self.remember(&state);
        Ok(Stored::Done(state, answer))
    }

    /// Appends. If the answer is lost, looks the command up before it says anything: the events may stand. None: they
    /// do not.
    async fn append(&self, append: Append) -> Result<Option<Appended>, Refusal> {
        let (game, command) = (append.game, append.command);
        let error = match self.store.append(append).await {
            Ok(appended) => return Ok(Some(appended)),
            Err(error) => error,
        };
        tracing::warn!(game.id = %game, error = &error as &dyn std::error::Error, "an append got no answer");
        counter!("game_append_lookups_total").increment(1);
        let stands = self.store.caused_by(game, command).await.map_err(unavailable)?.is_some();
        Ok(stands.then_some(Appended::Done))
    }

    /// A game, live or on record.
    pub(crate) async fn find(&self, id: GameId) -> Result<Option<Arc<State>>, Refusal> {
        match self.find_live(id).await? {
            Some(state) if self.is_behind(&state).await? => {
                self.cache.invalidate(&id);
                match self.find_live(id).await? {
                    Some(state) => Ok(Some(state)),
                    None => self.records.find(id).await,
                }
            }
            Some(state) => Ok(Some(state)),
            None => self.records.find(id).await,
        }
    }

    /// A game as of a version or later, perhaps from memory.
    pub(crate) async fn find_since(&self, id: GameId, version: u64) -> Result<Option<Arc<State>>, Refusal> {
        match self.cache.get(&id) {
            Some(state) if state.version() >= version => Ok(Some(state)),
            _ => self.find(id).await,
        }
    }

    /// Whether the log ends elsewhere than what is cached, or the game has left the live store.
    async fn is_behind(&self, state: &State) -> Result<bool, Refusal> {
        let heads = self.store.heads(&[state.id]).await.map_err(unavailable)?;
        Ok(heads.first().map(|(_, head)| *head) != state.head)
    }

    /// Keeps a state at hand, unless a newer one is there already: whoever read an older log came late.
    fn remember(&self, state: &Arc<State>) {
        self.cache.entry(state.id).and_upsert_with(|known| match known {
            Some(known) if known.value().version() > state.version() => known.into_value(),
            _ => Arc::clone(state),
        });
    }

    /// A game as a viewer may see it.
    pub(crate) async fn visible(&self, id: GameId, viewer: Option<PlayerId>) -> Result<Arc<State>, Refusal> {
        let state = self.find(id).await?.filter(|state| state.visible_to(viewer));
        state.ok_or_else(|| not_found(id))
    }

    /// Events after a version, live or on record.
    pub(crate) async fn log(&self, id: GameId, after: u64) -> Result<Vec<Event>, Refusal> {
        if let Some(log) = self.store.load(id, after).await.map_err(unavailable)? {
            return Ok(log.events);
        }
        let events = self.records.log(id).await?.ok_or_else(|| not_found(id))?;
        Ok(events.into_iter().filter(|event| event.v > after).collect())
    }

    async fn live(&self, id: GameId) -> Result<Arc<State>, Refusal> {
        self.find_live(id).await?.ok_or_else(Refusal::unavailable)
    }

    /// A live game, from the cache or its log. What is cached may be behind: an append then conflicts, a refusal or a
    /// read asks with [`Games::is_behind`].
    async fn find_live(&self, id: GameId) -> Result<Option<Arc<State>>, Refusal> {
        if let Some(state) = self.cache.get(&id) {
            return Ok(Some(state));
        }
        let Some(log) = self.store.load(id, 0).await.map_err(unavailable)? else { return Ok(None) };
        let state = Arc::new(State::replay(id, &log.events).map_err(|error| unreadable(id, &error))?);
        self.remember(&state);
        Ok(Some(state))
    }

    /// News of a game, perhaps from another replica: the cached state follows, or is thrown away.
    pub(crate) fn heard(&self, id: GameId, events: &[Event]) {
        let (Some(cached), Some(last)) = (self.cache.get(&id), events.last()) else { return };
        if last.v > cached.version() {
            let mut state = Arc::unwrap_or_clone(cached);
            let new = events.iter().filter(|event| event.v > state.version()).cloned().collect::<Vec<_>>();
            if new.iter().try_for_each(|event| state.absorb(event)).is_ok() {
                self.remember(&Arc::new(state));
            } else {
                self.cache.invalidate(&id);
            }
        }
    }

    /// Whether a player may sit in one more game.
    pub(crate) async fn check_number_of_games(&self, player: PlayerId) -> Result<(), Refusal> {
        let (running, waiting) = self.count_games(player).await?;
        let refuse = |detail| Err(Refusal::new(Code::TooManyGames, detail));
        match (running, waiting) {
            (MOST_GAMES.., _) => refuse(format!("you are in {running} running games")),
            (_, MOST_WAITING..) => refuse(format!("you sit in {waiting} waiting games")),
            _ => Ok(()),
        }
    }

    /// Whether everybody else may be in one more running game, if this seat is the last free one.
    pub(crate) async fn check_start(&self, state: &State, taker: PlayerId) -> Result<(), Refusal> {
        let seats = state.settings.plans.iter().zip(&state.seats);
        let free = seats.filter(|(plan, seat)| **plan != Plan::Empty && seat.is_none()).count();
        if state.status != GameStatus::Waiting || free > 1 {
            return Ok(());
        }
        self.check_players(state, Some(taker)).await
    }

    /// Whether everybody seated, but for who was asked already, may be in one more running game.
    async fn check_players(&self, state: &State, asked: Option<PlayerId>) -> Result<(), Refusal> {
        for (_, player) in state.players().filter(|(_, player)| Some(player.id) != asked) {
            if self.count_games(player.id).await?.0 >= MOST_GAMES {
                let detail = format!("the game cannot start: {} is in too many running games", player.name);
                return Err(Refusal::new(Code::TooManyGames, detail));
            }
        }
        Ok(())
    }

    /// A player's running and waiting games.
    async fn count_games(&self, player: PlayerId) -> Result<(usize, usize), Refusal> {
        let games = self.store.games_of(player).await.map_err(unavailable)?;
        let running = games.iter().filter(|(_, status)| *status == GameStatus::Running).count();
        Ok((running, games.len() - running))
    }

    fn lane(&self, id: GameId) -> &Mutex<()> {
        let bytes = id.uuid().into_bytes();
        &self.lanes[usize::from(u16::from_be_bytes([bytes[14], bytes[15]])) % LANES]
    }
}

/// An invite code: ten letters and digits that are hard to mistake, 49 bits of chance.
pub(crate) fn invite_code() -> String {
    const LETTERS: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
    (0..10).map(|_| char::from(LETTERS[SystemDice.roll(LETTERS.len())])).collect()
}

fn projection(state: &State) -> Projection {
    Projection {
        status: state.status,
        visibility: state.settings.visibility,
        invite_code: state.settings.invite_code.clone(),
        players: state.players().map(|(_, player)| player.id).collect(),
        created: state.created,
    }
}

fn count(facts: &[(Fact, Counters)]) {
    for (fact, _) in facts {
        match fact {
            Fact::Moved(moved) => {
                let by = if moved.by_roaming { "roaming" } else { "player" };
                counter!("game_moves_total", "by" => by).increment(1);
            }
            Fact::Over { reason, .. } => counter!("game_ended_total", "reason" => reason.as_str()).increment(1),
            Fact::Aborted { .. } => counter!("game_ended_total", "reason" => "aborted").increment(1),
            _ => {}
        }
    }
}
