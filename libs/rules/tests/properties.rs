//! Properties of the whole library: the checks that the fuzzers run, on random input and on the committed corpora.

use std::path::Path;

use proptest::prelude::{ProptestConfig, any, proptest};
use rules::{Army, Effect, Game, Move, MoveError, Perft, Role, Setup, Square, perft};

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

/// The positions of the perft vectors, and positions in which kings are captured inside the tree.
#[test]
fn perft_without_outs_agrees_with_the_plain_rules() {
    let vectors = include_str!("vectors/perft.jsonl").lines().map(|line| {
        let vector: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}"));
        vector["fen4"].as_str().unwrap_or_else(|| panic!("{line}")).to_owned()
    });
    let kings_meet =
        "R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-14/6,yK,7/14/14/14/5,gQ,8/6,gK,bK,6/14/6,bR,7/14/14/7,rR,6/7,rK,6/14";
    let mut counted = 0;
    for fen4 in vectors.chain([kings_meet.to_owned()]) {
        let (setup, _) = Setup::from_fen4(&fen4).unwrap_or_else(|error| panic!("{fen4}: {error}"));
        let fast = Game::from(setup.position().unwrap_or_else(|error| panic!("{fen4}: {error}")));
        let plain = checks::plain::Plain::new(&setup);
        for depth in 0..=2 {
            checks::differential::compare_perft(&fast, &plain, depth);
        }
        counted += 1;
    }
    assert!(counted > 10);
}

#[test]
fn any_depth_may_be_asked_for() {
    let over = "R-0,1,1,1-0,0,0,0-0,0,0,0-0,0,0,0-0-14/14/14/14/14/14/14/14/14/14/14/14/7,rK,6/14";
    let (game, _) = Game::from_fen4(over).unwrap_or_else(|error| panic!("{error}"));
    for what in [Perft::Full, Perft::Moves, Perft::Bulk] {
        assert_eq!(perft(game.position(), 0, what), 1);
        assert_eq!(perft(game.position(), u32::MAX, what), 0);
    }
}

/// A move by its destination alone, with as much of its origin as chess asks for, reads back as that move; with less
/// it is refused wherever that fits another move.
#[test]
fn short_forms_read_back_and_ambiguous_ones_are_refused() {
    let (mut ambiguous, mut with_file, mut with_rank, mut with_both) = (0, 0, 0, 0);
    // Three queens that reach one square: one of them needs its file and its rank.
    let queens =
        "R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-14/6,yK,7/14/14/gK,13/4,rQ,9/14/13,bK/14/4,rD,3,rQ,5/14/14/7,rK,6/14";
    for seed in 0..20_u8 {
        let data: Vec<u8> =
            (0..160_u32).map(|at| (at.wrapping_mul(97 + 2 * u32::from(seed)) >> 3) as u8 ^ seed).collect();
        let mut bytes = checks::bytes::Bytes(&data);
        let setup = match Setup::from_fen4(queens) {
            Ok((setup, _)) if seed == 0 => setup,
            _ => checks::bytes::setup(&mut bytes),
        };
        let Ok(position) = setup.position() else { continue };
        let mut game = Game::from(position);
        while !bytes.is_empty() && game.over().is_none() {
            let moves = game.legal_moves();
            for &mv in moves.iter().filter(|mv| !mv.is_castling()) {
                let role = |mv: Move| game.piece_at(mv.from()).map(|piece| piece.role);
                let rivals: Vec<Square> = moves
                    .iter()
                    .filter(|&&other| other != mv && other.to() == mv.to() && role(other) == role(mv))
                    .map(|other| other.from())
                    .collect();
                let from = mv.from().to_string();
                let (file, rank) = from.split_at(1);
                let needed = if rivals.is_empty() {
                    ""
                } else if rivals.iter().all(|rival| rival.file() != mv.from().file()) {
                    with_file += 1;
                    file
                } else if rivals.iter().all(|rival| rival.rank() != mv.from().rank()) {
                    with_rank += 1;
                    rank
                } else {
                    with_both += 1;
                    &from
                };
                let letter =
                    role(mv).filter(|&role| role != Role::Pawn).map_or(String::new(), |role| role.letter().into());
                let takes = if game.piece_at(mv.to()).is_some() { "x" } else { "" };
                let to = mv.to();
                assert_eq!(game.parse_san(&format!("{letter}{needed}{takes}{to}")), Ok(mv), "{mv} in {}", game.fen4());
                if !rivals.is_empty() {
                    ambiguous += 1;
                    let bare = format!("{letter}{takes}{to}");
                    assert_eq!(game.parse_san(&bare), Err(MoveError::Ambiguous), "{bare} in {}", game.fen4());
                }
            }
            let mv = moves[bytes.next() as usize % moves.len()];
            assert!(game.play(mv).is_ok());
        }
    }
    assert!(
        ambiguous > 500 && with_file > 50 && with_rank > 50 && with_both > 0,
        "{ambiguous} {with_file} {with_rank} {with_both}"
    );
}

fn after(moves: &[&str]) -> Game {
    let mut game = Game::start();
    for text in moves {
        let mv = game.parse_move(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(game.play(mv).is_ok());
    }
    game
}

#[test]
fn positions_and_games_are_equal_however_they_were_reached() {
    let queens_first = ["j1-i3", "n5-l6", "e14-f12", "a5-c6", "e1-f3", "n10-l9", "j14-i12", "a10-c9"];
    let kings_first = ["e1-f3", "n10-l9", "j14-i12", "a10-c9", "j1-i3", "n5-l6", "e14-f12", "a5-c6"];
    let (one, other) = (after(&queens_first), after(&kings_first));
    assert_eq!(one.position(), other.position());
    // On the way they differed, and that counts in a game until a pawn moves.
    assert_ne!(one, other);
    let (one, other) =
        (after(&[&queens_first[..], &["h2-h3"]].concat()), after(&[&kings_first[..], &["h2-h3"]].concat()));
    assert_eq!(one, other);
    assert_eq!(Game::from_fen4(&one.fen4()), Ok((one, vec![])));
}

#[test]
fn positions_differ_in_whatever_can_be_asked() {
    let fen4 = "R-0,0,0,0-0,1,0,0-0,0,0,0-1,2,3,4-5-{'resigned':(false,false,true,false),'frozen':('','','2','')}-6,yK,7/14/14/13,bR/gK,13/14/13,bK/14/14/14/14/14/4,rQ,9/7,rK,6";
    let read = |fen4: &str| Game::from_fen4(fen4).unwrap_or_else(|error| panic!("{fen4}: {error}")).0;
    let position = read(fen4);
    for (from, to) in [
        ("R-0", "B-0"),
        ("0,1,0,0-0,0", "0,0,0,0-0,0"),
        ("1,2,3,4", "2,2,3,4"),
        ("-5-", "-6-"),
        ("'resigned'", "'flagged'"),
        ("'2'", "'1'"),
        ("rQ", "rD"),
        ("rQ", "rR"),
        ("4,rQ,9", "5,rQ,8"),
    ] {
        let other = fen4.replacen(from, to, 1);
        assert_ne!(other, fen4, "{from}");
        assert_ne!(read(&other).position(), position.position(), "{other}");
    }
}

/// Red can take one of two kings of Green, who is out.
const TWO_KINGS: &str =
    "R-0,0,0,1-0,0,0,0-0,0,0,0-0,0,0,0-0-14/6,yK,7/14/14/14/14/13,bK/14/14/14/14/3,rR,3,dgK,dgK,5/7,rK,6/14";

#[test]
fn an_army_that_is_out_may_have_several_kings() {
    for (text, left) in [("h2-h3", "i3"), ("h2-i3", "h3")] {
        let (mut game, _) = Game::from_fen4(TWO_KINGS).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(game.king(Army::Green), "h3".parse().ok());
        let mv = game.parse_move(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(game.play(mv).is_ok());
        assert!(game.is_consistent(), "{text}");
        assert_eq!(game.king(Army::Green), left.parse().ok());
        assert_eq!(
            Game::from_fen4(&game.fen4()).map(|(again, _)| again.position().clone()),
            Ok(game.position().clone())
        );
    }
}

/// The most points that a FEN4 can say are the most that an army can have.
#[test]
fn points_stop_where_fen4_stops() {
    let before =
        "R-0,0,0,0-0,0,0,0-0,0,0,0-9990,0,0,0-0-14/6,yK,7/14/14/14/gK,13/14/8,bN,4,bK/9,bB,4/7,rR,6/14/14/7,rK,6/14";
    let (mut game, _) = Game::from_fen4(&before.replace("9990", "9998")).unwrap_or_else(|error| panic!("{error}"));
    for text in ["h5-h6", "n7-n8", "g13-g12", "a9-a8", "h6-i6", "n8-n9", "g12-g13", "a8-a9", "i6-i7"] {
        let points = game.points(Army::Red);
        let mv = game.parse_move(text).unwrap_or_else(|error| panic!("{text}: {error} in {}", game.fen4()));
        let effects = game.play(mv).unwrap_or_else(|error| panic!("{text}: {error}"));
        let told: u32 = effects
            .iter()
            .map(|effect| if let Effect::Moved { army: Army::Red, points, .. } = effect { *points } else { 0 })
            .sum();
        assert_eq!(game.points(Army::Red), points + told);
        assert_eq!(Game::from_fen4(&game.fen4()).map(|(again, _)| again.fen4()), Ok(game.fen4()));
    }
    assert_eq!(game.points(Army::Red), 9999);
    let too_many = before.replace("9990", "10000");
    assert_eq!(
        Game::from_fen4(&too_many).map_err(|error| error.to_string()).err().as_deref(),
        Some("points: a number is above 9999")
    );
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
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn moves_and_marks_in_any_order_are_read_or_refused(
        words in proptest::collection::vec(
            "([a-n]1?[0-9]-[a-n]1?[0-9]|[NBRQK][a-n]?[x]?[a-n][1-9]|O-O|O-O-O|R|T|S|#|[0-9]\\.|\\.\\.|\\(|\\)|\\{ x \\}|\\*)", 0..40),
    ) {
        checks::pgn4::check(&words.join(" "));
    }

    /// Everything that means something to the reader, in any order and with nothing between.
    #[test]
    fn odd_files_print_as_what_they_were_read_as(
        pieces in proptest::collection::vec(
            "h2-h4|kxj6|Ni3|T|#|[1-3]\\.|\\.|\\.\\.|…|\\(|\\)|\\{|\\}|\\[|\\]|\"|\\\\|;|%|\n|\n\n|\r\n|\r| | |\u{FEFF}|\u{200B}|–|x|zz|e\\.p\\.|!|\\?!|\\$5|=|--|1-0|\\*|\\[Red \"|\\[Layout \"|\\[StartFen4 \"|4PC|/|,|\"\\]|\"\\]\n",
            0..30),
    ) {
        checks::pgn4::check(&pieces.concat());
    }
}

use proptest::strategy::Strategy as _;

#[allow(clippy::needless_pass_by_value)]
fn first(text: String) -> char {
    text.chars().next().unwrap_or('x')
}
