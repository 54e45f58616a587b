//! The tables that a thread has for itself.

use super::bounds::BoundsTable;
use super::shallow::ShallowTable;

/// The tables that a thread has for itself.
#[derive(Debug)]
pub(in crate::search) struct OwnTables {
    /// Positions with few empties.
    pub bounds: BoundsTable,
    /// Positions a few plies above the leaves.
    pub shallow: ShallowTable,
}

impl OwnTables {
    /// Bytes of the tables.
    pub const SIZE: usize = BoundsTable::SIZE + ShallowTable::SIZE;

    /// Empty tables; `None` if the system refuses the memory.
    pub fn try_new() -> Option<OwnTables> {
        Some(OwnTables { bounds: BoundsTable::try_new()?, shallow: ShallowTable::try_new()? })
    }

    /// Empties the tables, without touching their memory.
    pub fn forget(&mut self) {
        self.bounds.forget();
        self.shallow.forget();
    }
}
