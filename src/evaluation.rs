//! Judging a position without searching it.
//!
//! The search knows an evaluation only by the trait [`Evaluator`]; which one is used is chosen once, at the root of a
//! search, so that the calls inside are static.

pub mod patterns;
pub mod terms;
pub mod trained;
pub mod weights;

use std::sync::Arc;

use crate::board::{Board, Square};
use crate::score::Score;
use terms::Terms;
use weights::{Weights, WeightsError};

/// An evaluation function with features that follow the moves of the search.
pub trait Evaluator: Sync {
    /// What is kept of a position between moves, from the view that suits the evaluation; `()` if nothing is.
    type Features: Clone + Send + Sync;

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

/// Where an evaluation comes from; cheap to clone.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Source {
    /// The trained weights that every build contains.
    #[default]
    Embedded,
    /// Trained weights from elsewhere.
    File(Arc<weights::File>),
    /// Classic terms: mobility, square values, stable discs.
    Terms,
}

/// The bytes of the trained weights that every build contains.
pub static EMBEDDED: &[u8] = include_bytes!("evaluation/weights.bin");

/// An evaluation ready for use.
#[derive(Debug)]
pub enum Evaluation {
    /// Pattern weights, fitted to games of the engine against itself.
    Trained(Weights),
    /// Classic terms.
    Terms(Terms),
}

impl Evaluation {
    /// Makes an evaluation ready, which takes some hundredths of a second and 20 MB for trained weights.
    ///
    /// # Errors
    /// If the weights fit other patterns.
    pub fn load(source: &Source) -> Result<Evaluation, WeightsError> {
        Ok(match source {
            Source::Embedded => Evaluation::Trained(Weights::decode(EMBEDDED)?),
            Source::File(file) => Evaluation::Trained(Weights::new(file)?),
            Source::Terms => Evaluation::Terms(Terms),
        })
    }

    /// The value of a position by itself.
    pub fn evaluate(&self, board: Board) -> Score {
        match self {
            Evaluation::Trained(weights) => weights.evaluate(board, &weights.features(board)),
            Evaluation::Terms(terms) => terms.evaluate(board, &()),
        }
    }

    /// The embedded weights; that they can be loaded is tested.
    pub fn embedded() -> Evaluation {
        Evaluation::load(&Source::Embedded).unwrap_or(Evaluation::Terms(Terms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_weights_fit_these_patterns() {
        assert!(matches!(Evaluation::load(&Source::Embedded), Ok(Evaluation::Trained(_))));
        assert!(EMBEDDED.len() < 9_000_000);
    }
}
