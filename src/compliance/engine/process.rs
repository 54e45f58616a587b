//! The child process itself: its pipes, the threads that serve them, and its end.

#![expect(clippy::disallowed_types, reason = "starts the engine under test")]

use std::io::{Read, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded, unbounded};

use crate::process::ProcessGroup;

/// The largest answer in bytes; more output counts as a flood.
const LONGEST_ANSWER: usize = 4 << 20;

/// How the engine's standard output is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::compliance) enum Stdout {
    /// It is read.
    Read,
    /// It is not read: the pipe is closed before anything is sent.
    Closed,
}

/// Why an expected answer is missing.
pub(super) enum Silence {
    /// It did not come in time.
    Timeout,
    /// The output has ended.
    End,
    /// There was too much other output.
    Flood,
}

/// Bytes that arrived together, with their time of arrival.
struct Chunk {
    at: Instant,
    bytes: Vec<u8>,
}

/// The child process with its pipes and the threads that serve them.
pub(super) struct Process {
    child: ProcessGroup,
    input: Option<Sender<Vec<u8>>>,
    output: Option<Receiver<Chunk>>,
    /// Output that has arrived but has not been taken.
    pub pending: Vec<u8>,
    /// When the last of it arrived.
    pub arrived: Instant,
    threads: Vec<JoinHandle<()>>,
}

impl Process {
    /// Starts a command, program and arguments, with these environment variables in addition to ours; its stderr goes to `noise`,
    /// as far as there is room.
    pub fn start(
        command: &[String],
        environment: &[(&str, &str)],
        stdout: Stdout,
        noise: Sender<Vec<u8>>,
    ) -> anyhow::Result<Process> {
        let (program, arguments) = command.split_first().context("no engine command is given")?;
        let mut builder = Command::new(program);
        builder
            .args(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // In its own process group, so that anything a wrapper script leaves behind is killed with it.
        let mut child = ProcessGroup::spawn(&mut builder)
            .with_context(|| format!("cannot start '{program}'"))?;

        let pipes = child.take_pipes();
        let mut process = Process {
            child,
            input: None,
            output: None,
            pending: Vec::new(),
            arrived: Instant::now(),
            threads: Vec::with_capacity(3),
        };
        // From here on a failure drops the process, which kills the child.
        let (Some(child_stdin), Some(child_stdout), Some(child_stderr)) = pipes else {
            anyhow::bail!("'{program}' was started without pipes");
        };

        let (input, queue) = unbounded();
        process.input = Some(input);
        process.spawn_thread("engine-stdin", move || write_all(child_stdin, queue))?;
        // Without a reader the engine's pipe is closed by dropping our end.
        if stdout == Stdout::Read {
            let (sender, output) = bounded(256);
            process.output = Some(output);
            process.spawn_thread("engine-stdout", move || {
                read_all(child_stdout, |bytes| {
                    sender.send(Chunk { at: Instant::now(), bytes: bytes.to_vec() }).is_ok()
                });
            })?;
        }
        // Drop what exceeds the room: an engine must not block on its stderr.
        process.spawn_thread("engine-stderr", move || {
            read_all(child_stderr, |bytes| {
                !matches!(noise.try_send(bytes.to_vec()), Err(TrySendError::Disconnected(_)))
            });
        })?;
        Ok(process)
    }

    fn spawn_thread(
        &mut self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> anyhow::Result<()> {
        let handle = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        self.threads.push(handle);
        Ok(())
    }

    /// Queues bytes for the child; never blocks.
    pub fn send(&self, bytes: &[u8]) {
        if let Some(input) = &self.input {
            // Fails if the child closed its input; its missing answer will show that.
            let _ = input.send(bytes.to_vec());
        }
    }

    /// Closes the child's input once everything queued has been written.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The process id of the child.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until `find` recognizes something at the head of the output, and takes it; `find` returns it with its length.
    pub fn take<T>(
        &mut self,
        deadline: Instant,
        find: &mut impl FnMut(&[u8]) -> Option<(T, usize)>,
    ) -> Result<T, Silence> {
        loop {
            if let Some((answer, length)) = find(&self.pending) {
                self.pending.drain(..length);
                return Ok(answer);
            }
            if self.pending.len() > LONGEST_ANSWER {
                return Err(Silence::Flood);
            }
            self.fill(deadline)?;
        }
    }

    /// Waits for exactly one chunk of output, so that `arrived` is the time at which an answer became complete.
    fn fill(&mut self, deadline: Instant) -> Result<(), Silence> {
        let Some(output) = &self.output else {
            thread::sleep(deadline.saturating_duration_since(Instant::now()));
            return Err(Silence::Timeout);
        };
        match output.recv_deadline(deadline) {
            Ok(chunk) => {
                self.arrived = chunk.at;
                self.pending.extend_from_slice(&chunk.bytes);
                Ok(())
            }
            Err(RecvTimeoutError::Timeout) => Err(Silence::Timeout),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::End),
        }
    }

    /// The status with which the child ends, `None` if it still runs at `deadline`.
    pub fn wait(&mut self, deadline: Instant) -> anyhow::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.child.status().context("waiting for the engine")? {
                return Ok(Some(status));
            }
            let now = Instant::now();
            if now >= deadline {
                return Ok(None);
            }
            let step = deadline.min(now + Duration::from_millis(2));
            // Keep reading so that the engine does not block on a full pipe.
            match self.fill(step) {
                Ok(()) => self.pending.truncate(LONGEST_ANSWER),
                Err(_) => thread::sleep(step.saturating_duration_since(Instant::now())),
            }
        }
    }

    /// Kills the child and all its processes, reaps it and ends the threads.
    pub fn end(&mut self) {
        // Kill it before its pipes close, or it might complain about them. Fails only if it has ended.
        self.child.kill_leader();
        self.input = None;
        self.output = None;
        // Allow remaining holders of the pipes a moment to finish their output.
        let are_closed = self.threads_end_within(Duration::from_millis(300));
        self.child.end();
        if !are_closed {
            self.threads_end_within(Duration::from_millis(700));
        }
        for handle in self.threads.drain(..) {
            // Do not join a thread whose pipe is held open outside the group: that might never end.
            if handle.is_finished() {
                let _ = handle.join();
            }
        }
    }

    fn threads_end_within(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        loop {
            if self.threads.iter().all(JoinHandle::is_finished) {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

fn write_all(mut pipe: ChildStdin, queue: Receiver<Vec<u8>>) {
    for bytes in queue {
        if pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_err() {
            return;
        }
    }
}

fn read_all(mut pipe: impl Read, mut pass_on: impl FnMut(&[u8]) -> bool) {
    let mut buffer = [0; 16 << 10];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) if pass_on(&buffer[..length]) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => return,
        }
    }
}
