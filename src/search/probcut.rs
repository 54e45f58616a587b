//! Forward pruning: a shallow search whose value is far outside the window replaces the deep one.
//!
//! Multi-ProbCut after Buro ("Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello", 1997), which
//! takes the difference of a deep and a shallow search as normally distributed, with the evaluation's measured deviation.

use super::searcher::Searcher;
use super::searcher::margins::{BOLD_FROM, probe_depth};
use crate::board::Board;
use crate::evaluation::Evaluator;
use crate::score::{MAX, Score};

/// The least depth to prune at.
const MIN_DEPTH: u32 = 4;

/// The same where pruning is bold.
const BOLD_MIN_DEPTH: u32 = 2;

impl<E: Evaluator> Searcher<'_, E> {
    /// A bound that very probably holds, if there is one on either side of the null window above `alpha`.
    pub(super) fn probcut(
        &mut self,
        board: Board,
        features: &E::Features,
        depth: u32,
        alpha: Score,
    ) -> Option<Score> {
        let n_empties = board.n_empties();
        if depth < if n_empties >= BOLD_FROM { BOLD_MIN_DEPTH } else { MIN_DEPTH } {
            return None;
        }
        let (error, error_now) = self.margins.get(n_empties, depth);
        // The evaluation alone tells on which side a probe is worth its cost.
        self.probes += 1;
        let high = alpha + 1 + error;
        let low = alpha - error;
        if probe_depth(depth) == 0 {
            // The probe would be this evaluation again.
            let value = self.evaluator.evaluate_within(board, features, (low, high));
            return if value >= high && high < MAX {
                Some(alpha + 1)
            } else if value <= low && low > -MAX {
                Some(alpha)
            } else {
                None
            };
        }
        // With the evaluation near the bound, what probes prune costs more than it saves (measured by games).
        let tolerance = error_now / 2;
        let sides = (alpha - error_now, alpha + error_now);
        let value = self.evaluator.evaluate_within(board, features, sides);
        if value > alpha + tolerance && high < MAX {
            let score = self.nws(board, features, probe_depth(depth), high - 1);
            // After a stop no node counts any more: a repeated search ends by their number.
            if self.stopped {
                return Some(alpha);
            }
            if score >= high {
                return Some(alpha + 1);
            }
        }
        if value < alpha - tolerance && low > -MAX {
            let score = self.nws(board, features, probe_depth(depth), low);
            if self.stopped || score <= low {
                return Some(alpha);
            }
        }
        None
    }
}
