//! A deliberately plain second implementation of the rules, to compare the fast one with. It follows the text of
//! sections 4 to 6 word by word and shares nothing with the library but the names of armies, roles and squares.

use std::sync::LazyLock;

use rules::{Army, ArmyState, EndReason, Piece, Role, Setup, Square};

type Cells = [[Option<Piece>; 16]; 16];

#[derive(Clone, PartialEq)]
struct Situation {
    // First what differs most often: situations are compared in this order.
    turn: Army,
    states: [ArmyState; 4],
    /// Rooks that may still castle, by their start squares, with the start square of the king.
    rights: Vec<(Army, Square, Square)>,
    cells: Cells,
}

/// A game, played plainly.
#[derive(Clone)]
pub(crate) struct Plain {
    now: Situation,
    seen: Vec<Situation>,
    pub(crate) points: [u32; 4],
    pub(crate) frozen: [Option<u32>; 4],
    pub(crate) halfmove: u32,
    pub(crate) over: Option<EndReason>,
}

const STRAIGHT: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const JUMPS: [(i8, i8); 8] = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];

/// Every square. A list, as the fuzzers spend most of their time going through it.
fn squares() -> &'static [Square] {
    static SQUARES: LazyLock<Vec<Square>> = LazyLock::new(|| Square::all().collect());
    &SQUARES
}

fn step(square: Square, (files, ranks): (i8, i8)) -> Option<Square> {
    Square::new(square.file().checked_add_signed(files)?, square.rank().checked_add_signed(ranks)?)
}

fn forward(army: Army) -> (i8, i8) {
    match army {
        Army::Red => (0, 1),
        Army::Blue => (-1, 0),
        Army::Yellow => (0, -1),
        Army::Green => (1, 0),
    }
}

fn line(army: Army, square: Square) -> u8 {
    match army {
        Army::Red => square.rank(),
        Army::Blue => 15 - square.file(),
        Army::Yellow => 15 - square.rank(),
        Army::Green => square.file(),
    }
}

fn value(piece: Piece) -> u32 {
    match piece.role {
        Role::Queen if piece.promoted => 1,
        Role::Pawn => 1,
        Role::Knight => 3,
        Role::Bishop | Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 20,
    }
}

/// False where no piece of this role attacks so far away, whatever stands between. Saves most of the looking.
fn may_attack(role: Role, from: Square, to: Square) -> bool {
    let (files, ranks) = (from.file().abs_diff(to.file()), from.rank().abs_diff(to.rank()));
    let (straight, diagonal) = (files == 0 || ranks == 0, files == ranks);
    match role {
        Role::Pawn | Role::King => files <= 1 && ranks <= 1,
        Role::Knight => files + ranks == 3,
        Role::Bishop => diagonal,
        Role::Rook => straight,
        Role::Queen => straight || diagonal,
    }
}

impl Situation {
    fn at(&self, square: Square) -> Option<Piece> {
        self.cells[square.rank() as usize][square.file() as usize]
    }

    fn set(&mut self, square: Square, piece: Option<Piece>) {
        self.cells[square.rank() as usize][square.file() as usize] = piece;
    }

    fn in_play(&self, army: Army) -> bool {
        self.states[army.index()].is_in_play()
    }

    fn own(&self, army: Army) -> impl Iterator<Item = (Square, Piece)> {
        squares().iter().filter_map(|&square| Some((square, self.at(square)?))).filter(move |(_, p)| p.army == army)
    }

    /// Visits the squares a piece attacks.
    fn each_attack(&self, from: Square, piece: Piece, visit: &mut impl FnMut(Square)) {
        let (rays, far): (&[&[(i8, i8)]], bool) = match piece.role {
            Role::Pawn => {
                let (files, ranks) = forward(piece.army);
                let sides = [(files + ranks, ranks + files), (files - ranks, ranks - files)];
                sides.into_iter().filter_map(|side| step(from, side)).for_each(visit);
                return;
            }
            Role::Knight => (&[&JUMPS], false),
            Role::King => (&[&STRAIGHT, &DIAGONAL], false),
            Role::Bishop => (&[&DIAGONAL], true),
            Role::Rook => (&[&STRAIGHT], true),
            Role::Queen => (&[&STRAIGHT, &DIAGONAL], true),
        };
        for &ray in rays.iter().copied().flatten() {
            let mut next = step(from, ray);
            while let Some(square) = next {
                visit(square);
                next = if far && self.at(square).is_none() { step(square, ray) } else { None };
            }
        }
    }

    fn attacks(&self, from: Square, piece: Piece) -> Vec<Square> {
        let mut squares = Vec::new();
        self.each_attack(from, piece, &mut |square| squares.push(square));
        squares
    }

    /// Whether an army in play other than `army` attacks a square.
    fn attacked(&self, square: Square, army: Army) -> bool {
        squares().iter().any(|&from| match self.at(from) {
            Some(piece) if piece.army != army && self.in_play(piece.army) && may_attack(piece.role, from, square) => {
                let mut hit = false;
                self.each_attack(from, piece, &mut |attacked| hit |= attacked == square);
                hit
            }
            _ => false,
        })
    }

    fn in_check(&self, army: Army) -> bool {
        let king = Some(Piece { army, role: Role::King, promoted: false });
        squares().iter().any(|&square| self.at(square) == king && self.attacked(square, army))
    }

    /// The board after a move; an army in play that lost its king is out. With what was captured.
    fn after(&self, from: Square, to: Square) -> (Situation, Option<Piece>) {
        let mut after = self.clone();
        let Some(mut piece) = self.at(from) else { return (after, None) };
        let captured = self.at(to);
        let castles =
            piece.role == Role::King && from.file().abs_diff(to.file()).max(from.rank().abs_diff(to.rank())) == 2;
        if piece.role == Role::Pawn && line(piece.army, to) == 8 {
            piece = Piece { role: Role::Queen, promoted: true, ..piece };
        }
        after.set(from, None);
        after.set(to, Some(piece));
        if castles {
            let rook = self.castling_rook(piece.army, from, to);
            let crossed = Square::new((from.file() + to.file()) / 2, (from.rank() + to.rank()) / 2);
            if let (Some(rook), Some(crossed)) = (rook, crossed) {
                after.set(crossed, self.at(rook));
                after.set(rook, None);
            }
        }
        after
            .rights
            .retain(|&(army, rook, _)| rook != from && rook != to && !(army == piece.army && piece.role == Role::King));
        if let Some(Piece { role: Role::King, army, .. }) = captured
            && self.in_play(army)
        {
            after.put_out(army, ArmyState::KingCaptured);
        }
        (after, captured)
    }

    /// Sequences of moves while nobody goes out, not even an army without its king.
    fn perft_without_outs(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let below = self.moves(self.turn).map(|(from, to)| {
            let (mut after, _) = self.after(from, to);
            after.states = self.states;
            after.turn = self.turn.next();
            while !after.in_play(after.turn) {
                after.turn = after.turn.next();
            }
            after.perft_without_outs(depth - 1)
        });
        below.sum()
    }

    fn put_out(&mut self, army: Army, state: ArmyState) {
        self.states[army.index()] = state;
        self.rights.retain(|&(owner, _, _)| owner != army);
    }

    fn castling_rook(&self, army: Army, king: Square, to: Square) -> Option<Square> {
        let toward = |rook: Square| {
            (rook.file() > king.file()) == (to.file() > king.file())
                && (rook.rank() > king.rank()) == (to.rank() > king.rank())
        };
        self.rights.iter().find(|&&(owner, rook, _)| owner == army && toward(rook)).map(|&(_, rook, _)| rook)
    }

    /// Found one by one, as the question often is whether there is any.
    fn moves(&self, army: Army) -> impl Iterator<Item = (Square, Square)> {
        let steps = self.own(army).flat_map(move |(from, piece)| {
            let mut targets: Vec<Square> = self
                .attacks(from, piece)
                .into_iter()
                .filter(|&to| match self.at(to) {
                    Some(other) => other.army != army,
                    None => piece.role != Role::Pawn,
                })
                .collect();
            if piece.role == Role::Pawn {
                let ahead = step(from, forward(army)).filter(|&ahead| self.at(ahead).is_none());
                let double = ahead
                    .filter(|_| line(army, from) == 2)
                    .and_then(|ahead| step(ahead, forward(army)))
                    .filter(|&double| self.at(double).is_none());
                targets.extend(ahead);
                targets.extend(double);
            }
            targets.into_iter().map(move |to| (from, to))
        });
        let legal = steps.filter(move |&(from, to)| !self.after(from, to).0.in_check(army));
        legal.chain(std::iter::once_with(move || self.castlings(army)).flatten())
    }

    fn castlings(&self, army: Army) -> Vec<(Square, Square)> {
        let mut moves = Vec::new();
        for &(owner, rook, king) in &self.rights {
            if owner != army || self.in_check(army) {
                continue;
            }
            let direction =
                ((rook.file() as i8 - king.file() as i8).signum(), (rook.rank() as i8 - king.rank() as i8).signum());
            let mut path = Vec::new();
            let mut next = step(king, direction);
            while let Some(square) = next.filter(|&square| square != rook) {
                path.push(square);
                next = step(square, direction);
            }
            if path.iter().all(|&square| self.at(square).is_none())
                && path[..2].iter().all(|&square| !self.attacked(square, army))
            {
                moves.push((king, path[1]));
            }
        }
        moves
    }

    fn playing(&self) -> Vec<Army> {
        Army::ALL.into_iter().filter(|&army| self.states[army.index()] == ArmyState::Playing).collect()
    }

    fn roaming(&self) -> usize {
        self.states.iter().filter(|state| state.is_roaming()).count()
    }
}

impl Plain {
    /// Sequences of moves while nobody goes out; none once the game is over.
    pub(crate) fn perft_without_outs(&self, depth: u32) -> u64 {
        if self.over.is_some() { u64::from(depth == 0) } else { self.now.perft_without_outs(depth) }
    }

    /// A game from a setup that the library accepts.
    pub(crate) fn new(setup: &Setup) -> Plain {
        let mut cells: Cells = [[None; 16]; 16];
        for (square, piece) in setup.pieces() {
            cells[square.rank() as usize][square.file() as usize] = Some(piece);
        }
        let king =
            |army| setup.pieces().find(|(_, p)| p.army == army && p.role == Role::King).map(|(square, _)| square);
        let states = Army::ALL.map(|army| {
            let i = army.index();
            match () {
                () if setup.out[i] && setup.stalemated[i] => ArmyState::Stalemated,
                () if setup.out[i] && king(army).is_some() => ArmyState::Checkmated,
                () if setup.out[i] => ArmyState::KingCaptured,
                () if setup.resigned[i] => ArmyState::Resigned,
                () if setup.timed_out[i] => ArmyState::TimedOut,
                () => ArmyState::Playing,
            }
        });
        let mut rights = Vec::new();
        for army in Army::ALL {
            for (wanted, distance) in [(setup.castle_short, 3), (setup.castle_long, 4)] {
                let Some(king) = king(army).filter(|_| wanted[army.index()] && states[army.index()].is_in_play())
                else {
                    continue;
                };
                let rook = setup.pieces().find(|&(square, piece)| {
                    let away = (square.file().abs_diff(king.file()), square.rank().abs_diff(king.rank()));
                    piece == Piece { army, role: Role::Rook, promoted: false }
                        && line(army, square) == 1
                        && (away == (0, distance) || away == (distance, 0))
                        && [4, 11].contains(&if away.0 == 0 { square.rank() } else { square.file() })
                });
                rights.extend(rook.map(|(rook, _)| (army, rook, king)));
            }
        }
        let now = Situation { cells, turn: setup.turn, states, rights };
        let frozen = Army::ALL.map(|army| {
            let i = army.index();
            setup.frozen[i].or(states[i].is_roaming().then_some(setup.points[i]))
        });
        let mut plain =
            Plain { seen: vec![now.clone()], now, points: setup.points, frozen, halfmove: setup.halfmove, over: None };
        plain.over =
            if plain.now.playing().len() <= 1 { Some(EndReason::LastPlayer) } else { plain.end_without_last_player() };
        plain
    }

    pub(crate) fn turn(&self) -> Army {
        self.now.turn
    }

    pub(crate) fn states(&self) -> [ArmyState; 4] {
        self.now.states
    }

    pub(crate) fn in_check(&self) -> Vec<Army> {
        Army::ALL.into_iter().filter(|&army| self.now.in_play(army) && self.now.in_check(army)).collect()
    }

    pub(crate) fn legal_moves(&self) -> Vec<(Square, Square)> {
        if self.over.is_some() { Vec::new() } else { self.now.moves(self.now.turn).collect() }
    }

    pub(crate) fn play(&mut self, from: Square, to: Square) {
        let army = self.now.turn;
        let was_pawn = self.now.at(from).is_some_and(|piece| piece.role == Role::Pawn);
        let states_before = self.now.states;
        let (after, captured) = self.now.after(from, to);
        if let Some(piece) = captured {
            let points = match self.now.states[piece.army.index()] {
                ArmyState::Playing => value(piece),
                state if state.is_roaming() && piece.role == Role::King => 20,
                _ => 0,
            };
            self.award(army, points);
        }
        self.now = after;
        let mated: Vec<Army> = Army::ALL
            .into_iter()
            .filter(|&other| other != army && self.now.in_play(other) && self.now.in_check(other))
            .filter(|&other| self.now.moves(other).next().is_none())
            .collect();
        for other in mated {
            self.now.put_out(other, ArmyState::Checkmated);
            self.award(army, 20);
        }
        self.pass(army);
        self.halfmove += 1;
        if was_pawn || captured.is_some() || self.now.states != states_before {
            self.halfmove = 0;
        }
        if self.over.is_none() {
            self.seen.push(self.now.clone());
            self.over = if self.seen.iter().filter(|seen| **seen == self.now).count() >= 3 {
                Some(EndReason::Repetition)
            } else {
                self.end_without_last_player()
            };
        }
    }

    fn award(&mut self, army: Army, points: u32) {
        let points = self.points[army.index()] + points;
        self.points[army.index()] = points.min(9999);
    }

    /// Steps 4 and 5.
    fn pass(&mut self, army: Army) {
        let mut next = army;
        loop {
            if self.end_by_last_player() {
                return;
            }
            next = next.next();
            if !self.now.in_play(next) {
                continue;
            }
            if self.now.moves(next).next().is_some() {
                self.now.turn = next;
                return;
            }
            self.now.put_out(next, ArmyState::Stalemated);
            self.award(next, 20);
        }
    }

    fn end_by_last_player(&mut self) -> bool {
        let playing = self.now.playing();
        if playing.len() > 1 {
            return false;
        }
        if let Some(&last) = playing.first() {
            self.award(last, 20 * self.now.roaming() as u32);
        }
        self.over = Some(EndReason::LastPlayer);
        true
    }

    fn end_without_last_player(&self) -> Option<EndReason> {
        let in_play: Vec<Army> = Army::ALL.into_iter().filter(|&army| self.now.in_play(army)).collect();
        if self.halfmove as usize >= 50 * in_play.len() {
            Some(EndReason::FiftyMoves)
        } else if in_play.iter().all(|&army| self.now.own(army).count() == 1) {
            Some(EndReason::BareKings)
        } else {
            None
        }
    }

    /// A resignation or a time loss.
    pub(crate) fn leave(&mut self, army: Army, state: ArmyState) -> bool {
        if self.over.is_some() || self.now.states[army.index()] != ArmyState::Playing {
            return false;
        }
        self.now.states[army.index()] = state;
        self.frozen[army.index()] = Some(self.points[army.index()]);
        self.halfmove = 0;
        self.end_by_last_player();
        true
    }
}
