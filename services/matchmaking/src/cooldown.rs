//! How long a player waits who lets games abort.

use timekeeping::UnixMs;

const MINUTE_MS: i64 = 60_000;
/// Aborts older than this are forgiven.
pub(crate) const MEMORY_MS: i64 = 24 * 60 * MINUTE_MS;
const LONGEST_MS: i64 = 15 * MINUTE_MS;

/// How much longer the player has to wait: 1 minute after the last abort, doubling to 15 with each one before it
/// within a day. None if they may go ahead.
pub(crate) fn remaining_ms(aborts: &[UnixMs], now: UnixMs) -> Option<u64> {
    let counted = aborts.iter().filter(|at| now - **at < MEMORY_MS);
    let last = counted.clone().max()?;
    let doublings = u32::try_from(counted.count() - 1).unwrap_or(u32::MAX).min(4);
    let wait_ms = (MINUTE_MS << doublings).min(LONGEST_MS);
    u64::try_from(last + wait_ms - now).ok().filter(|left| *left > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_to_fifteen_minutes() {
        let mut aborts = Vec::new();
        for minutes in [1, 2, 4, 8, 15, 15, 15] {
            aborts.insert(0, 1_000_000);
            assert_eq!(remaining_ms(&aborts, 1_000_000), Some(minutes * 60_000));
        }
    }

    #[test]
    fn it_runs_from_the_last_abort_and_ends() {
        let aborts = [500_000, 400_000];
        assert_eq!(remaining_ms(&aborts, 510_000), Some(110_000));
        assert_eq!(remaining_ms(&aborts, 619_999), Some(1));
        assert_eq!(remaining_ms(&aborts, 620_000), None);
        assert_eq!(remaining_ms(&[], 0), None);
    }

    #[test]
    fn a_day_later_it_is_forgiven() {
        let aborts = [MEMORY_MS, 0];
        assert_eq!(remaining_ms(&aborts, MEMORY_MS), Some(60_000));
        assert_eq!(remaining_ms(&aborts, MEMORY_MS - 1), Some(120_001));
    }
}
