//! A thread's own table of shallow nodes.
//!
//! Most nodes are two or three plies above the leaves. A visit of the shared table, where nearly all of them would wait for memory,
//! costs as much as several evaluations, and what one of them finds is of use soon or never. This table stays in the processor's
//! cache, has one place for each hash and always takes the newest entry; the shared table is left to deeper nodes.

use std::fmt;

use crate::board::{Board, Square, hash};
use crate::score::{INFINITE, Score};
use crate::search::Selectivity;
use crate::support::cpu::prefetch;

/// Entries: 512 KiB.
const N_ENTRIES: usize = 1 << 14;

/// Confidences that a search may have, and one number more.
const N_LEVELS: u32 = 8;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct Known {
    /// Plies of the search that the bounds come from.
    pub depth: u32,
    /// The score is at least this.
    pub lower: Score,
    /// The score is at most this.
    pub upper: Score,
    /// The best move.
    pub best: Option<Square>,
}

/// All zeros is the board without discs, which no game reaches.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Entry {
    board: Board,
    lower: i16,
    upper: i16,
    depth: u8,
    /// 64 for none.
    best: u8,
    /// The search and the confidence that it comes from.
    origin: u32,
}

/// See the module.
pub(in crate::search) struct ShallowTable {
    entries: Box<[Entry]>,
    /// Entries of other searches and confidences do not count.
    origin: u32,
}

impl fmt::Debug for ShallowTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ShallowTable").field("origin", &self.origin).finish_non_exhaustive()
    }
}

const EMPTY: Entry = Entry {
    board: Board { player: 0, opponent: 0 },
    lower: 0,
    upper: 0,
    depth: 0,
    best: 0,
    origin: 0,
};

impl ShallowTable {
    /// Bytes of a table.
    pub const SIZE: usize = N_ENTRIES * size_of::<Entry>();

    /// An empty table; `None` if the system refuses the memory.
    pub fn try_new() -> Option<ShallowTable> {
        let mut entries = Vec::new();
        entries.try_reserve_exact(N_ENTRIES).ok()?;
        entries.resize(N_ENTRIES, EMPTY);
        Some(ShallowTable { entries: entries.into_boxed_slice(), origin: 0 })
    }

    /// Empties the table, without touching its memory.
    pub fn forget(&mut self) {
        self.origin = (self.origin / N_LEVELS + 1).wrapping_mul(N_LEVELS);
        if self.origin == 0 {
            self.entries.fill(EMPTY);
        }
    }

    /// Entries of this confidence count from now on.
    pub fn set_selectivity(&mut self, selectivity: Selectivity) {
        self.origin = self.origin / N_LEVELS * N_LEVELS + u32::from(selectivity.level());
    }

    #[inline(always)]
    fn index(board: Board) -> usize {
        hash::hash(board) as usize % N_ENTRIES
    }

    /// Asks for the memory of a position's entry ahead of its use.
    #[inline(always)]
    pub fn prefetch(&self, board: Board) {
        prefetch(&self.entries[Self::index(board)]);
    }

    /// What is known of a position.
    #[inline(always)]
    pub fn probe(&self, board: Board) -> Option<Known> {
        let entry = &self.entries[Self::index(board)];
        (entry.board == board && entry.origin == self.origin).then(|| Known {
            depth: u32::from(entry.depth),
            lower: Score::from(entry.lower),
            upper: Score::from(entry.upper),
            best: Square::new(entry.best),
        })
    }

    /// Notes that a search of `depth` plies with the null window above `alpha` returned `score` with `best` as its move.
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
            *entry = Entry { board, lower, upper, depth, best: 64, origin };
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

    const BOARD: Board = Board::START;

    #[test]
    fn bounds_tighten_and_the_newest_board_and_depth_take_the_place() {
        let mut table = ShallowTable::try_new().unwrap();
        assert_eq!(table.probe(BOARD), None);
        let best = Square::parse(b"f5");
        table.store(BOARD, 2, -300, 400, best);
        let known = Known { depth: 2, lower: 400, upper: INFINITE, best };
        assert_eq!(table.probe(BOARD), Some(known));
        table.store(BOARD, 2, 900, 800, None);
        let known = Known { upper: 800, best: None, ..known };
        assert_eq!(table.probe(BOARD), Some(known));
        table.store(BOARD, 3, 0, -100, best);
        let known = Known { depth: 3, lower: -INFINITE, upper: -100, best };
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
