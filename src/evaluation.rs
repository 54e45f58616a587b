//! Judging a position without searching it.
//!
//! # Why more than a sum over patterns
//!
//! The evaluation was a sum of pattern weights first (58 instances, 16 knots in time). Trained on the same 25 million
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
pub mod trained;
pub mod weights;

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::board::Board;
use crate::score::Score;
use patterns::Features;
pub use weights::Evaluation;
use weights::WeightsError;

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

/// An evaluation that is loaded when it is first used, which takes about a tenth of a second and 60 MB. Cheap to clone; clones load it once.
#[derive(Clone, Debug, Default)]
pub enum Source {
    /// The weights that every build contains.
    #[default]
    Embedded,
    /// Weights from elsewhere; see [`Source::from_bytes`].
    File(Arc<Loaded>),
}

/// The weights of a file.
#[derive(Debug)]
pub struct Loaded {
    checksum: u64,
    file: weights::File,
    evaluation: OnceLock<Evaluation>,
}

impl Source {
    /// Weights by the bytes of their file; fails if it is not a weights file for this build's patterns, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Source, WeightsError> {
        let (checksum, file) = (weights::stored_checksum(bytes), weights::File::unpack(bytes)?);
        Ok(Source::File(Arc::new(Loaded { checksum, file, evaluation: OnceLock::new() })))
    }

    /// The checksum in the file of the weights.
    pub fn checksum(&self) -> u64 {
        match self {
            Source::Embedded => weights::stored_checksum(EMBEDDED),
            Source::File(loaded) => loaded.checksum,
        }
    }

    /// The contents of the file of the weights. Never panics: what was read before is intact.
    pub fn file(&self) -> weights::File {
        match self {
            Source::Embedded => weights::File::unpack(EMBEDDED).expect("a test reads it"),
            Source::File(loaded) => loaded.file.clone(),
        }
    }

    /// Loads the evaluation now.
    pub fn load(&self) {
        let _: &Evaluation = self;
    }

    /// Whether the evaluation is loaded.
    pub fn is_loaded(&self) -> bool {
        match self {
            Source::Embedded => LOADED.get().is_some(),
            Source::File(loaded) => loaded.evaluation.get().is_some(),
        }
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.checksum() == other.checksum()
    }
}

impl Deref for Source {
    type Target = Evaluation;

    fn deref(&self) -> &Evaluation {
        match self {
            Source::Embedded => Evaluation::embedded(),
            Source::File(loaded) => loaded.evaluation.get_or_init(|| {
                Evaluation::new(&loaded.file).expect("a file that was read has weights")
            }),
        }
    }
}

/// The bytes of the weights that every build contains.
pub static EMBEDDED: &[u8] = include_bytes!("evaluation/weights.bin");

/// Takes time to unpack.
static LOADED: OnceLock<Evaluation> = OnceLock::new();

impl Evaluation {
    /// The weights that every build contains, unpacked once in a process. Never panics: a test loads them.
    pub fn embedded() -> &'static Evaluation {
        LOADED.get_or_init(|| Evaluation::decode(EMBEDDED).expect("a test loads them"))
    }

    /// The static value of a position for the side to move.
    pub fn static_value(&self, board: Board) -> Score {
        self.evaluate(board, &Features::new(board))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tests::random_boards;
    use crate::score::DISC;

    #[test]
    fn finished_games_have_their_result() {
        let boards = random_boards(3000).filter(|board| board.is_over());
        let wiped_out = [Board { player: 0, opponent: 0xFF }, Board { player: 7, opponent: 0 }];
        let mut n_with_empties = 0;
        for board in boards.chain(wiped_out) {
            n_with_empties += u32::from(board.n_empties() > 0);
            let evaluation = Evaluation::embedded();
            let (features, result) = (Features::new(board), board.final_score() * DISC);
            assert_eq!(evaluation.evaluate(board, &features), result, "{board}");
            for bound in [-64 * DISC, -DISC, 0, 64 * DISC] {
                assert_eq!(evaluation.compare(board, &features, bound), result, "{board}");
            }
        }
        assert!(n_with_empties > 10);
    }

    #[test]
    fn weights_are_known_by_the_checksum_of_their_file_whoever_packed_it() {
        let embedded = Source::from_bytes(EMBEDDED).unwrap();
        assert_eq!(embedded.checksum(), Source::Embedded.checksum());
        let file = embedded.file();
        let level = structured_zstd::encoding::CompressionLevel::Uncompressed;
        let (bytes, checksum) =
            file.pack_by(|plain| structured_zstd::encoding::compress_to_vec(plain, level));
        assert_ne!(checksum, Source::Embedded.checksum(), "packed in another way");
        assert_eq!(Source::from_bytes(&bytes).unwrap().checksum(), checksum);
        assert!(EMBEDDED.len() < 9_000_000);
    }
}
