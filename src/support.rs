//! Machine support: zeroed memory, cache prefetch, processor features; reproducible random draws, and a checksum.

pub mod checksum;
pub mod cpu;
pub mod memory;
pub mod random;
