//! Measurements of the engine: its speed, and its results on test positions with known scores.

pub mod bench;
#[cfg(feature = "program")]
pub mod solve;
