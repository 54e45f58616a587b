//! How far outside the window a shallow search must be for forward pruning to take its word (see `search::probcut`).

use crate::evaluation::ErrorModel;
use crate::score::{DISC, Score};
use crate::search::Selectivity;

/// How many standard deviations outside the window count as certain, by level of selectivity.
const DEVIATIONS: [f64; 5] = [1.1, 1.5, 2.0, 2.6, 3.3];

/// With this many empty squares or more, pruning is bolder: margins are smaller, and it is tried at less depth. Positions with fewer
/// are soon solved, and there the same boldness misses moves.
pub(in crate::search) const BOLD_FROM: u32 = 26;

/// The share of a margin that is enough there from [`SURE_DEPTH`] plies on, at the lowest confidence: nodes at 20 plies are halved, and
/// the moves are as good.
const BOLD_SHARE: f64 = 0.65;

/// See [`BOLD_SHARE`]. Errors of searches that are less deep add up.
const SURE_DEPTH: usize = 8;

/// Depth of the probe for a search of `depth` plies: about half, of the same parity.
pub(in crate::search) const fn probe_depth(depth: u32) -> u32 {
    depth / 4 * 2 + (depth & 1)
}

/// The margins of one confidence, computed once; zero without forward pruning.
///
/// The model is a product of a factor for the empty squares and one for the depths.
pub(in crate::search) struct Margins {
    by_empties: [f32; 61],
    /// Of the probe and of the evaluation alone, in score units; the second ones where pruning is bold.
    by_depth: [[(f32, f32); 61]; 2],
}

impl Default for Margins {
    fn default() -> Margins {
        Margins { by_empties: [0.0; 61], by_depth: [[(0.0, 0.0); 61]; 2] }
    }
}

impl Margins {
    pub fn new(model: ErrorModel, selectivity: Selectivity) -> Margins {
        let Some(&deviations) = DEVIATIONS.get(usize::from(selectivity.level())) else {
            return Margins::default();
        };
        let unit = model.deviation(0, 0, 1);
        let margin = |shallow: u32, depth: usize, is_bold: bool| {
            let deep = (depth as u32).max(shallow + 1);
            let is_less = is_bold && depth >= SURE_DEPTH && selectivity <= Selectivity::BOLD;
            let deviations = if is_less { BOLD_SHARE * deviations } else { deviations };
            (deviations * model.deviation(0, shallow, deep) * f64::from(DISC)) as f32
        };
        Margins {
            by_empties: std::array::from_fn(|n| (model.deviation(n as u32, 0, 1) / unit) as f32),
            by_depth: [false, true].map(|is_bold| {
                std::array::from_fn(|depth| {
                    let probe = margin(probe_depth(depth as u32), depth, is_bold);
                    (probe, margin(0, depth, is_bold))
                })
            }),
        }
    }

    /// The margins of the probe and of the evaluation alone.
    #[inline(always)]
    pub fn get(&self, n_empties: u32, depth: u32) -> (Score, Score) {
        let factor = self.by_empties[n_empties.min(60) as usize];
        let by_depth = &self.by_depth[usize::from(n_empties >= BOLD_FROM)];
        let (probe, evaluation) = by_depth[depth.min(60) as usize];
        ((factor * probe) as Score, (factor * evaluation) as Score)
    }
}
