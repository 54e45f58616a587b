//! What commands tell people, on standard error and on a screen.

use std::io::Write;
use std::process::ExitCode;

use super::USAGE;
use crate::formats::archive::Lost;
use crate::support::text::{counted, printable_lines};

/// The most errors reported for a file; the rest are counted.
pub(super) const SHOWN_ERRORS: usize = 20;

pub(super) fn left_out_of(format: &str, kind: Lost, games: usize) -> String {
    let fate = if kind == Lost::NoResult { "made up for" } else { "left out of" };
    format!("{format} has no place for {kind}: {fate} {}", counted(games, "game", "games"))
}

/// Says how many errors in a file were not shown.
pub(super) fn tell_of_more(
    n_errors: usize,
    name: impl std::fmt::Display,
    warn: &mut dyn FnMut(&str),
) {
    if n_errors > SHOWN_ERRORS {
        let more = counted(n_errors - SHOWN_ERRORS, "more error", "more errors");
        warn(&format!("{name}: {more}"));
    }
}

pub(super) fn warn(message: &str) {
    drop(writeln!(Shown(std::io::stderr()), "othellier: {message}"));
}

/// Explains what is wrong with the command line.
pub(super) fn misuse(message: &str) -> anyhow::Result<ExitCode> {
    warn(message);
    Ok(ExitCode::from(USAGE))
}

/// A stream for people: whatever controls a terminal is escaped, in rows of JSON too, as JSON allows.
pub(super) struct Shown<W>(pub(super) W);

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write_all(printable_lines(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// Standard output for all but files and protocols.
pub(super) fn screen() -> Shown<std::io::Stdout> {
    Shown(std::io::stdout())
}
