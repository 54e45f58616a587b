//! Training of the evaluation: generating games by self-play, and fitting weights to them.
//!
//! The flow of the data: [`selfplay`] plays games, from random [`openings`] or from other games, and appends their positions to a
//! file of [`record`]s; [`data`] reads such files and holds some positions back; [`fit`] fits weights to the rest, in passes run by
//! [`course`], with a [`checkpoint`] after each. The outcome is described by the weights' [`provenance`] and by a [`report`];
//! [`compare`] compares two evaluations; [`probcut`] measures the error model for forward pruning.

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
