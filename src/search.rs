//! TtHit the best move: iterative deepening, alpha-beta in the midgame, exact solving at the end.
//!
//! Takes a board, limits, a stop token and a callback for progress, and returns an [`Outcome`]. It reads no input, prints
//! nothing and knows nothing of protocols. Start reading at `root`, then `midgame`, then `endgame`; what a thread keeps is in
//! `searcher`, whose methods stand in the files of their topics.

mod endgame;
mod limits;
mod moves;
mod node;
mod ordering;
mod parallel;
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

pub use limits::{Budget, Horizon, Limits, Lines, Pacing, Selectivity, Window};
pub use parallel::threads::Threads;
pub use report::{Bound, Line, Outcome, Report};
pub use root::SOLVE_JUMP;
pub use stop::{Interrupts, Obeys, StopToken};

/// What a search needs besides the position.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The evaluation to use.
    pub evaluation: &'a Evaluation,
    /// The table that it shares with earlier and parallel searches.
    pub table: &'a Table,
    /// The threads to search with, which other searches do not use at the same time.
    pub threads: &'a Threads,
    /// Ends the search early.
    pub stop: &'a StopToken,
}

/// Searches a position. `on_report` is called after every iteration and line; it must be quick.
///
/// A stop at any moment leaves a usable best move, if there is a legal one; a forced pass is searched through, and a finished
/// game returns its result.
pub fn search(
    board: Board,
    limits: &Limits,
    setup: Setup<'_>,
    on_report: &mut dyn FnMut(&Report),
) -> Outcome {
    // The only place where the evaluation is chosen: below, every call of it is static.
    match setup.evaluation {
        Evaluation::Trained(weights) => root::run(weights, board, limits, setup, on_report),
        Evaluation::Terms(terms) => root::run(terms, board, limits, setup, on_report),
    }
}
