//! The hall with a clock of its own and neighbours that do as told.

mod crashing;
mod doomed;
mod forming;
mod replicas;
mod sweeping;
mod waiting;

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use proto::types::v1::Seat;
use proto::{Code, GameId, PlayerId, Refusal, TicketId};
use ratings::Standing;
use runtime::{Drain, Sqlite, TemporarySqlite};
use timekeeping::{Class, UnixMs};
use tokio::sync::Notify;

use super::{Hall, Request, Surroundings, View};
use crate::config::Config;
use crate::neighbours::Neighbours;
use crate::store::{SqliteStore, Store};
use crate::ticket::{Four, Place, Pool, State, Ticket};

const NOON: UnixMs = 1_700_000_000_000;

/// How the game service answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Making {
    #[default]
    Well,
    Refused(Code),
    /// No answer ever comes; the game was not made.
    Lost,
    /// No answer ever comes; the game was made.
    AnswerLost,
    /// The call is under way, and arrives only with [`Fakes::arrive`].
    UnderWay,
}

#[derive(Default)]
struct Told {
    running: HashMap<PlayerId, usize>,
    aborts: HashMap<PlayerId, Vec<UnixMs>>,
    standings: HashMap<PlayerId, Standing>,
    making: Making,
    rating_away: bool,
    games: HashMap<GameId, Four>,
    calls: usize,
    under_way: Vec<(Four, UnixMs)>,
    kept: Vec<Ticket>,
}

#[derive(Default)]
struct Fakes {
    told: Mutex<Told>,
    called: Notify,
}

impl Fakes {
    fn tell<T>(&self, tell: impl FnOnce(&mut Told) -> T) -> T {
        tell(&mut self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The calls under way arrive, so late; the game service makes no game after the instant it was told.
    fn arrive(&self, now: UnixMs) {
        self.tell(|told| {
            for (four, until) in std::mem::take(&mut told.under_way) {
                if now <= until {
                    told.games.insert(four.game, four);
                }
            }
        });
    }

    fn is_rating_away(&self) -> Result<(), Refusal> {
        if self.tell(|told| told.rating_away) { Err(Refusal::unavailable()) } else { Ok(()) }
    }
}

#[async_trait]
impl Neighbours for Fakes {
    async fn running_games(&self, player: PlayerId) -> Result<usize, Refusal> {
        Ok(self.tell(|told| told.running.get(&player).copied().unwrap_or(0)))
    }

    async fn aborts(&self, player: PlayerId, since: UnixMs) -> Result<Vec<UnixMs>, Refusal> {
        self.is_rating_away()?;
        let aborts = self.tell(|told| told.aborts.get(&player).cloned().unwrap_or_default());
        Ok(aborts.into_iter().filter(|at| *at >= since).collect())
    }

    async fn standing(&self, player: PlayerId, _: Class) -> Result<Standing, Refusal> {
        self.is_rating_away()?;
        Ok(self.tell(|told| told.standings.get(&player).copied().unwrap_or(Standing::NEW)))
    }

    async fn create_game(&self, four: &Four, until: UnixMs) -> Result<(), Refusal> {
        let making = self.tell(|told| {
            told.calls += 1;
            if told.making == Making::UnderWay {
                told.under_way.push((four.clone(), until));
            }
            if matches!(told.making, Making::Well | Making::AnswerLost) {
                told.games.entry(four.game).or_insert_with(|| four.clone());
            }
            told.making
        });
        self.called.notify_one();
        match making {
            Making::Well => Ok(()),
            Making::Refused(code) => Err(Refusal::new(code, "as told")),
            Making::Lost | Making::AnswerLost | Making::UnderWay => std::future::pending().await,
        }
    }

    async fn game_exists(&self, game: GameId) -> Result<bool, Refusal> {
        let (away, exists) = self.tell(|told| (told.making != Making::Well, told.games.contains_key(&game)));
        if away { Err(Refusal::unavailable()) } else { Ok(exists) }
    }

    async fn keep(&self, ticket: &Ticket) -> Result<(), Refusal> {
        self.is_rating_away()?;
        self.tell(|told| told.kept.push(ticket.clone()));
        self.called.notify_one();
        Ok(())
    }
}

struct Fixture {
    file: TemporarySqlite,
    clock: Arc<AtomicI64>,
    fakes: Arc<Fakes>,
    drain: Drain,
    hall: Arc<Hall>,
}

async fn hall_on(sqlite: Sqlite, clock: &Arc<AtomicI64>, fakes: &Arc<Fakes>, drain: &Drain, limits: bool) -> Arc<Hall> {
    hall_with(Arc::new(SqliteStore::open(sqlite).await.unwrap()), clock, fakes, drain, limits)
}

fn hall_with(
    store: Arc<dyn Store>,
    clock: &Arc<AtomicI64>,
    fakes: &Arc<Fakes>,
    drain: &Drain,
    limits: bool,
) -> Arc<Hall> {
    let clock = Arc::clone(clock);
    Hall::new(Surroundings {
        config: Config { time_controls: vec!["1+0".parse().unwrap(), "3+2".parse().unwrap()], limits },
        store,
        neighbours: Arc::clone(fakes) as Arc<dyn Neighbours>,
        now: Arc::new(move || clock.load(Ordering::SeqCst)),
        deal: Arc::new(|| [Seat::Yellow, Seat::Red, Seat::Green, Seat::Blue]),
        drain: drain.clone(),
    })
}

impl Fixture {
    async fn new() -> Self {
        Self::with_limits(true).await
    }

    async fn with_limits(limits: bool) -> Self {
        let file = Sqlite::temporary().await.unwrap();
        let (clock, fakes, drain) = (Arc::new(AtomicI64::new(NOON)), Arc::new(Fakes::default()), Drain::new());
        let hall = hall_on(file.sqlite.clone(), &clock, &fakes, &drain, limits).await;
        Self { file, clock, fakes, drain, hall }
    }

    /// Another replica, or this one after a restart: a hall of its own on the same file.
    async fn another(&self) -> Arc<Hall> {
        let sqlite = Sqlite::open(self.file.folder()).await.unwrap();
        hall_on(sqlite, &self.clock, &self.fakes, &self.drain, true).await
    }

    fn pass(&self, ms: i64) {
        self.clock.fetch_add(ms, Ordering::SeqCst);
    }

    /// A player with this rating and a waiting ticket.
    async fn waiting(&self, rating: f64) -> (TicketId, PlayerId) {
        let request = wish();
        let standing = Standing { rating, games: 40 };
        self.fakes.tell(|told| told.standings.insert(request.player, standing));
        let view = self.hall.open(request).await.unwrap();
        (view.ticket.id, view.ticket.player.id)
    }

    /// So many who wait with one rating, and would fit.
    async fn alike(&self, number: usize) -> Vec<(TicketId, PlayerId)> {
        let mut tickets = Vec::with_capacity(number);
        for _ in 0..number {
            tickets.push(self.waiting(1500.0).await);
        }
        tickets
    }

    /// A four that was formed, and for whose game the game service has been called, with this outcome.
    async fn formed(&self, making: Making) -> Vec<(TicketId, PlayerId)> {
        self.fakes.tell(|told| told.making = making);
        let tickets = self.alike(4).await;
        self.hall.form_everywhere().await.unwrap();
        self.fakes.called.notified().await;
        tickets
    }

    async fn look(&self, ticket: (TicketId, PlayerId)) -> View {
        self.hall.ticket(ticket.0, ticket.1, Duration::ZERO).await.unwrap()
    }

    /// Returns once the ticket waits again.
    async fn waits_again(&self, ticket: (TicketId, PlayerId)) {
        while self.hall.given.store.ticket(ticket.0).await.unwrap().unwrap().state != State::Waiting {
            tokio::task::yield_now().await;
        }
    }

    /// The ticket once it is closed.
    async fn closed(&self, ticket: (TicketId, PlayerId)) -> State {
        closed_in(&self.hall, ticket).await
    }
}

async fn closed_in(hall: &Hall, (ticket, player): (TicketId, PlayerId)) -> State {
    let view = hall.ticket(ticket, player, Duration::from_secs(20)).await.unwrap();
    assert!(!view.ticket.is_open(), "still {:?}", view.ticket.state);
    view.ticket.state
}

fn wish() -> Request {
    Request {
        ticket: TicketId::new(),
        player: PlayerId::new(),
        name: "ann".to_owned(),
        guest: false,
        pool: Pool { time_control: "3+2".parse().unwrap(), rated: true },
    }
}
