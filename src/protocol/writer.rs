//! The one place that writes to standard output while a protocol runs.

use std::io::{self, Write};

use crate::journal::{Closed, Entry, Recorder};

pub(super) struct Writer<W: Write> {
    output: W,
    recorder: Recorder,
    /// Why the last message was lost, unless nobody reads any more.
    failure: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    pub const fn new(output: W, recorder: Recorder) -> Writer<W> {
        Writer { output, recorder, failure: None }
    }

    pub const fn failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// If it fails, the front end has closed the output, or the disk is full.
    pub fn send(&mut self, message: &[u8]) -> Result<(), Closed> {
        for line in message.strip_suffix(b"\n").unwrap_or(message).split(|&byte| byte == b'\n') {
            self.recorder.note(|| Entry::Output(line.to_vec()));
        }
        self.output.write_all(message).and_then(|()| self.output.flush()).map_err(|error| {
            log::info!("writing the output: {error}");
            self.failure = Some(error).filter(|error| error.kind() != io::ErrorKind::BrokenPipe);
            Closed::ByOutput
        })
    }
}

/// Whether or not anyone reads it.
pub(super) fn send_live(text: &str) {
    drop(io::stderr().lock().write_all(text.as_bytes()));
}
