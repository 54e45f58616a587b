//! Finding the best move: iterative deepening, alpha-beta in the midgame, exact solving at the end.
//!
//! Takes a board, limits, a stop token and a callback for progress, and returns an [`Outcome`]. It reads no input, prints
//! nothing and knows nothing of protocols. Start reading at `root`, then `midgame`, then `endgame`.

mod endgame;
mod limits;
mod midgame;
mod ordering;
mod parallel;
mod probcut;
mod report;
mod root;
mod stop;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use crate::board::{Board, Move};
use crate::evaluation::{Evaluation, Evaluator};
use crate::transposition::Table;

use endgame::bounds::BoundsTable;
use probcut::Margins;

pub use limits::{Limits, Lines, Selectivity, Window};
pub use report::{Bound, Line, Outcome, Report};
pub use root::SOLVE_JUMP;
pub use stop::{Interrupts, StopToken};

/// What a search needs besides the position.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The evaluation to use.
    pub evaluation: &'a Evaluation,
    /// The table that it shares with earlier and parallel searches.
    pub table: &'a Table,
    /// Threads to search with, at least 1.
    pub n_threads: usize,
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

/// What the threads of one search share.
struct Shared<'a> {
    setup: Setup<'a>,
    limits: &'a Limits,
    start: Instant,
    /// Set when a limit is reached or the main thread has its result, to end all threads.
    is_over: AtomicBool,
    /// Tree nodes and ordering probes that the threads have reported so far.
    nodes: AtomicU64,
    probes: AtomicU64,
}

impl<'a> Shared<'a> {
    fn new(setup: Setup<'a>, limits: &'a Limits) -> Shared<'a> {
        Shared {
            setup,
            limits,
            start: Instant::now(),
            is_over: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            probes: AtomicU64::new(0),
        }
    }
}

/// Tree nodes between two looks at the limits.
const POLL_INTERVAL: u64 = 2048;

/// One thread's search.
struct Searcher<'a, E: Evaluator> {
    evaluator: &'a E,
    table: &'a Table,
    shared: &'a Shared<'a>,
    /// Tree nodes: positions entered by a search function, and leaves of the last empties.
    nodes: u64,
    /// Positions looked at only to order moves.
    probes: u64,
    reported: (u64, u64),
    next_poll: u64,
    stopped: bool,
    selectivity: Selectivity,
    margins: Margins,
    /// What this thread has found out about positions with few empties.
    bounds: BoundsTable,
    /// Principal variations by ply.
    variations: Vec<Vec<Move>>,
    /// The thread's place among several.
    seat: Option<parallel::Seat<'a, E::Features>>,
    /// The innermost node around this thread that is open to others.
    split: Option<Arc<parallel::Split<E::Features>>>,
}

impl<'a, E: Evaluator> Searcher<'a, E> {
    fn new(evaluator: &'a E, shared: &'a Shared<'a>) -> Self {
        Searcher::with_bounds(evaluator, shared, BoundsTable::new())
    }

    fn with_bounds(evaluator: &'a E, shared: &'a Shared<'a>, bounds: BoundsTable) -> Self {
        let mut searcher = Searcher {
            evaluator,
            table: shared.setup.table,
            shared,
            nodes: 0,
            probes: 0,
            reported: (0, 0),
            next_poll: 0,
            stopped: false,
            selectivity: Selectivity::FULL,
            margins: Margins::default(),
            bounds,
            // At most 60 discs are placed and no two passes follow each other within a game.
            variations: vec![Vec::new(); 128],
            seat: None,
            split: None,
        };
        searcher.schedule_poll();
        searcher
    }

    fn set_selectivity(&mut self, selectivity: Selectivity) {
        if selectivity != self.selectivity {
            self.selectivity = selectivity;
            self.margins = Margins::new(self.evaluator.error_model(), selectivity);
        }
    }

    /// To be called by every node that is not among the last few empties.
    #[inline(always)]
    fn poll(&mut self) {
        if self.nodes >= self.next_poll {
            self.look_at_limits();
        }
    }

    #[cold]
    fn look_at_limits(&mut self) {
        self.publish_counts();
        self.schedule_poll();
        let shared = self.shared;
        let limits = shared.limits;
        let is_over = shared.is_over.load(Relaxed)
            || shared.setup.stop.is_stopped()
            || limits.nodes.is_some_and(|nodes| shared.nodes.load(Relaxed) >= nodes)
            || limits.time.is_some_and(|plan| shared.start.elapsed() >= plan.maximum);
        if is_over {
            shared.is_over.store(true, Relaxed);
        }
        self.stopped |= is_over || self.is_cut_off();
        if !self.stopped {
            self.offer();
        }
    }

    fn publish_counts(&mut self) {
        let (nodes, probes) = self.reported;
        self.shared.nodes.fetch_add(self.nodes - nodes, Relaxed);
        self.shared.probes.fetch_add(self.probes - probes, Relaxed);
        self.reported = (self.nodes, self.probes);
    }

    fn schedule_poll(&mut self) {
        let left = self
            .shared
            .limits
            .nodes
            .map_or(u64::MAX, |nodes| nodes.saturating_sub(self.shared.nodes.load(Relaxed)));
        self.next_poll = self.nodes + left.clamp(1, POLL_INTERVAL);
    }
}
