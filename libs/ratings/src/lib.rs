//! The rating formula (rules, section 8), as values: nothing here is stored, random or asynchronous.
//!
//! A rated game of four is six pairings. The better place of a pair scores 1, the other 0, and a player moves by
//! K/3 times what the three pairings brought beyond what was expected. K shrinks over a player's first
//! [`FORMING_GAMES`] games and stays from then on, so the four changes of a game need not sum to zero.
//!
//! ```
//! use ratings::{Standing, rate};
//!
//! let [first, second, third, fourth] = rate([Standing::NEW; 4]);
//! assert_eq!(first, 1580.0);
//! assert!((second - 1526.67).abs() < 0.01);
//! assert!((third - 1473.33).abs() < 0.01);
//! assert_eq!(fourth, 1420.0);
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

/// The rating of a player without a rated game.
pub const START: f64 = 1500.0;

/// How many rated games form a rating. Until then it is provisional.
pub const FORMING_GAMES: u32 = 30;

/// K of a player's first game.
const FIRST_K: f64 = 160.0;
/// K from [`FORMING_GAMES`] on.
const SETTLED_K: f64 = 32.0;
/// A lead of this many points is expected to win ten pairings of eleven.
const SCALE: f64 = 400.0;

/// A player's numbers in one class before a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// In full precision, as stored.
    pub rating: f64,
    /// Rated games in this class so far.
    pub games: u32,
}

impl Standing {
    /// A player without a rated game.
    pub const NEW: Self = Self { rating: START, games: 0 };

    /// Whether the rating is still forming.
    ///
    /// ```
    /// use ratings::Standing;
    /// assert!(Standing { rating: 1500.0, games: 29 }.is_provisional());
    /// assert!(!Standing { rating: 1500.0, games: 30 }.is_provisional());
    /// ```
    #[must_use]
    pub const fn is_provisional(self) -> bool {
        self.games < FORMING_GAMES
    }
}

/// How far one game can move a player with `games` rated games before it: 160 x 5^(-games/30), and 32 from 30
/// games on, without a step between.
///
/// ```
/// assert_eq!(ratings::k(0), 160.0);
/// assert!((ratings::k(15) - 71.55).abs() < 0.01);
/// assert_eq!(ratings::k(30), 32.0);
/// ```
#[must_use]
pub fn k(games: u32) -> f64 {
    if games >= FORMING_GAMES {
        return SETTLED_K;
    }
    FIRST_K * (FIRST_K / SETTLED_K).powf(-f64::from(games) / f64::from(FORMING_GAMES))
}

/// What a player rated `own` is expected to score in a pairing with one rated `other`, between 0 and 1.
///
/// ```
/// assert_eq!(ratings::expected(1500.0, 1500.0), 0.5);
/// assert!((ratings::expected(1900.0, 1500.0) - 10.0 / 11.0).abs() < 1e-12);
/// ```
#[must_use]
pub fn expected(own: f64, other: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf((other - own) / SCALE))
}

/// The ratings after a game, for the numbers before it; both in the order of the places, winner first.
///
/// All four are computed from the numbers before the game, so the result does not depend on who is computed first.
#[must_use]
pub fn rate(by_place: [Standing; 4]) -> [f64; 4] {
    std::array::from_fn(|place| {
        let own = by_place[place];
        let surprise: f64 = (0..4)
            .filter(|other| *other != place)
            .map(|other| {
                let score = if place < other { 1.0 } else { 0.0 };
                score - expected(own.rating, by_place[other].rating)
            })
            .sum();
        own.rating + k(own.games) / 3.0 * surprise
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn standing() -> impl Strategy<Value = Standing> {
        (0.0..4000.0, 0u32..200).prop_map(|(rating, games)| Standing { rating, games })
    }

    fn four() -> impl Strategy<Value = [Standing; 4]> {
        [standing(), standing(), standing(), standing()]
    }

    #[test]
    fn four_new_players_end_where_the_rules_say() {
        let after = rate([Standing::NEW; 4]);
        let shown = after.map(|rating| format!("{rating:.2}"));
        assert_eq!(shown, ["1580.00", "1526.67", "1473.33", "1420.00"]);
    }

    #[test]
    fn settled_equals_move_by_the_settled_k() {
        let settled = Standing { rating: 1700.0, games: 30 };
        assert_eq!(rate([settled; 4])[0], 1716.0);
        assert_eq!(rate([settled; 4])[3], 1684.0);
    }

    #[test]
    fn a_worked_game_of_unequal_players() {
        // E(1400,1600) = 0.240253..., E(1400,1500) = 0.359935...; the underdog wins with K = 32.
        let by_place = [1400.0, 1600.0, 1500.0, 1500.0].map(|rating| Standing { rating, games: 100 });
        let gain = 32.0 / 3.0 * (3.0 - 0.240_253_073_352_046 - 2.0 * 0.359_935_000_197_317);
        assert!((rate(by_place)[0] - 1400.0 - gain).abs() < 1e-6);
    }

    #[test]
    fn k_falls_without_a_step_to_its_settled_value() {
        for games in 0..60 {
            let (now, next) = (k(games), k(games + 1));
            assert!(next <= now && next >= SETTLED_K, "at {games}");
            assert!(next / now > 0.94, "a step at {games}");
        }
        let unclamped = FIRST_K * 5_f64.powf(-1.0);
        assert!((unclamped - k(FORMING_GAMES)).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn pairings_share_one_point(own in -1000.0..5000.0f64, other in -1000.0..5000.0f64) {
            prop_assert!((expected(own, other) + expected(other, own) - 1.0).abs() < 1e-12);
        }

        #[test]
        fn no_game_moves_anybody_beyond_k(players in four()) {
            for (before, after) in players.into_iter().zip(rate(players)) {
                prop_assert!(after.is_finite());
                prop_assert!((after - before.rating).abs() <= k(before.games) + 1e-9);
            }
        }

        #[test]
        fn the_winner_never_loses_and_the_last_never_gains(players in four()) {
            let after = rate(players);
            prop_assert!(after[0] >= players[0].rating);
            prop_assert!(after[3] <= players[3].rating);
        }

        #[test]
        fn a_better_place_is_never_worth_less(players in four(), place in 0usize..3) {
            let mut swapped = players;
            swapped.swap(place, place + 1);
            prop_assert!(rate(players)[place] > rate(swapped)[place + 1]);
        }

        #[test]
        fn equals_of_one_experience_gain_what_the_others_lose(rating in 0.0..4000.0f64, games in 0u32..100) {
            let sum: f64 = rate([Standing { rating, games }; 4]).iter().map(|after| after - rating).sum();
            prop_assert!(sum.abs() < 1e-9);
        }

        #[test]
        fn beating_stronger_players_brings_more(players in four(), stronger in 1.0..500.0f64) {
            let mut others = players;
            for other in &mut others[1..] {
                other.rating += stronger;
            }
            prop_assert!(rate(others)[0] > rate(players)[0]);
        }
    }
}
