//! The results of an event: points and ratings with their errors, and reports for people and programs.

pub mod report;
pub mod standing;
pub mod statistics;
