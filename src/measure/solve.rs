//! Solves or searches test positions and compares the results with their listed scores.

use std::time::Duration;

use crate::evaluation::Evaluation;
use crate::formats::obf::Problem;
use crate::score::{self, DISC};
use crate::search::{Bounds, Limits, OnReport, Outcome, Search, Stop, Threads, Window};
use crate::transposition::Table;

#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    pub evaluation: &'a Evaluation,
    /// Depth, selectivity, time and window of each search.
    pub limits: Limits,
    pub n_threads: usize,
    /// In MiB; the table is cleared before each position.
    pub hash_megabytes: usize,
}

#[derive(Clone, Debug)]
pub struct Solution {
    pub outcome: Outcome,
    /// What is proven of the score, if the search has a window and proves anything.
    pub bounds: Option<Bounds>,
    /// The comparison, if the position has listed scores.
    pub check: Option<Check>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// Whether the move's listed score equals the best listed one, as far as the window tells them apart.
    pub is_best_move: bool,
    /// Our score, or the bound that it breaks, minus the best listed one, in discs.
    pub error: f64,
    /// The best listed score minus that of our move, in discs, if all moves are listed and there is no window.
    pub loss: Option<i32>,
}

/// Sums over many positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    pub positions: u64,
    pub nodes: u64,
    /// Positions searched only to order moves.
    pub ordering_nodes: u64,
    pub elapsed: Duration,
    /// Positions with listed scores.
    pub checked: u64,
    /// Checked positions whose move is not the best.
    pub wrong_moves: u64,
    /// Checked positions whose score differs from the best listed one.
    pub wrong_scores: u64,
    /// Sum of the absolute errors of checked positions, in discs.
    pub error: f64,
    /// Checked positions whose score is at most three discs off.
    pub within_3: u64,
    /// Positions whose moves are all listed.
    pub valued: u64,
    /// Sum of the losses over the positions of `valued` in discs.
    pub loss: i64,
    /// Sum of the signed errors over the positions of `valued` in discs.
    pub signed_error: f64,
}

impl Totals {
    pub fn add_check(&mut self, check: Check) {
        self.checked += 1;
        self.wrong_moves += u64::from(!check.is_best_move);
        self.wrong_scores += u64::from(check.error != 0.0);
        self.error += check.error.abs();
        self.within_3 += u64::from(check.error.abs() <= 3.0);
        if let Some(loss) = check.loss {
            self.valued += 1;
            self.loss += i64::from(loss);
            self.signed_error += check.error;
        }
    }

    /// The mean loss of the move and the mean signed error in discs, if there are positions whose moves are all listed.
    pub fn means(&self) -> Option<(f64, f64)> {
        let n = self.valued as f64;
        (self.valued > 0).then(|| (self.loss as f64 / n, self.signed_error / n))
    }
}

#[derive(Debug)]
pub struct Solver<'a> {
    settings: Settings<'a>,
    table: Table,
    threads: Threads,
}

impl<'a> Solver<'a> {
    pub fn new(settings: Settings<'a>) -> anyhow::Result<Solver<'a>> {
        let table = Table::try_new(settings.hash_megabytes).ok_or_else(|| {
            anyhow::anyhow!("cannot allocate a table of {} MiB", settings.hash_megabytes)
        })?;
        let threads = Threads::new(settings.n_threads);
        Ok(Solver { settings, table, threads })
    }

    pub fn solve(&mut self, problem: &Problem) -> Solution {
        self.solve_and_report(problem, &mut |_| {})
    }

    pub fn solve_and_report(&mut self, problem: &Problem, report: OnReport<'_>) -> Solution {
        self.table.clear();
        let search = Search {
            evaluation: self.settings.evaluation,
            table: &self.table,
            threads: &self.threads,
        };
        let board = problem.position.board;
        let outcome = search.run(board, &self.settings.limits, &Stop::new(), report);
        let window = self.settings.limits.lines.window();
        let has_bounds = window != Window::FULL && outcome.proven != Bounds::default();
        let bounds = has_bounds.then_some(outcome.proven);
        let check = check(problem, &outcome, window);
        Solution { outcome, bounds, check }
    }
}

fn check(problem: &Problem, outcome: &Outcome, window: Window) -> Option<Check> {
    let best = problem.best_score()?;
    let line = outcome.best()?;
    let listed = problem.score_of(line.mv);
    let (alpha, beta) = window.bounds();
    let worth = |score: i32| (score * DISC).clamp(alpha, beta);
    // Unlisted moves count as the worst, because the lists hold all good ones.
    let is_best_move = worth(listed.unwrap_or(-64)) == worth(best);
    let bounds = (window != Window::FULL).then(|| outcome.bounds(line));
    let is_valued = bounds.is_none() && problem.has_all_moves();
    let loss = listed.filter(|_| is_valued).map(|score| best - score);
    let Bounds { lower, upper } = bounds.unwrap_or(Bounds::of(line.score));
    let error = (best * DISC).clamp(lower, upper) - best * DISC;
    Some(Check { is_best_move, error: score::discs(error), loss })
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.elapsed.as_secs_f64();
        write!(
            f,
            "total: {} positions, {} nodes, {} probes, {seconds:.3} s, {:.2} Mnps",
            self.positions,
            self.nodes,
            self.ordering_nodes,
            self.nodes as f64 / seconds.max(1e-9) / 1e6
        )?;
        if self.checked > 0 {
            let share = |part: f64| part / self.checked as f64;
            write!(
                f,
                ", wrong moves {}, wrong scores {}, mae {:.2}, within3 {:.1}%",
                self.wrong_moves,
                self.wrong_scores,
                share(self.error),
                100.0 * share(self.within_3 as f64)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_over_positions_with_all_moves() {
        let mut totals = Totals::default();
        assert_eq!(totals.means(), None);
        totals.add_check(Check { is_best_move: false, error: 7.0, loss: None });
        assert_eq!(totals.means(), None);
        totals.add_check(Check { is_best_move: false, error: -3.0, loss: Some(4) });
        totals.add_check(Check { is_best_move: true, error: 0.5, loss: Some(0) });
        assert_eq!(totals.means(), Some((2.0, -1.25)));
        assert_eq!((totals.checked, totals.valued, totals.wrong_moves), (3, 2, 2));
    }
}
