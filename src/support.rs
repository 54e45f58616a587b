//! Machine support: zeroed memory, cache prefetch, processor features, whether there is an output; reproducible random draws, a checksum, texts from outside, and the time.

#![cfg_attr(not(feature = "program"), allow(dead_code, reason = "the program needs all of it"))]

pub mod checksum;
pub mod cpu;
pub mod memory;
#[cfg(all(unix, feature = "program"))]
pub mod output;
pub mod random;
pub mod text;
pub mod time;

#[cfg(test)]
#[path = "../tests/it/harness/folder.rs"]
#[allow(dead_code, reason = "other tests need all of it")]
pub(crate) mod folder;
