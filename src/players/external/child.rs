//! An external engine as a child process: lines in and out with deadlines, and its failures as faults.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use crate::players::spec::External;
use crate::players::start::{Logs, Patience};
use crate::players::{Cause, Fault, Turn};
use crate::process::{Chunk, Errors, Launch, Output, Process, Silence};
use crate::search::Stop;

/// Longer lines are cut.
const MAX_LINE: usize = 64 << 10;
/// The most lines read while waiting for one answer.
const MAX_LINES: usize = 100_000;
/// Lines of traffic included in a fault's description.
const N_TRAFFIC: usize = 12;
/// Time for an engine to exit after `quit`.
const QUIT_GRACE: Duration = Duration::from_millis(500);
/// How often a wait for a line looks at its stop.
const STOP_POLL: Duration = Duration::from_millis(20);

pub(super) struct Child {
    process: Process,
    lines: Lines,
    quit: &'static str,
    patience: Patience,
    is_starting: bool,
    /// Ends all waiting.
    gone: Stop,
    traffic: VecDeque<String>,
    log: Option<File>,
    started: Instant,
}

#[derive(Clone, Copy)]
pub(super) struct Until<'a> {
    deadline: Instant,
    stop: Option<&'a Stop>,
}

impl<'a> Until<'a> {
    /// To the end of a turn.
    pub fn of(turn: &Turn<'a>) -> Until<'a> {
        Until { deadline: turn.deadline, stop: Some(turn.stop) }
    }
}

impl Child {
    /// Starts the command in its own process group, with its error output going to `errors` or nowhere. `quit` is the line that
    /// ends it; `gone` ends all waiting.
    pub fn start(
        external: &External,
        quit: &'static str,
        logs: &Logs,
        patience: Patience,
        gone: Stop,
    ) -> Result<Child, Fault> {
        let cannot = |what: &str, error: std::io::Error| {
            Fault::new(Cause::Start, format!("{what} {}: {error}", external.command.join(" ")))
        };
        let open = |path: &Option<PathBuf>| {
            let open = |path| File::options().create(true).append(true).open(path);
            let file = path.as_ref().map(open).transpose();
            file.map_err(|error| cannot("cannot log what is said by", error))
        };
        let errors = open(&logs.errors)?.map_or(Errors::Discarded, Errors::To);
        let log = open(&logs.traffic)?;
        let launch = Launch {
            command: &external.command,
            directory: external.directory.as_deref(),
            environment: &[],
            output: Output::Read,
            errors,
        };
        let process = Process::start(launch).map_err(|error| cannot("cannot start", error))?;
        Ok(Child {
            process,
            lines: Lines::default(),
            quit,
            patience,
            is_starting: true,
            gone,
            traffic: VecDeque::new(),
            log,
            started: Instant::now(),
        })
    }

    pub fn send(&mut self, line: &str) {
        self.note('>', line);
        self.process.send(format!("{line}\n").into_bytes());
    }

    /// From now on the time limit for replies applies.
    pub fn has_started(&mut self) {
        self.is_starting = false;
    }

    pub fn soon(&self) -> Until<'static> {
        let Patience { start, reply } = self.patience;
        let limit = if self.is_starting { start } else { reply };
        Until { deadline: Instant::now() + limit, stop: None }
    }

    /// The next line, without its line end, and its time of arrival.
    pub fn receive(&mut self, until: Until<'_>) -> Result<(Instant, String), Fault> {
        loop {
            if self.gone.is_stopped() || until.stop.is_some_and(Stop::is_stopped) {
                return Err(self.fault(Cause::Exit, "no longer wanted"));
            }
            if let Some((time, line)) = self.lines.next() {
                self.note('<', &line);
                return Ok((time, line));
            }
            let now = Instant::now();
            match self.process.receive(until.deadline.min(now + STOP_POLL)) {
                Ok(chunk) => self.lines.add(chunk),
                Err(Silence::Timeout) if until.deadline <= now => {
                    return Err(self.fault(Cause::Stall, "no answer"));
                }
                Err(Silence::Timeout) => {}
                Err(Silence::End) => self.lines.end().ok_or_else(|| self.ended())?,
            }
        }
    }

    fn ended(&mut self) -> Fault {
        match self.wait(QUIT_GRACE) {
            Some(status) if status.success() => self.fault(Cause::Exit, "the engine exited"),
            Some(status) => self.fault(Cause::Crash, &format!("the engine exited: {status}")),
            None => self.fault(Cause::Exit, "the engine closed its output"),
        }
    }

    /// The next line for which `wanted` is true; skips a bounded number of others.
    pub fn receive_where(
        &mut self,
        until: Until<'_>,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<(Instant, String), Fault> {
        for _ in 0..MAX_LINES {
            let (time, line) = self.receive(until)?;
            if wanted(&line) {
                return Ok((time, line));
            }
        }
        Err(self.fault(Cause::BadReply, "the engine writes too much output"))
    }

    /// Discards lines waiting to be read, but does not follow an engine that keeps writing.
    pub fn drain(&mut self) {
        let now = Instant::now();
        loop {
            while let Some((_, line)) = self.lines.next() {
                self.note('<', &line);
            }
            let Ok(chunk) = self.process.receive(now) else { return };
            self.lines.add(chunk);
        }
    }

    pub fn fault(&self, cause: Cause, text: &str) -> Fault {
        let traffic: Vec<&str> = self.traffic.iter().map(String::as_str).collect();
        Fault::new(cause, format!("{text}; last lines: {}", traffic.join(" | ")))
    }

    /// In the log file, a line follows the process and the seconds since its start.
    fn note(&mut self, direction: char, line: &str) {
        if let Some(log) = &mut self.log {
            let (id, seconds) = (self.process.id(), self.started.elapsed().as_secs_f64());
            // A full disk must not end a game; one write keeps the lines of several processes apart.
            drop(log.write_all(format!("{id} {seconds:.3} {direction} {line}\n").as_bytes()));
        }
        if self.traffic.len() == N_TRAFFIC {
            self.traffic.pop_front();
        }
        let line: String = line.chars().take(200).flat_map(char::escape_default).collect();
        self.traffic.push_back(format!("{direction} {line}"));
    }

    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        self.process.wait(Instant::now() + limit).ok().flatten()
    }
}

impl Drop for Child {
    /// Allows the engine a moment to exit, then kills it and all processes in its group.
    fn drop(&mut self) {
        self.send(self.quit);
        self.process.close_input();
        self.wait(QUIT_GRACE);
    }
}

#[derive(Default)]
struct Lines {
    /// With their times of arrival.
    complete: VecDeque<(Instant, String)>,
    begun: Vec<u8>,
}

impl Lines {
    fn add(&mut self, chunk: Chunk) {
        for byte in chunk.bytes {
            if byte == b'\n' {
                let line = String::from_utf8_lossy(&self.begun).trim_end_matches('\r').to_string();
                self.complete.push_back((chunk.at, line));
                self.begun.clear();
            } else if self.begun.len() < MAX_LINE {
                self.begun.push(byte);
            }
        }
    }

    fn next(&mut self) -> Option<(Instant, String)> {
        self.complete.pop_front()
    }

    /// Completes the last line at the end of the output; `None` if there is none. An incomplete line is not valid in any
    /// protocol, but helps to describe a fault.
    fn end(&mut self) -> Option<()> {
        if self.begun.is_empty() {
            return None;
        }
        self.add(Chunk { at: Instant::now(), bytes: vec![b'\n'] });
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_in_chunks_of_any_size_is_the_same_lines() {
        let output = b"= d3\r\n\nlast\r\n=\xff\nhalf";
        for size in 1..=output.len() {
            let mut lines = Lines::default();
            for bytes in output.chunks(size) {
                lines.add(Chunk { at: Instant::now(), bytes: bytes.to_vec() });
            }
            assert!(lines.end().is_some() && lines.end().is_none());
            let lines: Vec<String> = lines.complete.into_iter().map(|(_, line)| line).collect();
            assert_eq!(lines, ["= d3", "", "last", "=\u{fffd}", "half"], "chunks of {size}");
        }
    }

    #[test]
    fn long_lines_are_cut() {
        let mut lines = Lines::default();
        for _ in 0..3 {
            lines.add(Chunk { at: Instant::now(), bytes: vec![b'x'; MAX_LINE] });
        }
        lines.add(Chunk { at: Instant::now(), bytes: b"\ny\n".to_vec() });
        let lengths: Vec<usize> = lines.complete.iter().map(|(_, line)| line.len()).collect();
        assert_eq!(lengths, [MAX_LINE, 1]);
    }
}
