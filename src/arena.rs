//! Matches and tournaments: any engine against any other, fairly, and how sure the result is.
//!
//! `spec` names players, `seat` makes them play through whatever protocol they speak, `referee` plays one game, `schedule` and
//! `openings` say which games there are, `event` keeps them on disk, `runner` plays them, `standing` and `statistics` say
//! what they come to.

mod child;
pub mod event;
pub mod fault;
pub mod openings;
pub mod record;
pub mod referee;
pub mod report;
pub mod runner;
pub mod schedule;
pub(crate) mod seat;
pub mod spec;
pub mod standing;
pub mod statistics;
