//! Fits weights to labeled positions by sparse stochastic gradient descent on the squared error.
//!
//! Each weight has its own learning rate, which decreases with the sum of its squared gradients (AdaGrad: Duchi, Hazan, Singer
//! 2011), so that rare patterns still learn when frequent ones have settled. A positive initial sum keeps weights that were seen
//! only once or twice near zero. Neighboring plies share most of what they learn: see [`Model`].

use std::ops::Range;

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::data::Example;
use super::network;
use super::parameter::Parameter;
use crate::board::Board;
use crate::evaluation::patterns::{
    Features, N_COUNT_VALUES, N_COUNTS, N_INSTANCES, SHAPES, counts, free_weights,
};
use crate::evaluation::stages::{N_PARITY_KNOTS, N_STAGES, knots};
use crate::evaluation::weights::n_numbers;
use crate::score::DISC;
use crate::support::random::shuffle;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    pub n: u64,
    absolute: f64,
    squared: f64,
    #[serde(default)]
    signed: f64,
}

impl Loss {
    /// Adds a position's error in discs.
    pub fn add(&mut self, error: f64) {
        self.n += 1;
        self.absolute += error.abs();
        self.squared += error * error;
        self.signed += error;
    }

    fn join(self, other: Loss) -> Loss {
        Loss {
            n: self.n + other.n,
            absolute: self.absolute + other.absolute,
            squared: self.squared + other.squared,
            signed: self.signed + other.signed,
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

    /// A JSON object for reports, rounded to 1/10000; without positions there is no error.
    pub fn to_json(self) -> Value {
        let rounded = |error: f64| (self.n > 0).then_some((error * 1e4).round() / 1e4);
        json!({ "positions": self.n, "mae": rounded(self.mae()), "mse": rounded(self.mse()) })
    }
}

/// The mean squared error without the mean error of each stage. A mean is the tempo, which lies in the labels and changes no move: all moves of
/// a position lead to the same stage.
pub fn corrected_mse(by_stage: &[Loss]) -> f64 {
    let rest = |loss: &Loss| loss.squared - loss.signed * loss.signed / loss.n.max(1) as f64;
    by_stage.iter().map(rest).sum::<f64>() / total(by_stage).n.max(1) as f64
}

pub fn total(by_stage: &[Loss]) -> Loss {
    by_stage.iter().fold(Loss::default(), |sum, &loss| sum.join(loss))
}

/// Indices of a position's free weights.
type Active = [u32; N_INSTANCES + N_COUNTS];

/// The parameters of a free weight at a knot: a common part, and additional parts for even and odd plies.
const N_PARTS: usize = 3;

/// The part for the parity of a stage.
const fn own_part(stage: usize) -> usize {
    1 + stage % 2
}

/// A weight is a common part plus one for the parity, both interpolated between knots, so that a position also teaches plies around it.
#[derive(Clone, Debug)]
pub struct Model {
    form: Form,
    /// The initial sum of the network's parameters, if they started untrained.
    inertia: Option<f32>,
    /// Whether the network is trained. It starts after the weights have settled, so that it adds only what they cannot express.
    pub has_network: bool,
    /// The parts of all free weights in order, knot by knot; then the parameters of the network.
    pub parameters: Vec<Parameter>,
}

#[derive(Clone, Debug)]
struct Form {
    /// By weight index within a stage, the number of the free weight.
    numbers: Vec<u32>,
    n_free: usize,
    network: network::Layout,
}

/// The parameters that the positions of some neighboring groups train, disjoint from all other shares.
struct Share<'a> {
    groups: Range<usize>,
    /// From the first group's lower knot to the last one's upper.
    knots: &'a mut [Parameter],
    /// The network's parameters for the phase of these groups.
    network: network::Phase<'a>,
}

#[derive(Clone, Copy, Debug)]
struct Selection {
    weights: Active,
    rows: network::Active,
}

/// Rounds per pass. Several of them let neighboring knots grow together.
const ROUNDS: usize = 32;

/// Number of positions whose parameters are looked up in advance.
const BLOCK: usize = 16;

/// Initial sum of the parity parts, as a multiple of that of the common part.
const OWN_INERTIA: f32 = 10.0;

impl Model {
    /// A model that starts untrained, or from the [`numbers`](Model::numbers) of an earlier one.
    pub fn new(start: Option<&[f32]>, inertia: f32) -> Model {
        let (numbers, n_free) = free_weights();
        let network = network::Layout::new();
        let mut parts = [Parameter { weight: 0.0, squares: OWN_INERTIA * inertia }; N_PARTS];
        parts[0].squares = inertia;
        let n_weights = N_PARITY_KNOTS * n_free;
        let mut parameters = parts.repeat(n_weights);
        if let Some(start) = start {
            let (even, odd) = start[..2 * n_weights].split_at(n_weights);
            let parts = parameters.as_chunks_mut::<N_PARTS>().0;
            for ((parts, &even), &odd) in parts.iter_mut().zip(even).zip(odd) {
                let common = (even + odd) / 2.0;
                for (part, weight) in parts.iter_mut().zip([common, even - common, odd - common]) {
                    part.weight = weight / DISC as f32;
                }
            }
        }
        // A network of zeros would learn nothing; it means that the file's weights were best without one.
        let embedded = start.map(|start| &start[2 * n_weights..]);
        let embedded = embedded.filter(|numbers| numbers.iter().any(|&number| number != 0.0));
        parameters.extend(match embedded {
            Some(numbers) => network.begin_with(numbers, inertia),
            None => network.begin(inertia),
        });
        let has_network = embedded.is_some();
        let inertia = embedded.is_none().then_some(inertia);
        let form = Form { numbers, n_free, network };
        Model { form, inertia, has_network, parameters }
    }

    /// The numbers for a weights file, in its units, but not rounded: see [`round`].
    pub fn numbers(&self) -> Vec<f32> {
        let (weights, rows) = self.parameters.split_at(self.form.n_linear());
        let parts = weights.as_chunks::<N_PARTS>().0;
        let weights =
            (1..N_PARTS).flat_map(|own| parts.iter().map(move |parts| weight(parts, own)));
        let mut numbers: Vec<f32> = weights.map(|weight| weight * DISC as f32).collect();
        if self.has_network {
            numbers.extend(self.form.network.numbers(rows, self.inertia));
        } else {
            numbers.resize(n_numbers(), 0.0);
        }
        numbers
    }

    /// In discs.
    pub fn value(&self, example: &Example) -> f32 {
        let stage = usize::from(example.stage);
        let selection = self.form.selection(example.board);
        let (all_knots, embedded) = self.parameters.split_at(self.form.n_linear());
        let knots = &all_knots[group_of(stage) * self.form.knot_size()..];
        let mut value = self.form.linear_value(knots, &selection.weights, stage);
        if self.has_network {
            value += self.form.network.value(embedded, &selection.rows, stage);
        }
        value.clamp(-64.0, 64.0)
    }

    pub fn losses(&self, examples: &[Example]) -> Vec<Loss> {
        losses(examples, |example| f64::from(self.value(example)))
    }

    /// Trains on examples in the order of [`arrange`]; returns their losses by stage, each measured before training on it. The phases of
    /// the game learn side by side, with the same outcome as one after the other.
    pub fn learn(
        &mut self,
        examples: &[Example],
        rate: f32,
        on_positions: &(dyn Fn(u64) + Sync),
    ) -> Vec<Loss> {
        let groups = groups(examples);
        let mut losses = vec![Loss::default(); N_STAGES];
        let &mut Model { ref form, has_network, ref mut parameters, .. } = self;
        for round in 0..ROUNDS {
            for is_border in [false, true] {
                let learn = |mut share: Share<'_>| {
                    let mut losses = vec![Loss::default(); N_STAGES];
                    for number in share.groups.clone() {
                        let group = groups[number];
                        let part = |n: usize| group.len() * n / ROUNDS;
                        let examples = &group[part(round)..part(round + 1)];
                        for block in examples.chunks(BLOCK) {
                            form.learn_block(block, rate, has_network, &mut share, &mut losses);
                        }
                        on_positions(examples.len() as u64);
                    }
                    losses
                };
                let shares = form.shares(parameters, is_border);
                let found: Vec<_> = shares.into_par_iter().map(learn).collect();
                found.iter().for_each(|found| add_all(&mut losses, found));
            }
        }
        losses
    }
}

/// The numbers of a weights file.
pub fn round(numbers: &[f32]) -> Vec<i16> {
    // The cast saturates.
    numbers.iter().map(|number| number.round() as i16).collect()
}

impl Form {
    const fn knot_size(&self) -> usize {
        N_PARTS * self.n_free
    }

    const fn n_linear(&self) -> usize {
        N_PARITY_KNOTS * self.knot_size()
    }

    fn selection(&self, board: Board) -> Selection {
        let features = Features::new(board);
        let counts = counts(board);
        let mut weights = [0; N_INSTANCES + N_COUNTS];
        for shape in &SHAPES {
            let lanes = shape.first_lane..shape.first_lane + shape.n_lanes;
            for (number, &contents) in
                weights[lanes.clone()].iter_mut().zip(&features.player.0[lanes])
            {
                *number = self.numbers[shape.offset + usize::from(contents)];
            }
        }
        for (index, count) in counts.into_iter().enumerate() {
            weights[N_INSTANCES + index] = self.numbers[index * N_COUNT_VALUES + count];
        }
        Selection { weights, rows: self.network.active(&counts, &features) }
    }

    /// One share for each phase of the game: its last group if `is_border`, otherwise all its other groups. The last group also
    /// trains the first knot of the next phase, so it learns while the first group of that phase does not.
    fn shares<'a>(&self, parameters: &'a mut [Parameter], is_border: bool) -> Vec<Share<'a>> {
        let (mut knots, embedded) = parameters.split_at_mut(self.n_linear());
        let mut n_before = 0;
        let share = |network: network::Phase<'a>| {
            let (first, last) = (group_of(network.stages.start), group_of(network.stages.end - 1));
            let groups = if is_border { last..last + 1 } else { first..last };
            let others = std::mem::take(&mut knots);
            let others = others.split_at_mut((groups.start - n_before) * self.knot_size()).1;
            // With the upper knot of the last group.
            let (own, others) = others.split_at_mut((groups.len() + 1) * self.knot_size());
            n_before = groups.end + 1;
            knots = others;
            Share { groups, knots: own, network }
        };
        self.network.phases(embedded).into_iter().map(share).collect()
    }

    /// The sum of a position's weights, interpolated between two knots, of which `pair` holds the lower one first.
    fn linear_value(&self, pair: &[Parameter], active: &Active, stage: usize) -> f32 {
        let sum = |knot: &[Parameter]| -> f32 {
            let parts = knot.as_chunks().0;
            active.iter().map(|&number| weight(&parts[number as usize], own_part(stage))).sum()
        };
        let (_, share) = knots(stage);
        let first = sum(&pair[..self.knot_size()]);
        if share > 0.0 {
            (1.0 - share) * first + share * sum(&pair[self.knot_size()..])
        } else {
            first
        }
    }

    fn learn_block(
        &self,
        examples: &[Example],
        rate: f32,
        has_network: bool,
        share: &mut Share<'_>,
        losses: &mut [Loss],
    ) {
        let selections: Vec<_> =
            examples.iter().map(|example| self.selection(example.board)).collect();
        for (example, Selection { weights, rows }) in examples.iter().zip(&selections) {
            let stage = usize::from(example.stage);
            let first = group_of(stage) - share.groups.start;
            let pair = &mut share.knots[first * self.knot_size()..];
            let mut value = self.linear_value(pair, weights, stage);
            let mut sums = [0.0; network::WIDTH];
            if has_network {
                sums = share.network.sums(rows, stage);
                value += share.network.value(&sums, stage);
            }
            let value = value.clamp(-64.0, 64.0);
            let error = value - example.target;
            losses[stage].add(f64::from(error));
            let upper = knots(stage).1;
            let (lower_knot, upper_knot) = pair.split_at_mut(self.knot_size());
            step(weights, own_part(stage), lower_knot, (1.0 - upper) * error, rate);
            if upper > 0.0 {
                step(weights, own_part(stage), upper_knot, upper * error, rate);
            }
            if has_network {
                share.network.step(rows, stage, &sums, error, rate);
            }
        }
    }
}

fn weight(parts: &[Parameter; N_PARTS], own: usize) -> f32 {
    parts[0].weight + parts[own].weight
}

fn step(active: &Active, own: usize, knot: &mut [Parameter], gradient: f32, rate: f32) {
    let parts = knot.as_chunks_mut::<N_PARTS>().0;
    for &number in active {
        let parts = &mut parts[number as usize];
        for part in [0, own] {
            parts[part].step(gradient, rate);
        }
    }
}

/// Losses by stage of any evaluation in discs.
pub fn losses(examples: &[Example], value: impl Fn(&Example) -> f64 + Sync) -> Vec<Loss> {
    let chunks: Vec<_> = examples
        .par_chunks(1 << 14)
        .map(|chunk| {
            let mut losses = vec![Loss::default(); N_STAGES];
            for example in chunk {
                let error = value(example) - f64::from(example.target);
                losses[usize::from(example.stage)].add(error);
            }
            losses
        })
        .collect();
    // Sequential, because the last digits of a sum depend on its order.
    let mut sums = vec![Loss::default(); N_STAGES];
    chunks.iter().for_each(|losses| add_all(&mut sums, losses));
    sums
}

pub fn add_all(sums: &mut [Loss], losses: &[Loss]) {
    sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum = sum.join(*loss));
}

/// The group of a stage: the lower of the two knots around it, counted within its parity.
const fn group_of(stage: usize) -> usize {
    knots(stage).0 % N_PARITY_KNOTS
}

fn group(example: &Example) -> usize {
    group_of(usize::from(example.stage))
}

/// Groups examples by knot and shuffles each group. The result depends only on the examples, their order and the seed.
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

fn groups(examples: &[Example]) -> Vec<&[Example]> {
    let mut groups = vec![&examples[..0]; N_PARITY_KNOTS - 1];
    for chunk in examples.chunk_by(|a, b| group(a) == group(b)) {
        groups[group(&chunk[0])] = chunk;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::board::tests::random_game;
    use crate::evaluation::network::phase;
    use crate::evaluation::weights::n_weights;

    /// A sum of what the model sees: mobility and the corners' discs.
    fn truth(board: Board) -> f32 {
        let mobility = board.legal_moves().count_ones() as f32
            - 0.5 * board.passed().legal_moves().count_ones() as f32;
        let corners = |discs: u64| (discs & 0x8100_0000_0000_0081).count_ones() as f32;
        mobility + 5.0 * (corners(board.player) - corners(board.opponent))
    }

    fn examples(n_games: u64, seed: u64) -> Vec<Example> {
        let boards = (0..n_games).flat_map(|number| random_game(seed << 32 | number));
        let with_moves = boards.filter(|board| board.legal_moves() != 0);
        with_moves.map(|board| Example::new(board, truth(board))).collect()
    }

    fn trained(n_games: u64, n_passes: u64) -> Model {
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
        let again = Model::new(Some(&trained.numbers()), 1.0);
        let pairs = || again.numbers().into_iter().zip(trained.numbers()).take(n_weights());
        assert!(pairs().all(|(again, trained)| (again - trained).abs() < 1e-3));
        assert!((total(&again.losses(&others)).mse() - after.mse()).abs() < 0.05);
    }

    #[test]
    fn what_a_weights_file_says_is_kept() {
        let numbers: Vec<f32> = (0..n_numbers()).map(|index| (index % 63) as f32 - 31.0).collect();
        let model = Model::new(Some(&numbers), 20.0);
        assert!(model.has_network && round(&model.numbers()) == round(&numbers));
        // Without a network, one begins anew.
        let weights = [&numbers[..n_weights()], &vec![0.0; n_numbers() - n_weights()]].concat();
        let model = Model::new(Some(&weights), 20.0);
        assert!(!model.has_network && model.numbers() == weights);
    }

    #[test]
    fn rows_that_are_never_selected_are_zero() {
        let n_others = |model: &Model| {
            let numbers = model.numbers();
            numbers[n_weights()..].iter().filter(|&&number| number != 0.0).count()
        };
        let mut model = Model::new(None, 20.0);
        assert_eq!(n_others(&model), 0);
        model.has_network = true;
        // Biases and outputs.
        let n_stages = 2 * N_STAGES * network::WIDTH;
        assert!(n_others(&model) <= n_stages);
        model.learn(&examples(20, 1), 0.5, &|_| {});
        assert!(n_others(&model) > 2 * n_stages);
    }

    #[test]
    fn phases_share_no_group() {
        for stage in 1..N_STAGES {
            let starts = |of: fn(usize) -> usize| of(stage) != of(stage - 1);
            assert!(!starts(phase) || starts(group_of), "{stage}");
        }
    }

    #[test]
    fn the_outcome_does_not_depend_on_the_threads() {
        let on = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| {
                let mut model = trained(200, 1);
                model.has_network = true;
                let mut others = examples(200, 3);
                arrange(&mut others, 1);
                model.learn(&others, 0.5, &|_| {});
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
        let arranged = |seed| {
            let mut examples = original.clone();
            arrange(&mut examples, seed);
            examples
        };
        let a = arranged(1);
        assert_eq!(a, arranged(1));
        assert_ne!(a, arranged(2 << 32));
        assert_eq!(sorted(&a), sorted(&original));
        assert!(a.is_sorted_by_key(group));
        let n: usize = groups(&a).iter().map(|group| group.len()).sum();
        assert_eq!((n, groups(&a).len()), (original.len(), N_PARITY_KNOTS - 1));
    }
}
