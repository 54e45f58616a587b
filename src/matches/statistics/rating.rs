//! Ratings of many players from the results of their matches.
//!
//! **Model.** Bradley and Terry's: A scores γA / (γA + γB) against B, and a rating is 400 log10 γ. A draw counts as
//! half a win and half a loss (D. Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics
//! 32, 2004, the source on model and existence of the maximum). In addition, each player has a drawn game against an
//! imagined average player: with this weak prior, players who won or lost every game have finite ratings too, and the
//! likelihood has exactly one maximum.
//!
//! **Maximum.** Newton's method with step halving, because the log-likelihood is concave in log γ and its second
//! derivative, the information matrix, is needed anyway. Hunter's MM algorithm converges to the same ratings, but takes
//! thousands of iterations where a player won nearly all games.
//!
//! **Errors.** 1.96 standard errors, from the inverse of the observed information. That alone would treat all games as
//! independent and without draws, so the variance of the points is that of the matches' color-swapped pairs
//! ([`super::elo`], dispersion): the covariance of the ratings is I⁻¹ V I⁻¹ with information I and variance V of the
//! points (the sandwich formula; H. White, "Maximum likelihood estimation of misspecified models", Econometrica 50,
//! 1982).
//!
//! **Groups.** Players who are not connected by games cannot be compared. Every group of connected players has mean 0,
//! and the errors refer to the distance from this mean.

use super::Tally;
use super::elo::{NORMAL_QUANTILE, dispersion};

#[derive(Clone, Copy, Debug)]
pub struct Pairing<'a> {
    /// Number of player A, below the number of players.
    pub first: usize,
    /// Number of player B, different from A.
    pub second: usize,
    /// Their games from A's side.
    pub tally: &'a Tally,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// In logistic Elo; the mean of the player's group is 0.
    pub elo: f64,
    /// Half-width of the 95 % interval; infinite without games. Two players who only met each other have half their difference's each.
    pub error: f64,
    pub points: f64,
    pub games: u64,
    /// Number of the group, from 0 in the order of their first players. Ratings can be compared only within a group.
    pub group: usize,
}

/// Number of prior games, drawn against an average player.
const PRIOR_GAMES: f64 = 1.0;

/// The most iterations of Newton's method; about 10 are needed.
const MAX_ROUNDS: u32 = 100;

/// The iteration ends when no log γ changes by more than this.
const PRECISION: f64 = 1e-10;

/// A step is halved down to this factor, below which floating point allows no further gain.
const SMALLEST_STEP: f64 = 1e-6;

/// Two players of a group with their results; numbers are those within the group.
struct Edge {
    players: [usize; 2],
    points: [f64; 2],
    dispersion: f64,
}

struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

/// Rates the players 0 to `n_players` - 1; pairings in any order, those with an unknown player or the same one twice ignored.
pub fn ratings(n_players: usize, pairings: &[Pairing]) -> Vec<Rating> {
    let pairings: Vec<&Pairing> = pairings
        .iter()
        .filter(|pairing| {
            pairing.first.max(pairing.second) < n_players
                && pairing.first != pairing.second
                && pairing.tally.games() > 0
        })
        .collect();
    let none = Rating { elo: 0.0, error: f64::INFINITY, points: 0.0, games: 0, group: 0 };
    let mut ratings = vec![none; n_players];
    for pairing in &pairings {
        let (points, games) = (pairing.tally.points(), pairing.tally.games());
        for (player, points) in [(pairing.first, points), (pairing.second, games as f64 - points)] {
            ratings[player].points += points;
            ratings[player].games += games;
        }
    }
    for (number, group) in groups(n_players, &pairings).iter().enumerate() {
        // The players of a group are sorted, which allows binary search.
        let edges: Vec<Edge> = pairings
            .iter()
            .filter_map(|pairing| {
                let first = group.binary_search(&pairing.first).ok()?;
                let second = group.binary_search(&pairing.second).ok()?;
                let points = pairing.tally.points();
                Some(Edge {
                    players: [first, second],
                    points: [points, pairing.tally.games() as f64 - points],
                    dispersion: dispersion(pairing.tally),
                })
            })
            .collect();
        let strengths = strengths(group.len(), &edges);
        let errors = standard_errors(&strengths, &edges);
        let mean = strengths.iter().sum::<f64>() / group.len() as f64;
        for (place, &player) in group.iter().enumerate() {
            let rating = &mut ratings[player];
            rating.group = number;
            rating.elo = elo(strengths[place] - mean);
            if !edges.is_empty() {
                rating.error = NORMAL_QUANTILE * elo(errors[place]);
            }
        }
    }
    ratings
}

fn elo(strength: f64) -> f64 {
    strength * 400.0 / std::f64::consts::LN_10
}

/// The groups of players connected by games, each in ascending order.
fn groups(n_players: usize, pairings: &[&Pairing]) -> Vec<Vec<usize>> {
    let mut opponents = vec![Vec::new(); n_players];
    for pairing in pairings {
        opponents[pairing.first].push(pairing.second);
        opponents[pairing.second].push(pairing.first);
    }
    let mut is_found = vec![false; n_players];
    let mut groups = Vec::new();
    for first in 0..n_players {
        if is_found[first] {
            continue;
        }
        is_found[first] = true;
        let mut group = vec![first];
        let mut next = 0;
        while next < group.len() {
            for &opponent in &opponents[group[next]] {
                if !is_found[opponent] {
                    is_found[opponent] = true;
                    group.push(opponent);
                }
            }
            next += 1;
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

/// The log γ of maximum likelihood, relative to the imagined average player.
fn strengths(n_players: usize, edges: &[Edge]) -> Vec<f64> {
    let mut strengths = vec![0.0; n_players];
    for _ in 0..MAX_ROUNDS {
        let step = information(&strengths, edges).inverse().times(&slope(&strengths, edges));
        let before = log_likelihood(&strengths, edges);
        let mut length = 1.0;
        let next = loop {
            let next: Vec<f64> = strengths
                .iter()
                .zip(&step)
                .map(|(strength, step)| strength + length * step)
                .collect();
            if length < SMALLEST_STEP || log_likelihood(&next, edges) >= before {
                break next;
            }
            length /= 2.0;
        };
        strengths = next;
        if step.iter().all(|step| step.abs() < PRECISION) {
            break;
        }
    }
    strengths
}

/// Logarithm of the probability of all points.
fn log_likelihood(strengths: &[f64], edges: &[Edge]) -> f64 {
    let games: f64 = edges
        .iter()
        .map(|Edge { players: [a, b], points: [won, lost], .. }| {
            let difference = strengths[*a] - strengths[*b];
            won * log_expected(difference) + lost * log_expected(-difference)
        })
        .sum();
    let prior: f64 =
        strengths.iter().map(|&strength| log_expected(strength) + log_expected(-strength)).sum();
    games + PRIOR_GAMES / 2.0 * prior
}

/// The derivatives of the log-likelihood: actual minus expected points.
fn slope(strengths: &[f64], edges: &[Edge]) -> Vec<f64> {
    let mut slope: Vec<f64> =
        strengths.iter().map(|&strength| PRIOR_GAMES * (0.5 - expected(strength))).collect();
    for Edge { players: [a, b], points: [won, lost], .. } in edges {
        let surplus = won - (won + lost) * expected(strengths[*a] - strengths[*b]);
        slope[*a] += surplus;
        slope[*b] -= surplus;
    }
    slope
}

/// The observed information: minus the second derivatives of the log-likelihood.
fn information(strengths: &[f64], edges: &[Edge]) -> Matrix {
    let size = strengths.len();
    let mut matrix = Matrix { size, cells: vec![0.0; size * size] };
    for (player, &strength) in strengths.iter().enumerate() {
        matrix.cells[player * size + player] = PRIOR_GAMES * variance(strength);
    }
    for edge in edges {
        let [a, b] = edge.players;
        let information = edge.information(strengths);
        matrix.cells[a * size + a] += information;
        matrix.cells[b * size + b] += information;
        matrix.cells[a * size + b] -= information;
        matrix.cells[b * size + a] -= information;
    }
    matrix
}

/// The standard errors of the distances of log γ from their mean.
fn standard_errors(strengths: &[f64], edges: &[Edge]) -> Vec<f64> {
    let inverse = information(strengths, edges).inverse();
    let means = inverse.column_means();
    // A row maps all points to a player's distance from the mean; its quadratic form with their variance is the variance of that.
    let variance_of = |row: &[f64]| {
        let moves: Vec<f64> = row.iter().zip(&means).map(|(cell, mean)| cell - mean).collect();
        let games: f64 = edges
            .iter()
            .map(|edge| {
                let [a, b] = edge.players;
                edge.dispersion * edge.information(strengths) * (moves[a] - moves[b]).powi(2)
            })
            .sum();
        let prior: f64 = moves
            .iter()
            .zip(strengths)
            .map(|(moved, &strength)| PRIOR_GAMES * variance(strength) * moved * moved)
            .sum();
        games + prior
    };
    inverse.cells.chunks_exact(inverse.size).map(|row| variance_of(row).sqrt()).collect()
}

fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// The logarithm of [`expected`], without loss of precision or overflow.
fn log_expected(difference: f64) -> f64 {
    difference.min(0.0) - (-difference.abs()).exp().ln_1p()
}

/// The variance of the result of a game without draws.
fn variance(difference: f64) -> f64 {
    expected(difference) * expected(-difference)
}

impl Edge {
    /// The information of the games about the difference of log γ.
    fn information(&self, strengths: &[f64]) -> f64 {
        let [a, b] = self.players;
        (self.points[0] + self.points[1]) * variance(strengths[a] - strengths[b])
    }
}

impl Matrix {
    /// The inverse of a symmetric positive definite matrix, by Gauss-Jordan elimination; such a matrix needs no pivoting.
    fn inverse(mut self) -> Matrix {
        let size = self.size;
        for pivot in 0..size {
            let scale = 1.0 / self.cells[pivot * size + pivot];
            let mut pivot_row = self.cells[pivot * size..][..size].to_vec();
            pivot_row[pivot] = 1.0;
            pivot_row.iter_mut().for_each(|cell| *cell *= scale);
            for (number, row) in self.cells.chunks_exact_mut(size).enumerate() {
                if number == pivot {
                    row.copy_from_slice(&pivot_row);
                } else {
                    let factor = row[pivot];
                    row[pivot] = 0.0;
                    row.iter_mut()
                        .zip(&pivot_row)
                        .for_each(|(cell, other)| *cell -= factor * other);
                }
            }
        }
        self
    }

    fn times(&self, vector: &[f64]) -> Vec<f64> {
        self.cells
            .chunks_exact(self.size)
            .map(|row| row.iter().zip(vector).map(|(cell, value)| cell * value).sum())
            .collect()
    }

    fn column_means(&self) -> Vec<f64> {
        let mut means = vec![0.0; self.size];
        for row in self.cells.chunks_exact(self.size) {
            means.iter_mut().zip(row).for_each(|(mean, cell)| *mean += cell / self.size as f64);
        }
        means
    }
}
