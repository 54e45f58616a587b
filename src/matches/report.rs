//! Reports of an event's results: a table for the terminal, and a self-contained page for a browser.
//!
//! Both show the same [`Standing`](super::standing::Standing). They are built in memory: nothing here opens a file or prints.

mod charts;
mod games;
mod numbers;
mod page;
mod ranking;
mod tables;
mod terminal;
#[cfg(test)]
mod tests;

pub use page::html;
pub use terminal::text;
