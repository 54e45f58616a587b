//! The lines of an input.

use std::io::{BufRead, Read};

use crate::support::text::BYTE_ORDER_MARK;

/// Cuts an input into lines.
pub(super) struct Lines<R> {
    input: R,
    /// In bytes, without the line end.
    longest: usize,
    is_first: bool,
}

/// A line without its line feed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Whole(Vec<u8>),
    TooLong,
}

impl<R: BufRead> Lines<R> {
    /// Lines of at most this many bytes.
    pub const fn new(input: R, longest: usize) -> Lines<R> {
        Lines { input, longest, is_first: true }
    }

    /// The next line; `None` at the end, and where the input cannot be read any further.
    pub fn next(&mut self) -> Option<Line> {
        let mut line = Vec::new();
        let most = self.longest as u64 + 1;
        if let Err(error) = self.input.by_ref().take(most).read_until(b'\n', &mut line) {
            log::warn!("reading the input: {error}");
        }
        // A last line without a line end counts.
        if line.is_empty() {
            return None;
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() > self.longest {
            // What it fails on, the next read fails on too.
            drop(self.input.skip_until(b'\n'));
            self.is_first = false;
            return Some(Line::TooLong);
        }
        // Shells of Windows begin their pipes with a byte order mark.
        if std::mem::take(&mut self.is_first) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        Some(Line::Whole(line))
    }
}
