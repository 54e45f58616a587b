//! Opening books: facts about positions, and the values that follow from them.
//!
//! A book holds positions in the least of their eight images, sorted by number of discs. For each it keeps the best of the moves
//! that lead out of it, with value and depth ([`Leaf`]); the value of the position and everything else is derived, by negamax
//! over the positions that the moves lead to. Positions in which the side to move must pass are left out: what counts is the one
//! after the pass.
//!
//! [`Book`] is the book as it is used: a file that never changes ([`snapshot`]) and what its write-ahead log ([`wal`]) says has changed
//! since. Files are opened elsewhere; here are bytes only.

pub mod choice;
pub mod edax;
pub mod egaroucid;
mod embedded;
mod entry;
pub mod foreign;
pub mod growth;
pub mod layout;
pub mod learner;
pub mod lines;
pub mod memorize;
pub mod openings;
pub mod pack;
pub mod repertoire;
pub mod sections;
pub mod snapshot;
pub mod values;
pub mod wal;

#[cfg(test)]
pub(crate) mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use crate::board::{Board, Move, Square};
use crate::game::Game;
use crate::search::Selectivity;
use crate::support::checksum::Checksum;
pub use entry::{After, Entry, Leaf, Origin, Value, n_discs, orientation, turned};
use layout::BookError;
use pack::PackError;
use sections::Sections;
use snapshot::Snapshot;
use wal::Change;

/// A move that a book knows for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move on the board that was asked about.
    pub square: Square,
    /// Its value for the side to move.
    pub value: Value,
    /// Ways out of the book behind it; 1 for a move that leads out at once.
    pub lines: u32,
    /// Whether it leads out of the book at once.
    pub is_leaf: bool,
}

/// The part of a book that never changes.
#[derive(Debug)]
enum Base {
    File(Box<Snapshot>),
    Memory(Sections),
}

impl Base {
    fn find(&self, board: Board) -> Option<Entry> {
        match self {
            Base::File(file) => file.find(board),
            Base::Memory(sections) => sections.find(board),
        }
    }

    fn has_game(&self, fingerprint: u64) -> bool {
        match self {
            Base::File(file) => file.has_game(fingerprint),
            Base::Memory(sections) => sections.fingerprints.binary_search(&fingerprint).is_ok(),
        }
    }

    fn n_positions(&self) -> usize {
        match self {
            Base::File(file) => file.n_positions(),
            Base::Memory(sections) => sections.len(),
        }
    }

    /// All that is sound, and what is not.
    fn salvage(&self) -> (Sections, Option<BookError>) {
        match self {
            Base::File(file) => file.salvage(),
            Base::Memory(sections) => (sections.clone(), None),
        }
    }
}

/// A book in use.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// That of the packed form is made at the first look.
    base: OnceLock<Option<Arc<Base>>>,
    /// The packed form, if `base` comes from it.
    packed: &'static [u8],
    /// By number of discs and board, the least of its images; `None` for a position that is removed.
    changes: BTreeMap<(u32, Board), Option<Entry>>,
    games: BTreeSet<u64>,
}

/// Copies of a book are equal until one is changed. A file that is opened twice gives two books: to compare them would take long.
impl PartialEq for Book {
    fn eq(&self, other: &Book) -> bool {
        let base = |book: &Book| {
            let base = book.base.get().filter(|_| book.packed.is_empty());
            base.and_then(|base| base.as_ref().map(Arc::as_ptr))
        };
        self.packed == other.packed
            && base(self) == base(other)
            && self.changes == other.changes
            && self.games == other.games
    }
}

/// Lets shared books be compared at once.
impl Eq for Book {}

impl Book {
    /// The book of a file.
    pub fn new(base: Snapshot) -> Book {
        Book::over(Base::File(Box::new(base)))
    }

    /// A book in memory.
    pub fn of(sections: Sections) -> Book {
        Book::over(Base::Memory(sections))
    }

    fn over(base: Base) -> Book {
        Book { base: OnceLock::from(Some(Arc::new(base))), ..Book::default() }
    }

    /// The book in the bytes of the packed form, which a program can contain.
    ///
    /// # Errors
    /// If the bytes are something else or damaged.
    pub fn unpack(bytes: &[u8]) -> Result<Book, PackError> {
        pack::unpack(bytes).map(Book::of)
    }

    /// The book in the bytes of the packed form, unpacked when something is first looked up in it. Nothing is in it if they are
    /// something else.
    pub fn packed(bytes: &'static [u8]) -> Book {
        Book { packed: bytes, ..Book::default() }
    }

    /// Whether nothing is left to be unpacked.
    pub fn is_unpacked(&self) -> bool {
        self.packed.is_empty() || self.base.get().is_some()
    }

    /// Unpacks the book now, if that is not done.
    pub fn prepare(&self) {
        self.base();
    }

    fn base(&self) -> Option<&Base> {
        let unpack = || Some(Arc::new(Base::Memory(pack::unpack(self.packed).ok()?)));
        self.base.get_or_init(unpack).as_deref()
    }

    /// Makes a change.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Put(entry) => {
                self.changes.insert(key(entry.board), Some(*entry));
            }
            Change::Remove(board) => {
                self.changes.insert(key(*board), None);
            }
            Change::Game(fingerprint) => {
                self.games.insert(*fingerprint);
            }
        }
    }

    /// Number of positions; takes time for each change since the file was written.
    pub fn len(&self) -> usize {
        let in_base = |board| self.base().is_some_and(|base| base.find(board).is_some());
        let n_base = self.base().map_or(0, Base::n_positions);
        self.changes.iter().fold(n_base, |n, (&(_, board), change)| match change {
            Some(_) if !in_base(board) => n + 1,
            None if in_base(board) => n - 1,
            _ => n,
        })
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of changes since the file was written.
    pub fn n_changes(&self) -> usize {
        self.changes.len() + self.games.len()
    }

    /// What is damaged of the file, as far as it has been read: positions there are not found.
    pub fn damage(&self) -> Option<BookError> {
        match self.base() {
            Some(Base::File(file)) => file.damage(),
            _ => None,
        }
    }

    /// Finds a position in any orientation. The leaf's square is that of the entry's own board.
    pub fn find(&self, board: Board) -> Option<Entry> {
        self.find_least(crate::board::symmetry::canonical(board))
    }

    fn find_least(&self, board: Board) -> Option<Entry> {
        match self.changes.get(&key(board)) {
            Some(changed) => *changed,
            None => self.base()?.find(board),
        }
    }

    /// Whether a game is counted.
    pub fn has_game(&self, fingerprint: u64) -> bool {
        self.games.contains(&fingerprint)
            || self.base().is_some_and(|base| base.has_game(fingerprint))
    }

    /// The links of a board in any orientation.
    pub fn links(&self, board: Board) -> Vec<values::Link> {
        values::links(board, |child| self.find_least(child))
    }

    /// The moves that the book knows for a board, the best first: those that stay in it, and the leaf, turned as the board is. Of
    /// moves that are equal by symmetry all are listed. Of equally good moves a settled one comes first, then the one with more lines, then
    /// the lower square.
    pub fn moves(&self, board: Board) -> Vec<BookMove> {
        let Some(entry) = self.find(board) else { return Vec::new() };
        let mut moves: Vec<BookMove> = self
            .links(board)
            .into_iter()
            .map(|link| BookMove {
                square: Square::lowest(link.bit),
                value: link.value,
                lines: link.lines,
                is_leaf: false,
            })
            .collect();
        if let Some(leaf) = entry.leaf {
            let after = After::play(entry.board, leaf.square);
            let value = leaf.value(board.n_empties());
            for square in board.moves() {
                let is_known = moves.iter().any(|mv| mv.square == square);
                if !is_known && After::play(board, square) == after {
                    moves.push(BookMove { square, value, lines: 1, is_leaf: true });
                }
            }
        }
        // Of equal values the settled one: whether the book is played from must not depend on how the board is turned.
        let rank = |mv: &BookMove| (mv.value.score, mv.value.is_settled(), mv.lines);
        moves.sort_by_key(|mv| (std::cmp::Reverse(rank(mv)), mv.square.index()));
        moves
    }

    /// The best moves from a board to the way out of the book, the last one included; passes are left out. With them the depth and
    /// the confidence of the search behind the value, the depth reckoned from the board on.
    pub fn variation(&self, board: Board) -> (Vec<Square>, u32, Selectivity) {
        let Some(&best) = self.moves(board).first() else {
            return (Vec::new(), 0, Selectivity::FULL);
        };
        let line = self.line(board, best);
        let square = |mv: &Move| match mv {
            Move::Place(square) => Some(*square),
            Move::Pass => None,
        };
        (line.pv.iter().filter_map(square).collect(), line.depth, line.selectivity)
    }

    /// The whole book in memory.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn sections(&self) -> Result<Sections, BookError> {
        let (sections, lost) = self.salvage();
        lost.map_or(Ok(sections), Err)
    }

    /// All that is sound of the book, and what is not. As long as nothing has changed, the values are those in the file.
    pub fn salvage(&self) -> (Sections, Option<BookError>) {
        let (base, lost) = self.base().map(Base::salvage).unwrap_or_default();
        (self.changed(base), lost)
    }

    /// A book with the changes made.
    fn changed(&self, base: Sections) -> Sections {
        if self.n_changes() == 0 {
            return base;
        }
        let mut fingerprints: Vec<u64> =
            base.fingerprints.iter().chain(&self.games).copied().collect();
        fingerprints.sort_unstable();
        fingerprints.dedup();
        let kept = base.iter().filter(|entry| !self.changes.contains_key(&key(entry.board)));
        let mut sections =
            Sections::new(kept.copied().chain(self.changes.values().copied().flatten()));
        sections.fingerprints = fingerprints;
        sections
    }
}

/// Where a board is kept among the changes.
fn key(board: Board) -> (u32, Board) {
    (n_discs(board), board)
}

/// A fingerprint of a game: of its start and its moves, in the least of the eight orientations, so that the same game counts once
/// however it is turned. Passes do not count.
pub fn fingerprint(game: &Game) -> u64 {
    let start = game.start().board;
    let image = |k: usize| {
        let turned_start = crate::board::symmetry::transform_board(start, k);
        let mut sum = Checksum::of(&turned_start.player.to_le_bytes());
        sum.add(&turned_start.opponent.to_le_bytes());
        for square in game.plies().iter().filter_map(|ply| ply.mv.square()) {
            sum.add(&[turned(square, k).index() as u8]);
        }
        sum.value()
    };
    (0..8).map(image).min().unwrap_or_default()
}
