//! How far outside the window a shallow search must be for forward pruning to take its word (see `search::probcut`).

use crate::evaluation::ErrorModel;
use crate::score::{DISC, Score};
use crate::search::Selectivity;

/// How many standard deviations outside the window count as certain, by level of selectivity.
const DEVIATIONS: [f64; 5] = [1.1, 1.5, 2.0, 2.6, 3.3];

/// Depth of the probe for a search of `depth` plies: about half, of the same parity.
pub(in crate::search) const fn probe_depth(depth: u32) -> u32 {
    depth / 4 * 2 + (depth & 1)
}

/// The margins of one confidence, computed once; zero without forward pruning.
///
/// The model is a product of a factor for the empty squares and one for the depths.
pub(in crate::search) struct Margins {
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
    pub fn get(&self, n_empties: u32, depth: u32) -> (Score, Score) {
        let factor = self.by_empties[n_empties.min(60) as usize];
        let (probe, evaluation) = self.by_depth[depth.min(60) as usize];
        ((factor * probe) as Score, (factor * evaluation) as Score)
    }
}
