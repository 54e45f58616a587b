//! Fitting weights to labelled positions: sparse stochastic gradient descent on the squared error.
//!
//! Each weight has a step of its own that shrinks with the squares of its gradients so far (AdaGrad: Duchi, Hazan, Singer 2011),
//! so that rare patterns still learn when frequent ones have settled; a starting sum keeps what was seen once or twice near zero.
//! Weights of a stage between two knots are mixtures of the knots', and both learn.

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
use rayon::prelude::*;

use super::data::Example;
use crate::evaluation::patterns::{
    COUNTS_OFFSET, Features, N_COUNT_VALUES, N_COUNTS, N_INSTANCES, SHAPES, counts, free_weights,
};
use crate::evaluation::weights::{N_KNOTS, N_STAGES, knots};
use crate::players::random::draw;
use crate::score::DISC;

/// How to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Passes over the data.
    pub epochs: u32,
    /// Step of the first pass; it falls to zero along half a cosine wave.
    pub rate: f32,
    /// Starting sum of squared gradients, in squared discs.
    pub inertia: f32,
    /// Of the order of the positions.
    pub seed: u64,
}

/// Error on a set of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loss {
    /// Number of positions.
    pub n: u64,
    absolute: f64,
    squared: f64,
}

impl Loss {
    fn add(&mut self, error: f64) {
        self.n += 1;
        self.absolute += error.abs();
        self.squared += error * error;
    }

    fn join(self, other: Loss) -> Loss {
        Loss {
            n: self.n + other.n,
            absolute: self.absolute + other.absolute,
            squared: self.squared + other.squared,
        }
    }

    /// Mean absolute error in discs.
    pub fn mae(&self) -> f64 {
        self.absolute / (self.n.max(1) as f64)
    }

    /// Mean squared error in squared discs.
    pub fn mse(&self) -> f64 {
        self.squared / (self.n.max(1) as f64)
    }
}

/// The sum of losses by stage.
pub fn total(by_stage: &[Loss]) -> Loss {
    by_stage.iter().fold(Loss::default(), |sum, &loss| sum.join(loss))
}

/// A weight in discs and the sum of its squared gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameter {
    /// The weight.
    pub weight: f32,
    /// Squared gradients.
    pub squares: f32,
}

/// Numbers of a position's free weights.
type Active = [u32; N_INSTANCES + N_COUNTS + 1];

/// A model in training.
#[derive(Clone, Debug)]
pub struct Model {
    /// By weight index within a stage, the number of the free weight.
    numbers: Vec<u32>,
    n_free: usize,
    /// Free weights, knot after knot.
    pub parameters: Vec<Parameter>,
}

/// Data is worked through in so many rounds a pass, so that neighboring knots grow together.
const ROUNDS: usize = 4;

impl Model {
    /// A model that knows nothing, or that begins with the knots of a weights file (in 1/128 disc).
    pub fn new(start: Option<&[i16]>, inertia: f32) -> Model {
        let (numbers, n_free) = free_weights();
        let mut parameters = vec![Parameter { weight: 0.0, squares: inertia }; N_KNOTS * n_free];
        for (parameter, &weight) in parameters.iter_mut().zip(start.unwrap_or_default()) {
            parameter.weight = f32::from(weight) / DISC as f32;
        }
        Model { numbers, n_free, parameters }
    }

    /// The knots in 1/128 disc, for a weights file.
    pub fn knots(&self) -> Vec<i16> {
        self.parameters.iter().map(|p| (p.weight * DISC as f32).round() as i16).collect()
    }

    fn active(&self, example: &Example) -> Active {
        let board = example.board;
        let features = Features::new(board);
        let mut active = [0; N_INSTANCES + N_COUNTS + 1];
        for shape in &SHAPES {
            let lanes = shape.first_lane..shape.first_lane + shape.n_lanes;
            for (number, &contents) in
                active[lanes.clone()].iter_mut().zip(&features.player.0[lanes])
            {
                *number = self.numbers[shape.offset + usize::from(contents)];
            }
        }
        for (index, count) in counts(board).into_iter().enumerate() {
            active[N_INSTANCES + index] =
                self.numbers[COUNTS_OFFSET + index * N_COUNT_VALUES + count];
        }
        active[N_INSTANCES + N_COUNTS] = self.numbers[(board.n_empties() & 1) as usize];
        active
    }

    /// The value of a position in discs.
    pub fn value(&self, example: &Example) -> f32 {
        let (knot, share) = knots(usize::from(example.stage));
        let first = &self.parameters[knot * self.n_free..];
        let second = &self.parameters[(knot + 1) * self.n_free..];
        let active = self.active(example);
        value(&active, first, second, share).clamp(-64.0, 64.0)
    }

    /// Losses by stage against the examples' targets.
    pub fn losses(&self, examples: &[Example]) -> Vec<Loss> {
        let zero = || vec![Loss::default(); N_STAGES];
        let chunks = examples.par_chunks(1 << 14).map(|chunk| {
            let mut losses = zero();
            for example in chunk {
                let error = self.value(example) - example.target;
                losses[usize::from(example.stage)].add(f64::from(error));
            }
            losses
        });
        let join = |mut sum: Vec<Loss>, losses: Vec<Loss>| {
            sum.iter_mut().zip(losses).for_each(|(sum, loss)| *sum = sum.join(loss));
            sum
        };
        chunks.reduce(zero, join)
    }

    /// One pass over the data, grouped by [`by_knot`]; returns the losses by stage that the examples had when they came up.
    ///
    /// Groups two apart have no knot in common and learn at the same time; the result does not depend on the threads.
    pub fn pass(
        &mut self,
        groups: &mut [Vec<Example>],
        settings: &Settings,
        epoch: u32,
    ) -> Vec<Loss> {
        let progress = f64::from(epoch) / f64::from(settings.epochs);
        let slope = (1.0 + (std::f64::consts::PI * progress).cos()) / 2.0;
        let rate = settings.rate * slope as f32;
        groups.par_iter_mut().enumerate().for_each(|(index, group)| {
            let seed = settings.seed ^ u64::from(epoch) << 32 ^ index as u64;
            shuffle(group, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        });
        let mut losses = vec![Loss::default(); N_STAGES];
        for round in 0..ROUNDS {
            for parity in 0..2 {
                let mut parameters = std::mem::take(&mut self.parameters);
                let pairs = parameters[parity * self.n_free..].par_chunks_mut(2 * self.n_free);
                let work = groups[parity..].par_iter().step_by(2).zip(pairs);
                let learnt: Vec<_> = work
                    .map(|(group, pair)| {
                        let part = |n: usize| group.len() * n / ROUNDS;
                        self.learn(&group[part(round)..part(round + 1)], pair, rate)
                    })
                    .collect();
                for learnt in learnt {
                    losses.iter_mut().zip(learnt).for_each(|(sum, loss)| *sum = sum.join(loss));
                }
                self.parameters = parameters;
            }
        }
        losses
    }

    fn learn(&self, examples: &[Example], pair: &mut [Parameter], rate: f32) -> Vec<Loss> {
        let mut losses = vec![Loss::default(); N_STAGES];
        let (first, second) = pair.split_at_mut(self.n_free);
        for example in examples {
            let (_, share) = knots(usize::from(example.stage));
            let active = self.active(example);
            let value = value(&active, first, second, share);
            let error = value.clamp(-64.0, 64.0) - example.target;
            losses[usize::from(example.stage)].add(f64::from(error));
            step(&active, first, (1.0 - share) * error, rate);
            if share > 0.0 {
                step(&active, second, share * error, rate);
            }
        }
        losses
    }
}

fn value(active: &Active, first: &[Parameter], second: &[Parameter], share: f32) -> f32 {
    let sum = |knot: &[Parameter]| -> f32 {
        active.iter().map(|&number| knot[number as usize].weight).sum()
    };
    if share > 0.0 { (1.0 - share) * sum(first) + share * sum(second) } else { sum(first) }
}

fn step(active: &Active, knot: &mut [Parameter], gradient: f32, rate: f32) {
    for &number in active {
        let parameter = &mut knot[number as usize];
        parameter.squares += gradient * gradient;
        parameter.weight -= rate * gradient / parameter.squares.sqrt();
    }
}

/// Groups examples by the first of the two knots that their stage lies between.
pub fn by_knot(examples: Vec<Example>) -> Vec<Vec<Example>> {
    let mut groups = vec![Vec::new(); N_KNOTS - 1];
    for example in examples {
        groups[knots(usize::from(example.stage)).0].push(example);
    }
    groups
}

/// Fisher and Yates.
fn shuffle<T>(items: &mut [T], random: &mut Xoshiro256PlusPlus) {
    for last in (1..items.len()).rev() {
        items.swap(last, draw(random, last as u64 + 1) as usize);
    }
}
