//! What people and developers run besides the engine itself: analysis of games, measuring, checking.

pub mod analyze;
pub mod bench;
pub mod compliance;
pub mod replay;
pub mod solve;
