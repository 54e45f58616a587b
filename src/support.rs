//! What the machine gives: zeroed memory, cache prefetch, processor features; and draws that repeat.

pub mod cpu;
pub mod draw;
pub mod memory;
