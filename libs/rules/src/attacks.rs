//! Who attacks a square, and what keeps a king's army from moving freely (rules, section 4).

use crate::board::{Board, SLOTS};
use crate::lines::{Line, Lines};
use crate::role::kind;
use crate::{Army, ArmySet};

pub(crate) const KNIGHT_STEPS: [u8; 8] = [14, 18, 31, 33, 242, 238, 225, 223];
pub(crate) const KING_STEPS: [u8; 8] = [1, 15, 16, 17, 255, 241, 240, 239];

/// Forward for each army's pawns: north, west, south, east.
pub(crate) const FORWARD: [u8; 4] = [16, 255, 240, 1];
/// The two squares each army's pawns capture on.
pub(crate) const PAWN_CAPTURES: [[u8; 2]; 4] = [[15, 17], [15, 239], [241, 239], [17, 241]];

/// All kinds of pieces of a set of armies.
#[inline(always)]
pub(crate) const fn kinds_of(armies: ArmySet) -> u32 {
    // Bit n of the set to bit 8n, then seven times over.
    ((armies.0 as u32 & 15).wrapping_mul(0x0020_4081) & 0x0101_0101).wrapping_mul(0x7F)
}

const STRAIGHT: u32 = kind::of_role(kind::ROOK) | kind::of_role(kind::QUEEN) | kind::of_role(kind::PROMOTED);
const DIAGONAL: u32 = kind::of_role(kind::BISHOP) | kind::of_role(kind::QUEEN) | kind::of_role(kind::PROMOTED);
/// Every army's king.
pub(crate) const KING: u32 = kind::of_role(kind::KING);
const KNIGHT: u32 = kind::of_role(kind::KNIGHT);

/// Kinds that attack a square from the neighbouring square up a line, and from the one down the line.
const fn neighbours(line: Line) -> (u32, u32) {
    let sliders = if line.is_diagonal() { DIAGONAL } else { STRAIGHT };
    let (mut up, mut down) = (sliders | KING, sliders | KING);
    let mut army = 0;
    while army < 4 {
        let mut side = 0;
        while side < 2 {
            let capture = PAWN_CAPTURES[army][side];
            // A pawn one step up the line attacks this square when its capture goes one step down, and the other way.
            if capture == line.step().wrapping_neg() {
                up |= 1 << (8 * army);
            }
            if capture == line.step() {
                down |= 1 << (8 * army);
            }
            side += 1;
        }
        army += 1;
    }
    (up, down)
}

/// Kinds that attack along a line: from afar, from the next square up, from the next square down.
#[inline(always)]
const fn attackers_on(line: Line) -> (u32, u32, u32) {
    let sliders = if line.is_diagonal() { DIAGONAL } else { STRAIGHT };
    let (up, down) = match line {
        Line::Rank => const { neighbours(Line::Rank) },
        Line::File => const { neighbours(Line::File) },
        Line::Rising => const { neighbours(Line::Rising) },
        Line::Falling => const { neighbours(Line::Falling) },
    };
    (sliders, up, down)
}

/// Whether a piece of one of the `hostile` kinds attacks a square.
#[inline(always)]
pub(crate) fn is_attacked(cells: &[u8; 256], lines: &Lines, square: u8, hostile: u32) -> bool {
    // Only the lowest bit of `hits` means anything.
    let mut hits = line_hits(cells, lines, square, hostile, Line::Rank)
        | line_hits(cells, lines, square, hostile, Line::File)
        | line_hits(cells, lines, square, hostile, Line::Rising)
        | line_hits(cells, lines, square, hostile, Line::Falling);
    let knights = KNIGHT & hostile;
    for &step in &KNIGHT_STEPS {
        hits |= knights >> (cells[square.wrapping_add(step) as usize] & 31);
    }
    hits & 1 == 1
}

/// The lowest bit says whether a hostile kind attacks a square along one line. Written out for each line, so that the
/// compiler knows which one it is.
#[inline(always)]
fn line_hits(cells: &[u8; 256], lines: &Lines, square: u8, hostile: u32, line: Line) -> u32 {
    let (far, near_up, near_down) = attackers_on(line);
    let (up, down) = lines.free(line, square);
    let above = cells[square.wrapping_add(line.step().wrapping_mul(up + 1)) as usize];
    let below = cells[square.wrapping_sub(line.step().wrapping_mul(down + 1)) as usize];
    (if up == 0 { near_up } else { far } & hostile) >> (above & 31)
        | (if down == 0 { near_down } else { far } & hostile) >> (below & 31)
}

/// Whether a piece leaves the line on which it alone stands between its king and one of the `hostile` sliders.
#[inline]
pub(crate) fn breaks_pin(board: &Board, king: u8, from: u8, to: u8, hostile: u32) -> bool {
    Line::ALL.into_iter().any(|line| {
        line.joins(king, from) && !line.joins(king, to) && {
            let (up, down) = board.lines.free(line, from);
            let above = from.wrapping_add(line.step().wrapping_mul(up + 1));
            let below = from.wrapping_sub(line.step().wrapping_mul(down + 1));
            let (sliders, _, _) = attackers_on(line);
            let slides = |square: u8| (sliders & hostile) >> (board.cells[square as usize] & 31) & 1 == 1;
            (below == king && slides(above)) || (above == king && slides(below))
        }
    })
}

/// What restricts an army's moves: checks and pins.
pub(crate) struct Threats {
    /// How many pieces attack the king.
    pub(crate) checkers: u8,
    /// With one checker: the squares on which a piece answers the check, the checker's own among them.
    pub(crate) answers: SquareSet,
    /// The slots of own pieces that alone stand between the king and a slider.
    pub(crate) pinned: u16,
    /// The line each pinned piece may move along.
    pub(crate) pins: [Line; SLOTS],
}

impl Threats {
    pub(crate) const NONE: Threats =
        Threats { checkers: 0, answers: SquareSet::EMPTY, pinned: 0, pins: [Line::Rank; SLOTS] };

    /// What the `hostile` kinds do to the king of `army`, which stands on `king`.
    #[inline(always)]
    pub(crate) fn to(board: &Board, army: Army, king: u8, hostile: u32) -> Threats {
        let mut threats = Threats::NONE;
        threats.look_along(Line::Rank, board, army, king, hostile);
        threats.look_along(Line::File, board, army, king, hostile);
        threats.look_along(Line::Rising, board, army, king, hostile);
        threats.look_along(Line::Falling, board, army, king, hostile);
        let knights = KNIGHT & hostile;
        for &step in &KNIGHT_STEPS {
            let at = king.wrapping_add(step);
            if knights >> (board.cells[at as usize] & 31) & 1 == 1 {
                threats.checkers += 1;
                threats.answers.insert(at);
            }
        }
        threats
    }

    /// Both ways from the king along one line.
    #[inline(always)]
    fn look_along(&mut self, line: Line, board: &Board, army: Army, king: u8, hostile: u32) {
        let (far, near_up, near_down) = attackers_on(line);
        let (up, down) = board.lines.free(line, king);
        let masks = |near: u32| (near & hostile, far & hostile);
        self.look::<true>(line, board, army, king, up, masks(near_up));
        self.look::<false>(line, board, army, king, down, masks(near_down));
    }

    /// One way, past so many free squares; the masks are the hostile kinds that attack from next to the king and from
    /// afar.
    #[inline(always)]
    fn look<const UP: bool>(
        &mut self,
        line: Line,
        board: &Board,
        army: Army,
        king: u8,
        free: u8,
        (near, far): (u32, u32),
    ) {
        let step = if UP { line.step() } else { line.step().wrapping_neg() };
        let at = king.wrapping_add(step.wrapping_mul(free + 1));
        let first = board.cells[at as usize] & 31;
        if (if free == 0 { near } else { far }) >> first & 1 == 1 {
            self.add_line_check(king, step, free);
        } else if kinds_of(ArmySet(1 << army as u8)) >> first & 1 == 1 {
            let (up, down) = board.lines.free(line, at);
            let beyond = step.wrapping_mul(if UP { up } else { down } + 1);
            let second = board.cells[at.wrapping_add(beyond) as usize] & 31;
            if far >> second & 1 == 1 {
                self.add_pin(board, at, line);
            }
        }
    }

    #[cold]
    fn add_line_check(&mut self, king: u8, step: u8, free: u8) {
        self.checkers += 1;
        for distance in 1..=free + 1 {
            self.answers.insert(king.wrapping_add(step.wrapping_mul(distance)));
        }
    }

    #[cold]
    fn add_pin(&mut self, board: &Board, at: u8, line: Line) {
        let slot = board.slot_at(board.cells[at as usize], at);
        self.pinned |= 1 << slot;
        self.pins[slot as usize & 15] = line;
    }
}

/// A set of squares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SquareSet([u64; 4]);

impl SquareSet {
    pub(crate) const EMPTY: SquareSet = SquareSet([0; 4]);

    #[inline(always)]
    pub(crate) fn insert(&mut self, square: u8) {
        self.0[(square >> 6) as usize] |= 1 << (square & 63);
    }

    #[inline(always)]
    pub(crate) fn contains(&self, square: u8) -> bool {
        self.0[(square >> 6) as usize] >> (square & 63) & 1 == 1
    }
}

impl Board {
    /// Whether the king of an army is attacked by one of these armies. False without a king.
    pub(crate) fn king_is_attacked_by(&self, army: Army, armies: ArmySet) -> bool {
        let king = self.kings[army.index()];
        king != 0 && is_attacked(&self.cells, &self.lines, king, kinds_of(armies))
    }

    /// Whether another army in play attacks the king of `army` once one of its pieces, the king perhaps, has moved. Not
    /// for castling. An army that loses its king attacks no more.
    #[inline]
    pub(crate) fn exposes_king(&self, army: Army, from: u8, to: u8, in_play: ArmySet) -> bool {
        let mut attackers = in_play.without(army);
        let captured = self.cells[to as usize];
        if captured & 7 == kind::KING {
            attackers.remove(Army::from_index((captured >> 3) as usize));
        }
        let (mut cells, mut lines) = (self.cells, self.lines);
        lines.toggle(from);
        if captured == kind::EMPTY {
            lines.toggle(to);
        }
        cells[to as usize] = cells[from as usize];
        cells[from as usize] = kind::EMPTY;
        let king = self.kings[army.index()];
        is_attacked(&cells, &lines, if king == from { to } else { king }, kinds_of(attackers))
    }
}
