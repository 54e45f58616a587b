//! Searches in their caller's thread, for analyses and requests: no job, no book, no picking among moves.

use crate::board::Board;
use crate::evaluation::Evaluation;
use crate::search::{Bounds, Limits, OnReport, Outcome, Search, Stop, Threads};
use crate::transposition::Table;

use super::job::{Effort, Think};
use super::level::{self, DEFAULT_LEVEL};
use super::speed_model::SpeedModel;
use super::strength::Strength;
use super::thinker::{PRIVATE_TABLE, allocate};

/// Searches one position after the other; they share the table, the threads, and a speed model that learns from each.
#[derive(Debug)]
pub struct Searcher<'a> {
    evaluation: &'a Evaluation,
    table: Table,
    threads: Threads,
    speed_model: SpeedModel,
}

impl<'a> Searcher<'a> {
    /// A searcher with a table of this size in MiB; `None` if there is no memory for it.
    pub fn new(
        evaluation: &'a Evaluation,
        n_threads: usize,
        hash_megabytes: usize,
    ) -> Option<Searcher<'a>> {
        let table = Table::try_new(hash_megabytes)?;
        let (threads, speed_model) = (Threads::new(n_threads), SpeedModel::new(n_threads));
        Some(Searcher { evaluation, table, threads, speed_model })
    }

    /// Forgets all earlier searches.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// Gives way to the coming searches in the table.
    pub fn age(&mut self) {
        self.table.age();
    }

    /// How far a search of a board goes with this effort, at the speed of the searches so far.
    pub fn planned(&self, board: Board, effort: &Effort) -> Limits {
        effort.planned(board.n_empties(), &self.speed_model)
    }

    /// Searches a board within limits.
    pub fn search(
        &mut self,
        board: Board,
        limits: &Limits,
        stop: &Stop,
        on_report: OnReport<'_>,
    ) -> Outcome {
        let Searcher { evaluation, table, threads, speed_model } = self;
        let outcome = Search { evaluation, table, threads }.run(board, limits, stop, on_report);
        speed_model.observe(board, limits, &outcome);
        outcome
    }

    /// The line that a player of this strength chooses on a board, without the squares of `exclude`. Position and seed decide it, whatever
    /// was searched before.
    pub fn choose(
        &self,
        board: Board,
        strength: Strength,
        seed: u64,
        exclude: u64,
        stop: &Stop,
    ) -> Outcome {
        let Searcher { evaluation, threads, .. } = self;
        let think = Think::new(board, level::limits(DEFAULT_LEVEL)).as_strong(strength, seed);
        let limits = Limits { exclude, ..think.effort.limits };
        let search = Search { evaluation, table: &allocate(PRIVATE_TABLE), threads };
        let mut outcome = search.run(board, &limits, stop, &mut |_| {});
        let chosen = think.pick.choose(board, &outcome.lines).index;
        outcome.lines = outcome.lines.into_iter().skip(chosen).take(1).collect();
        // Others may be better.
        outcome.proven = Bounds::default();
        outcome
    }
}
