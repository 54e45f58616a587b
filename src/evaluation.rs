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
}

/// The evaluations that can be chosen by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Classic terms: mobility, square values, stable discs.
    #[default]
    Terms,
}
