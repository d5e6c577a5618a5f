//! What holds for any text read as FEN4.

use rules::{Game, Setup};

/// Never a panic; what is accepted prints, and the print reads back as the same.
pub(crate) fn check(text: &str) {
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
