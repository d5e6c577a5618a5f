//! Anything that can be written down as a position, legal or not, and the step to a legal one (rules, section 10).

use crate::board::Board;
use crate::castling::{Rights, centres, end_of, rook_start};
use crate::fen4::{Fen4Error, Field, Problem};
use crate::role::kind;
use crate::{Army, ArmySet, ArmyState, CastlingSide, EndReason, Piece, Position, Role, Square, hash};

/// The contents of a FEN4, field by field, whether they make a legal position or not (rules, section 10).
///
/// ```
/// use rules::{Army, Piece, Role, Setup};
/// let mut setup = Setup::empty();
/// for (army, square) in Army::ALL.into_iter().zip(["h1", "n8", "g14", "a7"]) {
///     setup.put(square.parse()?, Some(Piece { army, role: Role::King, promoted: false }));
/// }
/// setup.put("h4".parse()?, Some(Piece { army: Army::Red, role: Role::Rook, promoted: false }));
/// assert!(setup.position().is_ok());
/// # Ok::<(), rules::NoSuchSquare>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    cells: [u8; 256],
    /// The side to move.
    pub turn: Army,
    /// Armies that are out, in turn order: FEN4's `dead`.
    pub out: [bool; 4],
    /// Whether each army may still castle on its short side.
    pub castle_short: [bool; 4],
    /// Whether each army may still castle on its long side.
    pub castle_long: [bool; 4],
    /// The armies' points (rules, section 7), 0 to 9999 in a legal position.
    pub points: [u32; 4],
    /// Single moves since the last capture, pawn move or change of an army's state, 0 to 9999 in a legal position.
    pub halfmove: u32,
    /// Armies that roam because their players resigned.
    pub resigned: [bool; 4],
    /// Armies that roam because their players lost on time: FEN4's `flagged`.
    pub timed_out: [bool; 4],
    /// Armies that are out by stalemate.
    pub stalemated: [bool; 4],
    /// Frozen results in points, none for an army that is playing. A roaming army without one gets its points.
    pub frozen: [Option<u32>; 4],
}

/// The highest number of a FEN4 (rules, section 10).
pub(crate) const HIGHEST_NUMBER: u32 = 9999;

/// Where an army's points stop, so that every position a game reaches can be written down and read back. No game from
/// the start position comes near.
pub(crate) const MOST_POINTS: u32 = HIGHEST_NUMBER;

const BACK_LINE: [Role; 8] =
    [Role::Rook, Role::Knight, Role::Bishop, Role::Queen, Role::King, Role::Bishop, Role::Knight, Role::Rook];

impl Setup {
    /// A board without pieces, Red to move, everybody playing, no points.
    #[must_use]
    pub fn empty() -> Setup {
        Setup {
            cells: Board::empty().cells,
            turn: Army::Red,
            out: [false; 4],
            castle_short: [false; 4],
            castle_long: [false; 4],
            points: [0; 4],
            halfmove: 0,
            resigned: [false; 4],
            timed_out: [false; 4],
            stalemated: [false; 4],
            frozen: [None; 4],
        }
    }

    /// The start position (rules, section 2).
    #[must_use]
    pub fn start() -> Setup {
        let mut setup = Setup { castle_short: [true; 4], castle_long: [true; 4], ..Setup::empty() };
        for (file, role) in (4..).zip(BACK_LINE) {
            for (rank, role) in [(1, role), (2, Role::Pawn)] {
                let mut square = Square(rank << 4 | file);
                for army in Army::ALL {
                    setup.put(square, Some(Piece { army, role, promoted: false }));
                    square = square.turned();
                }
            }
        }
        setup
    }

    /// Puts a piece on a square, or empties it.
    pub fn put(&mut self, square: Square, piece: Option<Piece>) {
        self.cells[square.0 as usize] = piece.map_or(kind::EMPTY, Piece::kind);
    }

    /// What stands on a square.
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        Piece::from_kind(self.cells[square.0 as usize])
    }

    /// The pieces on the board, rank 1 first.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        Square::all().filter_map(|square| Some((square, self.piece_at(square)?)))
    }

    fn king(&self, army: Army) -> Option<Square> {
        self.pieces().find(|(_, piece)| piece.army == army && piece.role == Role::King).map(|(square, _)| square)
    }

    /// The legal position these contents are. Awards nothing and takes nobody out; a position with at most one playing
    /// army, bare kings or a full fifty-move count is over.
    ///
    /// # Errors
    /// Refuses what section 10 of the rules refuses, naming the field and, where there is one, the square.
    pub fn position(&self) -> Result<Position, Fen4Error> {
        let states = self.states()?;
        let board = self.board(&states)?;
        let rights = self.rights(&states)?;
        let frozen = self.results(&states)?;
        if let Some(field) = Army::ALL
            .iter()
            .any(|army| self.points[army.index()] > MOST_POINTS)
            .then_some(Field::Points)
            .or((self.halfmove > HIGHEST_NUMBER).then_some(Field::Halfmove))
        {
            return Err(Fen4Error::new(field, Problem::NumberTooBig));
        }
        let in_play: ArmySet = Army::ALL.into_iter().filter(|army| states[army.index()].is_in_play()).collect();
        let playing: ArmySet =
            Army::ALL.into_iter().filter(|army| states[army.index()] == ArmyState::Playing).collect();
        let mut position = Position {
            pieces_key: hash::pieces_key(&board.cells),
            board,
            points: self.points,
            frozen,
            halfmove: self.halfmove,
            states,
            turn: self.turn,
            rights,
            in_play,
            playing,
            checks: ArmySet::EMPTY,
            over: None,
        };
        position.checks = position.find_checks();
        if !in_play.contains(self.turn) {
            return Err(Fen4Error::new(Field::Turn, Problem::TurnIsOut(self.turn)).at(self.king(self.turn)));
        }
        position.over = if playing.len() <= 1 { Some(EndReason::LastPlayer) } else { position.end_on_points() };
        if position.over.is_none() && !position.can_move(self.turn) {
            return Err(Fen4Error::new(Field::Turn, Problem::NoMove(self.turn)).at(self.king(self.turn)));
        }
        Ok(position)
    }

    fn states(&self) -> Result<[ArmyState; 4], Fen4Error> {
        let mut states = [ArmyState::Playing; 4];
        for army in Army::ALL {
            let i = army.index();
            states[i] = match (self.out[i], self.resigned[i], self.timed_out[i]) {
                (false, false, false) => ArmyState::Playing,
                (false, true, false) => ArmyState::Resigned,
                (false, false, true) => ArmyState::TimedOut,
                (true, false, false) if self.stalemated[i] => ArmyState::Stalemated,
                (true, false, false) if self.king(army).is_some() => ArmyState::Checkmated,
                (true, false, false) => ArmyState::KingCaptured,
                (_, true, _) => return Err(Fen4Error::new(Field::Resigned, Problem::TwoStates(army))),
                (_, _, true) => return Err(Fen4Error::new(Field::Flagged, Problem::TwoStates(army))),
            };
            if self.stalemated[i] && !self.out[i] {
                return Err(Fen4Error::new(Field::Stalemated, Problem::NotOut(army)));
            }
        }
        Ok(states)
    }

    fn board(&self, states: &[ArmyState; 4]) -> Result<Board, Fen4Error> {
        let mut board = Board::empty();
        for (square, piece) in self.pieces() {
            let refuse = |problem| Err(Fen4Error::new(Field::Board, problem).at(Some(square)));
            if piece.role == Role::Pawn && !(2..8).contains(&line_of(piece.army, square)) {
                return refuse(Problem::PawnOutOfPlace(piece.army));
            }
            let in_play = states[piece.army.index()].is_in_play();
            if in_play && piece.role == Role::King && board.kings[piece.army.index()] != 0 {
                return refuse(Problem::SecondKing(piece.army));
            }
            if !board.put(square, piece) {
                return refuse(Problem::TooManyPieces(piece.army));
            }
        }
        for army in Army::ALL {
            if states[army.index()].is_in_play() && board.kings[army.index()] == 0 {
                return Err(Fen4Error::new(Field::Board, Problem::NoKing(army)));
            }
        }
        Ok(board)
    }

    fn rights(&self, states: &[ArmyState; 4]) -> Result<Rights, Fen4Error> {
        let mut rights = Rights::default();
        for (side, field, wanted) in [
            (CastlingSide::Short, Field::CastleShort, &self.castle_short),
            (CastlingSide::Long, Field::CastleLong, &self.castle_long),
        ] {
            for army in Army::ALL {
                if !wanted[army.index()] || states[army.index()].is_out() {
                    continue;
                }
                let king = self.king(army);
                let Some(start) = king.filter(|square| centres(army).contains(&square.0)) else {
                    return Err(Fen4Error::new(field, Problem::KingMoved(army)).at(king));
                };
                let end = end_of(army, start.0, side);
                let rook = Square(rook_start(army, end));
                if self.piece_at(rook) != Some(Piece { army, role: Role::Rook, promoted: false }) {
                    return Err(Fen4Error::new(field, Problem::RookMoved(army)).at(Some(rook)));
                }
                rights.grant(army, end);
            }
        }
        Ok(rights)
    }

    fn results(&self, states: &[ArmyState; 4]) -> Result<[Option<u32>; 4], Fen4Error> {
        let mut frozen = self.frozen;
        for army in Army::ALL {
            let i = army.index();
            match (states[i], frozen[i]) {
                (ArmyState::Playing, Some(_)) => {
                    return Err(Fen4Error::new(Field::Frozen, Problem::FrozenButPlaying(army)));
                }
                (_, Some(result)) if result > self.points[i] => {
                    return Err(Fen4Error::new(Field::Frozen, Problem::FrozenAbovePoints(army)));
                }
                (state, None) if state.is_roaming() => frozen[i] = Some(self.points[i]),
                _ => {}
            }
        }
        Ok(frozen)
    }
}

impl From<&Position> for Setup {
    fn from(position: &Position) -> Setup {
        let state_is = |wanted| Army::ALL.map(|army| position.army_state(army) == wanted);
        let castles = |side| {
            Army::ALL.map(|army| {
                let king = position.board.kings[army.index()];
                position.rights.has_any(army) && position.rights.has(army, end_of(army, king, side))
            })
        };
        Setup {
            cells: position.board.cells,
            turn: position.turn,
            out: Army::ALL.map(|army| position.army_state(army).is_out()),
            castle_short: castles(CastlingSide::Short),
            castle_long: castles(CastlingSide::Long),
            points: position.points,
            halfmove: position.halfmove,
            resigned: state_is(ArmyState::Resigned),
            timed_out: state_is(ArmyState::TimedOut),
            stalemated: state_is(ArmyState::Stalemated),
            frozen: position.frozen,
        }
    }
}

/// A square's line as an army counts it, from its own edge, 1 to 14 (rules, section 2).
pub(crate) const fn line_of(army: Army, square: Square) -> u8 {
    match army {
        Army::Red => square.rank(),
        Army::Blue => 15 - square.file(),
        Army::Yellow => 15 - square.rank(),
        Army::Green => square.file(),
    }
}
