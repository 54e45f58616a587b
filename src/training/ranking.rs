//! Fits the model that [ranks](crate::evaluation::ranking) moves near the end to solved positions.
//!
//! The model is small enough for linear least squares: conjugate gradients (Hestenes and Stiefel 1952) on the normal equations,
//! with a penalty on large weights for rare contents.

use super::data::canonical_hash;
use super::fit::Loss;
use super::record::{PROVEN, Record};
use crate::evaluation::ranking::{
    Contents, N_BYTES, N_CONTENTS, N_INSTANCES, N_SHAPES, RANKED_EMPTIES, SHAPES,
};
use crate::score::DISC;

/// The penalty, added to the number of uses of each weight.
const PENALTY: f64 = 3.0;

/// Iterations of conjugate gradients; the error converges after about thirty.
const STEPS: usize = 40;

/// One in this many positions is held back.
const HELD_BACK: u64 = 20;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    /// Its free weights, shared by symmetric contents of a shape.
    weights: [u32; N_INSTANCES],
    /// In discs.
    result: f32,
}

/// Positions to train or test on, by parity of the empty squares.
#[derive(Clone, Debug)]
pub struct Positions {
    /// By shape and contents, the free weight.
    free: Vec<u32>,
    n_free: usize,
    learnt: [Vec<Row>; 2],
    held_back: [Vec<Row>; 2],
}

#[derive(Clone, Debug)]
pub struct Fit {
    /// Its bytes, laid out as described for [`N_BYTES`].
    pub bytes: Vec<u8>,
    pub held_back: Loss,
}

impl Default for Positions {
    fn default() -> Positions {
        let mut free = vec![0; N_SHAPES * N_CONTENTS];
        let mut n_free = 0;
        for shape in SHAPES {
            n_free = shape.number_free(&mut free[shape.offset..], n_free);
        }
        Positions { free, n_free, learnt: Default::default(), held_back: Default::default() }
    }
}

impl Positions {
    /// Adds a position if it is solved and within the model's range.
    pub fn add(&mut self, record: &Record) {
        let n_empties = record.board.n_empties();
        if !record.is(PROVEN) || !RANKED_EMPTIES.contains(&n_empties) {
            return;
        }
        let contents = Contents::new(record.board).0;
        let mut weights = [0; N_INSTANCES];
        for shape in &SHAPES {
            for lane in shape.first_lane..shape.first_lane + shape.n_lanes {
                weights[lane] = self.free[shape.offset + usize::from(contents[lane])];
            }
        }
        // The upper bits of the hash, so that symmetric positions stay together.
        let is_held_back = (canonical_hash(record.board) >> 32).is_multiple_of(HELD_BACK);
        let rows = if is_held_back { &mut self.held_back } else { &mut self.learnt };
        rows[n_empties as usize % 2].push(Row { weights, result: f32::from(record.result) });
    }

    /// For training, and held back.
    pub fn len(&self) -> (usize, usize) {
        let count = |rows: &[Vec<Row>; 2]| rows.iter().map(Vec::len).sum();
        (count(&self.learnt), count(&self.held_back))
    }

    pub fn fit(&self) -> Fit {
        let mut bytes = Vec::with_capacity(N_BYTES);
        let mut held_back = Loss::default();
        for (learnt, others) in self.learnt.iter().zip(&self.held_back) {
            let sum: f64 = learnt.iter().map(|row| f64::from(row.result)).sum();
            let mean = sum / (learnt.len().max(1) as f64);
            let weights = least_squares(learnt, mean, self.n_free);
            for row in others {
                held_back.add(mean + value(row, &weights) - f64::from(row.result));
            }
            let numbers = self
                .free
                .iter()
                .map(|&free| (weights[free as usize] * f64::from(DISC)).round() as i16);
            bytes.extend(numbers.flat_map(i16::to_le_bytes));
        }
        debug_assert_eq!((bytes.len(), self.free.len()), (N_BYTES, N_SHAPES * N_CONTENTS));
        Fit { bytes, held_back }
    }
}

fn value(row: &Row, weights: &[f64]) -> f64 {
    row.weights.iter().map(|&weight| weights[weight as usize]).sum()
}

/// The least-squares weights of the rows for their results minus `mean`.
fn least_squares(rows: &[Row], mean: f64, n_weights: usize) -> Vec<f64> {
    let mut uses = vec![PENALTY; n_weights];
    let mut rest = vec![0.0; n_weights];
    for row in rows {
        for &weight in &row.weights {
            uses[weight as usize] += 1.0;
            rest[weight as usize] += f64::from(row.result) - mean;
        }
    }
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    // Weights that are used more often have a steeper error.
    let scaled = |rest: &[f64]| -> Vec<f64> {
        rest.iter().zip(&uses).map(|(rest, uses)| rest / uses).collect()
    };
    let mut weights = vec![0.0; n_weights];
    let mut step = scaled(&rest);
    let mut slope = dot(&rest, &step);
    for _ in 0..STEPS {
        let mut change: Vec<f64> = step.iter().map(|step| PENALTY * step).collect();
        for row in rows {
            let value = value(row, &step);
            for &weight in &row.weights {
                change[weight as usize] += value;
            }
        }
        let length = slope / dot(&step, &change).max(f64::MIN_POSITIVE);
        for index in 0..n_weights {
            weights[index] += length * step[index];
            rest[index] -= length * change[index];
        }
        let next = scaled(&rest);
        let next_slope = dot(&rest, &next);
        let share = next_slope / slope.max(f64::MIN_POSITIVE);
        step = next.iter().zip(&step).map(|(next, step)| next + share * step).collect();
        slope = next_slope;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::board::tests::random_boards;
    use crate::evaluation::ranking::Ranking;

    /// Positions of random games near their ends; a corner is worth ten discs.
    fn records(n_games: u64) -> Vec<Record> {
        const CORNERS: u64 = 0x8100_0000_0000_0081;
        let corners = |discs: u64| (discs & CORNERS).count_ones() as i8;
        let record = |board: Board| {
            let result = 10 * (corners(board.player) - corners(board.opponent));
            Record { board, score: i32::from(result) * DISC, result, flags: PROVEN }
        };
        random_boards(n_games).filter(|board| board.legal_moves() != 0).map(record).collect()
    }

    #[test]
    fn a_worth_that_the_model_can_express_is_found() {
        let mut positions = Positions::default();
        let records = records(3000);
        records.iter().for_each(|record| positions.add(record));
        let (learnt, held_back) = positions.len();
        assert!(learnt > 5000 && held_back > 200, "{learnt} {held_back}");
        let fit = positions.fit();
        // Four corners at ten discs each are off by much more without a model.
        assert!(fit.held_back.mae() < 2.5, "{}", fit.held_back.mae());
        let ranking = Ranking::from_bytes(fit.bytes.as_slice().try_into().unwrap());
        let mean = |is_ahead: fn(i8) -> bool| {
            let met = records.iter().filter(|record| record.board.n_empties() == 12);
            let values: Vec<i32> = met
                .filter(|record| is_ahead(record.result))
                .map(|record| ranking.value(&Contents::new(record.board), 12))
                .collect();
            values.iter().sum::<i32>() / values.len() as i32
        };
        assert!(mean(|result| result > 0) - mean(|result| result < 0) > 20 * DISC);
    }

    #[test]
    fn only_solved_positions_near_the_end_count() {
        let mut positions = Positions::default();
        for record in records(20) {
            positions.add(&Record { flags: 0, ..record });
        }
        assert_eq!(positions.len(), (0, 0));
        assert!(positions.fit().bytes.iter().all(|&byte| byte == 0));
    }
}
