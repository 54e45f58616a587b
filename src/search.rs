//! Finds the best move: iterative deepening, alpha-beta in the midgame, exact solving at the end.
//!
//! [`Search::run`] takes a board, limits, a [`Stop`] and a callback for progress, and returns an [`Outcome`]. It reads
//! no input, prints nothing and knows nothing of protocols. Read `root` first, then `node`, then `endgame`. `searcher`
//! holds the state of one thread; its methods are in the files of their topics.

mod endgame;
mod limits;
mod moves;
mod node;
mod ordering;
mod parallel;
mod parameters;
mod probcut;
mod report;
mod root;
mod searcher;
mod stop;
mod tables;

#[cfg(test)]
mod tests;

use crate::board::Board;
use crate::evaluation::Evaluation;
use crate::transposition::Table;

use searcher::Shared;

pub use limits::{Limits, Lines, Selectivity, TimeLimit, Window};
pub use parallel::threads::Threads;
pub use parameters::Parameters;
pub use report::{Bound, Bounds, Line, OnReport, Outcome, Report};
pub use root::SOLVE_JUMP;
pub use stop::Stop;

/// What successive searches have in common: evaluation, transposition table and threads.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// The evaluation to use.
    pub evaluation: &'a Evaluation,
    /// The transposition table, shared with earlier and concurrent searches.
    pub table: &'a Table,
    /// The threads to search with, which other searches do not use at the same time.
    pub threads: &'a Threads,
}

impl Search<'_> {
    /// Searches a position. `on_report` is called after every iteration and line; it must be quick.
    ///
    /// A stop at any moment leaves a usable best move, if there is a legal one; a forced pass is searched through, and a finished
    /// game returns its result.
    pub fn run(
        &self,
        board: Board,
        limits: &Limits,
        stop: &Stop,
        on_report: OnReport<'_>,
    ) -> Outcome {
        root::run(board, Shared::new(*self, limits, stop), on_report)
    }
}
