//! Repeats the session of a log and compares the engine's output with that of the log.
//!
//! A line is sent once all output before it in the log has come again. The searches end where those of the log did (see
//! [`crate::journal::step`]), so that with one thread even games by the clock repeat. Times differ: every number with three
//! decimals counts as a time and is not compared. Which intermediate results of a running search appear depends on time as
//! well: only those that both runs report are compared.

mod compare;

use std::collections::{BTreeSet, VecDeque};
use std::io::Read;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use crate::journal::{Closed, Entry, Header, Repeat, Step, text};
use crate::protocol::options::Options;
use crate::protocol::{self, Kind};
use compare::{Output, Thoughts};

pub use compare::Difference;

/// Time limit for output that came at once in the log.
const PATIENCE: Duration = Duration::from_secs(30);

/// Time limit for a search, as a multiple of its time in the log.
const SLOWNESS: u32 = 10;

/// Length in bytes of the line that is sent in place of one that was too long for the log.
const LONG_LINE: usize = 3 << 20;

#[derive(Clone, Debug)]
pub struct Recording {
    pub header: Header,
    /// Its number among the sessions of the log, from 1, and how many there are.
    pub place: (usize, usize),
    /// With their line numbers, from 1.
    entries: Vec<(usize, Entry)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub n_inputs: usize,
    pub n_compared: usize,
    pub difference: Option<Difference>,
}

impl Recording {
    /// Parses the session of this number in a log, from 1, or the last one. Sessions of several processes may be mixed.
    pub fn read(log: &str, session: Option<usize>) -> anyhow::Result<Recording> {
        let lines = || (1..).zip(log.split('\n'));
        let is_header = |line: &str| matches!(text::read(line), Some(Ok(Entry::Header(_))));
        let headers: Vec<(usize, &str)> = lines().filter(|(_, line)| is_header(line)).collect();
        let n_sessions = headers.len();
        ensure!(n_sessions > 0, "there is no header; logs are written with --log-file");
        let session = session.unwrap_or(n_sessions);
        let &(begin, first) = session
            .checked_sub(1)
            .and_then(|index| headers.get(index))
            .with_context(|| format!("there is no session {session}, only {n_sessions}"))?;
        let process = text::process(first);
        let mut header = None;
        let mut entries = Vec::new();
        for (number, line) in lines().skip(begin - 1) {
            if text::process(line) != process {
                continue;
            }
            match text::read(line) {
                None => {}
                Some(Err(error)) => bail!("line {number}: {error}"),
                // The header of a later process with the same number.
                Some(Ok(Entry::Header(_))) if header.is_some() => break,
                Some(Ok(Entry::Header(found))) => header = Some(found),
                Some(Ok(entry)) => entries.push((number, entry)),
            }
        }
        let header = header.context("there is no header")?;
        Ok(Recording { header, place: (session, n_sessions), entries })
    }

    fn repeat(&self) -> Repeat {
        let mut repeat = Repeat::default();
        let (mut pondering, mut immediate) = (VecDeque::new(), BTreeSet::new());
        for (_, entry) in &self.entries {
            match entry {
                Entry::Step(step) => repeat.steps.push(step.clone()),
                Entry::File(contents) => repeat.files.push_back(contents.clone()),
                Entry::Pondering(line) => pondering.push_back(*line),
                Entry::Immediate(line) => _ = immediate.insert(*line),
                _ => {}
            }
        }
        Repeat { pondering: Some(pondering), immediate: Some(immediate), ..repeat }
    }

    fn is_whole(&self) -> bool {
        self.entries.iter().any(|(_, entry)| *entry == Entry::Closed(Closed::ByInput))
    }

    /// The chosen one, or the one that the input shows.
    fn kind(&self, chosen: Option<Kind>) -> Option<Kind> {
        chosen.or_else(|| {
            self.entries.iter().find_map(|(_, entry)| match entry {
                Entry::Input(line) => Kind::sniff(line),
                Entry::LongInput => Some(Kind::Gtp),
                _ => None,
            })
        })
    }
}

/// Runs a session again with the options of its header. `kind` is the protocol that these options name, if any. `journal`
/// receives the entries of the options' recorder.
pub fn run(
    recording: &Recording,
    kind: Option<Kind>,
    options: Options,
    journal: &Receiver<Entry>,
) -> anyhow::Result<Verdict> {
    let is_whole = recording.is_whole();
    let spoken = recording.kind(kind);
    let ends_at_once = spoken == Some(Kind::Nboard) && !options.finish;
    let said = || Output::new(Thoughts::of(spoken), ends_at_once);
    // A session that broke off may have been thinking; allow it the time to do so again.
    let finish = options.finish || !is_whole;
    let options = Options { repeat: recording.repeat(), finish, ..options };
    let recorder = options.recorder.clone();
    let (input, lines) = mpsc::channel();
    let session = thread::Builder::new().name("session".into()).spawn(move || {
        let input = Lines { lines, rest: Vec::new() };
        match protocol::run(kind, options, input, std::io::sink()) {
            Ok(closed) => recorder.note(|| Entry::Closed(closed)),
            Err(error) => recorder.error(error),
        }
    })?;
    let mut run = Run {
        journal,
        input: Some(input),
        then: said(),
        now: said(),
        n_inputs: 0,
        longest_step: Duration::ZERO,
    };
    let is_late = !run.follow(&recording.entries) && run.is_on_course();
    if is_whole && run.is_on_course() {
        run.hear_the_end();
    } else {
        run.input = None;
        if run.is_on_course() && !session.is_finished() {
            run.hear_the_end();
        }
    }
    // Not joined: a session that diverged may still be thinking, and ends with the process.
    drop(session);
    let difference = run.then.difference(&run.now, is_whole);
    ensure!(
        difference.is_some() || !is_late,
        "{} lines sent, and then no answer within {:.0} s",
        run.n_inputs,
        run.patience().as_secs_f64()
    );
    Ok(Verdict { n_inputs: run.n_inputs, n_compared: run.then.n_compared(), difference })
}

struct Run<'a> {
    journal: &'a Receiver<Entry>,
    /// `None` once it is closed.
    input: Option<Sender<Vec<u8>>>,
    then: Output,
    now: Output,
    n_inputs: usize,
    /// In the log so far.
    longest_step: Duration,
}

impl Run<'_> {
    /// `false` if the session does not go on as in the log.
    fn follow(&mut self, entries: &[(usize, Entry)]) -> bool {
        for (number, entry) in entries {
            let line = match entry {
                Entry::Input(line) => Some(line.clone()),
                Entry::LongInput => Some(vec![b'a'; LONG_LINE]),
                Entry::EndOfInput => {
                    self.then.take(*number, entry);
                    None
                }
                other => {
                    if let Entry::Step(Step::Searched(searched)) = other {
                        self.longest_step = self.longest_step.max(searched.elapsed);
                    }
                    self.then.take(*number, other);
                    continue;
                }
            };
            if !self.hear() {
                return false;
            }
            match line {
                None => self.input = None,
                Some(mut line) => {
                    line.push(b'\n');
                    self.n_inputs += 1;
                    let sent = self.input.as_ref().is_some_and(|input| input.send(line).is_ok());
                    if !sent {
                        return false;
                    }
                }
            }
        }
        self.hear()
    }

    fn patience(&self) -> Duration {
        PATIENCE + self.longest_step * SLOWNESS
    }

    /// Waits until all output of the log so far has come again; `false` if it does not.
    fn hear(&mut self) -> bool {
        while !self.now.reaches(&self.then) {
            if !self.is_on_course() || !self.hear_entry() {
                return false;
            }
        }
        self.is_on_course()
    }

    fn hear_the_end(&mut self) {
        while !self.now.is_closed() && self.hear_entry() {}
    }

    /// `false` if none comes in time.
    fn hear_entry(&mut self) -> bool {
        let entry = self.journal.recv_timeout(self.patience());
        if let Ok(entry) = &entry {
            self.now.take(0, entry);
        }
        entry.is_ok()
    }

    fn is_on_course(&self) -> bool {
        self.then.agrees_so_far(&self.now)
    }
}

/// Lines as an input that ends when the sender is dropped.
struct Lines {
    lines: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty() {
            match self.lines.recv() {
                Ok(line) => self.rest = line,
                Err(_) => return Ok(0),
            }
        }
        let n = self.rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&self.rest[..n]);
        self.rest.drain(..n);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_in_pieces_up_to_the_end() {
        let (sender, lines) = mpsc::channel();
        let mut input = Lines { lines, rest: Vec::new() };
        for line in ["name\n", "quit\n"] {
            sender.send(line.into()).unwrap();
        }
        drop(sender);
        let mut buffer = [0; 3];
        let mut text = Vec::new();
        while let n @ 1.. = input.read(&mut buffer).unwrap() {
            text.extend_from_slice(&buffer[..n]);
        }
        assert_eq!(text, b"name\nquit\n");
    }

    #[test]
    fn what_is_no_log_is_refused() {
        let line = |text: &str| format!("2026-01-31T23:59:59.999Z DEBUG {text}\n");
        let header = line(
            r##"# {"othellier":"0.1.0","build":"b","commit":"c","evaluation":"0123456789abcdef","threads":1,"hash":1,"arguments":["gtp"]}"##,
        );
        assert!(Recording::read(&(header.clone() + &line("> name")), None).is_ok());
        for (text, word) in [
            (line("> name"), "header"),
            (String::new(), "header"),
            (header + &line("* D3"), "line 2: no step"),
        ] {
            let error = Recording::read(&text, None).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn sessions_of_one_log_are_told_apart() {
        let line = |text: &str| format!("2026-01-31T23:59:59.999Z DEBUG {text}\n");
        let header = |name: &str| {
            format!(
                r##"# {{"othellier":"0.1.0","build":"b","commit":"c","evaluation":"0123456789abcdef","threads":1,"hash":1,"arguments":["{name}"]}}"##
            )
        };
        // An old one without a number, two at the same time, and one with the number of an earlier one.
        let log = [
            &*header("a"),
            "> a1",
            &*format!("[5] {}", header("b")),
            "[5] > b1",
            &*format!("[6] {}", header("c")),
            "[6] > c1",
            "[5] > b2",
            "[6] > c2",
            "[5] * damaged",
            &*format!("[6] {}", header("d")),
            "[6] > d1",
        ]
        .map(line)
        .concat();
        let inputs = |session| -> Result<String, String> {
            let recording = Recording::read(&log, session).map_err(|error| error.to_string())?;
            let input = |(_, entry): &(usize, Entry)| entry.to_string();
            let inputs: Vec<String> = recording.entries.iter().map(input).collect();
            Ok(format!("{} {}", recording.header.arguments[0], inputs.join(" ")))
        };
        assert_eq!(inputs(None), Ok("d > d1".into()));
        for (number, expected) in [
            (1, Ok("a > a1")),
            (2, Err("line 9: no step of a search")),
            (3, Ok("c > c1 > c2")),
            (4, Ok("d > d1")),
            (5, Err("there is no session 5, only 4")),
            (0, Err("there is no session 0, only 4")),
        ] {
            assert_eq!(inputs(Some(number)), expected.map(Into::into).map_err(Into::into));
        }
    }
}
