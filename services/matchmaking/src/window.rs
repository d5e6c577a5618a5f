//! How far apart the ratings of four may be: little at first, everybody in the end. docs/decisions/matchmaking-windows.md
//! says why.

/// How a pool's window widens with the age of its oldest ticket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Curve {
    /// Half the width at first.
    start: f64,
    /// By how much it widens at each step.
    step: f64,
    step_ms: i64,
    /// From this age on everybody fits.
    open_ms: i64,
}

/// Half the width of a window: how far ratings may lie from its middle. Infinite once everybody fits.
pub(crate) type Width = f64;

impl Curve {
    /// 100 at first, 50 more every 5 s, everybody after 60 s.
    const RATED: Self = Self { start: 100.0, step: 50.0, step_ms: 5_000, open_ms: 60_000 };
    /// Nothing is at stake: 200 at first, 100 more every 5 s, everybody after 20 s.
    const CASUAL: Self = Self { start: 200.0, step: 100.0, step_ms: 5_000, open_ms: 20_000 };

    pub(crate) const fn of(rated: bool) -> Self {
        if rated { Self::RATED } else { Self::CASUAL }
    }

    /// The width in a pool whose oldest ticket has waited this long.
    pub(crate) fn width(self, oldest_age_ms: i64) -> Width {
        if oldest_age_ms >= self.open_ms {
            return Width::INFINITY;
        }
        let steps = u32::try_from(oldest_age_ms.max(0) / self.step_ms).unwrap_or(0);
        self.start + self.step * f64::from(steps)
    }
}

/// The ratings a ticket accepts, as shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Window {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Window {
    /// What an open window shows as its ends; ratings beyond them fit too.
    const LOWEST: f64 = 0.0;
    const HIGHEST: f64 = 4000.0;

    pub(crate) fn around(rating: f64, width: Width) -> Self {
        if width.is_infinite() {
            return Self { low: Self::LOWEST.min(rating), high: Self::HIGHEST.max(rating) };
        }
        Self { low: rating - width, high: rating + width }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rated_window_widens_by_steps_until_everybody_fits() {
        let curve = Curve::of(true);
        for (age_ms, width) in [
            (-5, 100.0),
            (0, 100.0),
            (4_999, 100.0),
            (5_000, 150.0),
            (30_000, 400.0),
            (59_999, 650.0),
            (60_000, Width::INFINITY),
            (i64::MAX, Width::INFINITY),
        ] {
            assert_eq!(curve.width(age_ms), width, "at {age_ms} ms");
        }
    }

    #[test]
    fn a_casual_window_is_always_at_least_as_wide() {
        for age_ms in (0..100_000).step_by(500) {
            assert!(Curve::of(false).width(age_ms) >= Curve::of(true).width(age_ms));
        }
        assert_eq!(Curve::of(false).width(20_000), Width::INFINITY);
    }

    #[test]
    fn a_window_never_narrows_with_age() {
        for rated in [false, true] {
            let widths: Vec<_> = (0..200_000).step_by(250).map(|age_ms| Curve::of(rated).width(age_ms)).collect();
            assert!(widths.is_sorted());
        }
    }

    #[test]
    fn what_is_shown_is_finite_and_holds_the_own_rating() {
        assert_eq!(Window::around(1500.0, 100.0), Window { low: 1400.0, high: 1600.0 });
        assert_eq!(Window::around(1500.0, Width::INFINITY), Window { low: 0.0, high: 4000.0 });
        for rating in [-300.0, 5000.0] {
            let window = Window::around(rating, Width::INFINITY);
            assert!(window.low <= rating && rating <= window.high && window.high.is_finite());
        }
    }
}
