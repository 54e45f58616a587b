//! The searches of the training: one thread each, with limits that are all made here.

use crate::board::Board;
use crate::evaluation::Evaluation;
use crate::score::Score;
use crate::search::{Limits, Lines, Outcome, Search, Selectivity, Stop, Threads};
use crate::transposition::Table;

#[derive(Debug)]
pub(super) struct SearchContext {
    pub table: Table,
    threads: Threads,
}

impl SearchContext {
    /// Makes a table of this many MiB; `None` if the memory is refused.
    pub fn try_new(megabytes: usize) -> Option<SearchContext> {
        Some(SearchContext { table: Table::try_new(megabytes)?, threads: Threads::new(1) })
    }
}

/// To `depth` plies; to the end with `exact` or fewer empty squares.
pub(super) fn to_depth(depth: u32, selectivity: Selectivity, exact: u32) -> Limits {
    Limits { depth, selectivity, exact_from: exact, ..Limits::default() }
}

/// To `depth` plies, every move with a score of its own.
pub(super) fn all_moves(depth: u32, selectivity: Selectivity, exact: u32) -> Limits {
    Limits { lines: Lines::Best(usize::MAX), ..to_depth(depth, selectivity, exact) }
}

/// To `depth` plies, all moves at most `margin` worse than the best.
pub(super) fn nearly_best(depth: u32, margin: Score) -> Limits {
    Limits { lines: Lines::Within(margin), ..to_depth(depth, Selectivity::FULL, 0) }
}

pub(super) fn to_the_end() -> Limits {
    Limits::default()
}

pub(super) fn look(
    evaluation: &Evaluation,
    board: Board,
    limits: &Limits,
    context: &SearchContext,
) -> Outcome {
    let stop = Stop::new();
    let SearchContext { table, threads } = context;
    Search { evaluation, table, threads }.run(board, limits, &stop, &mut |_| {})
}
