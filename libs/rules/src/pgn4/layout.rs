//! Which way round a file is: our anticlockwise order of play, or the clockwise one of other sites.

use std::fmt;

use super::{Entry, Pgn4, WrittenMove};
use crate::{Army, Piece, Role, Setup, Square};

/// Where the armies sit. Turn order is Red, Blue, Yellow, Green in both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Ours: Blue sits east, to Red's right.
    Anticlockwise,
    /// That of other sites: Blue sits west. Exchanging files a and n turns one into the other.
    Clockwise,
}

/// A start position that is neither a known name nor a FEN4 that our rules accept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownStart(pub String);

impl fmt::Display for UnknownStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the start position cannot be played here: {}", self.0)
    }
}

impl std::error::Error for UnknownStart {}

/// Our header for the layout; other sites have none.
pub(super) const LAYOUT: &str = "Layout";
/// Our header for the rules a file was played by; other sites have none.
pub(super) const RULES: &str = "Rules";
pub(super) const OUR_RULES: &str = "Four Kingdoms";
pub(super) const START: &str = "StartFen4";

/// Names of start positions of clockwise sites, and the squares where their queens stand, red first, clockwise.
const NAMED: [(&str, [&str; 4]); 2] = [("4PC", ["g1", "a8", "h14", "n7"]), ("4PCo", ["g1", "a7", "h14", "n8"])];

impl Layout {
    const fn word(self) -> &'static str {
        match self {
            Layout::Anticlockwise => "anticlockwise",
            Layout::Clockwise => "clockwise",
        }
    }
}

/// The usual start position with queens on given squares of the clockwise layout, in our layout.
fn start_with_queens(queens: [&str; 4]) -> Setup {
    let mut setup = Setup::start();
    for (army, queen) in Army::ALL.into_iter().zip(queens) {
        let Ok(queen) = queen.parse::<Square>().map(Square::mirrored) else { continue };
        if setup.piece_at(queen).is_some_and(|piece| piece.role == Role::King) {
            let old = setup.pieces().find(|(_, piece)| piece.army == army && piece.role == Role::Queen);
            setup.put(queen, Some(Piece { army, role: Role::Queen, promoted: false }));
            if let Some((old, _)) = old {
                setup.put(old, Some(Piece { army, role: Role::King, promoted: false }));
            }
        }
    }
    setup
}

impl Pgn4 {
    /// Which way round the file is: by the header `Layout`, by the name or the armies' places in `StartFen4`, else by
    /// the side of the board that the second army's first move comes from.
    #[must_use]
    pub fn layout(&self) -> Layout {
        match self.header(LAYOUT) {
            Some("anticlockwise") => return Layout::Anticlockwise,
            Some("clockwise") => return Layout::Clockwise,
            _ => {}
        }
        let blue_is_east = match self.header(START) {
            Some(name) if !name.contains('/') => false,
            Some(fen4) => is_blue_east(fen4).unwrap_or(true),
            None => self.moves.get(1).and_then(file_of).is_none_or(|file| file > 7),
        };
        if blue_is_east { Layout::Anticlockwise } else { Layout::Clockwise }
    }

    /// Whether the file was played by our rules: it says so, or it has our layout.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        match self.header(RULES) {
            Some(rules) => rules == OUR_RULES,
            None => self.layout() == Layout::Anticlockwise,
        }
    }

    /// The file in the wanted layout: as it is, or with files a and n exchanged in its start position, moves and
    /// variations. The header `Layout` says which one it is then.
    #[must_use]
    pub fn in_layout(&self, wanted: Layout) -> Pgn4 {
        let layout = self.layout();
        let mut file = self.clone();
        if layout == wanted {
            return file;
        }
        file.set_header(LAYOUT, wanted.word());
        if let Some(start) = self.mirrored_start(wanted) {
            file.set_header(START, start);
        }
        mirror(&mut file.moves);
        file
    }

    /// What `StartFen4` becomes in the other layout.
    fn mirrored_start(&self, wanted: Layout) -> Option<String> {
        match self.header(START) {
            Some(fen4) if fen4.contains('/') => {
                let mirrored = mirror_fen4(fen4);
                let known = NAMED.into_iter().find(|&(_, queens)| {
                    wanted == Layout::Clockwise
                        && Setup::from_fen4(fen4).is_ok_and(|(setup, _)| setup == start_with_queens(queens))
                });
                Some(known.map_or(mirrored, |(name, _)| name.to_owned()))
            }
            Some(name) => {
                let (_, queens) = NAMED.into_iter().find(|&(known, _)| known == name)?;
                Some(start_with_queens(queens).to_string())
            }
            // Ours has a start position of its own, which other sites do not know.
            None => (wanted == Layout::Clockwise).then(|| mirror_fen4(&Setup::start().to_string())),
        }
    }

    /// The start positions a file in our layout can mean: one, or for a clockwise file that says nothing, both of the
    /// known ones.
    pub(super) fn starts(&self, was: Layout) -> Result<Vec<Setup>, UnknownStart> {
        match (self.header(START), was) {
            (None, Layout::Anticlockwise) => Ok(vec![Setup::start()]),
            (None, Layout::Clockwise) => Ok(NAMED.into_iter().map(|(_, queens)| start_with_queens(queens)).collect()),
            (Some(fen4), _) if fen4.contains('/') => {
                let (setup, _) = Setup::from_fen4(fen4).map_err(|error| UnknownStart(error.to_string()))?;
                Ok(vec![setup])
            }
            (Some(name), _) => NAMED
                .into_iter()
                .find(|&(known, _)| known == name)
                .map(|(_, queens)| vec![start_with_queens(queens)])
                .ok_or_else(|| UnknownStart(format!("{name} is not a known name"))),
        }
    }
}

fn file_of(entry: &Entry) -> Option<u8> {
    match entry.token.mv? {
        WrittenMove::Piece { file, to, .. } => Some(file.unwrap_or(to.file())),
        WrittenMove::Castling(_) => None,
    }
}

fn mirror(moves: &mut [Entry]) {
    for entry in moves {
        entry.token.mv = entry.token.mv.map(WrittenMove::mirrored);
        for variation in &mut entry.variations {
            mirror(&mut variation.moves);
        }
    }
}

/// Where the board of a FEN4 begins: after the last `-` outside its braces.
fn board_of(fen4: &str) -> usize {
    let after_braces = fen4.rfind('}').unwrap_or(0);
    fen4[after_braces..].rfind('-').map_or(0, |dash| after_braces + dash + 1)
}

/// Reverses every rank of a FEN4, whatever pieces stand there. Everything else stays: short and long castling do.
fn mirror_fen4(fen4: &str) -> String {
    let (head, board) = fen4.split_at(board_of(fen4));
    let ranks = board.split('/').map(|rank| {
        let mut cells: Vec<&str> = rank.trim().split(',').collect();
        cells.reverse();
        cells.join(",")
    });
    head.to_owned() + &ranks.collect::<Vec<_>>().join("/")
}

/// Whether Blue's pieces stand east of Green's on average. None if one of them has none.
fn is_blue_east(fen4: &str) -> Option<bool> {
    let mut sums = [(0_u64, 0_u64); 2];
    for rank in fen4[board_of(fen4)..].split('/') {
        let mut file = 1_u64;
        for cell in rank.trim().split(',') {
            let cell = cell.trim();
            match cell.trim_start_matches('d').chars().next() {
                Some('b') => sums[0] = (sums[0].0 + file, sums[0].1 + 1),
                Some('g') => sums[1] = (sums[1].0 + file, sums[1].1 + 1),
                _ => {}
            }
            file = file.saturating_add(cell.parse().unwrap_or(1)).min(1000);
        }
    }
    let [(blue, blues), (green, greens)] = sums;
    (blues > 0 && greens > 0).then(|| blue * greens >= green * blues)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_beyond_any_board_is_no_number_of_squares() {
        for number in ["4294967295", "18446744073709551615", "99999999999999999999999"] {
            let file: Pgn4 = format!("[StartFen4 \"14/{number},bP,gP\"]\n\nh2-h4").parse().unwrap();
            let _ = (
                file.layout(),
                file.replay(),
                file.in_layout(Layout::Anticlockwise),
                file.in_layout(Layout::Clockwise),
            );
        }
    }

    #[test]
    fn known_starts_are_legal_and_mirror_back() {
        for (name, queens) in NAMED {
            let setup = start_with_queens(queens);
            assert!(setup.position().is_ok());
            let mut file = Pgn4::default();
            file.set_header(START, name);
            assert_eq!(file.layout(), Layout::Clockwise);
            let ours = file.in_layout(Layout::Anticlockwise);
            assert_eq!(ours.header(START), Some(setup.to_string().as_str()));
            assert_eq!(ours.layout(), Layout::Anticlockwise);
            assert_eq!(ours.in_layout(Layout::Clockwise).header(START), Some(name));
        }
    }

    #[test]
    fn our_start_is_recognised_either_way_round() {
        let mut file = Pgn4::default();
        assert_eq!(file.layout(), Layout::Anticlockwise);
        file.set_header(START, mirror_fen4(&Setup::start().to_string()));
        assert_eq!(file.layout(), Layout::Clockwise);
    }
}
