//! The events of a session as typed entries: its input and output, what the engine did, and how it ended, so that the
//! session can be replayed.
//!
//! Entries are noted with a [`Recorder`]. They go to the log file or to a replay; usually nobody listens.

pub mod step;
pub mod text;

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use step::{End, Searched, Step};

/// Longer lines of the input, in bytes, are dropped and noted as [`Entry::LongInput`].
pub const MAX_LINE: usize = 2 << 20;

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// The program and its options.
    Header(Header),
    /// A line to the engine, without its end.
    Input(Vec<u8>),
    /// A line to the engine that was too long.
    LongInput,
    /// The input has ended.
    EndOfInput,
    /// A line from the engine, without its end.
    Output(Vec<u8>),
    /// The contents of a file that a command named, or why it could not be read.
    File(Result<Vec<u8>, String>),
    /// After the input line of this number, the engine had nothing else to do and began to ponder.
    Pondering(u64),
    /// The input line of this number was answered while a job ran.
    Immediate(u64),
    /// What the engine's worker did.
    Step(Step),
    /// An error of the program itself.
    Error(String),
    /// The session came to its end.
    Closed(Closed),
}

/// The program and its options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The program's version.
    pub othellier: String,
    /// The processors it was built for.
    pub build: String,
    /// The commit it was built from.
    pub commit: String,
    /// The kind of evaluation and its checksum.
    pub evaluation: String,
    /// Search threads at the start.
    pub threads: usize,
    /// Size of the table in MiB at the start.
    pub hash: usize,
    /// The command line, with the seed that was used and without the log file.
    pub arguments: Vec<String>,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// By `quit` or the end of the input.
    ByInput,
    /// Because nobody reads the output any more.
    ByOutput,
}

/// The parts of an earlier session that a session repeats.
#[derive(Clone, Debug, Default)]
pub struct Repeat {
    /// The worker's steps.
    pub steps: Vec<Step>,
    /// The contents of the files that it read, in order, or why it could not.
    pub files: VecDeque<Result<Vec<u8>, String>>,
    /// The numbers of the input lines after which it pondered; `None` without an earlier session.
    pub pondering: Option<VecDeque<u64>>,
    /// The numbers of the input lines that it answered while a job ran; `None` without an earlier session.
    pub immediate: Option<BTreeSet<u64>>,
}

/// Passes entries on to whoever listens. The default is that nobody does.
#[derive(Clone, Default)]
pub struct Recorder(Option<Arc<Sink>>);

type Sink = dyn Fn(Entry) + Send + Sync;

impl Recorder {
    /// A recorder whose entries go to `sink`, from all threads and at once.
    pub fn new(sink: impl Fn(Entry) + Send + Sync + 'static) -> Recorder {
        Recorder(Some(Arc::new(sink)))
    }

    /// Notes an entry, which is made only if somebody listens.
    pub fn note(&self, entry: impl FnOnce() -> Entry) {
        if let Some(sink) = &self.0 {
            sink(entry());
        }
    }

    /// Notes an error of the program itself. Where nobody listens it goes to the logger: no error gets lost.
    pub fn error(&self, error: impl fmt::Display) {
        match &self.0 {
            Some(sink) => sink(Entry::Error(error.to_string())),
            None => log::error!("{error}"),
        }
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Recorder(..)" } else { "Recorder(nobody)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn entries_arrive_in_their_order_and_are_not_made_for_nobody() {
        let (sender, entries) = mpsc::channel();
        let recorder = Recorder::new(move |entry| drop(sender.send(entry)));
        recorder.note(|| Entry::Input(b"name".to_vec()));
        recorder.clone().error("it broke");
        drop(recorder);
        let entries: Vec<Entry> = entries.iter().collect();
        assert_eq!(entries, [Entry::Input(b"name".to_vec()), Entry::Error("it broke".into())]);
        Recorder::default().note(|| unreachable!());
        Recorder::default().error("nobody listens");
    }
}
