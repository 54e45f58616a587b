//! Matches and tournaments: any engine against any other, fairly.
//!
//! `schedule` and `openings` determine the games, `event` stores them on disk, `runner` plays them, and `referee` judges one game
//! between two players.

pub mod event;
mod judge;
pub mod openings;
pub mod record;
pub mod referee;
pub mod runner;
pub mod schedule;
