use crate::TimeControl;

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type UnixMs = i64;

/// What the time of a turn counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnKind {
    /// A player's move, on the player's own clock.
    Own,
    /// A player's first move: a time of its own for everybody, in milliseconds; the player's clock rests and no
    /// increment is added.
    First {
        /// How long the player may take.
        allowed_ms: i64,
    },
    /// A roaming army's move, made by itself after a pause in milliseconds; no clock runs.
    Roaming {
        /// How long until it moves.
        pause_ms: i64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    seat: usize,
    since: UnixMs,
    kind: TurnKind,
}

/// The clocks of the four seats, in turn order: at most one runs.
///
/// ```
/// use timekeeping::{Clocks, TurnKind};
/// let mut clocks = Clocks::new("3+2".parse()?);
/// clocks.begin(0, 1_000, TurnKind::Own);
/// assert_eq!(clocks.deadline(), Some(181_000));
/// clocks.end(11_000, true);
/// assert_eq!(clocks.remaining_ms(0), 172_000);
/// # Ok::<(), timekeeping::InvalidTimeControl>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clocks {
    control: TimeControl,
    remaining_ms: [i64; 4],
    turn: Option<Turn>,
}

impl Clocks {
    /// Full clocks, none of them running.
    #[must_use]
    pub const fn new(control: TimeControl) -> Self {
        Self { control, remaining_ms: [control.base_ms(); 4], turn: None }
    }

    /// A turn begins at `now`. The turn before must have ended.
    pub fn begin(&mut self, seat: usize, now: UnixMs, kind: TurnKind) {
        debug_assert!(self.turn.is_none(), "two turns at once");
        self.turn = Some(Turn { seat, since: now, kind });
    }

    /// The turn ends at `now`; what it took is charged, and the increment added if the player `moved`.
    pub fn end(&mut self, now: UnixMs, moved: bool) {
        let Some(turn) = self.turn.take() else { return };
        if turn.kind != TurnKind::Own {
            return;
        }
        let taken = (now - turn.since - self.control.delay_ms()).max(0);
        let left = (self.remaining_ms[turn.seat] - taken).max(0);
        self.remaining_ms[turn.seat] = if moved { left + self.control.increment_ms() } else { left };
    }

    /// The clock of a seat stands at nothing: its time is lost.
    pub fn exhaust(&mut self, seat: usize) {
        self.remaining_ms[seat] = 0;
    }

    /// How much of the span `from..to` fell into the running turn: what an outage must be credited with.
    #[must_use]
    pub fn overlap_ms(&self, from: UnixMs, to: UnixMs) -> i64 {
        self.turn.map_or(0, |turn| (to - from.max(turn.since)).max(0))
    }

    /// Makes the running turn as if it had begun `credit_ms` later.
    pub fn credit(&mut self, credit_ms: i64) {
        if let Some(turn) = &mut self.turn {
            turn.since += credit_ms;
        }
    }

    /// Time left on a seat's clock, as of [`Clocks::runs_from`] if that clock is the running one.
    #[must_use]
    pub const fn remaining_ms(&self, seat: usize) -> i64 {
        self.remaining_ms[seat]
    }

    /// When the time of the running turn began to count: with a delay, when the delay is over.
    #[must_use]
    pub fn runs_from(&self) -> Option<UnixMs> {
        self.turn.map(|turn| match turn.kind {
            TurnKind::Own => turn.since + self.control.delay_ms(),
            TurnKind::First { .. } | TurnKind::Roaming { .. } => turn.since,
        })
    }

    /// When the running turn must have ended: from this instant on the flag has fallen, the first move was
    /// missed, or the roaming army moves.
    #[must_use]
    pub fn deadline(&self) -> Option<UnixMs> {
        let turn = self.turn?;
        Some(match turn.kind {
            TurnKind::Own => turn.since + self.control.delay_ms() + self.remaining_ms[turn.seat],
            TurnKind::First { allowed_ms } => turn.since + allowed_ms,
            TurnKind::Roaming { pause_ms } => turn.since + pause_ms,
        })
    }

    /// What the running turn's time counts for.
    #[must_use]
    pub fn turn_kind(&self) -> Option<TurnKind> {
        self.turn.map(|turn| turn.kind)
    }

    /// The seat whose turn runs.
    #[must_use]
    pub fn turn_seat(&self) -> Option<usize> {
        self.turn.map(|turn| turn.seat)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clocks(control: &str) -> Clocks {
        Clocks::new(control.parse().unwrap())
    }

    #[test]
    fn an_increment_is_added_after_an_own_move_only() {
        let mut clocks = clocks("1+3");
        clocks.begin(2, 0, TurnKind::Own);
        clocks.end(10_000, true);
        assert_eq!(clocks.remaining_ms(2), 53_000);
        clocks.begin(2, 20_000, TurnKind::Own);
        clocks.end(21_000, false);
        assert_eq!(clocks.remaining_ms(2), 52_000);
    }

    #[test]
    fn a_delay_is_free_and_is_not_saved_up() {
        let mut clocks = clocks("1+7d");
        clocks.begin(1, 0, TurnKind::Own);
        assert_eq!((clocks.runs_from(), clocks.deadline()), (Some(7_000), Some(67_000)));
        clocks.end(6_999, true);
        assert_eq!(clocks.remaining_ms(1), 60_000);
        clocks.begin(1, 10_000, TurnKind::Own);
        clocks.end(18_000, true);
        assert_eq!(clocks.remaining_ms(1), 59_000);
    }

    #[test]
    fn a_first_move_has_its_own_time() {
        let mut clocks = clocks("1+3");
        clocks.begin(0, 5, TurnKind::First { allowed_ms: 30_000 });
        assert_eq!((clocks.runs_from(), clocks.deadline()), (Some(5), Some(30_005)));
        clocks.end(20_000, true);
        assert_eq!(clocks.remaining_ms(0), 60_000);
    }

    #[test]
    fn an_outage_counts_only_where_it_meets_the_turn() {
        let mut clocks = clocks("1+0");
        assert_eq!(clocks.overlap_ms(0, 1_000), 0);
        clocks.begin(0, 10_000, TurnKind::Own);
        assert_eq!(clocks.overlap_ms(4_000, 9_000), 0);
        assert_eq!(clocks.overlap_ms(8_000, 13_000), 3_000);
        assert_eq!(clocks.overlap_ms(12_000, 13_000), 1_000);
        clocks.credit(3_000);
        assert_eq!(clocks.deadline(), Some(73_000));
        clocks.end(14_000, true);
        assert_eq!(clocks.remaining_ms(0), 59_000);
    }

    proptest! {
        #[test]
        fn time_is_neither_made_nor_lost(
            seconds in 0i64..10, delay: bool, turns in prop::collection::vec((0usize..4, 0i64..9_000, any::<bool>()), 1..60)
        ) {
            let control: TimeControl = format!("5+{seconds}{}", if delay { "d" } else { "" }).parse().unwrap();
            let mut clocks = Clocks::new(control);
            let (mut now, mut expected) = (0, [control.base_ms(); 4]);
            for (seat, took, moved) in turns {
                clocks.begin(seat, now, TurnKind::Own);
                prop_assert_eq!(clocks.deadline(), clocks.runs_from().map(|from| from + expected[seat]));
                now += took;
                clocks.end(now, moved);
                expected[seat] = (expected[seat] - (took - control.delay_ms()).max(0)).max(0);
                if moved { expected[seat] += control.increment_ms(); }
                prop_assert_eq!(clocks.remaining_ms(seat), expected[seat]);
            }
        }
    }
}
