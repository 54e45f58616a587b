//! Requests for scores as objects of JSON, and the answers to them, whoever carries them.

// A bad request is an answer and never a panic.
#![deny(clippy::expect_used, clippy::panic, clippy::unimplemented, clippy::unwrap_used)]

use std::time::Duration;

mod answer;
pub mod keys;
pub mod request;
pub mod row;

pub use answer::{Answer, Canceled, Told};
pub use request::{Refusal, Unit};

/// The time for a position that nothing else limits. In an analysis of a game of 60 moves it is less than half a minute in all.
pub const DEFAULT_TIME: Duration = Duration::from_millis(400);
