//! A thread's own table of exact bounds.
//!
//! Positions with few empties are too many and too cheap for the shared table, where each visit would wait for memory. This table
//! stays in the processor's cache, has one place for each hash and always takes the newest entry. Its bounds are exact, so they hold for
//! any search.

use std::fmt;

use crate::board::{Board, hash};
use crate::support::cpu::prefetch;

/// Entries: 512 KiB, which leaves most of a second-level cache to the rest.
const N_ENTRIES: usize = 1 << 14;

/// What is known of a position's result, in discs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct Bounds {
    pub lower: i32,
    pub upper: i32,
}

/// All zeros is the board without discs, which no game reaches.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Entry {
    board: Board,
    lower: i8,
    upper: i8,
    /// The search that it comes from.
    search: u32,
}

/// See the module.
pub(in crate::search) struct BoundsTable {
    entries: Box<[Entry; N_ENTRIES]>,
    /// Entries of other searches do not count.
    search: u32,
}

impl fmt::Debug for BoundsTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BoundsTable").field("search", &self.search).finish_non_exhaustive()
    }
}

const EMPTY: Entry =
    Entry { board: Board { player: 0, opponent: 0 }, lower: 0, upper: 0, search: 0 };

impl BoundsTable {
    /// Bytes of a table.
    pub const SIZE: usize = size_of::<[Entry; N_ENTRIES]>();

    /// An empty table; `None` if the system refuses the memory.
    pub fn try_new() -> Option<BoundsTable> {
        // A vector, because an array would first be built on the stack.
        let mut entries = Vec::new();
        entries.try_reserve_exact(N_ENTRIES).ok()?;
        entries.resize(N_ENTRIES, EMPTY);
        let entries = entries.into_boxed_slice();
        Some(BoundsTable { entries: entries.try_into().ok()?, search: 0 })
    }

    /// Empties the table, without touching its memory.
    pub fn forget(&mut self) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.entries.fill(EMPTY);
        }
    }

    #[inline(always)]
    fn index(board: Board) -> usize {
        hash::hash(board) as usize % N_ENTRIES
    }

    /// Asks for the memory of a position's entry ahead of its use.
    #[inline(always)]
    pub(in crate::search) fn prefetch(&self, board: Board) {
        prefetch(&self.entries[Self::index(board)]);
    }

    /// What is known of a position.
    #[inline(always)]
    pub(in crate::search) fn probe(&self, board: Board) -> Option<Bounds> {
        let entry = &self.entries[Self::index(board)];
        (entry.board == board && entry.search == self.search)
            .then(|| Bounds { lower: i32::from(entry.lower), upper: i32::from(entry.upper) })
    }

    /// Notes that a search with the null window above `alpha` returned `score`.
    #[inline(always)]
    pub(in crate::search) fn store(&mut self, board: Board, alpha: i32, score: i32) {
        let entry = &mut self.entries[Self::index(board)];
        if entry.board != board || entry.search != self.search {
            *entry = Entry { board, lower: -64, upper: 64, search: self.search };
        }
        if score > alpha {
            entry.lower = entry.lower.max(score as i8);
        } else {
            entry.upper = entry.upper.min(score as i8);
        }
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
}
