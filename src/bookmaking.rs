//! Making opening books: positions from games, searches of what a book lacks, exchange with other programs.

pub mod exchange;
mod games;
mod lessons;
mod seeker;
mod work;

pub use games::{Judged, add, boards, judge};
pub use lessons::{Student, Terms};
pub use seeker::{CONFIDENCE, is_shallow};
pub use work::{Settings, accept, grow, search};
