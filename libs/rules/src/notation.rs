//! Moves in words: the form of interfaces and the long form of PGN4 (rules, section 10).

use crate::pgn4::{Token, WrittenMove, read_castling};
use crate::{ArmySet, CastlingSide, Effect, HowOut, Move, MoveError, Position, Role, castling};

impl Position {
    /// Reads a move of the army to move (rules, section 10): `h2-h4`, castling as the king's move or as `O-O` and
    /// `O-O-O` (small letters and zeros too), a promotion with or without `=Q` or `=D`.
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
        if let Some((side, "")) = read_castling(text) {
            return self.castling_move(side);
        }
        let (squares, promotes) = match text.strip_suffix("=Q").or(text.strip_suffix("=D")) {
            Some(squares) => (squares, true),
            None => (text, false),
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
    /// captured piece's letter, to, `=D`, one `+` per king the mover attacks afterwards, one `#` per army mated or left
    /// without its king.
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
        let mut after = self.clone();
        let Ok(effects) = after.play(mv) else { return text };
        let mover = ArmySet::EMPTY.with(self.turn);
        let checked = after.in_play().iter().filter(|&other| after.board.king_is_attacked_by(other, mover));
        text.extend(checked.filter(|&other| other != self.turn).map(|_| '+'));
        for effect in &effects {
            if let Effect::ArmyOut { how: HowOut::Checkmated | HowOut::KingCaptured, .. } = effect {
                text.push('#');
            }
        }
        text
    }

    /// Reads a move of the army to move in any written form (rules, section 10): the long form of PGN4, the form of
    /// interfaces, or the short algebraic one with the disambiguation of chess.
    ///
    /// What tells moves apart must be right: the piece's letter (a form with file and rank may do without), as much of
    /// the origin as is written, the destination. The rest is passed over, right or wrong: marks (`+ # R T S ! ?`), `x`
    /// or `-`, the captured piece's letter. A promotion may be left out, and written as `=Q`, `=D`, `=q`, `Q`, `D`, where
    /// there is one. Typesetters' dashes and zeros or small letters in castlings are read.
    ///
    /// # Errors
    /// [`MoveError::Malformed`] for a text of another form, [`MoveError::Illegal`] for a move that cannot be made,
    /// [`MoveError::Ambiguous`] for a short form that fits several.
    ///
    /// ```
    /// use rules::{MoveError, Position};
    /// let position = Position::start();
    /// for text in ["Nj1-i3", "Ni3", "j1-i3", "Nji3+"] {
    ///     assert_eq!(position.parse_san(text)?.to_string(), "j1-i3");
    /// }
    /// # Ok::<(), MoveError>(())
    /// ```
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let token: Token = text.parse().map_err(|_| MoveError::Malformed)?;
        self.resolve(&token.mv.ok_or(MoveError::Malformed)?)
    }

    /// The legal move of the army to move that is written so; [`parse_san`](Position::parse_san) says what must be right.
    ///
    /// # Errors
    /// [`MoveError::Malformed`] for a word that is not understood, [`MoveError::Illegal`] when no legal move fits, [`MoveError::Ambiguous`] when several do.
    pub fn resolve(&self, written: &WrittenMove) -> Result<Move, MoveError> {
        let (piece, file, rank, to, promotion) = match *written {
            WrittenMove::Piece { piece, file, rank, to, promotion, .. } => (piece, file, rank, to, promotion),
            WrittenMove::Castling(side) => return self.castling_move(side),
            WrittenMove::Pass => return Err(MoveError::Illegal),
            WrittenMove::Unknown(_) => return Err(MoveError::Malformed),
        };
        // Both coordinates without a letter are the form of interfaces, which names no piece.
        let any_piece = piece.is_none() && file.is_some() && rank.is_some();
        let fits_letter = |mv: &Move| match self.piece_at(mv.from()) {
            Some(mover) if piece == Some('D') => mover.promoted,
            Some(mover) => any_piece || piece.unwrap_or('P') == mover.role.letter(),
            None => false,
        };
        let mut fitting = self.legal_moves().into_iter().filter(|mv| {
            mv.to() == to
                && file.is_none_or(|file| mv.from().file() == file)
                && rank.is_none_or(|rank| mv.from().rank() == rank)
                && fits_letter(mv)
                && promotion.is_none_or(|letter| mv.is_promotion() && matches!(letter, 'Q' | 'D'))
        });
        match (fitting.next(), fitting.next()) {
            (Some(mv), None) => Ok(mv),
            (Some(_), Some(_)) => Err(MoveError::Ambiguous),
            (None, _) => Err(MoveError::Illegal),
        }
    }
}
