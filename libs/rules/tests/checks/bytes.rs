//! Turning arbitrary bytes into positions and actions, for fuzzers and property tests alike.

use rules::{Army, Game, Move, Piece, Role, Setup, Square};

/// Bytes that are read once, zeros after their end.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn next(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&first, rest)) => {
                self.0 = rest;
                first
            }
            None => 0,
        }
    }

    fn army(&mut self) -> Army {
        Army::from_index(self.next() as usize)
    }

    fn square(&mut self) -> Square {
        let index = self.next() as usize % Square::COUNT;
        Square::all().nth(index).unwrap_or_else(|| unreachable!("the index is below the number of squares"))
    }
}

/// A setup, seldom refused: the start position, perhaps with king and queen swapped, or few pieces anywhere, perhaps with
/// armies out that only a FEN4 can have.
pub(crate) fn setup(bytes: &mut Bytes<'_>) -> Setup {
    let kind = bytes.next();
    if kind < 64 {
        return start(kind);
    }
    let mut setup = Setup::empty();
    let mut place = |square: Square, piece: Piece| {
        let line = match piece.army {
            Army::Red => square.rank(),
            Army::Blue => 15 - square.file(),
            Army::Yellow => 15 - square.rank(),
            Army::Green => square.file(),
        };
        let fits = piece.role != Role::Pawn || (2..8).contains(&line);
        if fits && setup.piece_at(square).is_none() {
            setup.put(square, Some(piece));
        }
    };
    for army in Army::ALL {
        place(bytes.square(), Piece { army, role: Role::King, promoted: false });
    }
    for _ in 0..bytes.next() % 40 {
        let square = bytes.square();
        let army = bytes.army();
        let number = bytes.next() % 8;
        let role = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen][number as usize % 5];
        place(square, Piece { army, role, promoted: number == 4 });
    }
    setup.turn = bytes.army();
    for (index, state) in [bytes.next(), bytes.next()].into_iter().enumerate() {
        let army = bytes.next() as usize % 4;
        match state % 8 {
            0 => setup.out[army] = true,
            1 => {
                setup.out[army] = true;
                setup.stalemated[army] = true;
            }
            2 => setup.resigned[army] = true,
            3 if index == 0 => setup.timed_out[army] = true,
            _ => {}
        }
    }
    for points in &mut setup.points {
        // Near their limit now and then.
        *points = match bytes.next() {
            few @ 0..=239 => u32::from(few),
            many => 9999 - u32::from(255 - many),
        };
    }
    // Near an end now and then.
    setup.halfmove = u32::from(bytes.next()) * 199 / 255;
    if kind >= 192 {
        retire(&mut setup, bytes);
    }
    setup
}

/// Puts an army out, gives those that are out any number of kings up to three, or no piece at all, and freezes results.
fn retire(setup: &mut Setup, bytes: &mut Bytes<'_>) {
    let retired = bytes.army().index();
    setup.out[retired] = true;
    setup.resigned[retired] = false;
    setup.timed_out[retired] = false;
    for army in Army::ALL {
        let i = army.index();
        if setup.out[i] {
            let number = bytes.next();
            let leaves = |piece: Piece| piece.army == army && (piece.role == Role::King || number >= 192);
            let gone: Vec<Square> =
                setup.pieces().filter(|&(_, piece)| leaves(piece)).map(|(square, _)| square).collect();
            for square in gone {
                setup.put(square, None);
            }
            for _ in 0..number % 4 {
                let square = bytes.square();
                if setup.piece_at(square).is_none() {
                    setup.put(square, Some(Piece { army, role: Role::King, promoted: false }));
                }
            }
        }
        if setup.out[i] || setup.resigned[i] || setup.timed_out[i] {
            let share = u32::from(bytes.next());
            setup.frozen[i] = (share % 4 != 0).then_some(setup.points[i] * share / 255);
        }
    }
}

fn start(kind: u8) -> Setup {
    let mut setup = Setup::start();
    for army in Army::ALL {
        if kind >> army.index() & 1 == 1 {
            let find = |role| setup.pieces().find(|(_, piece)| piece.army == army && piece.role == role);
            if let (Some((king, king_piece)), Some((queen, queen_piece))) = (find(Role::King), find(Role::Queen)) {
                setup.put(king, Some(queen_piece));
                setup.put(queen, Some(king_piece));
            }
        }
    }
    setup
}

/// Something to do in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Deed {
    /// The legal move with this number, modulo how many there are.
    Move(usize),
    Resign(Army),
    TimeOut(Army),
}

pub(crate) fn deed(bytes: &mut Bytes<'_>) -> Deed {
    match bytes.next() {
        low @ 0..=245 => Deed::Move(low as usize),
        246 => Deed::Move(256 + bytes.next() as usize),
        high @ 247..=250 => Deed::Resign(Army::from_index(high as usize)),
        high @ 251..=254 => Deed::TimeOut(Army::from_index(high as usize)),
        255 => Deed::Move(511),
    }
}

/// Finds moves by number. Some numbers take back the army's last move, so that positions come again.
#[derive(Default)]
pub(crate) struct Chooser([Option<(Square, Square)>; 4]);

impl Chooser {
    pub(crate) fn choose(&mut self, game: &Game, number: usize) -> Option<Move> {
        let moves = game.legal_moves();
        let last = &mut self.0[game.turn().index()];
        let back = last.filter(|_| (160..=245).contains(&number));
        let found = back.and_then(|(from, to)| moves.iter().find(|mv| (mv.from(), mv.to()) == (to, from)));
        let mv = *found.or(moves.get(number % moves.len().max(1)))?;
        *last = Some((mv.from(), mv.to()));
        Some(mv)
    }
}
