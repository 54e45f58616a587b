//! The value of a position: a sum of weights, one for each pattern instance and count, by the stage of the game, and what the
//! [`network`](super::network) adds.

use super::patterns::{Features, N_COUNT_VALUES, N_COUNTS, N_WEIGHTS, SHAPES, Shape, counts};
use super::stages::stage;
use super::weights::Evaluation;
use crate::board::Board;
use crate::score::{DISC, MAX_ESTIMATE, Score};

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

/// If the sum of weights is this far from a bound, the value is taken to be on the same side: the network rarely adds
/// as much. This is 1.7 to 2 times the deviation of its part (2.4 discs after 20 plies, 4.8 after 50).
#[inline(always)]
const fn clear(stage: usize) -> Score {
    (250 + 11 * stage as Score) * DISC / 100
}

/// A disc short of the extremes: only a proven result is a wipe-out.
#[inline(always)]
fn limited(sum: i32) -> Score {
    sum.clamp(-MAX_ESTIMATE, MAX_ESTIMATE)
}

/// Whether the counts of legal moves say that the game is over.
#[inline(always)]
const fn is_over(counts: &[usize; N_COUNTS]) -> bool {
    counts[0] == 0 && counts[1] == 0
}

impl Evaluation {
    #[inline(always)]
    fn linear_value(&self, stage: usize, counts: &[usize; N_COUNTS], features: &Features) -> i32 {
        let weights = self.stage(stage);
        let mut sum = 0;
        for (index, count) in counts.iter().enumerate() {
            sum += i32::from(weights[index * N_COUNT_VALUES + count]);
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
        sum
    }

    /// The expected result for the side to move, between -MAX and MAX; of a finished game the result itself.
    #[inline(always)]
    pub fn evaluate(&self, board: Board, features: &Features) -> Score {
        let (stage, counts) = (stage(board.n_empties()), counts(board));
        if is_over(&counts) {
            return board.final_score() * DISC;
        }
        let sum = self.linear_value(stage, &counts, features);
        limited(sum + self.network.forward(stage, &counts, features))
    }

    /// As [`Evaluation::evaluate`], but exact only between `low` and `high`: far below or above, the value may be rougher, but lies
    /// on the same side of the bound. The result of a finished game is exact.
    #[inline(always)]
    pub fn evaluate_within(
        &self,
        board: Board,
        features: &Features,
        (low, high): (Score, Score),
    ) -> Score {
        let (stage, counts) = (stage(board.n_empties()), counts(board));
        if is_over(&counts) {
            return board.final_score() * DISC;
        }
        let sum = self.linear_value(stage, &counts, features);
        let clear = clear(stage);
        // The returned score lies between the bound and the value, so that it may be kept as a bound.
        if sum - high > clear {
            return limited(sum - clear);
        }
        if low - sum > clear {
            return limited(sum + clear);
        }
        limited(sum + self.network.forward(stage, &counts, features))
    }

    /// As [`Evaluation::evaluate`], but only on which side of `bound` the value lies matters.
    #[inline(always)]
    pub fn compare(&self, board: Board, features: &Features, bound: Score) -> Score {
        self.evaluate_within(board, features, (bound, bound))
    }
}
