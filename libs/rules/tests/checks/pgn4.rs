//! What holds for any text read as PGN4.

use rules::{Entry, Game, Header, Layout, Pgn4, Replay, Token, Variation, WrittenMove};

/// Never a panic; what is read prints, and the print reads back as the same, mirrored or not; a replay writes down and
/// replays again.
pub(crate) fn check(text: &str) {
    let Ok(games) = Pgn4::read_all(text) else {
        assert!(text.parse::<Pgn4>().is_err());
        return;
    };
    let printed: String = games.iter().map(ToString::to_string).collect();
    assert_eq!(Pgn4::read_all(&printed).as_ref(), Ok(&games), "{printed}");
    for file in games {
        check_file(&file);
    }
    check_parts(text);
}

fn check_file(file: &Pgn4) {
    let replay = file.replay();
    assert!(replay.game.is_consistent());
    check_mirrored(file, &replay);
    let written = Pgn4::of_game(&replay.start, &replay.actions).unwrap_or_else(|error| panic!("{error}\n{file}"));
    let text = written.to_string();
    let second: Pgn4 = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(second, written, "{text}");
    let second = second.replay();
    assert_eq!(second.stop, None, "{text}");
    assert_eq!(second.actions, replay.actions, "{text}");
    assert_eq!(second.game, replay.game, "{text}");
    let mut game = Game::from(replay.start.clone());
    game.clone_from(&replay.game);
    assert_eq!(game, replay.game);
}

fn check_mirrored(file: &Pgn4, replay: &Replay) {
    let layout = file.layout();
    let wanted = if layout == Layout::Clockwise { Layout::Anticlockwise } else { Layout::Clockwise };
    let mirrored = file.in_layout(wanted);
    assert_eq!(mirrored.layout(), wanted, "{file}");
    assert_eq!(mirrored.is_ours(), file.is_ours(), "{file}");
    assert_eq!(mirrored.replay(), *replay, "{file}\n{mirrored}");
    assert_eq!(mirrored.in_layout(layout), *file, "{mirrored}");
}

/// Whatever a header, a comment or a word is given, one game is printed, and it reads back as itself.
pub(crate) fn check_parts(text: &str) {
    let cut = |at: usize| text.char_indices().map(|(index, _)| index).nth(at).unwrap_or(text.len());
    let (name, value) = text.split_at(cut(text.len() % 8));
    let mut file = Pgn4::default();
    file.set_header(name, value);
    file.set_results([name, value, value, name], [0, 1, 23, u32::MAX]);
    assert_eq!(file.results(), Some([0, 1, 23, u32::MAX]), "{file}");
    file.headers.push(Header { name: value.to_owned(), value: name.to_owned() });
    file.intro = vec![name.to_owned(), value.to_owned()];
    let signs: Vec<_> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let entry = |word: &str| Entry {
        round: None,
        token: Token { mv: Some(WrittenMove::Unknown(word.to_owned())), ..Token::default() },
        comments: vec![value.to_owned()],
        annotations: signs.clone(),
        variations: Vec::new(),
    };
    file.moves = [name, value, text].map(entry).into();
    let moves = file.moves.clone();
    file.moves[0].variations = vec![Variation { intro: vec![text.to_owned()], moves, ending: None }; 2];
    let printed = file.to_string();
    let read = Pgn4::read_all(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(read.len(), 1, "{printed}");
    assert_eq!(read[0].headers[..file.headers.len() - 1], file.headers[..file.headers.len() - 1], "{printed}");
    assert_eq!((read[0].headers.len(), read[0].intro.len()), (file.headers.len(), 2), "{printed}");
    assert_eq!(read[0].to_string(), printed);
    assert_eq!(shape(&read[0].moves), shape(&file.moves), "{printed}");
    // What needs no change is not changed.
    if !value.contains(['\r', '\n', '}']) {
        assert_eq!(read[0].header(name), Some(value), "{printed}");
        assert_eq!(read[0].intro[1], value.trim(), "{printed}");
    }
}

/// A line of moves without its words and comments.
fn shape(moves: &[Entry]) -> Vec<Entry> {
    let bare = |entry: &Entry| {
        let mut bare = entry.clone();
        assert!(matches!(bare.token.mv.take(), Some(WrittenMove::Unknown(_))));
        bare.comments.fill(String::new());
        for variation in &mut bare.variations {
            variation.intro.fill(String::new());
            variation.moves = shape(&variation.moves);
        }
        bare
    };
    moves.iter().map(bare).collect()
}
