//! A book as a compact tree of moves, about 5 bytes a position, to be embedded in a program.
//!
//! | offset | type | what |
//! |---|---|---|
//! | 0 | 8 bytes | `OTHPACK` and a line end |
//! | 8 | u32 | CRC-32 of everything behind it |
//! | 12 | u32 | number of positions |
//! | 16 | 4 x {u8, u8} | classes of searches: plies (255: to the end of the game), confidence in percent; 0 if unused |
//! | 24 | | the start position with all positions after it |
//!
//! A position consists of the score of its leaf in 1/8 disc (i16), a byte with the move of the leaf (lower 6 bits; 63 if there is no leaf)
//! and its class (upper 2 bits), then for each child the move to it (u8) and the child itself, and 255 at the end. Moves are numbered from
//! 0 in the order of their squares, on the least image of the board. A position is stored where it is first reached; links by other moves,
//! values and lines are derived. Games are left out, and so are positions that cannot be reached from the start.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{After, Entry, Leaf, Origin};
use super::layout::u32_at;
use super::sections::Sections;
use crate::board::symmetry::canonical;
use crate::board::{Board, Square};
use crate::score::{DISC, MAX, Score};
use crate::search::Selectivity;

const MAGIC: &[u8; 8] = b"OTHPACK\n";
const HEAD: usize = 24;
const N_CLASSES: usize = 4;

/// 1/8 disc.
const STEP: Score = DISC / 8;

/// Move number for a position without a leaf.
const NO_LEAF: u8 = 63;

/// Plies of a class of searches to the end.
const TO_THE_END: u8 = 255;

/// Marks the end of a position's children.
const END: u8 = 255;

/// Why bytes are no packed book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// They begin with something else.
    #[error("not a packed book")]
    Foreign,
    /// Their checksum is wrong, or they describe no possible book.
    #[error("the packed book is damaged")]
    Damaged,
}

/// Plies and confidence in percent of a search.
type Class = (u8, u8);

fn class_of(leaf: Leaf, n_empties: u32) -> Class {
    let reaches_end = u32::from(leaf.depth) >= n_empties;
    (if reaches_end { TO_THE_END } else { leaf.depth }, leaf.selectivity.percent() as u8)
}

/// Whether a class claims no more than another one.
const fn is_within(class: Class, other: Class) -> bool {
    class.0 <= other.0 && class.1 <= other.1
}

/// The classes that most leaves have, in ascending order. If some leaf is below all of them, the last makes way for one below all leaves.
fn classes(sections: &Sections) -> Vec<Class> {
    let mut counts: BTreeMap<Class, usize> = BTreeMap::new();
    for entry in sections.iter() {
        if let Some(leaf) = entry.leaf {
            *counts.entry(class_of(leaf, entry.board.n_empties())).or_default() += 1;
        }
    }
    let mut classes: Vec<Class> = counts.keys().copied().collect();
    classes.sort_by_key(|class| std::cmp::Reverse((counts[class], *class)));
    classes.truncate(N_CLASSES);
    if !counts.keys().all(|&leaf| classes.iter().any(|&class| is_within(class, leaf))) {
        let least = counts.keys().copied().reduce(|a, b| (a.0.min(b.0), a.1.min(b.1)));
        classes.truncate(N_CLASSES - 1);
        classes.extend(least);
    }
    classes.sort_unstable();
    classes
}

/// Whether bytes begin as a packed book does.
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Packs a book; returns the bytes and the number of positions. Scores are rounded to 1/8 disc. Of more than four classes
/// of searches, the rarer ones become one that claims less: fewer plies or less confidence, and more of neither.
pub fn pack(sections: &Sections) -> (Vec<u8>, usize) {
    let classes = classes(sections);
    let mut bytes = vec![0; HEAD];
    bytes[..8].copy_from_slice(MAGIC);
    for (at, class) in classes.iter().enumerate() {
        bytes[16 + 2 * at..18 + 2 * at].copy_from_slice(&[class.0, class.1]);
    }
    let mut packer = Packer { sections, classes, bytes, packed: BTreeSet::new() };
    if let Some(start) = sections.find(canonical(Board::START)) {
        packer.add(&start);
    }
    let Packer { mut bytes, packed, .. } = packer;
    bytes[12..16].copy_from_slice(&(packed.len() as u32).to_le_bytes());
    let checksum = crc32fast::hash(&bytes[12..]);
    bytes[8..12].copy_from_slice(&checksum.to_le_bytes());
    (bytes, packed.len())
}

struct Packer<'a> {
    sections: &'a Sections,
    classes: Vec<Class>,
    bytes: Vec<u8>,
    packed: BTreeSet<Board>,
}

impl Packer<'_> {
    fn add(&mut self, entry: &Entry) {
        self.packed.insert(entry.board);
        let squares: Vec<Square> = entry.board.moves().collect();
        let (score, mark) = match entry.leaf {
            None => (0, NO_LEAF),
            Some(leaf) => {
                let wanted = class_of(leaf, entry.board.n_empties());
                let is_lower = |&class: &Class| is_within(class, wanted);
                let lower = self.classes.iter().rposition(is_lower).unwrap_or(0);
                let number = squares.iter().position(|square| *square == leaf.square).unwrap_or(0);
                let score = Score::from(leaf.score);
                let rounded = (score.abs() + STEP / 2) / STEP * score.signum();
                (rounded as i16, number as u8 | (lower as u8) << 6)
            }
        };
        self.bytes.extend(score.to_le_bytes());
        self.bytes.push(mark);
        for (number, &square) in (0u8..).zip(&squares) {
            let child = After::play(entry.board, square).board();
            let child = child.filter(|child| !self.packed.contains(child));
            if let Some(child) = child.and_then(|child| self.sections.find(child)) {
                self.bytes.push(number);
                self.add(&child);
            }
        }
        self.bytes.push(END);
    }
}

/// Unpacks a book and derives its values.
pub fn unpack(bytes: &[u8]) -> Result<Sections, PackError> {
    if bytes.len() < HEAD || bytes[..8] != *MAGIC {
        return Err(PackError::Foreign);
    }
    if crc32fast::hash(&bytes[12..]) != u32_at(bytes, 8) {
        return Err(PackError::Damaged);
    }
    let mut unpacker = Unpacker {
        classes: [16, 18, 20, 22].map(|at| (bytes[at], bytes[at + 1])),
        rest: &bytes[HEAD..],
        entries: BTreeMap::new(),
    };
    if !unpacker.rest.is_empty() {
        unpacker.read(canonical(Board::START)).ok_or(PackError::Damaged)?;
    }
    let n_positions = unpacker.entries.len() as u64;
    if !unpacker.rest.is_empty() || n_positions != u64::from(u32_at(bytes, 12)) {
        return Err(PackError::Damaged);
    }
    Ok(Sections::new(unpacker.entries.into_values()))
}

struct Unpacker<'a> {
    classes: [Class; N_CLASSES],
    rest: &'a [u8],
    entries: BTreeMap<Board, Entry>,
}

impl Unpacker<'_> {
    /// Reads a position and all positions after it; `None` if the bytes are invalid. Recurses no deeper than a game has moves.
    fn read(&mut self, board: Board) -> Option<()> {
        let ([low, high, mark], rest) = self.rest.split_first_chunk::<3>()?;
        self.rest = rest;
        let squares: Vec<Square> = board.moves().collect();
        let mut entry = Entry::new(board);
        if mark & 0x3F != NO_LEAF {
            let (plies, percent) = self.classes[usize::from(mark >> 6)];
            let selectivity = Selectivity::from_percent(percent.into());
            let score = Score::from(i16::from_le_bytes([*low, *high])) * STEP;
            if score.abs() > MAX || selectivity.percent() != u32::from(percent) {
                return None;
            }
            let n_empties = board.n_empties() as u8;
            entry.leaf = Some(Leaf {
                square: *squares.get(usize::from(mark & 0x3F))?,
                score: score as i16,
                depth: plies.min(n_empties),
                selectivity,
                origin: Origin::Search,
            });
        }
        if self.entries.insert(board, entry).is_some() {
            return None;
        }
        loop {
            let (&number, rest) = self.rest.split_first()?;
            self.rest = rest;
            if number == END {
                return Some(());
            }
            let square = *squares.get(usize::from(number))?;
            self.read(After::play(board, square).board()?)?;
        }
    }
}
