//! Playing at a terminal: people and players of every kind at one board, full-screen or line by line.
//!
//! `model` is the state of it all and does nothing but change: events in, effects out, no input or output. `desk` carries
//! the effects out: it seats the players of `opponent`, each in a thread of its own, and reads and writes game files. Two
//! front ends turn what a person does into events and show the model: [`plain`] in lines, [`full`] on the whole screen, drawn by
//! `screen` from what `input` makes of keys and mouse. [`language`] has all the words.
//!
//! Neither the environment nor the standard streams are known here: the command line hands them down.

#![cfg_attr(
    not(feature = "terminal"),
    allow(dead_code, unused_imports, reason = "the line mode does not need everything")
)]

mod clocks;
mod desk;
mod event;
mod files;
mod form;
#[cfg(feature = "terminal")]
pub mod full;
#[cfg(feature = "terminal")]
mod input;
pub mod language;
mod model;
mod opponent;
pub mod plain;
#[cfg(feature = "terminal")]
pub mod screen;
pub mod settings;
