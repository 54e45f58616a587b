//! What the machine gives: zeroed memory, cache prefetch, processor features; and what pages of results are made of.

pub mod cpu;
pub mod memory;
pub mod page;
