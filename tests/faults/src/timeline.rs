use std::sync::Mutex;

use proto::Shard;

use crate::journal::lock;

/// What the heartbeat of the platform needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A replica of the game service.
    Game(usize),
    Redis,
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

/// What a process, or a store and those who look for it, may need on a busy machine before it does its work.
const RISING_MS: i64 = 10_000;

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
        windows(&lock(&self.marks), false, |up| lifeless(up, shard))
    }

    /// When hearts may have failed to beat for a shard: as [`Timeline::dead`], but what was started is not counted on
    /// before some time has passed.
    pub(crate) fn weak(&self, shard: Shard) -> Vec<Window> {
        let marks = lock(&self.marks).clone();
        let rises = |mark: &Mark| mark.up != matches!(mark.subject, Subject::Without(_));
        let mut late: Vec<Mark> = Vec::with_capacity(marks.len());
        for (index, mark) in marks.iter().enumerate() {
            let at_ms = mark.at_ms + if rises(mark) { RISING_MS } else { 0 };
            let over = |next: &Mark| next.subject == mark.subject && next.at_ms < at_ms;
            if !marks[index + 1..].iter().any(over) {
                late.push(Mark { at_ms, ..*mark });
            }
        }
        late.sort_by_key(|mark| mark.at_ms);
        windows(&late, true, |up| lifeless(up, shard))
    }
}

/// Whether no heart can beat for a shard.
fn lifeless(up: &[Subject], shard: Shard) -> bool {
    let game = up.iter().any(|one| matches!(one, Subject::Game(_)));
    !game || !up.contains(&Subject::Redis) || up.contains(&Subject::Without(shard))
}

/// When it held; from the beginning, or only after the first time at which it did not.
fn windows(marks: &[Mark], from_the_beginning: bool, holds: impl Fn(&[Subject]) -> bool) -> Vec<Window> {
    let (mut up, mut windows) = (Vec::new(), Vec::new());
    let mut began = from_the_beginning;
    let mut since = began.then_some(0);
    for mark in marks {
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
    }

    #[test]
    fn who_was_started_is_counted_on_later_and_only_if_it_still_runs() {
        let timeline = Timeline::default();
        let marks = [
            (0, Subject::Redis, true),
            (0, Subject::Game(0), true),
            (0, Subject::Game(1), true),
            (20_000, Subject::Game(0), false),
            (20_010, Subject::Game(1), false),
            (20_020, Subject::Game(0), true),
            (22_000, Subject::Game(0), false),
            (23_000, Subject::Game(0), true),
        ];
        lock(&timeline.marks).extend(marks.map(|(at_ms, subject, up)| Mark { at_ms, subject, up }));
        let shard = Shard::all().next().unwrap();
        let rising = super::RISING_MS;
        let weak = [Window { from: 0, to: rising }, Window { from: 20_010, to: 23_000 + rising }];
        assert_eq!(timeline.weak(shard), weak);
    }
}
