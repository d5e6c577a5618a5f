use std::collections::HashSet;
use std::sync::Mutex;

use proto::Shard;

use crate::journal::lock;

/// What the heartbeat of the platform needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// A replica of the game service.
    Game(usize),
    Redis,
    /// All servers of a Redis that can do without one of them.
    Spare,
    /// Up while the server of the shard is down, and no other has taken its place.
    Without(Shard),
}

#[derive(Debug, Clone, Copy)]
struct Mark {
    at_ms: i64,
    subject: Subject,
    up: bool,
}

/// From when to when something was so, in Unix milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) from: i64,
    pub(crate) to: i64,
}

impl Window {
    pub(crate) const fn length(self) -> i64 {
        self.to - self.from
    }

    pub(crate) fn overlap(self, other: Window) -> i64 {
        (self.to.min(other.to) - self.from.max(other.from)).max(0)
    }
}

/// When processes could run, as the one knows who kills them, and when the machine kept them waiting.
#[derive(Default)]
pub(crate) struct Timeline {
    marks: Mutex<Vec<Mark>>,
    busy: Mutex<Vec<Window>>,
}

impl Timeline {
    /// Noted before something is started and after it was killed, so that what is down here was down for sure.
    pub(crate) fn mark(&self, subject: Subject, up: bool) {
        self.mark_at(runtime::wall_clock_ms(), subject, up);
    }

    pub(crate) fn mark_at(&self, at_ms: i64, subject: Subject, up: bool) {
        let mut marks = lock(&self.marks);
        let place = marks.partition_point(|mark| mark.at_ms <= at_ms);
        marks.insert(place, Mark { at_ms, subject, up });
    }

    /// The machine kept something waiting that takes no time.
    pub(crate) fn was_busy(&self, window: Window) {
        lock(&self.busy).push(window);
    }

    pub(crate) fn busy(&self) -> Vec<Window> {
        lock(&self.busy).clone()
    }

    /// When no heart could beat for a shard: no game replica ran, or its Redis did not.
    pub(crate) fn dead(&self, shard: Shard) -> Vec<Window> {
        self.windows(|up| {
            let game = up.iter().any(|one| matches!(one, Subject::Game(_)));
            !game || !up.contains(&Subject::Redis) || up.contains(&Subject::Without(shard))
        })
    }

    /// When something that the heart needs was down.
    pub(crate) fn impaired(&self) -> Vec<Window> {
        let needed = |subject: &Subject| !matches!(subject, Subject::Without(_));
        let subjects: HashSet<Subject> = lock(&self.marks).iter().map(|mark| mark.subject).filter(needed).collect();
        self.windows(|up| up.iter().filter(|one| needed(one)).count() < subjects.len())
    }

    fn windows(&self, holds: impl Fn(&[Subject]) -> bool) -> Vec<Window> {
        let (mut up, mut windows, mut since) = (Vec::new(), Vec::new(), None);
        let mut began = false;
        for mark in lock(&self.marks).iter() {
            up.retain(|one| *one != mark.subject);
            if mark.up {
                up.push(mark.subject);
            }
            match (holds(&up), since) {
                (true, None) if began => since = Some(mark.at_ms),
                (false, began_at) => {
                    began = true;
                    windows.extend(began_at.map(|from| Window { from, to: mark.at_ms }));
                    since = None;
                }
                _ => {}
            }
        }
        windows.extend(since.map(|from| Window { from, to: i64::MAX }));
        windows
    }
}

#[cfg(test)]
mod tests {
    use super::{Mark, Shard, Subject, Timeline, Window};
    use crate::journal::lock;

    #[test]
    fn nothing_is_dead_while_one_replica_and_redis_run() {
        let timeline = Timeline::default();
        let mut shards = Shard::all();
        let (here, elsewhere) = (shards.next().unwrap(), shards.next().unwrap());
        let marks = [
            (0, Subject::Redis, true),
            (0, Subject::Game(0), true),
            (0, Subject::Game(1), true),
            (10, Subject::Game(0), false),
            (20, Subject::Game(1), false),
            (30, Subject::Game(0), true),
            (40, Subject::Redis, false),
            (50, Subject::Redis, true),
            (60, Subject::Game(1), true),
            (70, Subject::Without(here), true),
            (80, Subject::Without(here), false),
        ];
        lock(&timeline.marks).extend(marks.map(|(at_ms, subject, up)| Mark { at_ms, subject, up }));
        let everywhere = [Window { from: 20, to: 30 }, Window { from: 40, to: 50 }];
        assert_eq!(timeline.dead(elsewhere), everywhere);
        assert_eq!(timeline.dead(here), [&everywhere[..], &[Window { from: 70, to: 80 }]].concat());
        assert_eq!(timeline.impaired(), [Window { from: 10, to: 60 }]);
    }
}
