//! PGN4 as the world writes it: other spellings, words that nobody understands, things that do not end.

#![allow(clippy::unwrap_used)]

use rules::{Departure, Entry, Game, Layout, MoveError, Pgn4, Position, Token, Variation, WrittenMove};

fn read_all(text: &str) -> Vec<Pgn4> {
    Pgn4::read_all(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Reads one game, and what it prints as the same game again.
fn read(text: &str) -> Pgn4 {
    let file: Pgn4 = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(read_all(&file.to_string()), std::slice::from_ref(&file), "{text}\n{file}");
    file
}

#[test]
fn other_spellings_are_read_as_what_they_mean() {
    for (text, meant) in [
        ("1. h2-h4 ; a note } here\n .. m7-k7", "1. h2-h4 { a note ) here }  .. m7-k7"),
        ("1. h2-h4;a note\n.. m7-k7", "1. h2-h4 { a note }  .. m7-k7"),
        ("% written by hand\n1. h2-h4", "{ written by hand } \n1. h2-h4"),
        ("1. h2-h4!! .. m7-k7?! .. g13-g11 !? $5", "1. h2-h4!! .. m7-k7?! .. g13-g11!? $5"),
        ("1. h2-h4! ? $1 $2", "1. h2-h4! ? $1 $2"),
        ("1. h2-h4+!? .. R!", "1. h2-h4+!? .. R!"),
        ("1. h2-h4 = .. m7-k7 ± .. g13-g11 +-", "1. h2-h4 = .. m7-k7 ± .. g13-g11 +-"),
        ("1. h2-h4 e.p. .. kxj6e.p. .. kxj6! ep", "1. h2-h4 e.p. .. kxj6 e.p. .. kxj6! e.p."),
        ("1. h2-h4 … b7-b8", "1. h2-h4 .. b7-b8"),
        ("1.\u{a0}h2\u{2013}h4\u{200b} .. \u{feff}b7\u{2011}b8", "1. h2-h4 .. b7-b8"),
        ("1. o-o .. 0-0-0# .. O-o", "1. O-O .. O-O-O# .. O-O"),
        ("1. h7-h8=q .. h7-h8Q .. h7-h8D+", "1. h7-h8=Q .. h7-h8=Q .. h7-h8=D+"),
        ("1. h2-h4 .. -- .. g13-g11", "1. h2-h4 .. -- .. g13-g11"),
        ("1. h2-h4 .. N@f5 .. g13-g11", "1. h2-h4 .. N@f5 .. g13-g11"),
        ("1. h2-h4 .. foo.bar. .. g13-g11", "1. h2-h4 .. foo.bar .. g13-g11"),
        ("1. h2-h4 .. zz..g13-g11", "1. h2-h4 .. zz .. g13-g11"),
        ("1. h2-h4 ) .. ] } b7-b8", "1. h2-h4 .. ) .. ] .. } .. b7-b8"),
        ("( h2-h4 )", "( .. h2-h4 .. )"),
        ("99999999999. h2-h4", "99999999999 .. h2-h4"),
        ("1. h2-h4 [%clk 0:01] .. m7-k7", "1. h2-h4 { [%clk 0:01] }  .. m7-k7"),
        ("1. h2-h4 { a {b} c } .. m7-k7", "1. h2-h4 { a {b }  .. c .. } .. m7-k7"),
        ("1. h2-h4 { no end", "1. h2-h4 { no end } "),
        ("1. h2-h4 ( m7-k7", "1. h2-h4 ( m7-k7 )"),
        ("1. h2-h4 ( m7-k7! $3 ( b8-b9 * ) 1-0 ) 1–0", "1. h2-h4 ( m7-k7! $3 ( b8-b9 * ) 1-0 )\n1-0"),
        ("1. h2-h4 1/2-1/2 { agreed } !? 1/2-1/2", "1. h2-h4!? { agreed } \n1/2-1/2"),
        ("1. h2-h4 1-0 *", "1. h2-h4 { * } \n1-0"),
        ("$5 $6 h2-h4", "$5 $6 .. h2-h4"),
    ] {
        assert_eq!(read(text).to_string().trim_end(), meant.trim_end(), "{text:?}");
    }
}

#[test]
fn a_word_that_nobody_understands_stops_the_replay_where_it_stands() {
    let games = read_all(
        "[Red \"a\"]\n\n1. d2-d4 .. hello .. k13-k12\n\n[Red \"b\"]\n\n1. d2-d4 .. m7-k7 .. -- .. b8-d8\n\n\
         [Red \"c\"]\n\n1. d2-d4 .. m7-k7",
    );
    assert_eq!(games.len(), 3);
    assert_eq!(games[0].moves[1].token.mv, Some(WrittenMove::Unknown("hello".to_owned())));
    let stops: Vec<_> =
        games.iter().map(|game| game.replay().stop.map(|stop| (stop.ply, stop.departure, stop.token))).collect();
    assert_eq!(stops[0], Some((1, Departure::Unknown, "hello".to_owned())));
    assert_eq!(stops[1], Some((2, Departure::Illegal, "--".to_owned())));
    assert_eq!(stops[2], None);
    let mirrored = games[0].in_layout(Layout::Clockwise);
    assert_eq!(mirrored.replay(), games[0].replay());
    let unknown = WrittenMove::Unknown("hello".to_owned());
    assert_eq!(Position::start().resolve(&unknown), Err(MoveError::Malformed));
    assert_eq!(Position::start().resolve(&WrittenMove::Pass), Err(MoveError::Illegal));
}

#[test]
fn what_is_made_by_hand_prints_as_what_reads_back() {
    let entry = |word: &str| Entry {
        round: None,
        token: Token { mv: Some(WrittenMove::Unknown(word.to_owned())), ..Token::default() },
        comments: Vec::new(),
        annotations: vec!["!?".parse().unwrap()],
        variations: Vec::new(),
    };
    let file = |moves: Vec<Entry>| {
        let mut file = Pgn4 { moves, ..Pgn4::default() };
        file.set_header("A", "b");
        file
    };
    for (word, printed) in [
        ("hello", "hello"),
        ("", "_"),
        ("a b", "a_b"),
        ("1-0", "_1-0"),
        ("*", "_*"),
        ("h2-h4", "_h2-h4"),
        ("R", "_R"),
        ("12.", "12_"),
        ("12", "_12"),
        ("..", "__"),
        ("{", "_"),
        ("% x", "_%_x"),
        (";", "_"),
        ("$5", "_$5"),
        ("]", "]"),
        ("[Red \"x\"]", "_Red_\"x\"_"),
        ("(", "_"),
        ("N.f3", "N.f3"),
        ("h2.x", "h2_x"),
        ("foo.bar", "foo.bar"),
        ("h2\u{200b}", "h2_"),
    ] {
        let again = read(&file(vec![entry("x"), entry(word)]).to_string());
        assert_eq!(again.moves, [entry("x"), entry(printed)], "{word:?}");
    }
    // The first word, words beyond the deepest variation, and a token without anything.
    let first = |word: &str| read(&file(vec![entry(word)]).to_string()).moves;
    for word in ["(", ")", "$5", "!!"] {
        assert_eq!(first(word), [entry(word)], "{word}");
    }
    assert_eq!(first("%"), [entry("_%")]);
    let mut deep = file(vec![entry("x")]);
    for _ in 0..40 {
        let moves = std::mem::replace(&mut deep.moves, vec![entry("x"), entry("("), entry(")")]);
        deep.moves[0].variations = vec![Variation { moves, ..Variation::default() }];
    }
    assert_eq!(read(&deep.to_string()).to_string(), deep.to_string());
    let mut empty = entry("x");
    empty.token = Token::default();
    assert_eq!(read(&file(vec![empty]).to_string()).moves, [entry("_")]);
    // A move that no word can say.
    let odd = |piece, promotion| WrittenMove::Piece {
        piece: Some(piece),
        file: Some(20),
        rank: None,
        captures: false,
        captured: None,
        to: "h4".parse().unwrap(),
        promotion: Some(promotion),
    };
    for (piece, promotion) in [('(', ' '), ('N', 'q'), ('{', '}'), ('\n', '.'), ('%', ';')] {
        let mut entry = entry("");
        entry.token.mv = Some(odd(piece, promotion));
        let printed = file(vec![entry]).to_string();
        let again = read(&printed);
        assert_eq!((again.moves.len(), again.to_string()), (1, printed));
    }
}

#[test]
fn games_are_told_apart_whatever_they_lack() {
    let players = |text: &str| -> Vec<String> {
        let games = read_all(text);
        let printed: String = games.iter().map(ToString::to_string).collect();
        assert_eq!(read_all(&printed), games, "{text}\n{printed}");
        games.iter().map(|game| format!("{} {}", game.header("Red").unwrap_or("-"), game.moves.len())).collect()
    };
    for (text, expected) in [
        // A mark of byte order where two files were joined.
        ("\u{feff}[Red \"a\"]\n\n1. h2-h4\n\n\u{feff}[Red \"b\"]\n\n1. h2-h4", vec!["a 1", "b 1"]),
        // Games that were never begun.
        ("[Red \"a\"]\n[Blue \"x\"]\n\n[Red \"b\"]\n\n[Red \"c\"]\n\n1. h2-h4", vec!["a 0", "b 0", "c 1"]),
        ("[Red \"a\"]\r\n\r\n*\r\n\r\n[Red \"b\"]\r\n\r\n1. h2-h4 *", vec!["a 0", "b 1"]),
        // No headers at all, but results.
        ("1. h2-h4 .. m7-k7 1-0\n1. h2-h4 *", vec!["- 2", "- 1"]),
        // An empty line among the headers.
        ("[Red \"a\"]\n\n[Blue \"b\"]\n\n1. h2-h4", vec!["a 1"]),
        // A name that ends with a backslash, with a quote, with both; a quote nobody closed; a bracket nobody closed.
        ("[Red \"C:\\\"]\n[Blue \"x\"]\n\n1. h2-h4\n\n[Red \"b\"]\n\n1. h2-h4", vec!["C:\\ 1", "b 1"]),
        ("[Red \"a\"\"]\n\n1. h2-h4\n\n[Red \"b\"]\n\n1. h2-h4", vec!["a\" 1", "b 1"]),
        ("[Red \"a]\n[Blue \"x\"]\n\n1. h2-h4\n\n[Red \"b\"]\n\n1. h2-h4", vec!["a 1", "b 1"]),
        ("[Red \"a\"\n\n1. h2-h4", vec!["a 1"]),
        // Brackets that are no headers.
        ("[Red \"a\"]\n[Blue]\n[]\n[ \"x\"]\n[Green 'g']\n[\n[Round \"1\"]\n\n1. h2-h4", vec!["a 1"]),
        // Comments and variations that do not end.
        ("[Red \"a\"]\n\n1. h2-h4 { no end\n\n[Red \"b\"]\n\n1. h2-h4", vec!["a 1", "b 1"]),
        ("[Red \"a\"]\n\n1. h2-h4 ( m7-k7\n\n[Red \"b\"]\n\n1. h2-h4", vec!["a 1", "b 1"]),
    ] {
        assert_eq!(players(text), expected, "{text}");
    }
    let games = read_all("[Red \"a\"]\n[Blue]\n[Round \"1\"]\n\n1. h2-h4");
    assert_eq!((games[0].intro[0].as_str(), games[0].header("Round")), ("[Blue]", Some("1")));
}

#[test]
fn a_text_of_nothing_but_odd_words_is_refused() {
    for (text, line) in [("hello world", 1), ("\n\n{\"games\": 3]", 0), ("<html>\n<body>", 1), ("\n \u{feff}\n???", 3)]
    {
        match Pgn4::read_all(text) {
            Ok(games) => assert_eq!(line, 0, "{text}: {games:?}"),
            Err(error) => assert_eq!((error.line, text.parse::<Pgn4>()), (line, Err(error.clone())), "{text}"),
        }
    }
    assert_eq!(read_all(""), []);
    assert_eq!("".parse(), Ok(Pgn4::default()));
    let two = "1. h2-h4 *\n\n1. h2-h4".parse::<Pgn4>().unwrap_err();
    assert_eq!(two.to_string(), "line 3: a second game begins here");
}

#[test]
fn deep_and_endless_things_are_read_in_good_time() {
    let many = 40_000;
    let texts = [
        format!("h2-h4 {}", "( h2-h4 ".repeat(many)),
        format!("h2-h4 {}", "(h2-h4)".repeat(many)),
        "(".repeat(many),
        ")".repeat(many),
        "}".repeat(many),
        "{".repeat(many),
        "{}".repeat(many),
        "+".repeat(many),
        "R ".repeat(many),
        "9".repeat(many),
        ".".repeat(many),
        "zz.".repeat(many),
        "zz..".repeat(many),
        "h2.".repeat(many),
        "δ\u{200b}".repeat(many),
        "\u{200b}".repeat(many),
        "[A \"b\"]\n".repeat(many),
        "[A \"b\"]\n\n".repeat(many),
        (0..many).map(|number| format!("[A{number} \"b\"]\n\n")).collect(),
        "[A \"".repeat(many),
        "x [A \"\n".repeat(many),
        "x [A \" [\n".repeat(many),
        "[A \"\rx ".repeat(many),
        "[A \"\\\"]".repeat(many),
        "h2-h4 [".repeat(many),
        "h2-h4 {\n".repeat(many),
        "h2-h4 {\n[A \"b\"]\n".repeat(many),
        format!("[A \"{}", "\" ".repeat(many)),
        format!("[A \"{}{}", " ".repeat(many), "\"".repeat(many)),
        format!("[Result \"{}a: 1\"]", "a - ".repeat(many)),
        format!("[StartFen4 \"{}\"]", "/-{,".repeat(many)),
    ];
    // What ends in a header, a reader may expect to end there again and again.
    let endings = ["", "\n[B \"c\"]\n"];
    for text in texts.iter().flat_map(|text| endings.map(|ending| format!("{text}{ending}"))) {
        let Ok(games) = Pgn4::read_all(&text) else { continue };
        let printed: String = games.iter().map(ToString::to_string).collect();
        assert_eq!(Pgn4::read_all(&printed).as_ref(), Ok(&games));
        for game in games.iter().take(100) {
            let _ = (game.replay(), game.in_layout(Layout::Clockwise), game.results());
        }
    }
    let mut file = Pgn4::default();
    file.set_results([" - ".repeat(1_000_000).as_str(), "b", "c", "d"], [1, 2, 3, 4]);
    assert_eq!(file.results(), Some([1, 2, 3, 4]));
}

#[test]
fn every_castling_is_read_alike_by_both_parsers() {
    let fen4 = "R-0,0,0,0-1,0,0,0-1,0,0,0-0,0,0,0-0-14/6,yK,7/14/14/gK,13/14/13,bK/14/14/14/14/14/14/3,rR,3,rK,2,rR,3";
    let (game, _) = Game::from_fen4(fen4).unwrap();
    for (text, king_to) in [("O-O", "j1"), ("0-0", "j1"), ("o-o", "j1"), ("O-O-O", "f1"), ("0-0-0", "f1")] {
        let mv = game.parse_move(text).unwrap();
        assert_eq!(mv.to().to_string(), king_to, "{text}");
        assert_eq!(game.parse_san(text), Ok(mv), "{text}");
    }
    for text in ["O-", "O-O-", "0-1", "O-O+", "-O-O"] {
        assert_eq!(game.parse_move(text), Err(MoveError::Malformed), "{text}");
    }
}
