//! Searches in their caller's thread, for analyses and requests: no job, no book, no picking among moves.

use crate::board::Board;
use crate::evaluation::Evaluation;
use crate::search::{Limits, OnReport, Outcome, Search, Stop, Threads};
use crate::transposition::Table;

use super::job::Effort;
use super::speed_model::SpeedModel;

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
}
