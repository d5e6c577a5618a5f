//! What holds for any text read as FEN4.

use rules::{Departure, Game, Layout, Pgn4, Setup};

/// Never a panic; what is accepted prints, and the print reads back as the same.
pub(crate) fn check(text: &str) {
    check_start(text);
    if let Ok((setup, _)) = Setup::from_fen4(text) {
        let printed = setup.to_string();
        let (again, unknown) = Setup::from_fen4(&printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
        assert_eq!(again, setup, "{printed}");
        assert!(unknown.is_empty());
    }
    match Game::from_fen4(text) {
        Ok((game, _)) => {
            let printed = game.fen4();
            let (again, unknown) = Game::from_fen4(&printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
            assert_eq!(again, game, "{printed}");
            assert_eq!(again.fen4(), printed);
            assert!(unknown.is_empty());
            assert!(game.is_consistent());
            assert_eq!(game.legal_moves().is_empty(), game.over().is_some(), "{printed}");
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with(error.field().as_str()), "{message}");
            if let Some(square) = error.square() {
                assert!(message.contains(&square), "{message}");
            }
        }
    }
}

/// A text as the start position of a file: mirrored, it is the same position, and mirrored back the same text.
fn check_start(text: &str) {
    let mut file = Pgn4::default();
    file.set_header("Layout", "anticlockwise");
    file.set_header("StartFen4", text);
    let text = file.header("StartFen4").unwrap_or_default().to_owned();
    let replay = file.replay();
    if text.contains('/') {
        match Game::from_fen4(&text) {
            Ok((game, unknown)) => {
                assert_eq!((replay.start.fen4(), &replay.unknown_keys), (game.fen4(), &unknown), "{text}");
            }
            Err(_) => {
                let refused = replay.stop.as_ref().map(|stop| &stop.departure);
                assert!(matches!(refused, Some(Departure::Start(_))), "{text}");
            }
        }
    }
    let clockwise = file.in_layout(Layout::Clockwise);
    assert_eq!(clockwise.replay(), replay, "{clockwise}");
    assert_eq!(clockwise.in_layout(Layout::Anticlockwise), file, "{clockwise}");
}
