//! What the benches run: the same positions, depths and games for times and for instruction counts.

use rules::{Army, Game, MoveList, Perft, Position, perft};

/// The positions of the perft vectors.
pub(crate) fn suite() -> Vec<Position> {
    let text = include_str!("../tests/vectors/perft.jsonl");
    text.lines()
        .filter_map(|line| {
            let vector: serde_json::Value = serde_json::from_str(line).ok()?;
            let (game, _) = Game::from_fen4(vector.get("fen4")?.as_str()?).ok()?;
            Some(game.position().clone())
        })
        .collect()
}

/// The leaves of every position of a list, to one depth.
pub(crate) fn count(positions: &[Position], depth: u32, what: Perft) -> u64 {
    positions.iter().map(|position| perft(position, depth, what)).sum()
}

/// A small generator of numbers that look random enough to choose moves.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) as usize * end) >> 32
    }
}

/// Random games from the start to their ends, by the whole of section 5, with now and then a player who leaves.
/// Returns how many moves were made.
pub(crate) fn random_games(games: u64, checked: bool) -> u64 {
    let mut plies = 0;
    let mut moves = MoveList::new();
    let start = Game::start();
    let mut game = start.clone();
    for number in 0..games {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(number + 1));
        game.clone_from(&start);
        while game.over().is_none() {
            game.write_legal_moves(&mut moves);
            let mv = moves[dice.below(moves.len())];
            if checked {
                assert!(game.play(mv).is_ok());
            } else {
                game.play_unchecked(mv);
            }
            plies += 1;
            if dice.below(400) == 0 {
                let army = Army::from_index(dice.below(4));
                // Refused when that army is not playing.
                let _ = game.resign(army);
            }
        }
    }
    plies
}
