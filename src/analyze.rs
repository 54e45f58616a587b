//! Analysis of games: the value of each move, better alternatives, and the class of the error.

mod analyst;
mod annotate;
pub mod batch;
mod booked;
mod index;
mod judged;
mod page;
mod rows;
mod summary;
#[cfg(test)]
mod tests;

pub use analyst::{Analyst, Settings};
pub use annotate::{ggf, obf, sgf};
pub use booked::{consult, exit, exit_text};
pub use index::{INDEX, index, index_row, page_name};
pub use judged::{Class, Judged, Tally, of_ply};
pub use page::{html, page_files};
pub use rows::{Row, row};
pub use summary::Summary;
