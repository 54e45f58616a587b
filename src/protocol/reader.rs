//! The thread that reads the input: numbers its lines, and notes at once those that must end a running search.

use std::io::{BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::Sender;

use super::interrupts::Interrupts;
use super::lines::{Line, Lines};
use super::{Kind, Urgency};
use crate::journal::{Entry, MAX_LINE, Recorder};

/// Bytes of lines that may wait to be handled; beyond that the reader pauses, to bound memory.
const MAX_QUEUE: usize = 32 << 20;

/// Total search time after the input has ended without `quit`.
const GRACE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) enum Incoming {
    /// The protocol, before the first line.
    Protocol(Kind),
    /// A line without its line end, and its number.
    Line(u64, Vec<u8>),
    TooLong(u64),
    /// The input has ended without `quit`.
    End,
}

/// Counts the bytes of the lines that wait, and lets the reader pause at [`MAX_QUEUE`].
#[derive(Debug, Default)]
pub(super) struct Gate {
    waiting: Mutex<usize>,
    lowered: Condvar,
}

impl Gate {
    fn enter(&self, bytes: usize) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // A single line is let in whatever its length.
        while *waiting > 0 && *waiting + bytes > MAX_QUEUE {
            waiting = self.lowered.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        *waiting += bytes;
    }

    pub fn leave(&self, bytes: usize) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = waiting.saturating_sub(bytes);
        self.lowered.notify_one();
    }
}

pub(super) const fn weight(line: &[u8]) -> usize {
    line.len() + 64
}

/// Reads until `quit`, the end of the input, or until nobody listens.
pub(super) struct Reader {
    /// `None` until the first line decides.
    pub kind: Option<Kind>,
    /// Searches may run to their normal end after the input has ended.
    pub finish: bool,
    pub until_unheard: Option<fn() -> bool>,
    pub interrupts: Arc<Interrupts>,
    pub gate: Arc<Gate>,
    pub recorder: Recorder,
    pub lines: Sender<Incoming>,
    pub n_lines: u64,
}

impl Reader {
    pub fn run(mut self, input: impl Read) {
        let mut lines = Lines::new(BufReader::with_capacity(64 << 10, input), MAX_LINE);
        while let Some(line) = lines.next() {
            if !self.take(line) {
                return;
            }
        }
        self.recorder.note(|| Entry::EndOfInput);
        // Scripts pipe the console's commands to it, and want whole answers.
        if !self.finish && self.kind != Some(Kind::Edax) {
            let is_silent = self.kind == Some(Kind::Nboard);
            self.interrupts.close_after(if is_silent { Duration::ZERO } else { GRACE });
        }
        // Jobs that obey any line obey the end as well, even if all others finish: nobody waits for their result.
        self.interrupts.note_line(self.n_lines + 1);
        // Nobody is listening if the program is ending anyway.
        drop(self.lines.send(Incoming::End));
        if self.until_unheard.is_some_and(|wait| wait()) {
            self.interrupts.close_after(Duration::ZERO);
        }
    }

    /// Passes a line on; `false` if there is no need to read on.
    fn take(&mut self, line: Line) -> bool {
        let kind = match self.kind {
            Some(kind) => kind,
            None => {
                let sniffed = match &line {
                    Line::Whole(line) => Kind::sniff(line),
                    Line::TooLong => Some(Kind::Gtp),
                };
                let Some(kind) = sniffed else { return true };
                self.kind = Some(kind);
                if self.lines.send(Incoming::Protocol(kind)).is_err() {
                    return false;
                }
                kind
            }
        };
        self.n_lines += 1;
        let number = self.n_lines;
        let Line::Whole(line) = line else {
            self.recorder.note(|| Entry::LongInput);
            self.interrupts.note_line(number);
            return self.lines.send(Incoming::TooLong(number)).is_ok();
        };
        self.recorder.note(|| Entry::Input(line.clone()));
        let urgency = kind.urgency(&line);
        self.gate.enter(weight(&line));
        // Noted before it is queued: a job that starts in between must see it.
        if urgency == Urgency::Interrupt {
            self.interrupts.note_urgent(number);
        }
        self.interrupts.note_line(number);
        self.lines.send(Incoming::Line(number, line)).is_ok() && urgency != Urgency::Quit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;

    fn read(kind: Option<Kind>, input: &[u8]) -> Vec<String> {
        let (sender, receiver) = unbounded();
        let reader = Reader {
            kind,
            finish: false,
            until_unheard: None,
            interrupts: Arc::default(),
            gate: Arc::default(),
            recorder: Recorder::default(),
            lines: sender,
            n_lines: 0,
        };
        reader.run(input);
        receiver
            .iter()
            .map(|incoming| match incoming {
                Incoming::Line(number, line) => {
                    format!("{number} {}", String::from_utf8_lossy(&line))
                }
                other => format!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn lines_are_numbered_and_the_first_one_decides() {
        assert_eq!(
            read(None, b"\n# hello\nname\r\nhalf a line"),
            ["Protocol(Gtp)", "1 name\r", "2 half a line", "End"]
        );
        assert_eq!(read(None, b"nboard 2\n"), ["Protocol(Nboard)", "1 nboard 2", "End"]);
        assert_eq!(read(Some(Kind::Gtp), b""), ["End"]);
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        assert_eq!(read(None, b"\xef\xbb\xbfnboard 2\nmove f5\n")[0], "Protocol(Nboard)");
        assert_eq!(read(Some(Kind::Gtp), b"\xef\xbb\xbfname\n"), read(Some(Kind::Gtp), b"name\n"));
    }

    #[test]
    fn nothing_is_read_after_quit() {
        assert_eq!(read(Some(Kind::Gtp), b"1 quit\nname\n"), ["1 1 quit"]);
        assert_eq!(read(Some(Kind::Nboard), b"quit\nname\n"), ["1 quit"]);
        assert_eq!(
            read(Some(Kind::Cassio), b"ENGINE-PROTOCOL  quit\n\n"),
            ["1 ENGINE-PROTOCOL  quit"]
        );
    }

    #[test]
    fn long_lines_are_dropped_and_the_next_one_is_read() {
        let mut input = vec![b'a'; MAX_LINE + 1];
        input.extend_from_slice(b"\nname\n");
        input.extend(vec![b'b'; 5 << 20]);
        assert_eq!(read(Some(Kind::Gtp), &input), ["TooLong(1)", "2 name", "TooLong(3)", "End"]);
        let mut longest = vec![b'a'; MAX_LINE];
        longest.push(b'\n');
        assert_eq!(read(Some(Kind::Gtp), &longest)[0].len(), MAX_LINE + 2);
    }
}
