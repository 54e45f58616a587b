//! Measures the differences between shallow and deep searches, and fits the error model for forward pruning.

use std::path::Path;

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
use rayon::prelude::*;

use super::data::read_records;
use super::search_context::{SearchContext, look, to_depth, to_the_end};
use crate::board::Board;
use crate::evaluation::{ErrorModel, Evaluation};
use crate::score;
use crate::search::{Limits, Selectivity};
use crate::support::random::draw;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub positions: usize,
    /// Depth of the deepest searches in plies.
    pub depth: u32,
    pub least_empties: u32,
    /// Positions with at most this many empty squares are also solved.
    pub solved_empties: u32,
    pub seed: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// Empty squares.
    pub n_empties: u32,
    /// By depth from 0, the evaluation alone.
    pub by_depth: Vec<f64>,
    /// The exact value, if there are few empty squares.
    pub solution: Option<f64>,
}

/// A difference between a shallow and a deep search of a position, in discs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    pub n_empties: u32,
    /// Depth of the shallow search; 0 is the evaluation alone.
    pub shallow: u32,
    /// Depth of the deep search; equal to the empty squares for a solution.
    pub deep: u32,
    /// Deep minus shallow value.
    pub discs: f64,
}

/// Draws positions evenly by number of empty squares from a self-play file.
pub fn draw_positions(path: &Path, settings: &Settings) -> anyhow::Result<Vec<Board>> {
    Ok(draw_boards(read_records(path)?.into_iter().map(|record| record.board), settings))
}

pub fn draw_boards(boards: impl Iterator<Item = Board>, settings: &Settings) -> Vec<Board> {
    let mut by_empties: Vec<Vec<Board>> = vec![Vec::new(); 65];
    let mut seen = vec![0_u64; 65];
    let most = settings.positions.div_ceil(40);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
    for board in boards {
        let n = board.n_empties() as usize;
        if n < settings.least_empties as usize {
            continue;
        }
        // Reservoir sampling: every position has the same chance.
        seen[n] += 1;
        if by_empties[n].len() < most {
            by_empties[n].push(board);
        } else {
            let place = draw(&mut random, seen[n]) as usize;
            if let Some(slot) = by_empties[n].get_mut(place) {
                *slot = board;
            }
        }
    }
    by_empties.into_iter().flatten().collect()
}

/// Searches positions to all depths, without pruning.
pub fn search_all(
    positions: &[Board],
    evaluation: &Evaluation,
    settings: &Settings,
    on_position: &(dyn Fn() + Sync),
) -> Vec<Values> {
    let values = positions.par_iter().filter_map(|&board| {
        let values = values(board, evaluation, settings);
        on_position();
        values
    });
    values.collect()
}

/// The values of a position; `None` if there is no memory for a table.
fn values(board: Board, evaluation: &Evaluation, settings: &Settings) -> Option<Values> {
    let n_empties = board.n_empties();
    let context = SearchContext::try_new(8)?;
    let value = |limits: &Limits| {
        let outcome = look(evaluation, board, limits, &context);
        outcome.best().map_or(0.0, |line| score::discs(line.score))
    };
    // Searches to the end estimate nothing, so they are a separate kind.
    let deepest = settings.depth.min(n_empties.saturating_sub(4));
    let mut by_depth = vec![score::discs(evaluation.static_value(board))];
    let depths = 1..=deepest;
    by_depth.extend(depths.map(|depth| value(&to_depth(depth, Selectivity::FULL, 0))));
    let solution = (n_empties <= settings.solved_empties).then(|| value(&to_the_end()));
    Some(Values { n_empties, by_depth, solution })
}

/// The differences between values of a position that are relevant to pruning.
pub fn differences(values: &Values) -> Vec<Difference> {
    let Values { n_empties, ref by_depth, solution } = *values;
    let mut differences = Vec::new();
    let mut add = |shallow: u32, deep: u32, discs: f64| {
        differences.push(Difference { n_empties, shallow, deep, discs });
    };
    for (deep, value) in (0..).zip(by_depth).skip(2) {
        for (shallow, before) in (0..deep).zip(by_depth) {
            // Pruning compares depths of one parity, or the evaluation alone.
            if shallow == 0 || shallow % 2 == deep % 2 {
                add(shallow, deep, value - before);
            }
        }
    }
    if let Some(solution) = solution {
        for (shallow, before) in (0..).zip(by_depth) {
            if shallow == 0 || shallow % 2 == n_empties % 2 {
                add(shallow, n_empties, solution - before);
            }
        }
    }
    differences
}

/// The maximum-likelihood model of the differences, by damped Newton's method on a convex function of four parameters.
pub fn fit(differences: &[Difference]) -> ErrorModel {
    let rows: Vec<([f64; 4], f64)> = differences
        .iter()
        .map(|d| {
            let growth = f64::from(d.deep - d.shallow).ln();
            let row = [1.0, f64::from(d.n_empties), f64::from(d.shallow), growth];
            (row, d.discs * d.discs)
        })
        .collect();
    // The negative log-likelihood of each row is theta x + r^2 exp(-2 theta x) / 2.
    let exponent = |row: &[f64; 4], theta: &[f64; 4]| -> f64 {
        row.iter().zip(theta).map(|(x, theta)| x * theta).sum()
    };
    let unlikelihood = |theta: &[f64; 4]| -> f64 {
        let of = |(row, square): &([f64; 4], f64)| {
            let exponent = exponent(row, theta);
            exponent + square * (-2.0 * exponent).exp() / 2.0
        };
        rows.iter().map(of).sum()
    };
    let mut theta = [1.5, 0.0, 0.0, 0.0];
    for _ in 0..50 {
        let mut gradient = [0.0; 4];
        let mut curvature = [[0.0; 4]; 4];
        for (row, square) in &rows {
            let ratio = square * (-2.0 * exponent(row, &theta)).exp();
            for i in 0..4 {
                gradient[i] += row[i] * (1.0 - ratio);
                for j in 0..4 {
                    // The expected ratio is 1; keeping it near that bounds the step for few or small differences.
                    curvature[i][j] += row[i] * row[j] * 2.0 * ratio.clamp(0.25, 4.0);
                }
            }
        }
        let step = solve(curvature, gradient);
        let before = unlikelihood(&theta);
        let shorter = (0..30).map(|halvings| 0.5_f64.powi(halvings));
        let mut steps = shorter.map(|share| std::array::from_fn(|i| theta[i] - share * step[i]));
        // If no step decreases the value, this is the minimum.
        let Some(lower) = steps.find(|theta| unlikelihood(theta) < before) else { break };
        theta = lower;
    }
    let [base, empties, shallow, growth] = theta;
    ErrorModel { base, empties, shallow, growth }
}

/// Solves four linear equations by Gaussian elimination with pivoting.
fn solve(mut matrix: [[f64; 4]; 4], mut right: [f64; 4]) -> [f64; 4] {
    for column in 0..4 {
        let pivot = (column..4)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))
            .unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        if matrix[column][column] == 0.0 {
            continue;
        }
        for row in 0..4 {
            if row != column {
                let factor = matrix[row][column] / matrix[column][column];
                let subtracted = matrix[column];
                for (entry, other) in matrix[row].iter_mut().zip(subtracted) {
                    *entry -= factor * other;
                }
                right[row] -= factor * right[column];
            }
        }
    }
    std::array::from_fn(|i| if matrix[i][i] == 0.0 { 0.0 } else { right[i] / matrix[i][i] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Evaluation;
    use rand::Rng;

    #[test]
    fn a_known_model_is_found_again() {
        let truth = ErrorModel { base: 1.2, empties: -0.02, shallow: -0.07, growth: 0.4 };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut normal = || {
            let sum: f64 = (0..12).map(|_| random.next_u64() as f64 / u64::MAX as f64).sum();
            sum - 6.0
        };
        let mut all = Vec::new();
        for n_empties in 14..50 {
            for (shallow, deep) in [(0, 4), (2, 6), (3, 9), (4, 8), (0, 9), (4, 12), (6, 14)] {
                for _ in 0..40 {
                    let discs = normal() * truth.deviation(n_empties, shallow, deep);
                    all.push(Difference { n_empties, shallow, deep, discs });
                }
            }
        }
        let found = fit(&all);
        for (n_empties, shallow, deep) in [(20, 2, 6), (40, 4, 12), (30, 0, 8)] {
            let ratio = found.deviation(n_empties, shallow, deep)
                / truth.deviation(n_empties, shallow, deep);
            assert!((0.95..1.05).contains(&ratio), "{found:?}");
        }
    }

    #[test]
    fn few_differences_with_outliers_have_a_model() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
        for _ in 0..200 {
            let mut all = Vec::new();
            for n_empties in 12..60 {
                let size = [1.0, 4.0, 30.0][draw(&mut random, 3) as usize];
                for (shallow, deep) in [(0, 2), (0, 3), (1, 3), (0, 8), (2, 8), (6, 8), (4, 6)] {
                    let sharp = (-0.4 * f64::from(shallow)).exp();
                    let discs = sharp * size * (draw(&mut random, 2001) as f64 / 1000.0 - 1.0);
                    all.push(Difference { n_empties, shallow, deep, discs });
                }
            }
            let model = fit(&all);
            // Of the most likely model the mean of the squared ratios is 1.
            let ratio = |d: &Difference| d.discs / model.deviation(d.n_empties, d.shallow, d.deep);
            let mean = all.iter().map(|d| ratio(d).powi(2)).sum::<f64>() / all.len() as f64;
            assert!((0.99..1.01).contains(&mean), "{model:?}: {mean}");
        }
    }

    #[test]
    fn differences_are_of_depths_that_pruning_compares() {
        let settings =
            Settings { positions: 1, depth: 4, least_empties: 8, solved_empties: 60, seed: 1 };
        let mut board = Board::START;
        while board.n_empties() > 9 {
            board = match board.moves().last() {
                Some(square) => board.after(square, board.flips(square)),
                None => board.passed(),
            };
        }
        let all = differences(&values(board, Evaluation::embedded(), &settings).unwrap());
        let pairs: Vec<_> = all.iter().map(|d| (d.shallow, d.deep)).collect();
        let expected = [(0, 2), (0, 3), (1, 3), (0, 4), (2, 4), (0, 9), (1, 9), (3, 9)];
        assert_eq!(pairs, expected);
    }
}
