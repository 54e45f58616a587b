//! Results of a command: as text for people or, with `--json`, as rows.

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;

use crate::requests::row::to_text;

/// Prints each result in the form that was asked for.
pub(super) struct Printer<W> {
    pub output: W,
    is_json: bool,
}

impl<W: Write> Printer<W> {
    pub const fn new(output: W, is_json: bool) -> Printer<W> {
        Printer { output, is_json }
    }

    /// A result: the row or the text, on a line.
    pub fn show(&mut self, row: &impl Serialize, text: impl Display) -> io::Result<()> {
        if self.is_json { writeln!(self.output, "{}", to_text(row)) } else { self.tell(text) }
    }

    /// A line of text that the rows have no part in, such as a heading.
    pub fn tell(&mut self, text: impl Display) -> io::Result<()> {
        if self.is_json { Ok(()) } else { writeln!(self.output, "{text}") }
    }
}
