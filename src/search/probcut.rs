//! Forward pruning: a shallow search whose value is far outside the window replaces the deep one.
//!
//! Multi-ProbCut after Buro ("Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello", 1997), which
//! takes the difference of a deep and a shallow search as normally distributed, with the evaluation's measured deviation.

use super::Selectivity;
use super::parameters::Parameters;
use super::searcher::Searcher;
use crate::board::Board;
use crate::evaluation::ErrorModel;
use crate::evaluation::patterns::Features;
use crate::score::{DISC, MAX, Score};

/// Depth of the shallow search for a search of `depth` plies: about half, of the same parity.
const fn shallow_depth(depth: u32) -> u32 {
    depth / 4 * 2 + (depth & 1)
}

impl Searcher<'_> {
    /// ProbCut: `alpha + 1` if the value is very probably above `alpha`, `alpha` if very probably not, else `None`.
    pub(super) fn probcut(
        &mut self,
        board: Board,
        features: &Features,
        depth: u32,
        alpha: Score,
    ) -> Option<Score> {
        let n_empties = board.n_empties();
        let p = self.parameters();
        let is_early = n_empties >= p.probcut_early_min_empties;
        if depth < if is_early { p.probcut_early_min_depth } else { p.probcut_min_depth } {
            return None;
        }
        let (error, error_now) = self.margins.get(n_empties, depth, is_early);
        // The evaluation alone tells on which side a shallow search is worth its cost.
        self.ordering_nodes += 1;
        let high = alpha + 1 + error;
        let low = alpha - error;
        if shallow_depth(depth) == 0 {
            // The shallow search would be this evaluation again.
            let value = self.evaluation.evaluate_within(board, features, (low, high));
            return if value >= high && high < MAX {
                Some(alpha + 1)
            } else if value <= low && low > -MAX {
                Some(alpha)
            } else {
                None
            };
        }
        // With the evaluation near the bound, pruning by shallow searches costs more than it saves (measured by games).
        let tolerance = error_now / p.probcut_likely_divisor;
        let sides = (alpha - error_now, alpha + error_now);
        let value = self.evaluation.evaluate_within(board, features, sides);
        if value > alpha + tolerance && high < MAX {
            let score = self.nws(board, features, shallow_depth(depth), high - 1);
            // After a stop visit no more nodes, so that a search with a node limit repeats exactly.
            if self.stopped {
                return Some(alpha);
            }
            if score >= high {
                return Some(alpha + 1);
            }
        }
        if value < alpha - tolerance && low > -MAX {
            let score = self.nws(board, features, shallow_depth(depth), low);
            if self.stopped || score <= low {
                return Some(alpha);
            }
        }
        None
    }
}

/// The ProbCut margins of one selectivity level; zero without forward pruning. The error model is the product of a factor for the empty
/// squares and one for the depths.
pub(super) struct Margins {
    by_empties: [f32; 61],
    /// In score units, by depth: of the shallow search, of the evaluation alone. Second: for many empty squares.
    by_depth: [[(f32, f32); 61]; 2],
}

impl Default for Margins {
    fn default() -> Margins {
        Margins { by_empties: [0.0; 61], by_depth: [[(0.0, 0.0); 61]; 2] }
    }
}

impl Margins {
    pub fn new(model: ErrorModel, selectivity: Selectivity, p: &Parameters) -> Margins {
        let Some(deviations) = p.probcut_deviations(selectivity) else {
            return Margins::default();
        };
        let unit = model.deviation(0, 0, 1);
        let margin = |shallow: u32, depth: usize, is_early: bool| {
            let deep = (depth as u32).max(shallow + 1);
            let is_less = is_early
                && depth >= p.probcut_early_share_min_depth
                && selectivity <= Selectivity::BOLD;
            let deviations = if is_less { p.probcut_early_share * deviations } else { deviations };
            (deviations * model.deviation(0, shallow, deep) * f64::from(DISC)) as f32
        };
        Margins {
            by_empties: std::array::from_fn(|n| (model.deviation(n as u32, 0, 1) / unit) as f32),
            by_depth: [false, true].map(|is_early| {
                std::array::from_fn(|depth| {
                    let search = margin(shallow_depth(depth as u32), depth, is_early);
                    (search, margin(0, depth, is_early))
                })
            }),
        }
    }

    /// Of the shallow search and of the evaluation alone.
    #[inline(always)]
    pub fn get(&self, n_empties: u32, depth: u32, is_early: bool) -> (Score, Score) {
        let factor = self.by_empties[n_empties.min(60) as usize];
        let by_depth = &self.by_depth[usize::from(is_early)];
        let (search, evaluation) = by_depth[depth.min(60) as usize];
        ((factor * search) as Score, (factor * evaluation) as Score)
    }
}
