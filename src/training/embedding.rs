//! Training of the evaluation's [`embedding`](crate::evaluation::embedding).
//!
//! Rows, biases and worths follow the gradient of the same squared error as the weights, with steps that shrink in the same way.
//! Rows stay within what fits a byte in the program.

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use super::parameter::Parameter;
pub(super) use crate::evaluation::embedding::WIDTH;
use crate::evaluation::embedding::{
    LARGEST_ROW, N_ACTIVE, N_PHASES, active_rows, free_rows, phase, round, unround,
};
use crate::evaluation::patterns::{Features, N_COUNTS};
use crate::evaluation::stages::N_STAGES;
use crate::support::draw::draw;

/// Learning rates of rows and of worths relative to that of the weights.
const ROW_RATE: f32 = 0.06;
const WORTH_RATE: f32 = 2.0;

/// Initial sums of squared gradients relative to that of the weights. Biases and worths see every position of their stage.
const ROW_INERTIA: f32 = 0.5;
const STAGE_INERTIA: f32 = 5.0;

/// Initial values: rows and biases are random, so that lanes learn different things.
const ROW_SPREAD: f32 = 0.01;
const BIAS: f32 = 0.4;
const BIAS_SPREAD: f32 = 0.05;
const WORTH_SPREAD: f32 = 2.0;

/// Indices of the rows selected by a position.
pub(super) type Active = [u32; N_ACTIVE];

/// A row, or the biases or worths of a stage.
type Row = [Parameter; WIDTH];

/// The layout of the parameters: the rows of each phase, the biases of each stage, the worths of each stage.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    places: Vec<u32>,
    n_free: usize,
}

impl Layout {
    pub(super) fn new() -> Layout {
        let (places, n_free) = free_rows();
        Layout { places, n_free }
    }

    const fn n_rows(&self) -> usize {
        N_PHASES * self.n_free
    }

    /// Untrained parameters.
    pub(super) fn begin(&self, inertia: f32) -> Vec<Parameter> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
        // From -1 to 1 in steps that are exact as floats.
        const HALF: u64 = 1 << 23;
        let mut unit = || draw(&mut random, 2 * HALF) as f32 / HALF as f32 - 1.0;
        let mut around = |middle: f32, spread: f32, squares: f32| Parameter {
            weight: middle + spread * unit(),
            squares: squares * inertia,
        };
        let n_rows = WIDTH * self.n_rows();
        let n_stages = WIDTH * N_STAGES;
        let rows = (0..n_rows).map(|_| around(0.0, ROW_SPREAD, ROW_INERTIA)).collect::<Vec<_>>();
        let biases =
            (0..n_stages).map(|_| around(BIAS, BIAS_SPREAD, STAGE_INERTIA)).collect::<Vec<_>>();
        // All stages start with the same worths, so that lanes keep their meaning.
        let worths: Vec<_> = (0..WIDTH).map(|_| around(0.0, WORTH_SPREAD, STAGE_INERTIA)).collect();
        [rows, biases, worths.repeat(N_STAGES)].concat()
    }

    /// Continues from the numbers of a weights file.
    pub(super) fn begin_with(&self, numbers: &[i16], inertia: f32) -> Vec<Parameter> {
        let mut parameters = self.begin(inertia);
        for (parameter, weight) in parameters.iter_mut().zip(unround(numbers)) {
            parameter.weight = weight;
        }
        parameters
    }

    /// The numbers for a weights file. With `inertia`, the initial sum of untrained parameters, rows that have learned nothing
    /// since become zero; without it, they keep their values.
    pub(super) fn numbers(&self, parameters: &[Parameter], inertia: Option<f32>) -> Vec<i16> {
        let unused = inertia.map(|inertia| ROW_INERTIA * inertia);
        let (rows, stages) = parameters.split_at(WIDTH * self.n_rows());
        let (biases, worths) = stages.split_at(WIDTH * N_STAGES);
        let weight = |parameter: &Parameter| parameter.weight;
        let row = |row: &Row| {
            if unused.is_some_and(|unused| row.iter().all(|p| p.squares <= unused)) {
                [0.0; WIDTH]
            } else {
                row.each_ref().map(weight)
            }
        };
        let rows = rows.as_chunks::<WIDTH>().0.iter().flat_map(row);
        round(rows, biases.iter().map(weight), worths.iter().map(weight))
    }

    pub(super) fn active(&self, counts: &[usize; N_COUNTS], features: &Features) -> Active {
        active_rows(counts, features).map(|row| self.places[row])
    }

    fn rows<'a>(&self, parameters: &'a [Parameter], stage: usize) -> &'a [Row] {
        &parameters.as_chunks().0[phase(stage) * self.n_free..][..self.n_free]
    }

    /// The sums of the lanes.
    pub(super) fn sums(
        &self,
        parameters: &[Parameter],
        active: &Active,
        stage: usize,
    ) -> [f32; WIDTH] {
        let rows = self.rows(parameters, stage);
        let mut sums = parameters.as_chunks::<WIDTH>().0[self.n_rows() + stage].map(|p| p.weight);
        for &number in active {
            let row = &rows[number as usize];
            for (sum, parameter) in sums.iter_mut().zip(row) {
                *sum += parameter.weight;
            }
        }
        sums
    }

    /// The value of the sums in discs.
    pub(super) fn value(&self, parameters: &[Parameter], sums: &[f32; WIDTH], stage: usize) -> f32 {
        let worths = &parameters.as_chunks::<WIDTH>().0[self.n_rows() + N_STAGES + stage];
        let square = |sum: f32| sum.clamp(0.0, 1.0).powi(2);
        sums.iter().zip(worths).map(|(&sum, worth)| square(sum) * worth.weight).sum()
    }

    /// Learns from the error of the whole value, in discs.
    pub(super) fn step(
        &self,
        parameters: &mut [Parameter],
        active: &Active,
        stage: usize,
        sums: &[f32; WIDTH],
        error: f32,
        rate: f32,
    ) {
        let all = parameters.as_chunks_mut::<WIDTH>().0;
        let (rows, stages) = all.split_at_mut(self.n_rows());
        let (biases, worths) = stages.split_at_mut(N_STAGES);
        let mut gradient = [0.0; WIDTH];
        for ((gradient, worth), &sum) in gradient.iter_mut().zip(&mut worths[stage]).zip(sums) {
            let limited = sum.clamp(0.0, 1.0);
            // Beyond the limits, the gradient is zero.
            let slope = if limited == sum { 2.0 * limited } else { 0.0 };
            *gradient = error * worth.weight * slope;
            worth.step(error * limited * limited, WORTH_RATE * rate);
        }
        let rate = ROW_RATE * rate;
        let learn = |row: &mut Row| {
            for (parameter, &gradient) in row.iter_mut().zip(&gradient) {
                parameter.step(gradient, rate);
            }
        };
        learn(&mut biases[stage]);
        let rows = &mut rows[phase(stage) * self.n_free..][..self.n_free];
        for &number in active {
            let row = &mut rows[number as usize];
            learn(row);
            for parameter in row {
                parameter.weight = parameter.weight.clamp(-LARGEST_ROW, LARGEST_ROW);
            }
        }
    }
}
