//! Making opening books: positions from games, searches of what a book lacks, exchange with other programs.

pub mod exchange;
mod games;
mod seeker;
mod work;

pub use games::{add, boards};
pub use seeker::CONFIDENCE;
pub use work::{Grown, Settings, accept, grow, search};
