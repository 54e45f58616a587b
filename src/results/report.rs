//! The results of an event for people: a table for the terminal, and a page that needs nothing but a browser.
//!
//! Both show the same [`Standing`](super::standing::Standing); the page holds the games besides, to be clicked through on a board. Everything is text made
//! in memory: nothing here opens a file or prints.

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
