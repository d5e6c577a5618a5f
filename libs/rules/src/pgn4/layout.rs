//! Which way round a file is: our anticlockwise order of play, or the clockwise one of other sites.

use std::borrow::Cow;
use std::fmt;

use super::text::header_value;
use super::{Entry, Header, Pgn4, WrittenMove};
use crate::{Army, Piece, Role, Setup, Square};

/// Where the armies sit (rules, section 2). Turn order is Red, Blue, Yellow, Green in both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Ours: Blue sits east, to Red's right.
    Anticlockwise,
    /// That of other sites: Blue sits west. Exchanging files a and n turns one into the other.
    Clockwise,
}

/// A start position that is neither a known name nor a FEN4 that our rules accept (rules, section 10).
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
pub(super) const VARIANT: &str = "Variant";
/// Our header for a file that was mirrored, its first one: what the file did not say before, or said by a name,
/// `Layout=none StartFen4=4PC`. It is empty if nothing but sides was exchanged.
const MIRRORED: &str = "Mirrored";
/// Clockwise sites' header for the options of a game.
const RULE_VARIANTS: &str = "RuleVariants";

/// Names of start positions of clockwise sites, and the squares where their queens stand, red first, clockwise.
const NAMED: [(&str, [&str; 4]); 2] = [("4PC", ["g1", "a8", "h14", "n7"]), ("4PCo", ["g1", "a7", "h14", "n8"])];

impl Layout {
    const fn word(self) -> &'static str {
        match self {
            Layout::Anticlockwise => "anticlockwise",
            Layout::Clockwise => "clockwise",
        }
    }

    const fn other(self) -> Layout {
        match self {
            Layout::Anticlockwise => Layout::Clockwise,
            Layout::Clockwise => Layout::Anticlockwise,
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

/// The start positions a file can mean.
pub(super) struct Starts {
    /// In our layout; of several, the usual one first.
    pub(super) setups: Vec<Setup>,
    /// Names of the extra keys that are not known.
    pub(super) unknown_keys: Vec<String>,
}

impl Pgn4 {
    /// Which way round the file is (rules, section 2): by the header `Layout`, by the name or the armies' places in `StartFen4`, by headers
    /// that only one kind of file has (`Rules` ours, `RuleVariants` that of clockwise sites), else the way round in which
    /// more of its moves can be played. In doubt ours.
    #[must_use]
    pub fn layout(&self) -> Layout {
        use Layout::{Anticlockwise, Clockwise};
        if let Some(layout) = self.said_layout() {
            return layout;
        }
        match self.header(START) {
            Some(name) if !name.contains('/') => return Clockwise,
            Some(fen4) => match is_blue_east(fen4) {
                Some(true) => return Anticlockwise,
                Some(false) => return Clockwise,
                None => {}
            },
            None => {}
        }
        if self.header(RULES) == Some(OUR_RULES) {
            return Anticlockwise;
        }
        if self.header(RULE_VARIANTS).is_some() {
            return Clockwise;
        }
        if self.reach(Clockwise) > self.reach(Anticlockwise) { Clockwise } else { Anticlockwise }
    }

    fn said_layout(&self) -> Option<Layout> {
        let word = self.header(LAYOUT)?;
        [Layout::Anticlockwise, Layout::Clockwise].into_iter().find(|layout| layout.word() == word)
    }

    /// Whether the file was played by our rules (rules, section 9): it says so in `Rules`, or it says nothing and has, or
    /// had before it was mirrored, our layout.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        match self.header(RULES) {
            Some(rules) => rules == OUR_RULES,
            None => (self.layout() == Layout::Anticlockwise) != self.original().is_some(),
        }
    }

    /// The file in the wanted layout (rules, section 2): as it is, or with files a and n exchanged in its start position,
    /// moves and variations. The header `Layout` says which one it is then, and a first header `Mirrored` what the file
    /// said before, so that there and back is the same file. A `Mirrored` that says anything else than mirroring would is
    /// a header like any other.
    #[must_use]
    pub fn in_layout(&self, wanted: Layout) -> Pgn4 {
        if self.layout() == wanted { self.clone() } else { self.original().unwrap_or_else(|| self.mirrored()) }
    }

    /// Exchanges files a and n in everything that says where it is.
    fn exchange(&mut self) {
        if let Some(layout) = self.said_layout() {
            self.set_header(LAYOUT, layout.other().word());
        }
        if let Some(start) = self.header(START).filter(|start| start.contains('/')).map(mirror_fen4) {
            self.set_header(START, start);
        }
        mirror(&mut self.moves);
    }

    fn mirrored(&self) -> Pgn4 {
        let layout = self.layout();
        let mirrored = |setup: &Setup| in_layout(setup, layout.other());
        let mut file = self.clone();
        file.exchange();
        let (mut before, mut first) = (Vec::new(), Vec::new());
        // The first header of a name is the one that counts.
        let mut say = |name: &str, value: String| first.push(Header { name: name.to_owned(), value });
        if self.said_layout().is_none() {
            before.push(format!("{LAYOUT}=none"));
            say(LAYOUT, layout.other().word().to_owned());
        }
        match self.header(START) {
            // A FEN4, or a name that nobody here knows, which stays.
            Some(start) => {
                if let Some(setup) = start_named(start) {
                    before.push(format!("{START}={start}"));
                    file.set_header(START, mirrored(&setup));
                }
            }
            None => {
                if let Ok(attempt) = self.replay_in(layout, self.is_ours()) {
                    before.push(format!("{START}=none"));
                    say(START, mirrored(&attempt.setup));
                }
            }
        }
        first.insert(0, Header { name: MIRRORED.to_owned(), value: before.join(" ") });
        file.headers.splice(0..0, first);
        file
    }

    /// The file that mirroring made this one of.
    fn original(&self) -> Option<Pgn4> {
        let is_mirrored = |header: &&Header| header.name == MIRRORED;
        let before = &self.headers.first().filter(is_mirrored)?.value;
        // Mirroring says both.
        self.said_layout()?;
        self.header(START).filter(|start| start_named(start).is_none())?;
        let mut file = self.clone();
        if before.is_empty() {
            // Of any number of such headers every second one is true, from the last on: that one is, if what comes after
            // them is no mirrored file by itself.
            let count = self.headers.iter().take_while(|header| is_mirrored(header) && header.value.is_empty()).count();
            file.headers.drain(..count);
            if count % 2 == 1 {
                file.exchange();
            }
            let is_true = (count % 2 == 1) != file.original().is_some();
            file.clone_from(self);
            file.headers.remove(0);
            file.exchange();
            return is_true.then_some(file);
        }
        file.headers.remove(0);
        file.exchange();
        let start = before.split_once(&format!("{START}=")).map(|(_, start)| start);
        for (name, is_new) in [(LAYOUT, before.starts_with("Layout=none")), (START, start == Some("none"))] {
            if is_new {
                file.headers.first().filter(|header| header.name == name)?;
                file.headers.remove(0);
            }
        }
        if let Some(name) = start.filter(|&start| start != "none") {
            file.set_header(START, name);
        }
        (file.mirrored() == *self).then_some(file)
    }

    /// The start positions that go without saying in a layout.
    fn unsaid_starts(&self, layout: Layout) -> Vec<Setup> {
        if layout == Layout::Anticlockwise || self.header(RULES) == Some(OUR_RULES) {
            vec![Setup::start()]
        } else {
            NAMED.into_iter().map(|(_, queens)| start_with_queens(queens)).collect()
        }
    }

    /// The start positions the file can mean if it has this layout: one, or for a clockwise file that says nothing, both
    /// of the known ones.
    pub(super) fn starts(&self, layout: Layout) -> Result<Starts, UnknownStart> {
        let (setups, unknown_keys) = match self.header(START) {
            None => (self.unsaid_starts(layout), Vec::new()),
            Some(fen4) if fen4.contains('/') => {
                let ours = if layout == Layout::Clockwise { mirror_fen4(fen4) } else { fen4.to_owned() };
                let (setup, unknown) = Setup::from_fen4(&ours).map_err(|error| UnknownStart(error.to_string()))?;
                (vec![setup], unknown)
            }
            Some(name) => match start_named(name) {
                Some(setup) => (vec![setup], Vec::new()),
                None => return Err(UnknownStart(format!("{name} is not a known name"))),
            },
        };
        Ok(Starts { setups, unknown_keys })
    }

    /// The entries of the main line in our layout.
    pub(super) fn moves_in_ours(&self, layout: Layout) -> Cow<'_, [Entry]> {
        match layout {
            Layout::Anticlockwise => Cow::Borrowed(&self.moves),
            Layout::Clockwise => {
                let mut moves = self.moves.clone();
                mirror(&mut moves);
                Cow::Owned(moves)
            }
        }
    }
}

fn start_named(name: &str) -> Option<Setup> {
    NAMED
        .into_iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name.trim()))
        .map(|(_, queens)| start_with_queens(queens))
}

/// A setup of ours as a layout has it.
fn in_layout(setup: &Setup, layout: Layout) -> String {
    match layout {
        Layout::Anticlockwise => setup.to_string(),
        Layout::Clockwise => mirror_fen4(&setup.to_string()),
    }
}

fn mirror(moves: &mut [Entry]) {
    for entry in moves {
        entry.token.mv = entry.token.mv.take().map(WrittenMove::mirrored);
        for variation in &mut entry.variations {
            mirror(&mut variation.moves);
        }
    }
}

/// Where the board of a FEN4 begins: after the last `-`, which is outside its braces. None in a text that is no FEN4 of
/// any kind.
fn board_of(fen4: &str) -> Option<usize> {
    let board = match (fen4.rfind('-'), fen4.rfind('}')) {
        (Some(dash), brace) if Some(dash) > brace => dash + 1,
        (None, None) => 0,
        _ => return None,
    };
    let is_full = |rank: &str| rank.split(',').all(|cell| !cell.trim().is_empty());
    fen4[board..].split('/').all(is_full).then_some(board)
}

/// Reverses every rank of a FEN4, whatever pieces stand there, and mirrors the squares that its extra keys name.
/// Everything else stays: short and long castling do.
fn mirror_fen4(fen4: &str) -> String {
    let Some(board) = board_of(fen4) else { return fen4.to_owned() };
    let (head, board) = fen4.split_at(board);
    let ranks = board.split('/').map(|rank| {
        let cells: Vec<&str> = rank.split(',').collect();
        // Space stays where it is.
        let mirrored = cells.iter().zip(cells.iter().rev()).map(|(here, there)| {
            let (before, after) = around(here);
            format!("{before}{}{after}", there.trim())
        });
        mirrored.collect::<Vec<_>>().join(",")
    });
    let extra = head.find('{').unwrap_or(head.len());
    let mirrored = mirror_squares(&head[..extra], &head[extra..]) + &ranks.collect::<Vec<_>>().join("/");
    // Nonsense that could not be printed so stays as it is.
    if header_value(&mirrored) == mirrored { mirrored } else { fen4.to_owned() }
}

/// The space before and after what a text holds.
fn around(text: &str) -> (&str, &str) {
    let after = &text[text.trim_end().len()..];
    let before = text.len() - after.len() - text.trim().len();
    (&text[..before], after)
}

/// A text with every word in it that names a square mirrored.
fn mirror_squares(before: &str, text: &str) -> String {
    let mut mirrored = before.to_owned();
    for part in text.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric()) {
        let word = part.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
        match word.parse::<Square>() {
            Ok(square) => mirrored.extend([&square.mirrored().to_string(), &part[word.len()..]]),
            Err(_) => mirrored.push_str(part),
        }
    }
    mirrored
}

/// Whether Blue's pieces stand east of Green's on average. None if one of them has none.
fn is_blue_east(fen4: &str) -> Option<bool> {
    let mut sums = [(0_u64, 0_u64); 2];
    for rank in fen4[board_of(fen4)?..].split('/') {
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
