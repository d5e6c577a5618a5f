//! Moves in words: the form of interfaces and the long form of PGN4 (rules, section 10).

use crate::{CastlingSide, Effect, HowOut, Move, MoveError, Position, Role, castling};

impl Position {
    /// Reads a move of the army to move: `h2-h4`, castling as the king's move or as `O-O` and `O-O-O`, a promotion
    /// with or without `=Q` or `=D`.
    ///
    /// # Errors
    /// [`MoveError::Malformed`] for a text of another form, [`MoveError::Illegal`] for a move that cannot be made.
    ///
    /// ```
    /// use rules::{MoveError, Position};
    /// let position = Position::start();
    /// assert_eq!(position.parse_move("h2-h4")?.to_string(), "h2-h4");
    /// assert_eq!(position.parse_move("h2-h5"), Err(MoveError::Illegal));
    /// assert_eq!(position.parse_move("h2h4"), Err(MoveError::Malformed));
    /// # Ok::<(), MoveError>(())
    /// ```
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let wanted = match text {
            "O-O" => return self.castling_move(CastlingSide::Short),
            "O-O-O" => return self.castling_move(CastlingSide::Long),
            _ => text,
        };
        let (squares, promotes) = match wanted.strip_suffix("=Q").or(wanted.strip_suffix("=D")) {
            Some(squares) => (squares, true),
            None => (wanted, false),
        };
        let (from, to) = squares.split_once('-').ok_or(MoveError::Malformed)?;
        let from = from.parse().map_err(|_| MoveError::Malformed)?;
        let to = to.parse().map_err(|_| MoveError::Malformed)?;
        self.legal_moves()
            .into_iter()
            .find(|mv| mv.from() == from && mv.to() == to && (mv.is_promotion() || !promotes))
            .ok_or(MoveError::Illegal)
    }

    fn castling_move(&self, side: CastlingSide) -> Result<Move, MoveError> {
        self.legal_moves()
            .into_iter()
            .find(|mv| mv.is_castling() && castling::side_of(self.turn, mv.from(), mv.to()) == side)
            .ok_or(MoveError::Illegal)
    }

    /// A legal move of this position in PGN4's long form: piece letter (none for a pawn), from, `-` or `x` with the
    /// captured piece's letter, to, `=D`, one `+` per king in check afterwards, one `#` per army mated or left without
    /// its king.
    ///
    /// ```
    /// use rules::Position;
    /// let position = Position::start();
    /// let mv = position.parse_move("j1-i3")?;
    /// assert_eq!(position.san(mv), "Nj1-i3");
    /// # Ok::<(), rules::MoveError>(())
    /// ```
    #[must_use]
    pub fn san(&self, mv: Move) -> String {
        let mut text = String::new();
        if mv.is_castling() {
            text.push_str(match castling::side_of(self.turn, mv.from(), mv.to()) {
                CastlingSide::Short => "O-O",
                CastlingSide::Long => "O-O-O",
            });
        } else {
            let letter = |role| if role == Role::Pawn { None } else { Some(Role::letter(role)) };
            text.extend(self.piece_at(mv.from()).and_then(|piece| letter(piece.role)));
            text.push_str(&mv.from().to_string());
            match self.piece_at(mv.to()) {
                Some(captured) => {
                    text.push('x');
                    text.extend(letter(captured.role));
                }
                None => text.push('-'),
            }
            text.push_str(&mv.to().to_string());
            if mv.is_promotion() {
                text.push_str("=D");
            }
        }
        let Ok(effects) = self.clone().play(mv) else { return text };
        for effect in &effects {
            if let Effect::Moved { checks, .. } = effect {
                text.extend(std::iter::repeat_n('+', checks.len()));
            }
        }
        for effect in &effects {
            if let Effect::ArmyOut { how: HowOut::Checkmated | HowOut::KingCaptured, .. } = effect {
                text.push('#');
            }
        }
        text
    }
}
