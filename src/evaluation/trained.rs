//! The trained evaluation: a sum of weights, one for each pattern instance and count, by the stage of the game.

use super::patterns::{COUNTS_OFFSET, Features, N_COUNT_VALUES, N_WEIGHTS, SHAPES, Shape, counts};
use super::weights::{N_STAGES, Weights};
use super::{ErrorModel, Evaluator};
use crate::board::{Board, Square};
use crate::score::{DISC, MAX, Score};

/// The stage of a position with `n_empties` empty squares: two plies each, 0 at the start.
#[inline(always)]
pub const fn stage(n_empties: u32) -> usize {
    let ply = 60u32.saturating_sub(n_empties) as usize;
    let stage = ply / 2;
    if stage < N_STAGES { stage } else { N_STAGES - 1 }
}

/// The sum over the instances of shape number `SHAPE`.
#[inline(always)]
fn shape_sum<const SHAPE: usize>(weights: &[i16; N_WEIGHTS], features: &Features) -> i32 {
    // A constant, so that the loop has a fixed length and the indices are seen to lie within.
    const fn shape(index: usize) -> Shape {
        SHAPES[index]
    }
    let first = const { shape(SHAPE).first_lane };
    let n = const { shape(SHAPE).n_lanes };
    let offset = const { shape(SHAPE).offset };
    let lanes = &features.player.0[first..first + n];
    lanes.iter().map(|&contents| i32::from(weights[offset + usize::from(contents)])).sum()
}

impl Evaluator for Weights {
    type Features = Features;

    fn features(&self, board: Board) -> Features {
        Features::new(board)
    }

    #[inline(always)]
    fn after(&self, features: &Features, square: Square, flips: u64) -> Features {
        features.after(square, flips)
    }

    #[inline(always)]
    fn passed(&self, features: &Features) -> Features {
        features.passed()
    }

    #[inline(always)]
    fn evaluate(&self, board: Board, features: &Features) -> Score {
        let n_empties = board.n_empties();
        let weights = self.stage(stage(n_empties));
        let mut sum = i32::from(weights[(n_empties & 1) as usize]);
        for (index, count) in counts(board).into_iter().enumerate() {
            sum += i32::from(weights[COUNTS_OFFSET + index * N_COUNT_VALUES + count]);
        }
        sum += shape_sum::<0>(weights, features);
        sum += shape_sum::<1>(weights, features);
        sum += shape_sum::<2>(weights, features);
        sum += shape_sum::<3>(weights, features);
        sum += shape_sum::<4>(weights, features);
        sum += shape_sum::<5>(weights, features);
        sum += shape_sum::<6>(weights, features);
        sum += shape_sum::<7>(weights, features);
        sum += shape_sum::<8>(weights, features);
        sum += shape_sum::<9>(weights, features);
        sum += shape_sum::<10>(weights, features);
        sum += shape_sum::<11>(weights, features);
        sum += shape_sum::<12>(weights, features);
        sum += shape_sum::<13>(weights, features);
        // A disc short of the extremes: only a proven result is a wipe-out.
        sum.clamp(-(MAX - DISC), MAX - DISC)
    }

    fn error_model(&self) -> ErrorModel {
        self.error_model
    }
}
