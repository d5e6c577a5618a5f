//! Conformance vectors: games and perft counts in JSON lines. The example `conformance` shares the checker.

use std::fmt;

use rules::{Army, ArmyState, Game, Perft, perft};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(untagged)]
enum Vector {
    Game { id: String, start: String, steps: Vec<(String, String)>, end: End },
    Perft { fen4: String, perft: Vec<u64> },
}

#[derive(Deserialize)]
struct End {
    over: Option<String>,
    result: [u32; 4],
    standing: Vec<String>,
    fen4: String,
}

/// Where a vector and the library differ.
pub(crate) struct Mismatch {
    id: String,
    step: String,
    expected: String,
    got: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: expected {}, got {}", self.id, self.step, self.expected, self.got)
    }
}

/// Runs one line of a file.
pub(crate) fn check(line: &str) -> Result<(), Mismatch> {
    match serde_json::from_str(line) {
        Ok(Vector::Game { id, start, steps, end }) => check_game(&id, &start, &steps, &end),
        Ok(Vector::Perft { fen4, perft }) => check_perft(&fen4, &perft),
        Err(error) => Err(Mismatch {
            id: "unreadable line".to_owned(),
            step: "reading".to_owned(),
            expected: "a game or perft counts".to_owned(),
            got: error.to_string(),
        }),
    }
}

fn compare(id: &str, step: &str, expected: &str, got: &str) -> Result<(), Mismatch> {
    if expected == got {
        return Ok(());
    }
    let [id, step, expected, got] = [id, step, expected, got].map(str::to_owned);
    Err(Mismatch { id, step, expected, got })
}

fn game_from(id: &str, start: &str) -> Result<Game, Mismatch> {
    if start == "startpos" {
        return Ok(Game::start());
    }
    match Game::from_fen4(start) {
        Ok((game, _)) => Ok(game),
        Err(error) => {
            compare(id, "start", "a legal position", &error.to_string())?;
            Ok(Game::start())
        }
    }
}

fn check_game(id: &str, start: &str, steps: &[(String, String)], end: &End) -> Result<(), Mismatch> {
    let mut game = game_from(id, start)?;
    for (number, (action, state)) in steps.iter().enumerate() {
        let step = format!("step {} {action}", number + 1);
        if let Err(refusal) = act(&mut game, action) {
            compare(id, &step, state, &format!("refused: {refusal}"))?;
        }
        compare(id, &step, state, &state_line(&game))?;
    }
    let over = game.over().map_or("null", rules::EndReason::as_str);
    compare(id, "end over", end.over.as_deref().unwrap_or("null"), over)?;
    let results = Army::ALL.map(|army| game.result(army));
    compare(id, "end result", &format!("{:?}", end.result), &format!("{results:?}"))?;
    let standing = game.standing().map(Army::as_str).join(" ");
    compare(id, "end standing", &end.standing.join(" "), &standing)?;
    compare(id, "end fen4", &end.fen4, &game.fen4())
}

fn act(game: &mut Game, action: &str) -> Result<(), String> {
    let seat = |name: &str| name.parse::<Army>().map_err(|error| error.to_string());
    if let Some(name) = action.strip_prefix("resign ") {
        game.resign(seat(name)?).map_err(|error| error.to_string())?;
    } else if let Some(name) = action.strip_prefix("timeout ") {
        game.time_out(seat(name)?).map_err(|error| error.to_string())?;
    } else {
        let mv = game.parse_move(action).map_err(|error| error.to_string())?;
        game.play(mv).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// `turn points armies legal checks`, as the files have it.
fn state_line(game: &Game) -> String {
    let letter = |army: Army| army.letter().to_ascii_lowercase();
    let points = Army::ALL.map(|army| game.points(army).to_string()).join(",");
    let armies: String = Army::ALL
        .iter()
        .map(|&army| match game.army_state(army) {
            ArmyState::Playing => 'p',
            ArmyState::Resigned => 'r',
            ArmyState::TimedOut => 't',
            ArmyState::Checkmated => 'm',
            ArmyState::Stalemated => 's',
            ArmyState::KingCaptured => 'k',
        })
        .collect();
    let checks: String = game.in_check().iter().map(letter).collect();
    let checks = if checks.is_empty() { "-" } else { &checks };
    format!("{} {points} {armies} {} {checks}", letter(game.turn()), game.legal_moves().len())
}

fn check_perft(fen4: &str, counts: &[u64]) -> Result<(), Mismatch> {
    let game = game_from(fen4, fen4)?;
    for (depth, expected) in (1..).zip(counts) {
        let got = perft(game.position(), depth, Perft::Full);
        compare(fen4, &format!("depth {depth}"), &expected.to_string(), &got.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;
    use rules::{Game, Perft, perft};
    use std::path::Path;

    fn run(path: &Path) {
        let text = std::fs::read_to_string(path).unwrap();
        let mismatches: Vec<String> =
            text.lines().filter_map(|line| check(line).err()).map(|mismatch| mismatch.to_string()).collect();
        assert!(mismatches.is_empty(), "{}:\n{}", path.display(), mismatches.join("\n"));
    }

    fn run_own(name: &str) {
        run(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name));
    }

    #[test]
    fn whole_games() {
        run_own("games.jsonl");
    }

    #[test]
    fn games_with_few_pieces() {
        run_own("sparse.jsonl");
    }

    #[test]
    fn rare_things() {
        run_own("rare.jsonl");
    }

    #[test]
    fn perft_from_the_start() {
        let start = Game::start();
        for (depth, nodes) in (1..).zip([20, 395, 7_800, 152_050]) {
            assert_eq!(perft(start.position(), depth, Perft::Full), nodes, "depth {depth}");
        }
        // Nobody can be out by then, so that counting without outs comes to the same.
        assert_eq!(perft(start.position(), 5, Perft::Bulk), 3_450_730);
    }

    #[test]
    fn perft_counts() {
        run_own("perft.jsonl");
    }

    /// Games of real people are not ours to copy; they are read where they lie.
    #[test]
    fn real_games() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/real.jsonl");
        if path.exists() {
            run(&path);
        }
    }

    #[test]
    fn a_wrong_vector_is_told() {
        let told = check(
            r#"{"id":"x","start":"startpos","steps":[["h2-h4","b 0,0,0,0 pppp 21 -"]],"end":{"over":null,"result":[0,0,0,0],"standing":[],"fen4":""}}"#,
        );
        let told = told.unwrap_err().to_string();
        assert_eq!(told, "x: step 1 h2-h4: expected b 0,0,0,0 pppp 21 -, got b 0,0,0,0 pppp 18 -");
    }
}
