//! Properties of the whole library: the checks that the fuzzers run, on random input and on the committed corpora.

use std::path::Path;

use proptest::prelude::{ProptestConfig, any, proptest};

mod checks {
    pub(crate) mod actions;
    pub(crate) mod bytes;
    pub(crate) mod differential;
    pub(crate) mod fen4;
    pub(crate) mod pgn4;
    pub(crate) mod plain;
}

/// Every file of a corpus.
fn replay(target: &str, check: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let data = entry.and_then(|entry| std::fs::read(entry.path())).unwrap_or_else(|error| panic!("{error}"));
        check(&data);
        files += 1;
    }
    assert!(files > 0, "{} is empty", folder.display());
}

#[test]
fn the_fen4_corpus_holds() {
    replay("fen4", |data| checks::fen4::check(&String::from_utf8_lossy(data)));
}

#[test]
fn the_pgn4_corpus_holds() {
    replay("pgn4", |data| checks::pgn4::check(&String::from_utf8_lossy(data)));
}

#[test]
fn the_actions_corpus_holds() {
    replay("actions", checks::actions::check);
}

#[test]
fn the_differential_corpus_holds() {
    replay("differential", |data| {
        checks::differential::check(data);
        checks::differential::check_symmetry(data);
    });
}

const START: &str = include_str!("../fuzz/corpus/fen4/start");

/// A start position with some characters replaced.
fn damaged(text: &str, damage: &[(usize, char)]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for &(place, letter) in damage {
        let place = place % letters.len();
        letters[place] = letter;
    }
    letters.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_actions_keep_a_game_valid(data in proptest::collection::vec(any::<u8>(), 0..300)) {
        checks::actions::check(&data);
    }

    #[test]
    fn the_plain_rules_agree(data in proptest::collection::vec(any::<u8>(), 0..200)) {
        checks::differential::check(&data);
    }

    #[test]
    fn a_quarter_turn_changes_nothing(data in proptest::collection::vec(any::<u8>(), 0..300)) {
        checks::differential::check_symmetry(&data);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1280, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        checks::fen4::check(&text);
        checks::pgn4::check(&text);
    }

    #[test]
    fn a_damaged_fen4_is_read_or_refused(
        damage in proptest::collection::vec((any::<usize>(), "[-RBYG0-9,/drbygxXPNBRQKD{}':()]".prop_map(first)), 1..6),
    ) {
        checks::fen4::check(&damaged(START.trim(), &damage));
    }

    #[test]
    fn moves_and_marks_in_any_order_are_read_or_refused(
        words in proptest::collection::vec(
            "([a-n]1?[0-9]-[a-n]1?[0-9]|[NBRQK][a-n]?[x]?[a-n][1-9]|O-O|O-O-O|R|T|S|#|[0-9]\\.|\\.\\.|\\(|\\)|\\{ x \\}|\\*)", 0..40),
    ) {
        checks::pgn4::check(&words.join(" "));
    }
}

use proptest::strategy::Strategy as _;

#[allow(clippy::needless_pass_by_value)]
fn first(text: String) -> char {
    text.chars().next().unwrap_or('x')
}
