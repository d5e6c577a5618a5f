//! One watch at the game service for each game that anybody here watches, shared by all of its readers.
//!
//! A feed keeps the game's log, each event as the JSON that goes out, so a reader is a position in it: it gets
//! what it lacks, then what comes, at its own pace, and holds up nobody. Passing news goes by a bounded queue.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use axum::body::Bytes;
use dashmap::DashMap;
use proto::types::v1 as wire;
use proto::types::v1::event::What;
use proto::{EventId, GameId};
use runtime::Drain;
use serde::Serialize;
use tokio::sync::{broadcast, watch};

use crate::contain::contain;
use crate::links::Links;
use crate::view::event::Event;
use crate::watcher;

/// Passing news that a reader may be behind.
const PASSING: usize = 64;
/// How many events a reader takes at once.
const BATCH: usize = 64;

/// How often a feed looks for readers when the process is to stop.
const STOPPING: Duration = Duration::from_millis(50);

/// One line of a stream.
#[derive(Debug, Clone)]
pub(crate) struct Line(Bytes);

impl Line {
    pub(crate) fn of(told: &impl Serialize) -> Option<Self> {
        let mut text =
            serde_json::to_vec(told).inspect_err(|error| tracing::error!(%error, "news cannot be written")).ok()?;
        text.push(b'\n');
        Some(Self(Bytes::from(text)))
    }

    /// With its line end.
    pub(crate) fn bytes(&self) -> Bytes {
        self.0.clone()
    }

    /// Without.
    pub(crate) fn text(&self) -> Bytes {
        self.0.slice(..self.0.len() - 1)
    }
}

/// An event on its way out.
#[derive(Debug, Clone)]
struct Frame {
    v: u64,
    line: Line,
    /// Who stood up by this event.
    left: Option<String>,
}

/// Where a feed stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) v: u64,
    /// Id of the last event, if it is known.
    pub(crate) event: Option<EventId>,
    pub(crate) ply: u32,
    pub(crate) end: Option<End>,
}

/// Why nothing more will come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The last event has been told.
    Finished,
    /// The game is not there, or not for this reader any more.
    Gone,
    /// The feed broke; the reader may come back.
    Lost,
    /// The game's log has lost what was told; the reader must start again.
    Resync,
}

/// A watched game.
#[derive(Debug)]
pub(crate) struct Feed {
    pub(crate) id: GameId,
    log: RwLock<Vec<Frame>>,
    head: watch::Sender<Head>,
    passing: broadcast::Sender<Line>,
    readers: AtomicUsize,
    /// With the number of their readers.
    viewers: Mutex<BTreeMap<String, usize>>,
    /// From the first event: rated, private.
    nature: RwLock<(bool, bool)>,
}

/// All watched games.
#[derive(Debug, Clone)]
pub(crate) struct Feeds {
    open: Arc<DashMap<GameId, Arc<Feed>>>,
    links: Links,
    drain: Drain,
    compare_head: Duration,
}

impl Feeds {
    pub(crate) fn new(links: Links, drain: Drain, compare_head: Duration) -> Self {
        Self { open: Arc::default(), links, drain, compare_head }
    }

    /// Reads a game after version `after`. The caller has made sure that the viewer may; `seen` is where the game
    /// was when it did.
    pub(crate) fn read(&self, id: GameId, viewer: String, after: u64, seen: Head) -> Reader {
        let entry = self.open.entry(id).or_insert_with(|| {
            let feed = Arc::new(Feed::new(id));
            let (feeds, watched) = (self.clone(), Arc::clone(&feed));
            let watching = watcher::run(Arc::clone(&feed), self.clone(), self.links.clone(), self.compare_head);
            self.drain.spawn("feed", async move {
                if contain("feed", watching).await.is_none() {
                    watched.end(End::Lost);
                    feeds.close(&watched);
                }
            });
            feed
        });
        let feed = Arc::clone(&entry);
        feed.readers.fetch_add(1, Ordering::SeqCst);
        drop(entry);
        *feed.viewers().entry(viewer.clone()).or_default() += 1;
        let (head, passing) = (feed.head.subscribe(), feed.passing.subscribe());
        Reader { at: after, head, passing, viewer, seen, gone: false, feed }
    }

    /// Sleeps, but not long once the process is to stop.
    pub(crate) async fn rest(&self, span: Duration) {
        tokio::select! {
            () = tokio::time::sleep(span) => {}
            () = self.drain.draining() => tokio::time::sleep(STOPPING).await,
        }
    }

    /// Takes a feed away that nobody reads; false if somebody does.
    pub(crate) fn close_if_unread(&self, feed: &Arc<Feed>) -> bool {
        let unread = |_: &GameId, open: &Arc<Feed>| Arc::ptr_eq(open, feed) && feed.readers.load(Ordering::SeqCst) == 0;
        self.open.remove_if(&feed.id, unread).is_some()
    }

    /// Takes a feed away whose readers must start again.
    pub(crate) fn close(&self, feed: &Arc<Feed>) {
        self.open.remove_if(&feed.id, |_, open| Arc::ptr_eq(open, feed));
    }
}

impl Feed {
    fn new(id: GameId) -> Self {
        Self {
            id,
            log: RwLock::default(),
            head: watch::channel(Head::default()).0,
            passing: broadcast::channel(PASSING).0,
            readers: AtomicUsize::new(0),
            viewers: Mutex::default(),
            nature: RwLock::default(),
        }
    }

    pub(crate) fn head(&self) -> Head {
        *self.head.borrow()
    }

    /// Those on whose behalf the game may be watched.
    pub(crate) fn viewers(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, usize>> {
        self.viewers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what follows the head; false if something is missing or not understood.
    pub(crate) fn append(&self, events: &[wire::Event]) -> bool {
        let mut head = self.head();
        let mut frames = Vec::with_capacity(events.len());
        let known = head.v;
        for event in events.iter().skip_while(|event| event.v <= known) {
            let (Some(told), Some(what)) = (Event::of(event), event.what.as_ref()) else { return false };
            if !event.follows(head.v, head.event) {
                return false;
            }
            let Some(line) = Line::of(&told) else { return false };
            let left = match what {
                What::Left(left) => left.player.as_ref().map(|player| player.id.clone()),
                _ => None,
            };
            frames.push(Frame { v: event.v, line, left });
            head.v = event.v;
            head.event = event.id.parse().ok();
            head.ply = event.after.as_ref().map_or(head.ply, |after| after.ply);
            if self.is_last(what) {
                head.end = Some(End::Finished);
            }
        }
        // What came together is seen together.
        self.log.write().unwrap_or_else(PoisonError::into_inner).extend(frames);
        self.head.send_replace(head);
        true
    }

    fn is_last(&self, what: &What) -> bool {
        if let What::Created(created) = what {
            let private = created.settings.as_ref().is_none_or(|s| s.visibility() != wire::Visibility::Public);
            let rated = created.settings.as_ref().is_some_and(|settings| settings.rated);
            *self.nature.write().unwrap_or_else(PoisonError::into_inner) = (rated, private);
        }
        let (rated, _) = *self.nature.read().unwrap_or_else(PoisonError::into_inner);
        match what {
            What::Aborted(_) | What::Rated(_) => true,
            What::Over(_) => !rated,
            _ => false,
        }
    }

    pub(crate) fn pass(&self, line: Line) {
        // Fails when nobody listens.
        let _ = self.passing.send(line);
    }

    pub(crate) fn end(&self, end: End) {
        self.head.send_modify(|head| head.end = Some(end));
    }

    fn after(&self, v: u64) -> Vec<Frame> {
        let log = self.log.read().unwrap_or_else(PoisonError::into_inner);
        let from = usize::try_from(v).unwrap_or(usize::MAX).min(log.len());
        log[from..].iter().take(BATCH).cloned().collect()
    }

    fn is_private(&self) -> bool {
        self.nature.read().unwrap_or_else(PoisonError::into_inner).1
    }
}

/// What a reader gets next.
#[derive(Debug)]
pub(crate) enum Next {
    /// Events in order, all of them.
    Events(Vec<Line>),
    /// News without a version.
    Passing(Line),
    /// Nothing more.
    End(End),
}

/// A position in a feed.
#[derive(Debug)]
pub(crate) struct Reader {
    feed: Arc<Feed>,
    at: u64,
    head: watch::Receiver<Head>,
    passing: broadcast::Receiver<Line>,
    viewer: String,
    /// The game when the viewer was let in.
    seen: Head,
    gone: bool,
}

impl Reader {
    /// Waits for the next thing. Cancelling loses nothing.
    pub(crate) async fn next(&mut self) -> Next {
        loop {
            let head = *self.head.borrow_and_update();
            if self.gone {
                return Next::End(End::Gone);
            }
            let frames = self.feed.after(self.at);
            if !frames.is_empty() {
                return Next::Events(self.take(frames));
            }
            if let Some(end) = head.end {
                return Next::End(end);
            }
            tokio::select! {
                biased;
                changed = self.head.changed() => if changed.is_err() {
                    return Next::End(End::Lost);
                },
                // Whoever is too slow for passing news misses some.
                news = self.passing.recv() => if let Ok(line) = news {
                    return Next::Passing(line);
                },
            }
        }
    }

    fn take(&mut self, frames: Vec<Frame>) -> Vec<Line> {
        let mut lines = Vec::with_capacity(frames.len());
        for frame in frames {
            self.at = frame.v;
            lines.push(frame.line);
            let me = frame.left.is_some_and(|left| left == self.viewer);
            if me && frame.v > self.seen.v && self.feed.is_private() {
                self.gone = true;
                break;
            }
        }
        lines
    }

    /// The version up to which everything was taken.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Where the game is, as far as is known here; the feed may only just have begun to read.
    pub(crate) fn head(&self) -> Head {
        let head = self.feed.head();
        if head.v < self.seen.v { Head { end: head.end, ..self.seen } } else { head }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut viewers = self.feed.viewers();
        if let Some(readers) = viewers.get_mut(&self.viewer) {
            *readers -= 1;
            if *readers == 0 {
                viewers.remove(&self.viewer);
            }
        }
        drop(viewers);
        self.feed.readers.fetch_sub(1, Ordering::SeqCst);
    }
}
