//! What the machine gives: zeroed memory, cache prefetch, processor features.

pub mod cpu;
pub mod memory;
