//! The engine under test as a child process: what it is sent, and what it answers when.

use std::ops::Range;
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use crossbeam_channel::{Receiver, Sender, bounded};

use super::{Mismatch, Outcome, Stop};
pub(super) use crate::process::Output;
use crate::process::{Errors, Launch, Process, Silence};

/// Output after this much silence no longer counts as an answer to what was sent before.
pub(super) const SETTLE: Duration = Duration::from_millis(200);

/// How often the end of the process is looked for while its output is read.
const STEP: Duration = Duration::from_millis(5);

/// The largest answer in bytes; more output counts as a flood.
const MAX_ANSWER: usize = 4 << 20;

/// Recognizes an answer at the head of the output: where it is, and where the next one begins.
pub(super) type Find = fn(&[u8]) -> Option<(Range<usize>, usize)>;

/// Why an expected answer is missing.
pub(super) enum Missing {
    /// It did not come in time.
    Late,
    /// The output has ended.
    End,
    /// There was too much other output.
    Flood,
}

/// An engine: the running process, what it was sent in this case and what it wrote to stderr.
pub(super) struct Engine {
    command: Vec<String>,
    process: Process,
    /// Output that has arrived but has not been taken.
    pending: Vec<u8>,
    /// When the last output arrived.
    arrived: Instant,
    /// For reports.
    pub sent: Vec<u8>,
    sent_at: Instant,
    noise: Vec<u8>,
    errors: (Sender<Vec<u8>>, Receiver<Vec<u8>>),
}

impl Engine {
    /// Starts `command`, program and arguments.
    pub fn start(command: &[String]) -> anyhow::Result<Engine> {
        let errors = bounded(64);
        let process = start(command, &[], Output::Read, &errors.0)?;
        let now = Instant::now();
        let (pending, sent, noise) = Default::default();
        let command = command.to_vec();
        Ok(Engine { command, process, pending, arrived: now, sent, sent_at: now, noise, errors })
    }

    /// Kills the process and starts the command again, with these environment variables besides our own.
    pub fn restart(&mut self, environment: &[(&str, &str)], output: Output) -> Outcome {
        self.process = start(&self.command, environment, output, &self.errors.0)?;
        self.pending.clear();
        self.sent.clear();
        self.sent_at = Instant::now();
        Ok(())
    }

    /// Sends bytes unchanged; never blocks. An engine that has died or does not read is noticed later, by the missing answer.
    pub fn send(&mut self, bytes: Vec<u8>) {
        // The record is for people, so keep only the head of a long line.
        self.sent.extend_from_slice(&bytes[..bytes.len().min(300)]);
        self.sent_at = Instant::now();
        self.process.send(bytes);
    }

    /// Closes the engine's input once everything sent has been written.
    pub fn close_input(&mut self) {
        self.process.close_input();
        self.sent_at = Instant::now();
    }

    /// From the last sending to the arrival of the last answer.
    pub fn latency(&self) -> Duration {
        self.arrived.saturating_duration_since(self.sent_at)
    }

    /// Waits for an answer and takes it.
    pub fn take(&mut self, deadline: Instant, find: Find) -> Result<Vec<u8>, Missing> {
        loop {
            if let Some((answer, end)) = find(&self.pending) {
                let answer = self.pending[answer].to_vec();
                self.pending.drain(..end);
                return Ok(answer);
            }
            if self.pending.len() > MAX_ANSWER {
                return Err(Missing::Flood);
            }
            // One chunk at a time, so that `arrived` is the time at which an answer became complete.
            let chunk = self.process.receive(deadline).map_err(|silence| match silence {
                Silence::Timeout => Missing::Late,
                Silence::End => Missing::End,
            })?;
            self.arrived = chunk.at;
            self.pending.extend_from_slice(&chunk.bytes);
        }
    }

    /// Checks that there is no output for a while.
    pub fn quiet(&mut self, duration: Duration) -> Outcome {
        let got = match self.take(Instant::now() + duration, line) {
            Ok(line) => line,
            Err(Missing::Late) => std::mem::take(&mut self.pending),
            Err(missing) => {
                return Err(self.lost(missing, duration, "an engine that keeps running"));
            }
        };
        if got.is_empty() { Ok(()) } else { Err(self.mismatch(got, "no output")) }
    }

    /// Checks that the output ends within `limit` of the last sending, without anything further unless anything may come.
    pub fn end(&mut self, limit: Duration, anything: bool) -> Outcome {
        match self.take(self.sent_at + limit, |_| None) {
            Err(Missing::Late) => Err(self.lost(Missing::Late, limit, "the end of the output")),
            _ if anything || self.pending.is_empty() => Ok(()),
            _ => Err(self.mismatch(&self.pending, "no more output")),
        }
    }

    /// The status with which the process ends, which it must do within `limit` of the last sending.
    pub fn exit(&mut self, limit: Duration) -> Outcome<ExitStatus> {
        let deadline = self.sent_at + limit;
        let mut status = None;
        while status.is_none() && Instant::now() < deadline {
            let next = Instant::now() + STEP;
            // Read on, or it might block on a full pipe.
            if self.process.receive(next).is_err() {
                thread::sleep(next.saturating_duration_since(Instant::now()));
            }
            status = self.process.status().context("waiting for the engine")?;
        }
        let Some(status) = status else {
            let got = format!("still running after {:.1} s", limit.as_secs_f64());
            return Err(self.report(got, "the process ends"));
        };
        // Its stderr is complete only when the pipes are empty.
        self.process.end();
        Ok(status)
    }

    /// The engine's output on stderr so far.
    pub fn noise(&mut self) -> &[u8] {
        self.noise.extend(self.errors.1.try_iter().flatten());
        &self.noise
    }

    /// Ends the process and returns its complete output on stderr.
    pub fn finish(&mut self) -> Vec<u8> {
        self.process.end();
        self.noise().to_vec()
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
        self.report(readable(got.as_ref()), expected)
    }

    /// A mismatch without an answer; `got` describes what happened instead.
    pub fn report(&self, got: String, expected: &str) -> Stop {
        let (sent, expected) = (readable(&self.sent), readable(expected.as_bytes()));
        Stop::Mismatch(Mismatch { sent, got, expected })
    }

    /// A missing answer.
    pub fn lost(&mut self, missing: Missing, limit: Duration, expected: &str) -> Stop {
        let mut got = readable(&self.pending);
        let has_begun = !got.is_empty();
        if !has_begun {
            got = "nothing".into();
        }
        match missing {
            Missing::Late => {
                got += if has_begun { ", then nothing" } else { "" };
                got += &format!(" within {:.1} s", limit.as_secs_f64());
            }
            Missing::Flood => got += " and so on without end",
            Missing::End => {
                got += ", then the end of output";
                if let Ok(Some(status)) = self.process.wait(Instant::now() + SETTLE) {
                    got += &format!(", {status}");
                    self.process.end();
                }
                let noise = readable(self.noise());
                if !noise.is_empty() {
                    got += &format!(", stderr: {noise}");
                }
            }
        }
        self.report(got, expected)
    }
}

/// Starts the engine; its stderr goes to `noise`, as far as there is room.
fn start(
    command: &[String],
    environment: &[(&str, &str)],
    output: Output,
    noise: &Sender<Vec<u8>>,
) -> anyhow::Result<Process> {
    let errors = Errors::Queued(noise.clone());
    let launch = Launch { command, directory: None, environment, output, errors };
    Process::start(launch).with_context(|| format!("cannot start '{}'", command.join(" ")))
}

/// The first line, without its end.
pub(super) fn line(output: &[u8]) -> Option<(Range<usize>, usize)> {
    let end = output.iter().position(|&byte| byte == b'\n')?;
    Some((0..end, end + 1))
}

/// The first reply of GTP, through its empty line. Empty lines before it do not count.
pub(super) fn reply(output: &[u8]) -> Option<(Range<usize>, usize)> {
    let start = output.iter().position(|byte| !b"\r\n".contains(byte))?;
    let end_after = |end: &[u8]| output[start..].windows(end.len()).position(|part| part == end);
    let ends = [&b"\n\n"[..], b"\n\r\n"].map(|end| Some(start + end_after(end)? + end.len()));
    let end = ends.into_iter().flatten().min()?;
    Some((start..end, end))
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
