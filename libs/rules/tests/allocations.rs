//! No move, and no node of a perft, allocates. Each thread's allocations are counted by themselves.

use std::collections::HashMap;
use std::hint::black_box;

use allocation_counter::{AllocationInfo, measure};
use rules::{Army, EndReason, Game, Move, MoveList, Perft, Piece, Position, Role, Setup, perft};

fn assert_none(info: &AllocationInfo, what: &str) {
    assert_eq!(info.count_total, 0, "{what}: {info:?}");
}

/// Plays a game of random moves to its end, by `play`, with refusals and players who leave.
fn random_game(game: &mut Game, moves: &mut MoveList, mut seed: u64) -> u32 {
    let mut below = |end: usize| {
        seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (seed >> 33) as usize % end
    };
    let mut plies = 0;
    let mut earlier = None;
    while game.over().is_none() {
        game.write_legal_moves(moves);
        let mv = moves[below(moves.len())];
        if let Some(stale) = earlier.replace(mv)
            && !moves.contains(&stale)
        {
            assert!(game.play(stale).is_err());
        }
        assert!(game.play(mv).is_ok());
        plies += 1;
        if below(400) == 0 {
            let _ = game.resign(Army::from_index(below(4)));
        }
    }
    plies
}

#[test]
fn random_games_allocate_nothing() {
    let start = Game::start();
    let mut game = start.clone();
    let mut moves = MoveList::new();
    let mut plies = 0;
    let info = measure(|| {
        for seed in 0..50 {
            game.clone_from(&start);
            plies += random_game(&mut game, &mut moves, seed);
        }
    });
    assert!(plies > 10_000, "{plies}");
    assert_none(&info, "random games");
}

/// Four kings and a knight.
fn sparse() -> Game {
    let mut setup = Setup::empty();
    let mut put = |army, role, square: &str| {
        let square = square.parse().unwrap_or_else(|error| panic!("{square}: {error}"));
        setup.put(square, Some(Piece { army, role, promoted: false }));
    };
    for (army, square) in Army::ALL.into_iter().zip(["h1", "n8", "g14", "a7"]) {
        put(army, Role::King, square);
    }
    put(Army::Red, Role::Knight, "e1");
    setup.position().unwrap_or_else(|error| panic!("{error}")).into()
}

/// Moves from the sparse position that never capture and repeat no position three times.
fn longest_quiet_game() -> Vec<Move> {
    let mut game = sparse();
    let mut seen: HashMap<u64, u32> = HashMap::from([(game.key(), 1)]);
    let mut played = Vec::new();
    while game.over().is_none() {
        let quiet = game.legal_moves().into_iter().filter_map(|mv| {
            let mut after = game.clone();
            after.play(mv).ok()?;
            (after.halfmove() > 0).then(|| (seen.get(&after.key()).copied().unwrap_or(0), mv))
        });
        let (_, mv) =
            quiet.min_by_key(|&(times, _)| times).unwrap_or_else(|| panic!("no quiet move in {}", game.fen4()));
        assert!(game.play(mv).is_ok());
        *seen.entry(game.key()).or_default() += 1;
        played.push(mv);
    }
    assert_eq!(game.over(), Some(EndReason::FiftyMoves));
    played
}

#[test]
fn the_longest_history_fits_in_what_a_new_game_has() {
    let moves = longest_quiet_game();
    assert_eq!(moves.len(), 200);
    let mut game = sparse();
    let info = measure(|| {
        for &mv in &moves {
            assert!(game.play(mv).is_ok());
        }
    });
    assert!(game.over().is_some());
    assert_none(&info, "200 moves of history");
}

#[test]
fn generating_allocates_nothing() {
    let position = Position::start();
    let info = measure(|| {
        black_box(position.legal_moves());
    });
    assert_none(&info, "legal_moves");
}

#[test]
fn perft_allocates_once_however_many_nodes() {
    let position = Position::start();
    for what in [Perft::Full, Perft::Moves, Perft::Bulk] {
        for depth in 1..=4 {
            let info = measure(|| {
                black_box(perft(&position, depth, what));
            });
            assert_eq!(info.count_total, 1, "{what:?} at depth {depth}: {info:?}");
        }
    }
}
