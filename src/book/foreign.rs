//! The common part of reading other programs' books: positions with stored values, and moves to missing positions.

use std::collections::BTreeMap;
use std::fmt;

use super::entry::{After, Entry, Leaf, Origin, n_discs, orientation, turned};
use super::sections::Sections;
use super::values::{Link, linked};
use crate::board::bitboard::CENTER;
use crate::board::symmetry::canonical;
use crate::board::{Board, Square};
use crate::score::{DISC, Score};
use crate::search::Selectivity;

/// Why bytes are no book of another program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForeignError {
    /// It begins with something else.
    #[error("not a book of {0}")]
    Foreign(&'static str),
    /// The version is not one that is known.
    #[error("version {0} of the format is not known")]
    Version(u8),
    /// It ends in the middle of a position.
    #[error("cut off after {0} positions")]
    Torn(usize),
    /// It holds another number of positions than it says.
    #[error("{found} positions, where the file says {said}")]
    Number {
        /// The number that the file states.
        said: u64,
        /// The number that the file holds.
        found: u64,
    },
}

/// What is wrong with a position of another program's book; the book is read all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    /// Overlapping discs or an empty center: the position is left out.
    Board,
    /// It is not the least of its images, as the format wants it: the position is turned.
    Orientation,
    /// It is there more than once: the first counts.
    Repeated,
    /// A move that is illegal or out of range, or a score beyond 64 discs: the move is left out.
    Move,
    /// A move is there more than once, or is both a link and the best other move: the first counts.
    RepeatedMove,
    /// The position that a move leads to is not there: the move leads out of the book.
    Missing,
    /// A move has another score than the position that it leads to: the position counts.
    Score,
    /// There should be a best other move, and there is none.
    NoLeaf,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flaw::Board => "impossible positions, left out",
            Flaw::Orientation => "positions in another orientation, turned",
            Flaw::Repeated => "positions more than once, the first counts",
            Flaw::Move => "illegal moves or scores, left out",
            Flaw::RepeatedMove => "moves more than once, the first counts",
            Flaw::Missing => "moves to positions that are not there, kept as moves out of the book",
            Flaw::Score => "moves with another score than the position behind them, which counts",
            Flaw::NoLeaf => "positions without their best other move",
        })
    }
}

/// A book as read, with what was wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The book, its values derived.
    pub sections: Sections,
    /// What was wrong, and how often.
    pub flaws: BTreeMap<Flaw, usize>,
}

/// A position as another program keeps it.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    pub board: Board,
    /// The value in discs with the effort behind it.
    pub value: Option<(i32, Effort)>,
    /// The best move out of the book: square, score in discs, effort.
    pub leaf: Option<(u8, i32, Effort)>,
    /// Squares and scores in discs of the moves that stay in the book, in formats that list them.
    pub links: Vec<(u8, i32)>,
    pub games: [u32; 3],
    /// Whether the format requires a leaf if a legal move is not a link.
    pub wants_leaf: bool,
}

/// How another program found a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// By a search at this level, which is about its depth in plies.
    Level(u8),
    Proven,
    Person,
}

impl Effort {
    fn leaf(self, square: Square, discs: i32, n_empties: u32) -> Leaf {
        let (depth, selectivity, origin) = match self {
            Effort::Level(level) => {
                (u32::from(level).min(n_empties), Selectivity::from_percent(73), Origin::Import)
            }
            Effort::Proven => (n_empties, Selectivity::FULL, Origin::Import),
            Effort::Person => (0, Selectivity::from_percent(73), Origin::Person),
        };
        Leaf { square, score: (discs * DISC) as i16, depth: depth as u8, selectivity, origin }
    }

    /// The effort behind a leaf, in the terms of other programs.
    pub fn of(leaf: Leaf, n_empties: u32) -> Effort {
        if leaf.origin == Origin::Person {
            Effort::Person
        } else if leaf.is_proven(n_empties) {
            Effort::Proven
        } else {
            Effort::Level(leaf.depth)
        }
    }
}

/// The level of a move that nobody has searched.
pub(super) const NO_SEARCH: u8 = 0;

/// The best move out of the book, as other programs store it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OtherMove {
    pub discs: i32,
    pub square: u8,
    /// Whether a search found it. Otherwise it stands for all others, with a bound, at the level [`NO_SEARCH`].
    pub is_searched: bool,
}

/// If the leaf has become a link, the first other move gets its bound, but no more than the best link has, so that the value of the
/// position stays the same.
pub(super) fn other_move(entry: &Entry, links: &[Link]) -> Option<OtherMove> {
    let linked = linked(links);
    let others = entry.board.legal_moves() & !linked;
    let leaf = entry.leaf.filter(|_| others != 0)?;
    let discs = whole_discs(leaf.score);
    if leaf.square.bit() & linked == 0 {
        return Some(OtherMove { discs, square: leaf.square.index() as u8, is_searched: true });
    }
    let best = links.iter().map(|link| whole_discs(link.value.score)).max();
    let discs = best.map_or(discs, |best| best.min(discs));
    Some(OtherMove { discs, square: others.trailing_zeros() as u8, is_searched: false })
}

/// A score rounded to whole discs, halves away from zero.
pub(super) fn whole_discs(score: i16) -> i32 {
    let score = Score::from(score);
    (score.abs() + DISC / 2) / DISC * score.signum()
}

/// Makes a book of these positions. One with a value but no known move is left out: the move to it may become a leaf.
pub(super) fn import(raws: Vec<Raw>) -> Imported {
    let mut flaws = BTreeMap::new();
    let mut known: BTreeMap<(u32, Board), Raw> = BTreeMap::new();
    for raw in raws {
        add(&mut known, raw, &mut flaws);
    }
    // From the last positions to the first, keep those that have a leaf, a link to a kept position, or no value.
    let mut entries: BTreeMap<(u32, Board), Entry> = BTreeMap::new();
    for (&key, raw) in known.iter().rev() {
        let mut links = 0;
        let mut best = raw.leaf.map(|(square, discs, effort)| (discs, square, effort));
        let mut consider = |discs: i32, square: Square, effort: Effort| {
            let square = square.index() as u8;
            if best.is_none_or(|(most, ..)| discs > most) {
                best = Some((discs, square, effort));
            }
        };
        for square in raw.board.moves() {
            let listed =
                raw.links.iter().find(|(listed, _)| usize::from(*listed) == square.index());
            let after = After::play(raw.board, square);
            let Some(child) = after.board() else {
                links |= square.bit();
                continue;
            };
            let child_key = (n_discs(child), child);
            let sign = if matches!(after, After::Same(_)) { 1 } else { -1 };
            if entries.contains_key(&child_key) {
                links |= square.bit();
                let value = known.get(&child_key).and_then(|child| child.value);
                if let (Some((_, score)), Some((value, _))) = (listed, value)
                    && *score != sign * value
                {
                    *flaws.entry(Flaw::Score).or_default() += 1;
                }
            } else if let Some((value, effort)) = known.get(&child_key).and_then(|raw| raw.value) {
                consider(sign * value, square, effort);
            } else if let Some((_, score)) = listed {
                *flaws.entry(Flaw::Missing).or_default() += 1;
                consider(*score, square, raw.value.map_or(Effort::Level(0), |(_, effort)| effort));
            }
        }
        let listed = raw.links.iter().fold(links, |all, (square, _)| all | 1 << square);
        let has_others = raw.board.legal_moves() & !listed != 0;
        if raw.wants_leaf && has_others && raw.leaf.is_none() {
            *flaws.entry(Flaw::NoLeaf).or_default() += 1;
        }
        let n_empties = raw.board.n_empties();
        let leaf = best.and_then(|(discs, square, effort)| {
            // A bound belongs to a move that stays in the book (see `OtherMove`).
            let is_bound = effort == Effort::Level(NO_SEARCH) && links != 0;
            let square = if is_bound { Square::lowest(links) } else { Square::new(square)? };
            Some(effort.leaf(square, discs, n_empties))
        });
        if leaf.is_some() || links != 0 || raw.value.is_none() {
            entries.insert(key, Entry { leaf, games: raw.games, ..Entry::new(raw.board) });
        }
    }
    Imported { sections: Sections::new(entries.into_values()), flaws }
}

/// Checks a position, notes its flaws, and adds the sound part of it.
fn add(known: &mut BTreeMap<(u32, Board), Raw>, raw: Raw, flaws: &mut BTreeMap<Flaw, usize>) {
    let mut note = |flaw| *flaws.entry(flaw).or_default() += 1;
    let Board { player, opponent } = raw.board;
    if player & opponent != 0 || raw.board.empties() & CENTER != 0 {
        return note(Flaw::Board);
    }
    let least = canonical(raw.board);
    if least != raw.board {
        note(Flaw::Orientation);
    }
    // Forced passes and finished games are not kept: they follow from the positions before them.
    if raw.board.legal_moves() == 0 {
        return;
    }
    let key = (n_discs(least), least);
    if known.contains_key(&key) {
        return note(Flaw::Repeated);
    }
    let k = orientation(raw.board);
    let is_good = |square: u8, discs: i32| {
        let square = Square::new(square)?;
        let is_legal = raw.board.legal_moves() & square.bit() != 0;
        (is_legal && discs.abs() <= 64).then(|| turned(square, k).index() as u8)
    };
    let mut links: Vec<(u8, i32)> = Vec::new();
    for &(square, discs) in &raw.links {
        match is_good(square, discs) {
            None => note(Flaw::Move),
            Some(square) if links.iter().any(|(known, _)| *known == square) => {
                note(Flaw::RepeatedMove);
            }
            Some(square) => links.push((square, discs)),
        }
    }
    let leaf = raw.leaf.and_then(|(square, discs, effort)| {
        let Some(square) = is_good(square, discs) else {
            note(Flaw::Move);
            return None;
        };
        if links.iter().any(|(known, _)| *known == square) {
            note(Flaw::RepeatedMove);
            return None;
        }
        Some((square, discs, effort))
    });
    let value = raw.value.filter(|(discs, _)| discs.abs() <= 64);
    known.insert(key, Raw { board: least, leaf, links, value, ..raw });
}
