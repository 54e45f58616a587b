//! Requests for scores as objects of JSON, and the answers to them, whoever carries them.

// A bad request is an answer and never a panic.
#![deny(clippy::expect_used, clippy::panic, clippy::unimplemented, clippy::unwrap_used)]

mod answer;
pub mod keys;
pub mod request;
pub mod row;

pub use answer::{Answer, Canceled, Told};
pub use request::{Refusal, Unit};
