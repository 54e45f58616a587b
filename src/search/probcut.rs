//! Forward pruning: when a shallow search says that the value is far outside the window, the deep one is not made.
//!
//! Multi-ProbCut after Buro ("Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello", 1997): the
//! difference of a deep and a shallow search is taken as normally distributed, with a standard deviation that was measured.

use super::{Searcher, Selectivity};
use crate::board::Board;
use crate::evaluation::Evaluator;
use crate::score::{DISC, MAX, Score};

/// The least depth at which pruning is tried.
const MIN_DEPTH: u32 = 4;

/// How many standard deviations outside the window count as certain, by level of selectivity.
const DEVIATIONS: [f64; 5] = [1.1, 1.5, 2.0, 2.6, 3.3];

/// Standard deviation in discs of the difference between searches of `shallow` and of `deep` plies.
fn sigma(n_empties: u32, shallow: u32, deep: u32) -> f64 {
    let stage = f64::from(60 - n_empties.min(60)) / 60.0;
    let (shallow, deep) = (f64::from(shallow), f64::from(deep));
    (1.0 + 2.0 * stage) * (1.2 + 0.25 * (deep - shallow)) / (1.0 + 0.06 * shallow)
}

impl<E: Evaluator> Searcher<'_, E> {
    /// A bound that very probably holds, if there is one on either side of the null window above `alpha`.
    pub(super) fn probcut(
        &mut self,
        board: Board,
        features: &E::Features,
        depth: u32,
        alpha: Score,
    ) -> Option<Score> {
        if depth < MIN_DEPTH || self.selectivity == Selectivity::FULL {
            return None;
        }
        let n_empties = board.n_empties();
        let shallow = depth / 4 * 2 + (depth & 1);
        let deviations = DEVIATIONS[usize::from(self.selectivity.level())];
        let margin =
            |shallow| (deviations * sigma(n_empties, shallow, depth) * f64::from(DISC)) as Score;
        let error = margin(shallow);
        // The evaluation alone tells on which side a probe is worth its cost.
        self.probes += 1;
        let value = self.evaluator.evaluate(board, features);
        let tolerance = margin(0) / 2;
        let high = alpha + 1 + error;
        if value > alpha + tolerance && high < MAX {
            let score = self.nws(board, features, shallow, high - 1);
            if !self.stopped && score >= high {
                return Some(alpha + 1);
            }
        }
        let low = alpha - error;
        if value < alpha - tolerance && low > -MAX {
            let score = self.nws(board, features, shallow, low);
            if !self.stopped && score <= low {
                return Some(alpha);
            }
        }
        None
    }
}
