//! Learning an evaluation from the engine's own games: making them, and fitting weights to them.
//!
//! The way of the data: [`selfplay`] plays games, from random [`openings`] or from other games, and appends their positions to
//! a file of [`record`]s; [`data`] reads such files, holding some positions back; [`fit`] fits weights to the rest, pass by
//! pass as [`course`] says, with a [`checkpoint`] after each. What came of it stands in the weights' [`provenance`] and in a
//! [`report`]; [`compare`] sets two evaluations against each other; [`probcut`] measures what forward pruning may rely on.

pub mod checkpoint;
pub mod compare;
pub mod course;
pub mod data;
mod embedding;
pub mod fit;
pub mod openings;
mod parameter;
pub mod probcut;
pub mod provenance;
pub mod ranking;
pub mod record;
pub mod report;
pub mod selfplay;
