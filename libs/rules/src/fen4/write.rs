//! Writing FEN4.

use std::fmt::{self, Write};

use crate::{Army, Piece, Position, Setup, Square};

impl Position {
    /// The position in FEN4 (rules, section 10), corners as counted empties.
    ///
    /// ```
    /// use rules::{Game, Position};
    /// let fen4 = Position::start().fen4();
    /// let (game, unknown) = Game::from_fen4(&fen4)?;
    /// assert_eq!(game.fen4(), fen4);
    /// assert!(unknown.is_empty());
    /// # Ok::<(), rules::Fen4Error>(())
    /// ```
    #[must_use]
    pub fn fen4(&self) -> String {
        Setup::from(self).to_string()
    }
}

/// FEN4, corners as counted empties.
impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-", self.turn.letter())?;
        for flags in [&self.out, &self.castle_short, &self.castle_long] {
            list(f, flags.map(u8::from))?;
            f.write_char('-')?;
        }
        list(f, self.points)?;
        write!(f, "-{}-", self.halfmove)?;
        self.write_extra(f)?;
        for rank in (1..=14).rev() {
            self.write_rank(f, rank)?;
            if rank > 1 {
                f.write_char('/')?;
            }
        }
        Ok(())
    }
}

fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: [T; 4]) -> fmt::Result {
    let [a, b, c, d] = items;
    write!(f, "{a},{b},{c},{d}")
}

impl Setup {
    fn write_extra(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut opening = "{";
        for (key, flags) in [("resigned", self.resigned), ("flagged", self.timed_out), ("stalemated", self.stalemated)]
        {
            if flags.contains(&true) {
                write!(f, "{opening}'{key}':(")?;
                list(f, flags)?;
                f.write_char(')')?;
                opening = ",";
            }
        }
        if self.frozen.iter().any(Option::is_some) {
            write!(f, "{opening}'frozen':(")?;
            list(f, self.frozen.map(|result| result.map_or("''".to_owned(), |points| format!("'{points}'"))))?;
            f.write_char(')')?;
            opening = ",";
        }
        if opening == "," { f.write_str("}-") } else { Ok(()) }
    }

    fn write_rank(&self, f: &mut fmt::Formatter<'_>, rank: u8) -> fmt::Result {
        let mut empty = 0;
        let mut separator = "";
        for file in 1..=14 {
            let Some(piece) = Square::new(file, rank).and_then(|square| self.piece_at(square)) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                write!(f, "{separator}{empty},")?;
            } else {
                f.write_str(separator)?;
            }
            self.write_piece(f, piece)?;
            separator = ",";
            empty = 0;
        }
        if empty > 0 { write!(f, "{separator}{empty}") } else { Ok(()) }
    }

    fn write_piece(&self, f: &mut fmt::Formatter<'_>, piece: Piece) -> fmt::Result {
        if self.out[piece.army.index()] {
            f.write_char('d')?;
        }
        f.write_char(match piece.army {
            Army::Red => 'r',
            Army::Blue => 'b',
            Army::Yellow => 'y',
            Army::Green => 'g',
        })?;
        f.write_char(if piece.promoted { 'D' } else { piece.role.letter() })
    }
}
