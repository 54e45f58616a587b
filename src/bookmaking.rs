//! Making opening books: positions from games, searches of what a book lacks, exchange with other programs.

pub mod exchange;
mod games;
mod seeker;
mod work;

pub use games::{Counted, add, boards};
pub use seeker::{CONFIDENCE, Seeker, depth_for};
pub use work::{Accepted, Grown, Settings, accept, grow, search};
