//! The yardstick: the generator that most people write first. A mailbox of 18 by 18 cells, every square looked at,
//! every move made, the king looked for attackers, the move taken back. It shares nothing with the library.

use rules::{Army, Piece, Position, Role, Setup, Square};

const WIDTH: usize = 18;
const EMPTY: u8 = 0;
const WALL: u8 = 0xFF;
/// A piece is this, its army times 16 and its role.
const PIECE: u8 = 8;

const STRAIGHT: [isize; 4] = [1, -1, 18, -18];
const DIAGONAL: [isize; 4] = [17, -17, 19, -19];
const JUMPS: [isize; 8] = [16, -16, 20, -20, 35, -35, 37, -37];
const FORWARD: [isize; 4] = [18, -1, -18, 1];
const SIDEWAYS: [isize; 4] = [1, 18, 1, 18];
/// Where the rooks start, as files and ranks.
const ROOKS: [[(usize, usize); 2]; 4] =
    [[(4, 1), (11, 1)], [(14, 4), (14, 11)], [(4, 14), (11, 14)], [(1, 4), (1, 11)]];

const fn index(file: usize, rank: usize) -> usize {
    (rank + 1) * WIDTH + file + 1
}

const fn army_of(cell: u8) -> usize {
    (cell >> 4) as usize
}

fn is_piece(cell: u8) -> bool {
    cell != EMPTY && cell != WALL
}

fn stepped(square: usize, step: isize) -> usize {
    square.wrapping_add_signed(step)
}

/// From, to, and the rook's two squares for castling.
type Step = (usize, usize, Option<(usize, usize)>);

/// A position as far as moves on pseudo-rules need it: nobody goes out.
pub(crate) struct Mailbox {
    cells: [u8; WIDTH * WIDTH],
    squares: Vec<usize>,
    kings: [Option<usize>; 4],
    in_play: [bool; 4],
    /// The rooks that may castle, by army and end of the line.
    rights: [[bool; 2]; 4],
    turn: usize,
}

impl Mailbox {
    pub(crate) fn new(position: &Position) -> Mailbox {
        let setup = Setup::from(position);
        let mut mailbox = Mailbox {
            cells: [WALL; WIDTH * WIDTH],
            squares: Square::all().map(|square| index(square.file().into(), square.rank().into())).collect(),
            kings: [None; 4],
            in_play: Army::ALL.map(|army| position.in_play().contains(army)),
            rights: [[false; 2]; 4],
            turn: position.turn().index(),
        };
        for square in Square::all() {
            let at = index(square.file().into(), square.rank().into());
            let piece = position.piece_at(square);
            mailbox.cells[at] =
                piece.map_or(EMPTY, |Piece { army, role, .. }| PIECE | (army.index() as u8) << 4 | role as u8);
            if let Some(Piece { army, role: Role::King, .. }) = piece {
                mailbox.kings[army.index()] = Some(at);
            }
        }
        for (army, king) in mailbox.kings.into_iter().enumerate() {
            let Some(king) = king else { continue };
            for (end, (file, rank)) in ROOKS[army].into_iter().enumerate() {
                // Three squares away on the short side, four on the long one.
                let away = king.abs_diff(index(file, rank)) / SIDEWAYS[army].unsigned_abs();
                mailbox.rights[army][end] =
                    if away == 3 { setup.castle_short[army] } else { away == 4 && setup.castle_long[army] };
            }
        }
        mailbox
    }

    /// The number of sequences of moves, as [`rules::Perft::Moves`] counts them.
    pub(crate) fn perft(&mut self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let army = self.turn;
        let (rights, kings) = (self.rights, self.kings);
        let mut leaves = 0;
        for (from, to, castling) in self.steps(army) {
            let (moved, captured) = (self.cells[from], self.cells[to]);
            self.make(army, from, to, castling);
            let captures_king = captured != EMPTY && captured & 7 == Role::King as u8;
            let without = if captures_king { army_of(captured) } else { army };
            if !self.kings[army].is_some_and(|king| self.is_attacked(king, army, without)) {
                self.turn = (1..=4).map(|on| (army + on) % 4).find(|&next| self.in_play[next]).unwrap_or(army);
                leaves += self.perft(depth - 1);
            }
            self.cells[from] = moved;
            self.cells[to] = captured;
            if let Some((rook, crossed)) = castling {
                self.cells[rook] = self.cells[crossed];
                self.cells[crossed] = EMPTY;
            }
            (self.turn, self.rights, self.kings) = (army, rights, kings);
        }
        leaves
    }

    fn make(&mut self, army: usize, from: usize, to: usize, castling: Option<(usize, usize)>) {
        let (mut moved, captured) = (self.cells[from], self.cells[to]);
        if moved & 7 == Role::Pawn as u8 && line_of(army, to) == 8 {
            moved = moved - Role::Pawn as u8 + Role::Queen as u8;
        }
        if captured != EMPTY && self.kings[army_of(captured)] == Some(to) {
            self.kings[army_of(captured)] = None;
        }
        if moved & 7 == Role::King as u8 {
            self.kings[army] = Some(to);
            self.rights[army] = [false; 2];
        }
        self.cells[from] = EMPTY;
        self.cells[to] = moved;
        if let Some((rook, crossed)) = castling {
            self.cells[crossed] = self.cells[rook];
            self.cells[rook] = EMPTY;
        }
        for (rights, rooks) in self.rights.iter_mut().zip(&ROOKS) {
            for (right, &(file, rank)) in rights.iter_mut().zip(rooks) {
                *right &= index(file, rank) != from && index(file, rank) != to;
            }
        }
    }

    /// Every move, checks aside.
    fn steps(&self, army: usize) -> Vec<Step> {
        let mut steps = Vec::with_capacity(64);
        for &from in &self.squares {
            let cell = self.cells[from];
            if cell == EMPTY || army_of(cell) != army {
                continue;
            }
            match cell & 7 {
                0 => self.pawn(army, from, &mut steps),
                1 => self.walk(army, from, &JUMPS, 1, &mut steps),
                2 => self.walk(army, from, &DIAGONAL, WIDTH, &mut steps),
                3 => self.walk(army, from, &STRAIGHT, WIDTH, &mut steps),
                role => {
                    let far = if role == Role::King as u8 { 1 } else { WIDTH };
                    self.walk(army, from, &STRAIGHT, far, &mut steps);
                    self.walk(army, from, &DIAGONAL, far, &mut steps);
                }
            }
        }
        self.castle(army, &mut steps);
        steps
    }

    fn pawn(&self, army: usize, from: usize, steps: &mut Vec<Step>) {
        let ahead = stepped(from, FORWARD[army]);
        if self.cells[ahead] == EMPTY {
            steps.push((from, ahead, None));
            let double = stepped(ahead, FORWARD[army]);
            if line_of(army, from) == 2 && self.cells[double] == EMPTY {
                steps.push((from, double, None));
            }
        }
        for to in [stepped(ahead, SIDEWAYS[army]), stepped(ahead, -SIDEWAYS[army])] {
            if is_piece(self.cells[to]) && army_of(self.cells[to]) != army {
                steps.push((from, to, None));
            }
        }
    }

    fn walk(&self, army: usize, from: usize, directions: &[isize], far: usize, steps: &mut Vec<Step>) {
        for &direction in directions {
            let mut to = from;
            for _ in 0..far {
                to = stepped(to, direction);
                let cell = self.cells[to];
                if cell == WALL || (cell != EMPTY && army_of(cell) == army) {
                    break;
                }
                steps.push((from, to, None));
                if cell != EMPTY {
                    break;
                }
            }
        }
    }

    fn castle(&self, army: usize, steps: &mut Vec<Step>) {
        let Some(king) = self.kings[army] else { return };
        for (&right, &(file, rank)) in self.rights[army].iter().zip(&ROOKS[army]) {
            let rook = index(file, rank);
            let step = if rook > king { SIDEWAYS[army] } else { -SIDEWAYS[army] };
            let (crossed, landing) = (stepped(king, step), stepped(king, 2 * step));
            let mut between = std::iter::successors(Some(crossed), |&square| Some(stepped(square, step)));
            if right
                && between.by_ref().take_while(|&square| square != rook).all(|square| self.cells[square] == EMPTY)
                && !self.is_attacked(king, army, army)
                && !self.is_attacked(crossed, army, army)
            {
                steps.push((king, landing, Some((rook, crossed))));
            }
        }
    }

    /// Whether an army in play, but for `army` and `without`, attacks a square.
    fn is_attacked(&self, square: usize, army: usize, without: usize) -> bool {
        let attacks = |cell: u8, roles: &[Role]| {
            is_piece(cell)
                && roles.iter().any(|&role| role as u8 == cell & 7)
                && army_of(cell) != army
                && army_of(cell) != without
                && self.in_play[army_of(cell)]
        };
        if JUMPS.iter().any(|&jump| attacks(self.cells[stepped(square, jump)], &[Role::Knight])) {
            return true;
        }
        for (directions, slider) in [(STRAIGHT, Role::Rook), (DIAGONAL, Role::Bishop)] {
            for direction in directions {
                let mut at = stepped(square, direction);
                if attacks(self.cells[at], &[Role::King]) {
                    return true;
                }
                while self.cells[at] == EMPTY {
                    at = stepped(at, direction);
                }
                if attacks(self.cells[at], &[slider, Role::Queen]) {
                    return true;
                }
            }
        }
        (0..4).any(|other| {
            [SIDEWAYS[other], -SIDEWAYS[other]].iter().any(|side| {
                let cell = self.cells[stepped(square, side - FORWARD[other])];
                army_of(cell) == other && attacks(cell, &[Role::Pawn])
            })
        })
    }
}

/// Counted from the army's own edge, from 1.
fn line_of(army: usize, square: usize) -> usize {
    let (file, rank) = (square % WIDTH - 1, square / WIDTH - 1);
    match army {
        0 => rank,
        1 => 15 - file,
        2 => 15 - rank,
        _ => file,
    }
}
