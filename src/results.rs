//! What the games of an event come to: points and ratings, how sure they are, and reports for people and programs.

pub mod report;
pub mod standing;
pub mod statistics;
