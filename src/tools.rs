//! Measuring and checking: what developers run besides the engine itself.

pub mod bench;
pub mod compliance;
pub mod solve;
