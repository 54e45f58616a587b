//! Playing in a terminal: people and programs at one board, full-screen or line by line.
//!
//! `model` holds the whole state: events in, effects out, no input or output. `app` carries out the effects: it reads
//! and writes game files and asks players (`opponent`) and `adviser`, each in a thread of its own (`attendant`). Two
//! front ends turn a person's input into events and show the model: [`plain`] in lines, and [`full`] on the whole
//! screen, where `input` interprets keys and mouse and `screen` draws. [`language`] holds all texts.
//!
//! Nothing here reads the environment or opens the standard streams: the command line passes them in.

#![cfg_attr(
    not(feature = "terminal"),
    allow(dead_code, unused_imports, reason = "the line mode does not need everything")
)]

mod adviser;
mod app;
mod clocks;
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
