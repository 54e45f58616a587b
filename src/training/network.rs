//! Training of the evaluation's [`network`](crate::evaluation::network).
//!
//! Rows (feature weights), biases and output weights follow the gradient of the same squared error as the pattern
//! weights, with steps that shrink in the same way. Rows are clamped to what fits a byte in the program.

use std::ops::Range;

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use super::parameter::Parameter;
pub(super) use crate::evaluation::network::WIDTH;
use crate::evaluation::network::{
    MAX_FEATURE_WEIGHT, N_ACTIVE, N_PHASES, active_rows, free_rows, phase, scale, unscale,
};
use crate::evaluation::patterns::{Features, N_COUNTS};
use crate::evaluation::stages::N_STAGES;
use crate::support::random::draw;

/// Learning rates of rows and of outputs relative to that of the weights.
const ROW_RATE: f32 = 0.06;
const WORTH_RATE: f32 = 2.0;

/// Initial sums of squared gradients relative to that of the weights. Biases and outputs see every position of their stage.
const ROW_INERTIA: f32 = 0.5;
const STAGE_INERTIA: f32 = 5.0;

/// Initial values: rows and biases are random, so that lanes learn different things.
const ROW_SPREAD: f32 = 0.01;
const BIAS: f32 = 0.4;
const BIAS_SPREAD: f32 = 0.05;
const WORTH_SPREAD: f32 = 2.0;

/// Indices of the rows selected by a position.
pub(super) type Active = [u32; N_ACTIVE];

/// A row, or the biases or outputs of a stage.
type Row = [Parameter; WIDTH];

/// The layout of the parameters: the rows of each phase, the biases of each stage, the outputs of each stage.
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
        // All stages start with the same outputs, so that lanes keep their meaning.
        let outputs: Vec<_> =
            (0..WIDTH).map(|_| around(0.0, WORTH_SPREAD, STAGE_INERTIA)).collect();
        [rows, biases, outputs.repeat(N_STAGES)].concat()
    }

    pub(super) fn begin_with(&self, numbers: &[f32], inertia: f32) -> Vec<Parameter> {
        let mut parameters = self.begin(inertia);
        for (parameter, weight) in parameters.iter_mut().zip(unscale(numbers)) {
            parameter.weight = weight;
        }
        parameters
    }

    /// The numbers for a weights file, unrounded. With `inertia`, the initial sum of untrained parameters, rows that have learned nothing
    /// since become zero; without it, they keep their values.
    pub(super) fn numbers(&self, parameters: &[Parameter], inertia: Option<f32>) -> Vec<f32> {
        let unused = inertia.map(|inertia| ROW_INERTIA * inertia);
        let (rows, stages) = parameters.split_at(WIDTH * self.n_rows());
        let (biases, outputs) = stages.split_at(WIDTH * N_STAGES);
        let weight = |parameter: &Parameter| parameter.weight;
        let row = |row: &Row| {
            if unused.is_some_and(|unused| row.iter().all(|p| p.squares <= unused)) {
                [0.0; WIDTH]
            } else {
                row.each_ref().map(weight)
            }
        };
        let rows = rows.as_chunks::<WIDTH>().0.iter().flat_map(row);
        scale(rows, biases.iter().map(weight), outputs.iter().map(weight))
    }

    pub(super) fn active(&self, counts: &[usize; N_COUNTS], features: &Features) -> Active {
        active_rows(counts, features).map(|row| self.places[row])
    }

    pub(super) fn phases<'a>(&self, parameters: &'a mut [Parameter]) -> Vec<Phase<'a>> {
        let all = parameters.as_chunks_mut::<WIDTH>().0;
        let (rows, stages) = all.split_at_mut(self.n_rows());
        let (mut biases, mut outputs) = stages.split_at_mut(N_STAGES);
        let mut start = 0;
        let phase = |(number, rows): (usize, &'a mut [Row])| {
            let stages =
                start..(start..N_STAGES).find(|&stage| phase(stage) > number).unwrap_or(N_STAGES);
            start = stages.end;
            let biases = biases.split_off_mut(..stages.len()).unwrap_or_default();
            let outputs = outputs.split_off_mut(..stages.len()).unwrap_or_default();
            Phase { stages, rows, biases, outputs }
        };
        rows.chunks_exact_mut(self.n_free).enumerate().map(phase).collect()
    }

    /// In discs.
    pub(super) fn value(&self, parameters: &[Parameter], active: &Active, stage: usize) -> f32 {
        let (rows, stages) = parameters.as_chunks::<WIDTH>().0.split_at(self.n_rows());
        let rows = &rows[phase(stage) * self.n_free..][..self.n_free];
        value(&sums(rows, &stages[stage], active), &stages[N_STAGES + stage])
    }
}

fn sums(rows: &[Row], bias: &Row, active: &Active) -> [f32; WIDTH] {
    let mut sums = bias.each_ref().map(|parameter| parameter.weight);
    for &number in active {
        for (sum, parameter) in sums.iter_mut().zip(&rows[number as usize]) {
            *sum += parameter.weight;
        }
    }
    sums
}

/// The value of the sums in discs.
fn value(sums: &[f32; WIDTH], outputs: &Row) -> f32 {
    let square = |sum: f32| sum.clamp(0.0, 1.0).powi(2);
    sums.iter().zip(outputs).map(|(&sum, output)| square(sum) * output.weight).sum()
}

pub(super) struct Phase<'a> {
    pub(super) stages: Range<usize>,
    rows: &'a mut [Row],
    biases: &'a mut [Row],
    outputs: &'a mut [Row],
}

impl Phase<'_> {
    pub(super) fn sums(&self, active: &Active, stage: usize) -> [f32; WIDTH] {
        sums(self.rows, &self.biases[stage - self.stages.start], active)
    }

    pub(super) fn value(&self, sums: &[f32; WIDTH], stage: usize) -> f32 {
        value(sums, &self.outputs[stage - self.stages.start])
    }

    /// Learns from the error of the whole value, in discs.
    pub(super) fn step(
        &mut self,
        active: &Active,
        stage: usize,
        sums: &[f32; WIDTH],
        error: f32,
        rate: f32,
    ) {
        let index = stage - self.stages.start;
        let mut gradient = [0.0; WIDTH];
        for ((gradient, output), &sum) in
            gradient.iter_mut().zip(&mut self.outputs[index]).zip(sums)
        {
            let limited = sum.clamp(0.0, 1.0);
            // Beyond the limits, the gradient is zero.
            let slope = if limited == sum { 2.0 * limited } else { 0.0 };
            *gradient = error * output.weight * slope;
            output.step(error * limited * limited, WORTH_RATE * rate);
        }
        let rate = ROW_RATE * rate;
        let learn = |row: &mut Row| {
            for (parameter, &gradient) in row.iter_mut().zip(&gradient) {
                parameter.step(gradient, rate);
            }
        };
        learn(&mut self.biases[index]);
        for &number in active {
            let row = &mut self.rows[number as usize];
            learn(row);
            for parameter in row {
                parameter.weight = parameter.weight.clamp(-MAX_FEATURE_WEIGHT, MAX_FEATURE_WEIGHT);
            }
        }
    }
}
