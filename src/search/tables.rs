//! The tables that each thread has for itself, beside the [transposition table](crate::transposition) of all threads: exact bounds
//! near the end of the game, and nodes a few plies above the leaves.

use std::fmt;

use super::Selectivity;
use crate::board::{Board, Square, hash};
use crate::score::{INFINITE, Score};
use crate::support::cpu::prefetch;

#[derive(Debug)]
pub(in crate::search) struct ThreadTables {
    /// Positions with few empties.
    pub bounds: BoundsTable,
    /// Positions a few plies above the leaves.
    pub shallow: ShallowTable,
}

impl ThreadTables {
    pub const SIZE: usize = BoundsTable::SIZE + ShallowTable::SIZE;

    /// Empty tables; `None` if the system refuses the memory.
    pub fn try_new() -> Option<ThreadTables> {
        Some(ThreadTables { bounds: BoundsTable::try_new()?, shallow: ShallowTable::try_new()? })
    }

    /// Empties the tables, without touching their memory.
    pub fn forget(&mut self) {
        self.bounds.forget();
        self.shallow.forget();
    }
}

/// Entries: 512 KiB, which leaves most of a second-level cache to the rest.
const BOUNDS_ENTRIES: usize = 1 << 14;

/// In discs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct Bounds {
    pub lower: i32,
    pub upper: i32,
}

/// All zeros is the board without discs, which no game reaches.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct BoundsEntry {
    board: Board,
    lower: i8,
    upper: i8,
    search: u32,
}

/// Positions with few empties are too many and too cheap for the shared table, where each visit would wait for memory. This table
/// stays in the processor's cache, has one place for each hash and always takes the newest entry. Its bounds are exact, so they hold for
/// any search.
pub(in crate::search) struct BoundsTable {
    entries: Box<[BoundsEntry; BOUNDS_ENTRIES]>,
    /// Number of the current search; entries of others do not count.
    search: u32,
}

impl fmt::Debug for BoundsTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BoundsTable").field("search", &self.search).finish_non_exhaustive()
    }
}

const NO_BOUNDS: BoundsEntry =
    BoundsEntry { board: Board { player: 0, opponent: 0 }, lower: 0, upper: 0, search: 0 };

impl BoundsTable {
    pub const SIZE: usize = size_of::<[BoundsEntry; BOUNDS_ENTRIES]>();

    pub fn try_new() -> Option<BoundsTable> {
        // A vector, because an array would first be built on the stack.
        let mut entries = Vec::new();
        entries.try_reserve_exact(BOUNDS_ENTRIES).ok()?;
        entries.resize(BOUNDS_ENTRIES, NO_BOUNDS);
        let entries = entries.into_boxed_slice();
        Some(BoundsTable { entries: entries.try_into().ok()?, search: 0 })
    }

    pub fn forget(&mut self) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.entries.fill(NO_BOUNDS);
        }
    }

    #[inline(always)]
    fn index(board: Board) -> usize {
        hash::hash(board) as usize % BOUNDS_ENTRIES
    }

    /// Asks for the memory of a position's entry ahead of its use.
    #[inline(always)]
    pub(in crate::search) fn prefetch(&self, board: Board) {
        prefetch(&self.entries[Self::index(board)]);
    }

    #[inline(always)]
    pub(in crate::search) fn probe(&self, board: Board) -> Option<Bounds> {
        let entry = &self.entries[Self::index(board)];
        (entry.board == board && entry.search == self.search)
            .then(|| Bounds { lower: i32::from(entry.lower), upper: i32::from(entry.upper) })
    }

    /// For a search with the null window above `alpha` that returned `score`.
    #[inline(always)]
    pub(in crate::search) fn store(&mut self, board: Board, alpha: i32, score: i32) {
        let entry = &mut self.entries[Self::index(board)];
        if entry.board != board || entry.search != self.search {
            *entry = BoundsEntry { board, lower: -64, upper: 64, search: self.search };
        }
        if score > alpha {
            entry.lower = entry.lower.max(score as i8);
        } else {
            entry.upper = entry.upper.min(score as i8);
        }
    }
}

/// Entries: 512 KiB.
const SHALLOW_ENTRIES: usize = 1 << 14;

/// Factor of the search's number in an `origin`; all levels of selectivity are below it.
const N_LEVELS: u32 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct ShallowHit {
    /// Plies of the search that the bounds come from.
    pub depth: u32,
    pub lower: Score,
    pub upper: Score,
    pub best: Option<Square>,
}

/// All zeros is the board without discs, which no game reaches.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct ShallowEntry {
    board: Board,
    lower: i16,
    upper: i16,
    depth: u8,
    /// 64 for none.
    best: u8,
    /// The search that stored the entry: its number times [`N_LEVELS`] plus its level of selectivity.
    origin: u32,
}

/// Most nodes are two or three plies above the leaves. Nearly all their visits of the shared table would wait for memory, as long as
/// several evaluations take, and their entries are useful soon or never. This table stays in the processor's cache, has one place
/// for each hash and always takes the newest entry; deeper nodes use the shared table.
pub(in crate::search) struct ShallowTable {
    entries: Box<[ShallowEntry]>,
    /// Entries of other searches and confidences do not count.
    origin: u32,
}

impl fmt::Debug for ShallowTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ShallowTable").field("origin", &self.origin).finish_non_exhaustive()
    }
}

const NO_ENTRY: ShallowEntry = ShallowEntry {
    board: Board { player: 0, opponent: 0 },
    lower: 0,
    upper: 0,
    depth: 0,
    best: 0,
    origin: 0,
};

impl ShallowTable {
    pub const SIZE: usize = SHALLOW_ENTRIES * size_of::<ShallowEntry>();

    pub fn try_new() -> Option<ShallowTable> {
        let mut entries = Vec::new();
        entries.try_reserve_exact(SHALLOW_ENTRIES).ok()?;
        entries.resize(SHALLOW_ENTRIES, NO_ENTRY);
        Some(ShallowTable { entries: entries.into_boxed_slice(), origin: 0 })
    }

    pub fn forget(&mut self) {
        self.origin = (self.origin / N_LEVELS + 1).wrapping_mul(N_LEVELS);
        if self.origin == 0 {
            self.entries.fill(NO_ENTRY);
        }
    }

    /// Entries of this confidence count from now on.
    pub fn set_selectivity(&mut self, selectivity: Selectivity) {
        self.origin = self.origin / N_LEVELS * N_LEVELS + u32::from(selectivity.level());
    }

    #[inline(always)]
    fn index(board: Board) -> usize {
        hash::hash(board) as usize % SHALLOW_ENTRIES
    }

    #[inline(always)]
    pub fn prefetch(&self, board: Board) {
        prefetch(&self.entries[Self::index(board)]);
    }

    #[inline(always)]
    pub fn probe(&self, board: Board) -> Option<ShallowHit> {
        let entry = &self.entries[Self::index(board)];
        (entry.board == board && entry.origin == self.origin).then(|| ShallowHit {
            depth: u32::from(entry.depth),
            lower: Score::from(entry.lower),
            upper: Score::from(entry.upper),
            best: Square::new(entry.best),
        })
    }

    /// For a search of `depth` plies with the null window above `alpha`.
    #[inline(always)]
    pub fn store(
        &mut self,
        board: Board,
        depth: u32,
        alpha: Score,
        score: Score,
        best: Option<Square>,
    ) {
        let origin = self.origin;
        let entry = &mut self.entries[Self::index(board)];
        let depth = depth as u8;
        if entry.board != board || entry.origin != origin || entry.depth != depth {
            let (lower, upper) = (-INFINITE as i16, INFINITE as i16);
            *entry = ShallowEntry { board, lower, upper, depth, best: 64, origin };
        }
        if score > alpha {
            entry.lower = entry.lower.max(score as i16);
        } else {
            entry.upper = entry.upper.min(score as i16);
        }
        entry.best = best.map_or(64, |square| square.index() as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_tighten_and_the_newest_board_takes_the_place() {
        let mut table = BoundsTable::try_new().unwrap();
        let board = Board::START;
        assert_eq!(table.probe(board), None);
        table.store(board, -3, 4);
        assert_eq!(table.probe(board), Some(Bounds { lower: 4, upper: 64 }));
        table.store(board, 10, 8);
        table.store(board, 20, 16);
        table.store(board, 0, 2);
        assert_eq!(table.probe(board), Some(Bounds { lower: 4, upper: 8 }));
        let rival = (1..)
            .map(|player| Board { player, opponent: !player })
            .find(|&rival| BoundsTable::index(rival) == BoundsTable::index(board))
            .unwrap();
        table.store(rival, 0, -64);
        assert_eq!(table.probe(rival), Some(Bounds { lower: -64, upper: -64 }));
        assert_eq!(table.probe(board), None);
    }

    #[test]
    fn what_is_forgotten_never_comes_back() {
        let mut table = BoundsTable::try_new().unwrap();
        for search in [0, 1, u32::MAX - 1, u32::MAX] {
            table.search = search;
            table.store(Board::START, -3, 4);
            assert!(table.probe(Board::START).is_some());
            table.forget();
            assert_eq!(table.probe(Board::START), None, "{search}");
            table.store(Board::START, 10, 8);
            assert_eq!(table.probe(Board::START), Some(Bounds { lower: -64, upper: 8 }));
        }
    }

    const BOARD: Board = Board::START;

    #[test]
    fn bounds_tighten_and_the_newest_board_and_depth_take_the_place() {
        let mut table = ShallowTable::try_new().unwrap();
        assert_eq!(table.probe(BOARD), None);
        let best = Square::parse(b"f5");
        table.store(BOARD, 2, -300, 400, best);
        let known = ShallowHit { depth: 2, lower: 400, upper: INFINITE, best };
        assert_eq!(table.probe(BOARD), Some(known));
        table.store(BOARD, 2, 900, 800, None);
        let known = ShallowHit { upper: 800, best: None, ..known };
        assert_eq!(table.probe(BOARD), Some(known));
        table.store(BOARD, 3, 0, -100, best);
        let known = ShallowHit { depth: 3, lower: -INFINITE, upper: -100, best };
        assert_eq!(table.probe(BOARD), Some(known));
        let rival = (1..)
            .map(|player| Board { player, opponent: !player })
            .find(|&rival| ShallowTable::index(rival) == ShallowTable::index(BOARD))
            .unwrap();
        table.store(rival, 2, 0, -64, None);
        assert!(table.probe(rival).is_some() && table.probe(BOARD).is_none());
    }

    #[test]
    fn entries_of_other_searches_and_confidences_do_not_count() {
        let mut table = ShallowTable::try_new().unwrap();
        for search in [0, 1, u32::MAX / N_LEVELS - 1, u32::MAX / N_LEVELS] {
            table.origin = search * N_LEVELS;
            table.set_selectivity(Selectivity::FULL);
            table.store(BOARD, 2, -3, 4, None);
            assert!(table.probe(BOARD).is_some());
            table.set_selectivity(Selectivity::BOLD);
            assert_eq!(table.probe(BOARD), None);
            table.set_selectivity(Selectivity::FULL);
            assert!(table.probe(BOARD).is_some());
            table.forget();
            table.set_selectivity(Selectivity::FULL);
            assert_eq!(table.probe(BOARD), None, "{search}");
        }
        assert!(u32::from(Selectivity::FULL.level()) < N_LEVELS);
    }
}
