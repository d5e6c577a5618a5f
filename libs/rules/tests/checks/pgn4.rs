//! What holds for any text read as PGN4.

use rules::{Game, Layout, Pgn4};

/// Never a panic; what is read prints, and the print reads back as the same; a replay writes down and replays again.
pub(crate) fn check(text: &str) {
    let Ok(games) = Pgn4::read_all(text) else {
        assert!(text.parse::<Pgn4>().is_err());
        return;
    };
    for file in games {
        let printed = file.to_string();
        let again: Pgn4 = printed.parse().unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(again, file, "{printed}");
        let mirrored = file.in_layout(Layout::Clockwise).in_layout(Layout::Anticlockwise);
        assert_eq!(mirrored.moves.len(), file.moves.len());

        let replay = file.replay();
        assert!(replay.game.is_consistent());
        let written =
            Pgn4::of_game(&replay.start, &replay.actions).unwrap_or_else(|error| panic!("{error}\n{printed}"));
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
}
