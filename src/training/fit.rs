//! Fitting weights to labelled positions: sparse stochastic gradient descent on the squared error.
//!
//! Each weight has a step of its own that shrinks with the squares of its gradients so far (AdaGrad: Duchi, Hazan, Singer 2011),
//! so that rare patterns still learn when frequent ones have settled; a starting sum keeps what was seen once or twice near zero.
//! Weights of a stage between two knots are mixtures of the knots', and both learn.

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::data::Example;
use crate::evaluation::patterns::{
    COUNTS_OFFSET, Features, N_COUNT_VALUES, N_COUNTS, N_INSTANCES, SHAPES, counts, free_weights,
};
use crate::evaluation::weights::{N_KNOTS, N_STAGES, knots};
use crate::players::random::draw;
use crate::score::DISC;

/// Error on a set of positions, against the results of their games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// Number of positions.
    pub n: u64,
    absolute: f64,
    squared: f64,
}

impl Loss {
    /// Adds a position's error in discs.
    pub fn add(&mut self, error: f64) {
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

    /// For reports, rounded to 1/10000.
    pub fn to_json(self) -> Value {
        let rounded = |error: f64| (error * 1e4).round() / 1e4;
        json!({ "positions": self.n, "mae": rounded(self.mae()), "mse": rounded(self.mse()) })
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

    /// Losses by stage.
    pub fn losses(&self, examples: &[Example]) -> Vec<Loss> {
        losses(examples, |example| f64::from(self.value(example)))
    }

    /// Learns from examples that [`arrange`] has put in order; returns the losses by stage that they had when they came up.
    /// `on_positions` is told how many were learnt from since the last call.
    ///
    /// Groups two apart have no knot in common and learn at the same time; the result does not depend on the threads.
    pub fn learn(
        &mut self,
        examples: &[Example],
        rate: f32,
        on_positions: &(dyn Fn(u64) + Sync),
    ) -> Vec<Loss> {
        let groups = groups(examples);
        let mut losses = vec![Loss::default(); N_STAGES];
        for round in 0..ROUNDS {
            for parity in 0..2 {
                let mut parameters = std::mem::take(&mut self.parameters);
                let pairs = parameters[parity * self.n_free..].par_chunks_mut(2 * self.n_free);
                let work = groups[parity..].par_iter().step_by(2).zip(pairs);
                let learnt: Vec<_> = work
                    .map(|(group, pair)| {
                        let part = |n: usize| group.len() * n / ROUNDS;
                        let examples = &group[part(round)..part(round + 1)];
                        let losses = self.learn_group(examples, pair, rate);
                        on_positions(examples.len() as u64);
                        losses
                    })
                    .collect();
                learnt.iter().for_each(|learnt| add_all(&mut losses, learnt));
                self.parameters = parameters;
            }
        }
        losses
    }

    fn learn_group(&self, examples: &[Example], pair: &mut [Parameter], rate: f32) -> Vec<Loss> {
        let mut losses = vec![Loss::default(); N_STAGES];
        let (first, second) = pair.split_at_mut(self.n_free);
        for example in examples {
            let (_, share) = knots(usize::from(example.stage));
            let active = self.active(example);
            let value = value(&active, first, second, share).clamp(-64.0, 64.0);
            losses[usize::from(example.stage)].add(f64::from(value) - f64::from(example.result));
            let error = value - example.target;
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

/// Losses by stage of any judgement in discs.
pub fn losses(examples: &[Example], value: impl Fn(&Example) -> f64 + Sync) -> Vec<Loss> {
    let chunks: Vec<_> = examples
        .par_chunks(1 << 14)
        .map(|chunk| {
            let mut losses = vec![Loss::default(); N_STAGES];
            for example in chunk {
                let error = value(example) - f64::from(example.result);
                losses[usize::from(example.stage)].add(error);
            }
            losses
        })
        .collect();
    // One after the other, since the last digits of a sum depend on its order.
    let mut sums = vec![Loss::default(); N_STAGES];
    chunks.iter().for_each(|losses| add_all(&mut sums, losses));
    sums
}

/// Adds losses stage by stage.
pub fn add_all(sums: &mut [Loss], losses: &[Loss]) {
    sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum = sum.join(*loss));
}

/// The first of the two knots that an example's stage lies between.
fn group(example: &Example) -> usize {
    knots(usize::from(example.stage)).0
}

/// Puts examples in the order in which they are learnt from: grouped by knot, each group shuffled. The same examples in the
/// same order before, and the same seed, give the same order.
pub fn arrange(examples: &mut [Example], seed: u64) {
    if !examples.is_sorted_by_key(group) {
        examples.sort_unstable_by_key(group);
    }
    let groups: Vec<_> = examples.chunk_by_mut(|a, b| group(a) == group(b)).collect();
    groups.into_par_iter().for_each(|examples| {
        let seed = seed ^ group(&examples[0]) as u64;
        shuffle(examples, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
    });
}

/// By knot, the examples of an arranged slice.
fn groups(examples: &[Example]) -> Vec<&[Example]> {
    let mut groups = vec![&examples[..0]; N_KNOTS - 1];
    for chunk in examples.chunk_by(|a, b| group(a) == group(b)) {
        groups[group(&chunk[0])] = chunk;
    }
    groups
}

/// Fisher and Yates.
fn shuffle<T>(items: &mut [T], random: &mut Xoshiro256PlusPlus) {
    for last in (1..items.len()).rev() {
        items.swap(last, draw(random, last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::evaluation::trained::stage;
    use crate::players::random::draw_square;

    /// A sum of what the model sees: mobility and the corners' discs.
    fn truth(board: Board) -> f32 {
        let mobility = board.legal_moves().count_ones() as f32
            - 0.5 * board.passed().legal_moves().count_ones() as f32;
        let corners = |discs: u64| (discs & 0x8100_0000_0000_0081).count_ones() as f32;
        mobility + 5.0 * (corners(board.player) - corners(board.opponent))
    }

    fn examples(n_games: u32, seed: u64) -> Vec<Example> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut examples = Vec::new();
        for _ in 0..n_games {
            let mut board = Board::START;
            while board.legal_moves() != 0 {
                let stage = stage(board.n_empties()) as u8;
                let target = truth(board);
                examples.push(Example { board, target, result: target.round() as i8, stage });
                let square = draw_square(&mut random, board.legal_moves());
                board = board.after(square, board.flips(square));
            }
        }
        examples
    }

    fn trained(n_games: u32, n_passes: u64) -> Model {
        let mut model = Model::new(None, 20.0);
        let mut examples = examples(n_games, 1);
        for pass in 0..n_passes {
            arrange(&mut examples, pass << 32);
            model.learn(&examples, 0.5, &|_| {});
        }
        model
    }

    #[test]
    fn a_sum_of_what_the_model_sees_is_found() {
        let others = examples(50, 2);
        let before = total(&Model::new(None, 1.0).losses(&others));
        let trained = trained(2000, 8);
        let after = total(&trained.losses(&others));
        assert!(after.mse() < 0.1 * before.mse(), "{} {}", before.mse(), after.mse());
        let knots = trained.knots();
        let again = Model::new(Some(&knots), 1.0);
        assert!((total(&again.losses(&others)).mse() - after.mse()).abs() < 0.05);
    }

    #[test]
    fn the_outcome_does_not_depend_on_the_threads() {
        let on = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| {
                let model = trained(200, 2);
                let losses = model.losses(&examples(50, 2));
                (model.parameters, losses)
            })
        };
        assert!(on(1) == on(3));
    }

    #[test]
    fn the_order_follows_from_the_seed() {
        let sorted = |examples: &[Example]| {
            let mut boards: Vec<Board> = examples.iter().map(|example| example.board).collect();
            boards.sort_unstable();
            boards
        };
        let original = examples(20, 3);
        let (mut a, mut b, mut c) = (original.clone(), original.clone(), original.clone());
        arrange(&mut a, 1);
        arrange(&mut b, 1);
        arrange(&mut c, 2 << 32);
        assert_eq!(a, b);
        assert_ne!(a, c);
        assert_eq!(sorted(&a), sorted(&original));
        assert!(a.is_sorted_by_key(group));
        let n: usize = groups(&a).iter().map(|group| group.len()).sum();
        assert_eq!((n, groups(&a).len()), (original.len(), N_KNOTS - 1));
    }
}
