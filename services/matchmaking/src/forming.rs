//! Which four of those waiting shall play.

use proto::TicketId;
use timekeeping::UnixMs;

use crate::window::{Curve, Width};

/// A waiting ticket, as far as forming fours looks at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Waiting {
    pub(crate) ticket: TicketId,
    pub(crate) rating: f64,
    pub(crate) opened_ms: UnixMs,
}

/// Four of a pool that fit together, if there are any: every two of them accept each other, that is, the best and
/// the worst are no further apart than the pool's width.
///
/// The tickets come oldest first. The oldest is served first: of all fours with it, the one closest in rating. Only
/// if it has none is the next oldest tried. The answer holds places in `pool`.
pub(crate) fn form(pool: &[Waiting], curve: Curve, now: UnixMs) -> Option<[usize; 4]> {
    let oldest = pool.first()?;
    form_within(pool, curve.width(now - oldest.opened_ms))
}

fn form_within(pool: &[Waiting], width: Width) -> Option<[usize; 4]> {
    let mut by_rating: Vec<usize> = (0..pool.len()).collect();
    by_rating.sort_by(|a, b| pool[*a].rating.total_cmp(&pool[*b].rating).then(a.cmp(b)));
    let mut position = vec![0; pool.len()];
    for (place, index) in by_rating.iter().enumerate() {
        position[*index] = place;
    }
    (0..pool.len()).find_map(|anchor| closest_with(pool, &by_rating, position[anchor], width))
}

/// Four neighbours by rating are the closest four; at most four such rows hold the anchor.
fn closest_with(pool: &[Waiting], by_rating: &[usize], anchor: usize, width: Width) -> Option<[usize; 4]> {
    let first = anchor.saturating_sub(3);
    (first..=anchor)
        .filter_map(|start| by_rating.get(start..start + 4)?.first_chunk::<4>().copied())
        .map(|four| (pool[four[3]].rating - pool[four[0]].rating, four))
        .filter(|(spread, _)| *spread <= width)
        .min_by(|(a, four), (b, other)| a.total_cmp(b).then_with(|| youngest(four).cmp(&youngest(other))))
        .map(|(_, four)| four)
}

/// Of equally close fours, the one that leaves the younger behind is formed.
fn youngest(four: &[usize; 4]) -> usize {
    four.iter().copied().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use proptest::prelude::*;

    fn waiting(pool: &[(f64, UnixMs)]) -> Vec<Waiting> {
        let mut pool: Vec<_> = pool
            .iter()
            .map(|(rating, opened_ms)| Waiting { ticket: TicketId::new(), rating: *rating, opened_ms: *opened_ms })
            .collect();
        pool.sort_by_key(|waiting| waiting.opened_ms);
        pool
    }

    fn formed(pool: &[(f64, UnixMs)], now: UnixMs) -> Option<Vec<usize>> {
        form(&waiting(pool), Curve::of(true), now).map(|four| {
            let mut four = four.to_vec();
            four.sort_unstable();
            four
        })
    }

    #[test]
    fn four_equals_play_at_once_and_three_wait() {
        assert_eq!(formed(&[(1500.0, 0); 4], 0), Some(vec![0, 1, 2, 3]));
        assert_eq!(formed(&[(1500.0, 0); 3], 1_000_000), None);
        assert_eq!(formed(&[], 0), None);
    }

    #[test]
    fn strangers_wait_until_the_window_reaches_them() {
        let pool = [(1500.0, 0), (1520.0, 1), (1540.0, 2), (1790.0, 3)];
        assert_eq!(formed(&pool, 19_999), None);
        assert_eq!(formed(&pool, 20_000), Some(vec![0, 1, 2, 3]));
        let pool = [(400.0, 0), (1500.0, 1), (1500.0, 2), (2900.0, 3)];
        assert_eq!(formed(&pool, 59_999), None);
        assert_eq!(formed(&pool, 60_000), Some(vec![0, 1, 2, 3]));
    }

    #[test]
    fn the_oldest_is_served_first_and_by_the_closest() {
        let pool =
            [(1500.0, 0), (1510.0, 1), (1510.0, 2), (1510.0, 3), (1510.0, 4), (1595.0, 5), (1501.0, 6), (1502.0, 7)];
        assert_eq!(formed(&pool, 10), Some(vec![0, 1, 6, 7]));
    }

    #[test]
    fn an_outlier_does_not_hold_up_the_others() {
        let pool = [(2900.0, 0), (1500.0, 1), (1500.0, 2), (1500.0, 3), (1500.0, 4), (1500.0, 5)];
        assert_eq!(formed(&pool, 10), Some(vec![1, 2, 3, 4]));
    }

    fn pools() -> impl Strategy<Value = Vec<(f64, UnixMs)>> {
        prop::collection::vec((0.0..3000.0f64, 0i64..90_000), 0..40)
    }

    proptest! {
        #[test]
        fn a_four_is_four_tickets_that_accept_each_other(pool in pools(), later in 0i64..90_000) {
            let now = 90_000 + later;
            let pool = waiting(&pool);
            if let Some(four) = form(&pool, Curve::of(true), now) {
                prop_assert_eq!(HashSet::from(four).len(), 4);
                let width = Curve::of(true).width(now - pool[0].opened_ms);
                for a in four {
                    for b in four {
                        prop_assert!((pool[a].rating - pool[b].rating).abs() <= width);
                    }
                }
            }
        }

        #[test]
        fn none_is_formed_only_if_no_four_fit(pool in prop::collection::vec((0.0..1500.0f64, 0i64..60_000), 0..9)) {
            let pool = waiting(&pool);
            let width = pool.first().map_or(0.0, |oldest| Curve::of(true).width(60_000 - oldest.opened_ms));
            let mut ratings: Vec<_> = pool.iter().map(|waiting| waiting.rating).collect();
            ratings.sort_by(f64::total_cmp);
            let fits = ratings.windows(4).any(|four| four[3] - four[0] <= width);
            prop_assert_eq!(form(&pool, Curve::of(true), 60_000).is_some(), fits);
        }

        #[test]
        fn the_oldest_plays_if_anybody_fits_it(pool in pools()) {
            let pool = waiting(&pool);
            if let Some(four) = form(&pool, Curve::of(true), 100_000) {
                let width = Curve::of(true).width(100_000 - pool[0].opened_ms);
                let near = pool.iter().filter(|other| (other.rating - pool[0].rating).abs() <= width / 2.0).count();
                prop_assert!(near < 4 || four.contains(&0));
            }
        }

        /// Tickets arrive at any time with any rating; whenever a four can be formed it is. In the end at most
        /// three are left, and nobody who had three others to play with waited longer than the curve takes to open.
        #[test]
        fn four_waiting_players_are_always_matched_in_the_end(arrivals in pools(), rated in any::<bool>()) {
            let curve = Curve::of(rated);
            let mut arrivals = waiting(&arrivals);
            let mut pool: Vec<Waiting> = Vec::new();
            let mut played = HashSet::new();
            for now in (0..160_000).step_by(1000) {
                while arrivals.first().is_some_and(|next| next.opened_ms <= now) {
                    pool.push(arrivals.remove(0));
                }
                while let Some(four) = form(&pool, curve, now) {
                    let ids = four.map(|index| pool[index].ticket);
                    prop_assert!(ids.iter().all(|id| played.insert(*id)), "a ticket played twice");
                    pool.retain(|waiting| !ids.contains(&waiting.ticket));
                }
                let overdue = pool.first().is_some_and(|oldest| now - oldest.opened_ms >= 60_000);
                prop_assert!(!overdue || pool.len() < 4, "four wait and the oldest is overdue");
            }
            prop_assert!(pool.len() < 4);
        }
    }
}
