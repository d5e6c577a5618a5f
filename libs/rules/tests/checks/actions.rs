//! What holds for any sequence of actions from any position.

use rules::{Army, ArmyState, Effect, Effects, Game, Layout, Move, MoveError, Pgn4, Recorded, Setup, Square, perft};

use super::bytes::{Bytes, Chooser, Deed, deed, setup};

/// Plays what the bytes say and checks every position on the way.
pub(crate) fn check(data: &[u8]) {
    let mut bytes = Bytes(data);
    let setup = setup(&mut bytes);
    let Ok(position) = setup.position() else { return };
    let mut game = Game::from(position.clone());
    check_position(&game, &[], &mut bytes);
    let mut actions = Vec::new();
    let mut chooser = Chooser::default();
    let mut earlier: Vec<Move> = Vec::new();
    while !bytes.is_empty() {
        let before = game.clone();
        let deed = deed(&mut bytes);
        let effects = act(&mut game, deed, &mut chooser, &mut actions);
        if let Some(last) = actions.last_mut().filter(|_| effects.is_some()) {
            // What a clock and a calendar would say, or nothing.
            last.clock_ms = (!bytes.0.len().is_multiple_of(3)).then_some(u64::MAX / (1 + bytes.0.len() as u64));
            last.date =
                (bytes.0.len().is_multiple_of(2)).then(|| format!("2026-11-30T10:00:{:02}Z", bytes.0.len() % 60));
        }
        match effects {
            Some(effects) => check_effects(&before, &game, &effects),
            None => assert_eq!(before, game, "a refusal changed something"),
        }
        // Moves of some turns ago, most of the same army.
        let stale = earlier.iter().rev().skip(3 * 8).take(16).copied().collect::<Vec<_>>();
        earlier.extend(before.legal_moves().iter().skip(bytes.next() as usize % 4).step_by(4).take(8));
        check_position(&game, &stale, &mut bytes);
    }
    check_record(&position, &game, &actions);
}

fn act(game: &mut Game, deed: Deed, chooser: &mut Chooser, actions: &mut Vec<Recorded>) -> Option<Effects> {
    let (effects, action) = match deed {
        Deed::Move(number) => {
            let mv = chooser.choose(game, number)?;
            (game.play(mv).ok(), rules::Action::Move(mv))
        }
        Deed::Resign(army) => (game.resign(army).ok(), rules::Action::Resign(army)),
        Deed::TimeOut(army) => (game.time_out(army).ok(), rules::Action::TimeOut(army)),
    };
    if effects.is_some() {
        actions.push(action.into());
    } else {
        assert!(!matches!(deed, Deed::Move(_)), "a generated move was refused");
    }
    effects
}

fn check_position(game: &Game, stale: &[Move], bytes: &mut Bytes<'_>) {
    assert!(game.is_consistent(), "{}", game.fen4());
    assert_eq!(game.key(), game.recomputed_key());
    let moves = game.legal_moves();
    assert_eq!(moves.is_empty(), game.over().is_some(), "{}", game.fen4());
    // What is generated is accepted, and any other pair of squares is refused.
    let number = bytes.next() as usize;
    for &mv in moves.iter().skip(number % 16).step_by(16) {
        assert_eq!(game.parse_move(&mv.to_string()), Ok(mv));
    }
    // Moves of earlier positions, of which many are not legal here.
    for &mv in stale {
        let accepted = game.clone().play(mv).is_ok();
        assert_eq!(accepted, moves.contains(&mv), "{mv} in {}", game.fen4());
    }
    for &mv in moves.iter().skip(number % 8).step_by(8) {
        assert!(game.position().clone().play(mv).is_ok(), "{mv} in {}", game.fen4());
    }
    let from = Square::all().nth(number % Square::COUNT);
    for to in Square::all().skip(number % 32).step_by(32) {
        let text = format!("{}-{to}", from.unwrap_or(to));
        match game.parse_move(&text) {
            Ok(mv) => assert!(moves.contains(&mv), "{text}"),
            Err(error) => assert_eq!(error, MoveError::Illegal, "{text}"),
        }
    }
    if let Some(&mv) = moves.get(bytes.next() as usize % moves.len().max(1)) {
        let san = game.san(mv);
        assert_eq!(game.parse_san(&san), Ok(mv), "{san}");
    }
    if game.over().is_none() {
        let made = perft(game.position(), 2, rules::Perft::Moves);
        assert_eq!(perft(game.position(), 2, rules::Perft::Bulk), made, "{}", game.fen4());
    }
    check_written_down(game, number);
}

/// FEN4 reads back as the same position, which is the same to play with.
fn check_written_down(game: &Game, number: usize) {
    let fen4 = game.fen4();
    let (again, _) = Game::from_fen4(&fen4).unwrap_or_else(|error| panic!("{fen4}: {error}"));
    assert_eq!(again.fen4(), fen4);
    // Neither an end by repetition is written down, nor that an army was mated before its king was captured.
    let tells = |army| game.army_state(army) != ArmyState::Checkmated || game.king(army).is_some();
    if game.over() == Some(rules::EndReason::Repetition) || !Army::ALL.into_iter().all(tells) {
        return;
    }
    assert_eq!(again.position(), game.position(), "{fen4}");
    assert_eq!(again.key(), game.key(), "{fen4}");
    let mut moves = [game.legal_moves().to_vec(), again.legal_moves().to_vec()];
    for list in &mut moves {
        list.sort_unstable_by_key(|mv| (mv.from(), mv.to()));
    }
    assert_eq!(moves[0], moves[1], "{fen4}");
    // A move of one is a move of the other.
    for &mv in moves[0].iter().skip(number % 4).step_by(4) {
        let mut after = [game.position().clone(), again.position().clone()];
        assert_eq!(after[0].play(mv), Ok(after[1].play_unchecked(mv)), "{mv} in {fen4}");
        assert_eq!(after[0], after[1], "{mv} in {fen4}");
        assert!(after[1].is_consistent(), "{mv} in {fen4}");
    }
}

fn check_effects(before: &Game, after: &Game, effects: &Effects) {
    let mut points = Army::ALL.map(|army| before.points(army));
    for effect in effects {
        match *effect {
            Effect::Moved { army, points: gained, checks, .. } => {
                points[army.index()] += gained;
                assert_eq!(checks, after.in_check());
            }
            Effect::ArmyOut { army, how, by, points: gained } => {
                points[by.index()] += gained;
                assert_eq!(after.army_state(army), how.state());
            }
            Effect::Roaming { army, state, result } => {
                assert_eq!((after.army_state(army), after.result(army)), (state, result));
            }
            Effect::Over { reason, last, bonus } => {
                assert_eq!(after.over(), Some(reason));
                if let Some(last) = last {
                    points[last.index()] += bonus;
                }
            }
        }
    }
    assert_eq!(points, Army::ALL.map(|army| after.points(army)), "effects and points differ");
    for army in Army::ALL {
        assert!(after.points(army) >= before.points(army), "points fell");
        assert!(after.result(army) <= after.points(army));
        if before.army_state(army).is_out() {
            assert_eq!(before.army_state(army), after.army_state(army));
        }
    }
    assert_eq!(after.over().is_some(), matches!(effects.last(), Some(Effect::Over { .. })));
}

fn check_record(start: &rules::Position, game: &Game, actions: &[Recorded]) {
    let file = Pgn4::of_game(start, actions).unwrap_or_else(|error| panic!("{error}"));
    let text = file.to_string();
    let again: Pgn4 = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again, file, "{text}");
    let replay = again.replay();
    assert_eq!(replay.stop, None, "{text}");
    assert_eq!(replay.actions, actions, "{text}");
    assert_eq!(replay.game.fen4(), game.fen4(), "{text}");
    assert_eq!(replay.game.over(), game.over());
    let clockwise: Vec<Pgn4> = Pgn4::read_all(&file.in_layout(Layout::Clockwise).to_string()).unwrap_or_default();
    assert_eq!(clockwise.first().map(Pgn4::replay), Some(replay), "{text}");
    assert_eq!(clockwise.first().map(|file| file.in_layout(Layout::Anticlockwise)), Some(file), "{text}");
    assert_eq!(Setup::from(start).position().as_ref(), Ok(start));
}
