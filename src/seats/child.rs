//! An external engine as a child process: lines in and out with deadlines, bounded buffers, and all its processes killed at the
//! end.

#![expect(clippy::disallowed_types, reason = "starts the engines that the command line names")]

use std::collections::VecDeque;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use super::fault::{Cause, Fault};
use super::spec::External;
use super::{Patience, Turn};
use crate::process::ProcessGroup;
use crate::search::StopToken;

/// Longer lines are cut.
const LONGEST_LINE: usize = 64 << 10;
/// Lines that may wait unread; an engine that writes more blocks on its full pipe.
const LINE_QUEUE: usize = 4096;
/// The most lines read while waiting for one answer.
const MOST_LINES: usize = 100_000;
/// Lines of traffic included in a fault's description.
const N_TRAFFIC: usize = 12;
/// Time for an engine to exit after `quit`.
const QUIT_GRACE: Duration = Duration::from_millis(500);
/// How often a wait for a line looks at its stop token.
const STOP_POLL: Duration = Duration::from_millis(20);

/// A running engine process.
pub(super) struct Child {
    process: ProcessGroup,
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<(Instant, String)>,
    /// The line that ends the engine.
    quit: &'static str,
    patience: Patience,
    is_starting: bool,
    /// Ends all waiting.
    gone: StopToken,
    traffic: VecDeque<String>,
}

/// How long to wait for a line.
#[derive(Clone, Copy)]
pub(super) struct Until<'a> {
    deadline: Instant,
    /// Ends the wait early.
    stop: Option<&'a StopToken>,
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
        errors: Option<&Path>,
        patience: Patience,
        gone: StopToken,
    ) -> Result<Child, Fault> {
        let cannot = |what: &str, error: std::io::Error| {
            Fault::new(Cause::Start, format!("{what} {}: {error}", external.command.join(" ")))
        };
        let stderr = match errors {
            Some(path) => {
                let file = File::options().create(true).append(true).open(path);
                file.map_err(|error| cannot("cannot log the error output of", error))?.into()
            }
            None => Stdio::null(),
        };
        let mut command = Command::new(&external.command[0]);
        command
            .args(&external.command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr);
        if let Some(directory) = &external.directory {
            command.current_dir(directory);
        }
        let mut process =
            ProcessGroup::spawn(&mut command).map_err(|error| cannot("cannot start", error))?;
        let (input, to_write) = unbounded::<Vec<u8>>();
        let (line_sender, lines) = bounded(LINE_QUEUE);
        let (stdin, stdout, _) = process.take_pipes();
        let child = Child {
            process,
            input: Some(input),
            lines,
            quit,
            patience,
            is_starting: true,
            gone,
            traffic: VecDeque::new(),
        };
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        if let (Some(mut stdin), Some(stdout)) = (stdin, stdout) {
            // Both threads end with the pipes, which close with the process.
            thread("to engine")
                .spawn(move || {
                    for bytes in to_write {
                        if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                            return;
                        }
                    }
                })
                .map_err(|error| cannot("cannot serve", error))?;
            thread("from engine")
                .spawn(move || read_lines(stdout, &line_sender))
                .map_err(|error| cannot("cannot serve", error))?;
        }
        Ok(child)
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.note('>', line);
        if let Some(input) = &self.input {
            // An engine that no longer reads will fail to answer.
            drop(input.send(format!("{line}\n").into_bytes()));
        }
    }

    /// Ends the time limit for the start.
    pub fn has_started(&mut self) {
        self.is_starting = false;
    }

    /// The time limit for an answer other than a move.
    pub fn soon(&self) -> Until<'static> {
        let Patience { start, reply } = self.patience;
        let limit = if self.is_starting { start } else { reply };
        Until { deadline: Instant::now() + limit, stop: None }
    }

    /// The next line, without its line end, and its time of arrival.
    pub fn receive(&mut self, until: Until<'_>) -> Result<(Instant, String), Fault> {
        loop {
            if self.gone.is_stopped() || until.stop.is_some_and(StopToken::is_stopped) {
                return Err(self.fault(Cause::Exit, "no longer wanted"));
            }
            let left = until.deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(STOP_POLL)) {
                Ok((time, line)) => {
                    self.note('<', &line);
                    return Ok((time, line));
                }
                Err(RecvTimeoutError::Timeout) if left <= STOP_POLL => {
                    return Err(self.fault(Cause::Stall, "no answer"));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
        }
    }

    /// Why there are no more lines.
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
        for _ in 0..MOST_LINES {
            let (time, line) = self.receive(until)?;
            if wanted(&line) {
                return Ok((time, line));
            }
        }
        Err(self.fault(Cause::BadReply, "the engine writes too much output"))
    }

    /// Discards lines waiting to be read.
    pub fn drain(&mut self) {
        while let Ok((_, line)) = self.lines.try_recv() {
            self.note('<', &line);
        }
    }

    /// A fault with the last lines of the traffic.
    pub fn fault(&self, cause: Cause, text: &str) -> Fault {
        let traffic: Vec<&str> = self.traffic.iter().map(String::as_str).collect();
        Fault::new(cause, format!("{text}; last lines: {}", traffic.join(" | ")))
    }

    fn note(&mut self, direction: char, line: &str) {
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
        self.input = None;
        self.wait(QUIT_GRACE);
        self.process.end();
    }
}

fn read_lines(mut output: impl Read, lines: &Sender<(Instant, String)>) {
    let mut buffer = [0; 16 << 10];
    let mut line = Vec::new();
    loop {
        let n = match output.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let now = Instant::now();
        for &byte in &buffer[..n] {
            if byte != b'\n' {
                if line.len() < LONGEST_LINE {
                    line.push(byte);
                }
                continue;
            }
            let text = String::from_utf8_lossy(&line).trim_end_matches('\r').to_string();
            line.clear();
            if lines.send((now, text)).is_err() {
                return;
            }
        }
    }
    // An incomplete line is not valid in any protocol, but helps to describe a fault.
    if !line.is_empty() {
        drop(lines.send((Instant::now(), String::from_utf8_lossy(&line).into_owned())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time and is interrupted before each and before the end.
    struct Interrupted<'a> {
        bytes: &'a [u8],
        is_ready: bool,
    }

    impl Read for Interrupted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.is_ready = !self.is_ready;
            if self.is_ready {
                return Err(ErrorKind::Interrupted.into());
            }
            let n = self.bytes.len().min(1);
            buffer[..n].copy_from_slice(&self.bytes[..n]);
            self.bytes = &self.bytes[n..];
            Ok(n)
        }
    }

    #[test]
    fn an_interrupted_read_is_no_end_of_the_output() {
        let (sender, lines) = unbounded();
        read_lines(Interrupted { bytes: b"= d3\r\n\nhalf", is_ready: false }, &sender);
        drop(sender);
        let lines: Vec<String> = lines.iter().map(|(_, line)| line).collect();
        assert_eq!(lines, ["= d3", "", "half"]);
    }
}
