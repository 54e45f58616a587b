//! Othellier: an Othello engine.

pub mod board;
pub mod cli;
pub mod clock;
pub mod engine;
pub mod evaluation;
pub mod formats;
pub mod game;
pub mod protocol;
pub mod score;
pub mod search;
pub mod support;
pub mod tools;
pub mod transposition;
