//! The engine under test as a child process: what it is sent, and what it answers when.

use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use crossbeam_channel::{Receiver, Sender, bounded};

use super::Mismatch;
pub(super) use crate::process::Output;
use crate::process::{Errors, Launch, Process, Silence};

/// Default time limits of the cases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// For an answer that needs no search. Includes a slow start, hence the generosity.
    pub reply: Duration,
    /// For an answer that needs a search.
    pub search: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { reply: Duration::from_secs(10), search: Duration::from_secs(60) }
    }
}

/// Why a case ends early.
pub(super) enum Stop {
    /// The engine gave an unexpected answer.
    Mismatch(Mismatch),
    /// The engine gave no answer: it hangs or has died.
    Lost(Mismatch),
    /// The engine does not offer what the case requires.
    NotOffered,
    /// The case could not be run.
    Broken(anyhow::Error),
}

/// The result of a step of a case.
pub(super) type Outcome<T = ()> = Result<T, Stop>;

/// Output after this much silence no longer counts as an answer to what was sent before.
pub(super) const SETTLE: Duration = Duration::from_millis(200);

/// The limit of an exit that must come "within a second", with allowance for a busy machine.
pub(super) const PROMPT_EXIT: Duration = Duration::from_millis(1500);

/// Bytes of stderr kept.
const MAX_NOISE: usize = 64 << 10;

/// The largest answer in bytes; more output counts as a flood.
const MAX_ANSWER: usize = 4 << 20;

/// Why an expected answer is missing.
enum Missing {
    /// It did not come in time.
    Late,
    /// The output has ended.
    End,
    /// There was too much other output.
    Flood,
}

impl From<Silence> for Missing {
    fn from(silence: Silence) -> Missing {
        match silence {
            Silence::Timeout => Missing::Late,
            Silence::End => Missing::End,
        }
    }
}

/// An engine: the running process, what it was sent in this case and what it wrote to stderr.
pub(super) struct Engine {
    /// The limits where a case names none.
    pub limits: Limits,
    command: Vec<String>,
    process: Process,
    /// Output that has arrived but has not been taken.
    pending: Vec<u8>,
    /// When the last output arrived.
    arrived: Instant,
    sent: Vec<u8>,
    sent_at: Instant,
    noise: Vec<u8>,
    noise_sender: Sender<Vec<u8>>,
    noise_receiver: Receiver<Vec<u8>>,
}

impl Engine {
    /// Starts `command`, program and arguments.
    pub fn start(command: &[String], limits: Limits) -> anyhow::Result<Engine> {
        let (noise_sender, noise_receiver) = bounded(64);
        Ok(Engine {
            limits,
            command: command.to_vec(),
            process: start(command, &[], Output::Read, noise_sender.clone())?,
            pending: Vec::new(),
            arrived: Instant::now(),
            sent: Vec::new(),
            sent_at: Instant::now(),
            noise: Vec::new(),
            noise_sender,
            noise_receiver,
        })
    }

    /// Kills the process and starts the command again, with these environment variables besides our own.
    pub fn restart(&mut self, environment: &[(&str, &str)], output: Output) -> Outcome {
        self.process = start(&self.command, environment, output, self.noise_sender.clone())
            .map_err(Stop::Broken)?;
        self.pending.clear();
        self.sent.clear();
        self.sent_at = Instant::now();
        Ok(())
    }

    /// Sends bytes unchanged; never blocks. An engine that has died or does not read is noticed later, by the missing answer.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        // The record is for people, so keep only the head of a long line.
        self.sent.extend_from_slice(&bytes[..bytes.len().min(300)]);
        self.sent_at = Instant::now();
        self.process.send(bytes.to_vec());
    }

    /// Closes the engine's input once everything sent has been written.
    pub fn close_input(&mut self) {
        self.process.close_input();
        self.sent_at = Instant::now();
    }

    /// Marks a point in the record of sent bytes, for [`Engine::forget_since`].
    pub fn sent_mark(&self) -> usize {
        self.sent.len()
    }

    /// Omits what was sent since `mark` from reports, because it is not part of the case.
    pub fn forget_since(&mut self, mark: usize) {
        self.sent.truncate(mark);
    }

    /// From the last sending to the arrival of the last answer.
    pub fn latency(&self) -> Duration {
        self.arrived.saturating_duration_since(self.sent_at)
    }

    /// Waits until `find` recognizes an answer at the head of the output, and takes it: `find` returns it with the number of
    /// bytes that it occupies. `expected` describes it for the report if it does not come within `limit`.
    pub fn take<T>(
        &mut self,
        limit: Duration,
        expected: &str,
        mut find: impl FnMut(&[u8]) -> Option<(T, usize)>,
    ) -> Outcome<T> {
        match self.find(Instant::now() + limit, &mut find) {
            Ok(answer) => Ok(answer),
            Err(missing) => Err(self.lost(missing, limit, expected)),
        }
    }

    /// The next line, without its end.
    pub fn line(&mut self, limit: Duration, expected: &str) -> Outcome<Vec<u8>> {
        self.take(limit, expected, first_line)
    }

    /// The next line before `deadline`, or `None` if there is none.
    pub fn line_before(&mut self, deadline: Instant, expected: &str) -> Outcome<Option<Vec<u8>>> {
        match self.find(deadline, &mut first_line) {
            Ok(line) => Ok(Some(line)),
            Err(Missing::Late) => Ok(None),
            Err(missing) => Err(self.lost(missing, Duration::ZERO, expected)),
        }
    }

    /// Checks that there is no output for a while.
    pub fn quiet(&mut self, duration: Duration) -> Outcome {
        let deadline = Instant::now() + duration;
        let something = |bytes: &[u8]| (!bytes.is_empty()).then_some(((), 0));
        match self.find(deadline, &mut { something }) {
            Err(Missing::Late) => Ok(()),
            Err(missing) => Err(self.lost(missing, duration, "an engine that keeps running")),
            Ok(()) => {
                // Wait for the rest: a whole line makes a better report.
                let _ = self.find(Instant::now() + SETTLE, &mut first_line_only);
                let got = std::mem::take(&mut self.pending);
                Err(self.mismatch(&got, "no output"))
            }
        }
    }

    /// Everything up to the end of the engine's output, which must come within `limit` of the last sending.
    pub fn rest(&mut self, limit: Duration) -> Outcome<Vec<u8>> {
        let never = |_: &[u8]| None::<((), usize)>;
        match self.find(self.sent_at + limit, &mut { never }) {
            Err(Missing::End) | Ok(()) => Ok(std::mem::take(&mut self.pending)),
            Err(missing) => Err(self.lost(missing, limit, "the end of the output")),
        }
    }

    /// The status with which the process ends, which it must do within `limit` of the last sending.
    pub fn exit(&mut self, limit: Duration) -> Outcome<ExitStatus> {
        match self.wait(self.sent_at + limit).map_err(Stop::Broken)? {
            Some(status) => {
                // Its stderr is complete only when the pipes are empty.
                self.process.end();
                Ok(status)
            }
            None => {
                let got = format!("still running after {:.1} s", limit.as_secs_f64());
                Err(Stop::Lost(self.report(got, "the process ends")))
            }
        }
    }

    /// As [`Engine::exit`], and the status must be 0.
    pub fn clean_exit(&mut self, limit: Duration) -> Outcome {
        let status = self.exit(limit)?;
        if status.success() {
            return Ok(());
        }
        Err(Stop::Lost(self.report(status.to_string(), "exit status: 0")))
    }

    /// The engine's output on stderr so far.
    pub fn noise(&mut self) -> &[u8] {
        while let Ok(chunk) = self.noise_receiver.try_recv() {
            let room = MAX_NOISE.saturating_sub(self.noise.len());
            self.noise.extend_from_slice(&chunk[..chunk.len().min(room)]);
        }
        &self.noise
    }

    /// Ends the process and returns its complete output on stderr.
    pub fn finish(mut self) -> Vec<u8> {
        self.process.end();
        self.noise().to_vec()
    }

    /// Ends the process and checks that it wrote nothing to stderr.
    pub fn end_without_noise(&mut self) -> Outcome {
        self.process.end();
        if self.noise().is_empty() {
            return Ok(());
        }
        let got = readable(&self.noise);
        Err(Stop::Mismatch(self.report(got, "no output on stderr")))
    }

    /// The peak memory use of the process in bytes; `None` if the system does not report it.
    pub fn peak_memory(&self) -> Option<u64> {
        let path = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(path).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
    }

    /// An unexpected answer.
    pub fn mismatch(&self, got: impl AsRef<[u8]>, expected: &str) -> Stop {
        Stop::Mismatch(self.report(readable(got.as_ref()), expected))
    }

    /// A mismatch without an answer; `got` describes what happened instead.
    pub fn report(&self, got: String, expected: &str) -> Mismatch {
        Mismatch { sent: readable(&self.sent), got, expected: readable(expected.as_bytes()) }
    }

    /// Waits until `find` recognizes something at the head of the output, and takes it; `find` returns it with its length.
    fn find<T>(
        &mut self,
        deadline: Instant,
        find: &mut impl FnMut(&[u8]) -> Option<(T, usize)>,
    ) -> Result<T, Missing> {
        loop {
            if let Some((answer, length)) = find(&self.pending) {
                self.pending.drain(..length);
                return Ok(answer);
            }
            if self.pending.len() > MAX_ANSWER {
                return Err(Missing::Flood);
            }
            self.fill(deadline)?;
        }
    }

    /// Waits for exactly one chunk of output, so that `arrived` is the time at which an answer became complete.
    fn fill(&mut self, deadline: Instant) -> Result<(), Silence> {
        let chunk = self.process.receive(deadline)?;
        self.arrived = chunk.at;
        self.pending.extend_from_slice(&chunk.bytes);
        Ok(())
    }

    /// The status with which the process ends, `None` if it still runs at `deadline`.
    fn wait(&mut self, deadline: Instant) -> anyhow::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.process.status().context("waiting for the engine")? {
                return Ok(Some(status));
            }
            let now = Instant::now();
            if now >= deadline {
                return Ok(None);
            }
            let step = deadline.min(now + Duration::from_millis(2));
            // Keep reading so that the engine does not block on a full pipe.
            match self.fill(step) {
                Ok(()) => self.pending.truncate(MAX_ANSWER),
                Err(_) => thread::sleep(step.saturating_duration_since(Instant::now())),
            }
        }
    }

    fn lost(&mut self, missing: Missing, limit: Duration, expected: &str) -> Stop {
        let pending = readable(&self.pending);
        let mut got = if pending.is_empty() { "nothing".to_owned() } else { pending };
        match missing {
            Missing::Late => got.push_str(&format!(" within {:.1} s", limit.as_secs_f64())),
            Missing::Flood => got.push_str(" and so on without end"),
            Missing::End => {
                got.push_str(", then the end of output");
                if let Ok(Some(status)) = self.wait(Instant::now() + SETTLE) {
                    got.push_str(&format!(", {status}"));
                    self.process.end();
                }
                let noise = readable(self.noise());
                if !noise.is_empty() {
                    got.push_str(&format!(", stderr: {noise}"));
                }
            }
        }
        Stop::Lost(self.report(got, expected))
    }
}

/// Starts the engine; its stderr goes to `noise`, as far as there is room.
fn start(
    command: &[String],
    environment: &[(&str, &str)],
    output: Output,
    noise: Sender<Vec<u8>>,
) -> anyhow::Result<Process> {
    let errors = Errors::Queued(noise);
    let launch = Launch { command, directory: None, environment, output, errors };
    Process::start(launch).with_context(|| format!("cannot start '{}'", command.join(" ")))
}

fn first_line(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((bytes[..end].to_vec(), end + 1))
}

/// Finds the first line without taking it.
fn first_line_only(bytes: &[u8]) -> Option<((), usize)> {
    bytes.contains(&b'\n').then_some(((), 0))
}

/// Bytes for a report: control and non-ASCII characters are escaped, long texts cut in the middle.
pub(super) fn readable(bytes: &[u8]) -> String {
    const HEAD: usize = 100;
    const TAIL: usize = 140;
    // Escape only what will be shown: texts may have megabytes.
    let escape = |part: &[u8]| part.escape_ascii().to_string().replace("\\\"", "\"");
    if bytes.len() <= HEAD + TAIL {
        return escape(bytes);
    }
    let cut = bytes.len() - HEAD - TAIL;
    let (head, tail) = (escape(&bytes[..HEAD]), escape(&bytes[bytes.len() - TAIL..]));
    format!("{head} ... ({cut} bytes) ... {tail}")
}
