//! Analysis of games: the value of each move, better alternatives, and the class of the error.

mod analyst;
pub mod batch;
mod booked;
mod judged;
mod page;
mod rows;
#[cfg(test)]
mod tests;

pub use analyst::{Analyst, DEFAULT_TIME, Settings};
pub use booked::{consult, exit, exit_text};
pub use judged::{Judged, Tally};
pub use page::html;
pub use rows::row;
