//! Forward pruning: when a shallow search says that the value is far outside the window, the deep one is not made.
//!
//! Multi-ProbCut after Buro ("Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello", 1997): the
//! difference of a deep and a shallow search is taken as normally distributed, with the evaluation's measured deviation.

use super::{Searcher, Selectivity};
use crate::board::Board;
use crate::evaluation::{ErrorModel, Evaluator};
use crate::score::{DISC, MAX, Score};

/// The least depth at which pruning is tried.
const MIN_DEPTH: u32 = 4;

/// How many standard deviations outside the window count as certain, by level of selectivity.
const DEVIATIONS: [f64; 5] = [1.1, 1.5, 2.0, 2.6, 3.3];

/// Depth of the probe for a search of `depth` plies: about half, of the same parity.
const fn probe_depth(depth: u32) -> u32 {
    depth / 4 * 2 + (depth & 1)
}

/// The margins of one confidence, computed once; zero without forward pruning.
///
/// The model is a product of a factor for the empty squares and one for the depths.
pub(super) struct Margins {
    by_empties: [f32; 61],
    /// Of the probe and of the evaluation alone, in score units.
    by_depth: [(f32, f32); 61],
}

impl Default for Margins {
    fn default() -> Margins {
        Margins { by_empties: [0.0; 61], by_depth: [(0.0, 0.0); 61] }
    }
}

impl Margins {
    pub fn new(model: ErrorModel, selectivity: Selectivity) -> Margins {
        let Some(&deviations) = DEVIATIONS.get(usize::from(selectivity.level())) else {
            return Margins::default();
        };
        let unit = model.deviation(0, 0, 1);
        let margin = |shallow: u32, depth: usize| {
            let deep = (depth as u32).max(shallow + 1);
            (deviations * model.deviation(0, shallow, deep) * f64::from(DISC)) as f32
        };
        Margins {
            by_empties: std::array::from_fn(|n| (model.deviation(n as u32, 0, 1) / unit) as f32),
            by_depth: std::array::from_fn(|depth| {
                (margin(probe_depth(depth as u32), depth), margin(0, depth))
            }),
        }
    }

    /// The margins of the probe and of the evaluation alone.
    #[inline(always)]
    fn get(&self, n_empties: u32, depth: u32) -> (Score, Score) {
        let factor = self.by_empties[n_empties.min(60) as usize];
        let (probe, evaluation) = self.by_depth[depth.min(60) as usize];
        ((factor * probe) as Score, (factor * evaluation) as Score)
    }
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
