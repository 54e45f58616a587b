//! Playing at a terminal: people and players of every kind at one board, full-screen or line by line.
//!
//! [`model`] is the state of it all and does nothing but change: events in, effects out, no input or output. [`desk`] carries
//! the effects out: it seats the players of [`opponent`], each in a thread of its own, and reads and writes game files. The
//! front end [`plain`] turns lines into events and shows the model. [`language`] has all the words.
//!
//! Neither the environment nor the standard streams are known here: the command line hands them down.

#![allow(dead_code, unused_imports, reason = "the line mode does not need everything")]

mod clocks;
mod desk;
mod event;
mod files;
mod form;
pub mod language;
mod model;
mod opponent;
pub mod plain;
pub mod settings;
