//! Judging a position without searching it.
//!
//! The search knows an evaluation only by the trait [`Evaluator`]; which one is used is chosen once, at the root of a
//! search, so that the calls inside are static.

pub mod terms;

use crate::board::{Board, Square};
use crate::score::Score;

/// An evaluation function with features that follow the moves of the search.
pub trait Evaluator: Sync {
    /// What is kept of a position between moves, from the view that suits the evaluation; `()` if nothing is.
    type Features: Clone + Send;

    /// The features of a position, computed from scratch.
    fn features(&self, board: Board) -> Self::Features;

    /// The features after the side to move places a disc on `square` and turns `flips`.
    fn after(&self, features: &Self::Features, square: Square, flips: u64) -> Self::Features;

    /// The features after a pass.
    fn passed(&self, features: &Self::Features) -> Self::Features;

    /// The expected result for the side to move, between -MAX and MAX. Both sides need not be able to move, but the game
    /// must not be over.
    fn evaluate(&self, board: Board, features: &Self::Features) -> Score;

    /// How far shallow searches with this evaluation are from deep ones, as measured.
    fn error_model(&self) -> ErrorModel;
}

/// The standard deviation in discs of the difference between searches of `deep` and of `shallow` plies with n empty squares:
/// exp(base + empties n + shallow s) (deep - shallow)^growth, fitted by maximum likelihood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorModel {
    /// Of the exponent.
    pub base: f64,
    /// For every empty square.
    pub empties: f64,
    /// For every ply of the shallow search.
    pub shallow: f64,
    /// Power of the difference in depth.
    pub growth: f64,
}

impl ErrorModel {
    /// The standard deviation in discs; `deep` must be more than `shallow`.
    pub fn deviation(&self, n_empties: u32, shallow: u32, deep: u32) -> f64 {
        let exponent = self.base
            + self.empties * f64::from(n_empties)
            + self.shallow * f64::from(shallow)
            + self.growth * f64::from(deep - shallow).ln();
        exponent.exp()
    }
}

/// The evaluations that can be chosen by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Classic terms: mobility, square values, stable discs.
    #[default]
    Terms,
}
