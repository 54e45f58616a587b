//! Measuring the engine: its speed, and its answers to positions with known ones.

pub mod bench;
pub mod solve;
