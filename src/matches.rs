//! Matches and tournaments: any engine against any other, fairly.
//!
//! `schedule` and `openings` determine the games, `event` stores them on disk, `runner` plays them, `referee` is the only judge of
//! one game between two players. `standing` counts, `statistics` says how sure the counts are, and `report` shows them to people and
//! programs.

pub mod event;
mod judge;
pub mod openings;
pub mod record;
pub mod referee;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod standing;
pub mod statistics;
