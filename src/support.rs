//! Machine support: zeroed memory, cache prefetch, processor features; and reproducible random draws.

pub mod cpu;
pub mod draw;
pub mod mapping;
pub mod memory;
