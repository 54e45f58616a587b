//! Training of the evaluation: generating games by self-play, and fitting weights to them.
//!
//! The flow of the data: [`selfplay`] plays whole games, from random [`openings`] or from other games, and writes a file of
//! [`record`]s; [`data`] reads such files, merges equal positions and holds some games back; [`fit`] fits weights to the rest, in passes run by
//! [`course`], with a [`checkpoint`] now and then; what it is
//! [`unrounded`] is kept for the next one. [`problems`] makes test positions. The outcome is
//! described by the weights' [`provenance`]; [`compare`] compares two evaluations; [`calibration`] searches with finished
//! weights: its [`tempo`] makes the values of odd and even depths agree, its error model for forward pruning is fitted by [`probcut`].

pub mod calibration;
pub mod checkpoint;
pub mod compare;
pub mod course;
pub mod data;
pub mod fit;
mod network;
pub mod openings;
pub mod packing;
mod parameter;
pub mod parts;
pub mod probcut;
pub mod problems;
pub mod provenance;
pub mod ranking;
pub mod record;
mod search_context;
pub mod selfplay;
pub mod tempo;
pub mod unrounded;
