//! Judging a position without searching it.
//!
//! The search knows an evaluation only by the trait [`Evaluator`]; which one is used is chosen once, at the root of a
//! search, so that the calls inside are static.
//!
//! # Why more than a sum over patterns
//!
//! The trained evaluation was a sum of pattern weights first (58 instances, 16 knots in time). Trained on the same 25 million
//! positions, with 1 game of 64 held back, these models judged the results as follows, against that sum:
//!
//! | model | squared error, all | plies 36-47 | plies 48-59 | midgame nodes/s |
//! |---|--:|--:|--:|--:|
//! | the sum alone | 105.4 | 94.5 | 33.2 | 21.4 M |
//! | rows of 16 for shapes of up to 9 squares | -5.2 % | -7.1 % | -15.8 % | 16.6 M |
//! | rows of 16 for all shapes | -7.8 % | -11.3 % | -26.0 % | 10.7 M |
//! | rows of 16 for 7 to 9 squares and the cores of three larger shapes | -7.1 % | -10.0 % | -22.3 % | 15.0 M |
//! | the same with rows of 32 | -7.8 % | -10.7 % | -25.3 % | 13.8 M |
//! | no rows: a small perceptron over the sums by shape | about half of the first one's gain | | | |
//!
//! At 50 ms a move from the XOT openings, the models with rows, in the order of the table, played +44 (200 games), 0
//! (200), +45 +- 29 (400) and +31 +- 31 Elo (400) against the sum: the [`network`] is the third, with cores. Trained
//! together with weights that differ for even and odd plies, and on positions of earlier generations searched again, it
//! plays +41 +- 30 (400 games, +190 =67 -143) against the sum that was embedded before.

pub mod network;
pub mod patterns;
pub mod ranking;
pub mod stages;
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
    /// What the evaluation keeps of a position and updates with every move; `()` if nothing.
    type Features: Clone + Send + Sync;

    /// The features of a position, computed from scratch.
    fn features(&self, board: Board) -> Self::Features;

    /// The features after the side to move places a disc on `square` and turns `flips`.
    fn after(&self, features: &Self::Features, square: Square, flips: u64) -> Self::Features;

    /// The features after a pass.
    fn passed(&self, features: &Self::Features) -> Self::Features;

    /// The expected result for the side to move, between -MAX and MAX; of a finished game the result itself.
    fn evaluate(&self, board: Board, features: &Self::Features) -> Score;

    /// As [`Evaluator::evaluate`], but exact only between `low` and `high`: far below or above, the value may be
    /// rougher, but lies on the same side of the bound. The result of a finished game is exact.
    #[inline(always)]
    fn evaluate_within(
        &self,
        board: Board,
        features: &Self::Features,
        (_low, _high): (Score, Score),
    ) -> Score {
        self.evaluate(board, features)
    }

    /// As [`Evaluator::evaluate`], but only on which side of `bound` the value lies matters.
    #[inline(always)]
    fn compare(&self, board: Board, features: &Self::Features, bound: Score) -> Score {
        self.evaluate_within(board, features, (bound, bound))
    }

    /// How far shallow searches with this evaluation are from deep ones, as measured.
    fn error_model(&self) -> ErrorModel;
}

/// The standard deviation in discs of the difference between searches of `deep` and of `shallow` plies with n empty squares:
/// exp(base + empties n + shallow s) (deep - shallow)^growth, fitted by maximum likelihood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorModel {
    /// Constant part of the exponent.
    pub base: f64,
    /// Part of the exponent for every empty square.
    pub empties: f64,
    /// Part of the exponent for every ply of the shallow search.
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

    /// Whether searches can use the model: all deviations are above 0, and so far from the largest integer that no
    /// margin made of them overflows.
    pub fn is_usable(&self) -> bool {
        let depths = [(0, 1), (0, 60), (59, 60)];
        let mut all = depths.into_iter().flat_map(|depths| [(0, depths), (60, depths)]);
        all.all(|(n, (shallow, deep))| (1e-12..1e5).contains(&self.deviation(n, shallow, deep)))
    }
}

/// Where an evaluation comes from; cheap to clone.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Source {
    /// The trained weights that every build contains.
    #[default]
    Embedded,
    /// Trained weights from elsewhere; see [`Source::from_bytes`].
    File {
        /// The checksum in the file.
        checksum: u64,
        /// What the file holds.
        file: Arc<weights::File>,
    },
    /// Classic terms: mobility, square values, stable discs.
    Terms,
}

impl Source {
    /// Weights by the bytes of their file.
    ///
    /// # Errors
    /// If it is not a weights file for this build's patterns, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Source, WeightsError> {
        let file = Arc::new(weights::File::unpack(bytes)?);
        Ok(Source::File { checksum: weights::stored_checksum(bytes), file })
    }

    /// The checksum in the file of the weights; `None` for the classic terms.
    pub fn checksum(&self) -> Option<u64> {
        match self {
            Source::Embedded => Some(weights::stored_checksum(EMBEDDED)),
            Source::File { checksum, .. } => Some(*checksum),
            Source::Terms => None,
        }
    }
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
    /// Makes an evaluation ready, which takes about a tenth of a second and 60 MB for trained weights.
    ///
    /// # Errors
    /// If the weights fit other patterns.
    pub fn load(source: &Source) -> Result<Evaluation, WeightsError> {
        Ok(match source {
            Source::Embedded => Evaluation::Trained(Weights::decode(EMBEDDED)?),
            Source::File { file, .. } => Evaluation::Trained(Weights::new(file)?),
            Source::Terms => Evaluation::Terms(Terms),
        })
    }

    /// The static value of a position for the side to move.
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
    use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

    use super::*;
    use crate::score::DISC;

    /// The last position of a random game.
    fn finished(random: &mut Xoshiro256PlusPlus) -> Board {
        let mut board = Board::START;
        while !board.is_over() {
            let moves: Vec<Square> = board.moves().collect();
            board = match moves.len() {
                0 => board.passed(),
                n => {
                    let square = moves[(random.next_u64() % n as u64) as usize];
                    board.after(square, board.flips(square))
                }
            };
        }
        board
    }

    fn expect_result<E: Evaluator>(evaluator: &E, board: Board) {
        let features = evaluator.features(board);
        let result = board.final_score() * DISC;
        assert_eq!(evaluator.evaluate(board, &features), result, "{board}");
        for bound in [-64 * DISC, -DISC, 0, 64 * DISC] {
            assert_eq!(evaluator.compare(board, &features, bound), result, "{board}");
        }
    }

    #[test]
    fn finished_games_have_their_result() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let Evaluation::Trained(weights) = Evaluation::embedded() else { panic!() };
        let boards = (0..3000).map(|_| finished(&mut random));
        let wiped_out = [Board { player: 0, opponent: 0xFF }, Board { player: 7, opponent: 0 }];
        let mut n_with_empties = 0;
        for board in boards.chain(wiped_out) {
            n_with_empties += u32::from(board.n_empties() > 0);
            expect_result(&Terms, board);
            expect_result(&weights, board);
        }
        assert!(n_with_empties > 10);
    }

    #[test]
    fn the_embedded_weights_fit_these_patterns() {
        assert!(matches!(Evaluation::load(&Source::Embedded), Ok(Evaluation::Trained(_))));
    }

    #[test]
    fn weights_are_known_by_the_checksum_of_their_file_whoever_packed_it() {
        let embedded = Source::from_bytes(EMBEDDED).unwrap();
        assert_eq!(embedded.checksum(), Source::Embedded.checksum());
        let Source::File { file, .. } = embedded else { panic!() };
        let level = structured_zstd::encoding::CompressionLevel::Uncompressed;
        let (bytes, checksum) =
            file.pack_by(|plain| structured_zstd::encoding::compress_to_vec(plain, level));
        assert_ne!(Some(checksum), Source::Embedded.checksum(), "packed in another way");
        assert_eq!(Source::from_bytes(&bytes).unwrap().checksum(), Some(checksum));
        assert_eq!(Source::Terms.checksum(), None);
        assert!(EMBEDDED.len() < 9_000_000);
    }
}
