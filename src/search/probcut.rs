//! Forward pruning: when a shallow search says that the value is far outside the window, the deep one is not made.
//!
//! Multi-ProbCut after Buro ("Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello", 1997): the
//! difference of a deep and a shallow search is taken as normally distributed, with the evaluation's measured deviation.

use super::searcher::Searcher;
use super::searcher::margins::probe_depth;
use crate::board::Board;
use crate::evaluation::Evaluator;
use crate::score::{MAX, Score};

/// The least depth at which pruning is tried.
const MIN_DEPTH: u32 = 4;

impl<E: Evaluator> Searcher<'_, E> {
    /// A bound that very probably holds, if there is one on either side of the null window above `alpha`.
    pub(super) fn probcut(
        &mut self,
        board: Board,
        features: &E::Features,
        depth: u32,
        alpha: Score,
    ) -> Option<Score> {
        if depth < MIN_DEPTH {
            return None;
        }
        let n_empties = board.n_empties();
        let (error, error_now) = self.margins.get(n_empties, depth);
        // The evaluation alone tells on which side a probe is worth its cost.
        self.probes += 1;
        let value = self.evaluator.evaluate(board, features);
        let tolerance = error_now / 2;
        let high = alpha + 1 + error;
        if value > alpha + tolerance && high < MAX {
            let score = self.nws(board, features, probe_depth(depth), high - 1);
            // Whoever is stopped counts no further nodes: the count tells where to end if the search is to be repeated.
            if self.stopped {
                return Some(alpha);
            }
            if score >= high {
                return Some(alpha + 1);
            }
        }
        let low = alpha - error;
        if value < alpha - tolerance && low > -MAX {
            let score = self.nws(board, features, probe_depth(depth), low);
            if self.stopped || score <= low {
                return Some(alpha);
            }
        }
        None
    }
}
