//! Other programs as child processes: bytes with times of arrival and deadlines. A program ends with all that it starts.
//!
//! Threads serve the pipes, so neither megabytes sent to a program that does not read nor endless output from it can block the
//! caller; every wait has a deadline. What the bytes mean is the callers' concern.

#![expect(clippy::disallowed_types, reason = "starts what its callers may start")]

mod group;

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{
    Receiver, RecvTimeoutError, Sender, TryRecvError, TrySendError, bounded, unbounded,
};

use group::ProcessGroup;

/// A program that writes more blocks on its full pipe.
const OUTPUT_QUEUE: usize = 256;
const MAX_CHUNK: usize = 16 << 10;
/// Time for other holders of the pipes to finish their output after the program has been killed.
const LAST_OUTPUT: Duration = Duration::from_millis(300);
/// Time for the threads to end after the whole group has been killed.
const LAST_THREADS: Duration = Duration::from_millis(700);

pub(crate) struct Launch<'a> {
    pub command: &'a [String],
    pub directory: Option<&'a Path>,
    /// In addition to ours.
    pub environment: &'a [(&'a str, &'a str)],
    pub output: Output,
    pub errors: Errors,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Read,
    /// It is not read: the pipe is closed before anything is sent.
    Closed,
}

pub(crate) enum Errors {
    Discarded,
    To(File),
    /// To a queue in chunks; chunks for which the queue has no room are dropped.
    Queued(Sender<Vec<u8>>),
}

pub(crate) struct Chunk {
    pub at: Instant,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    Timeout,
    End,
}

/// Dropping it ends the program.
pub(crate) struct Process {
    group: ProcessGroup,
    input: Option<Sender<Vec<u8>>>,
    output: Option<Receiver<Chunk>>,
    /// A chunk taken from the queue that had arrived after the deadline of the call: for the next call.
    late: Option<Chunk>,
    threads: Vec<JoinHandle<()>>,
}

impl Process {
    pub fn start(launch: Launch<'_>) -> io::Result<Process> {
        let (program, arguments) = launch
            .command
            .split_first()
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "the command is empty"))?;
        let (stderr, noise) = match launch.errors {
            // An empty container has no such device: what comes is read and dropped.
            Errors::Discarded if cfg!(unix) && !Path::new("/dev/null").exists() => {
                (Stdio::piped(), Some(None))
            }
            Errors::Discarded => (Stdio::null(), None),
            Errors::To(file) => (file.into(), None),
            Errors::Queued(noise) => (Stdio::piped(), Some(Some(noise))),
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(launch.environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr);
        if let Some(directory) = launch.directory {
            command.current_dir(directory);
        }
        let mut group = ProcessGroup::spawn(&mut command)?;
        let (stdin, stdout, stderr) = group.take_pipes();
        let mut process =
            Process { group, input: None, output: None, late: None, threads: Vec::new() };
        // From here on a failure drops the process, which kills the program.
        if let Some(pipe) = stdin {
            let (input, queue) = unbounded();
            process.input = Some(input);
            process.serve("program-stdin", move || write_all(pipe, queue))?;
        }
        // Without a reader the pipe is closed by dropping our end.
        if let (Some(pipe), Output::Read) = (stdout, launch.output) {
            let (sender, output) = bounded(OUTPUT_QUEUE);
            process.output = Some(output);
            process.serve("program-stdout", move || {
                read_all(pipe, |bytes| sender.send(Chunk { at: Instant::now(), bytes }).is_ok());
            })?;
        }
        // Drop what exceeds the room: a program must not block on its stderr.
        if let (Some(pipe), Some(noise)) = (stderr, noise) {
            process.serve("program-stderr", move || {
                let is_gone = |noise: &Sender<Vec<u8>>, bytes| {
                    matches!(noise.try_send(bytes), Err(TrySendError::Disconnected(_)))
                };
                read_all(pipe, |bytes| !noise.as_ref().is_some_and(|noise| is_gone(noise, bytes)));
            })?;
        }
        Ok(process)
    }

    fn serve(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.threads.push(thread::Builder::new().name(name.to_owned()).spawn(work)?);
        Ok(())
    }

    pub fn id(&self) -> u32 {
        self.group.id()
    }

    /// Queues bytes for the program; never blocks. If it no longer reads, its missing answer will show that.
    pub fn send(&self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            drop(input.send(bytes));
        }
    }

    /// Closes the program's input once everything queued has been written.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next chunk of output that arrives until `deadline`. The time of arrival counts, not that of the call: a program that keeps
    /// writing is held to its deadline, and what it wrote in time is not lost when this program comes late.
    pub fn receive(&mut self, deadline: Instant) -> Result<Chunk, Silence> {
        let Some(output) = &self.output else {
            thread::sleep(deadline.saturating_duration_since(Instant::now()));
            return Err(Silence::Timeout);
        };
        let found = match self.late.take() {
            Some(chunk) => Ok(chunk),
            // A wait until a time in the past would first yield the processor several times.
            None if deadline <= Instant::now() => output.try_recv(),
            None => output.recv_deadline(deadline).map_err(|error| match error {
                RecvTimeoutError::Timeout => TryRecvError::Empty,
                RecvTimeoutError::Disconnected => TryRecvError::Disconnected,
            }),
        };
        match found {
            Ok(chunk) if chunk.at > deadline => {
                self.late = Some(chunk);
                Err(Silence::Timeout)
            }
            Ok(chunk) => Ok(chunk),
            Err(TryRecvError::Empty) => Err(Silence::Timeout),
            Err(TryRecvError::Disconnected) => Err(Silence::End),
        }
    }

    pub fn status(&mut self) -> io::Result<Option<ExitStatus>> {
        self.group.status()
    }

    /// Waits for the program's end until `deadline`; `None` if it is still running then.
    pub fn wait(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        self.group.wait(deadline)
    }

    /// Kills the program and all processes in its group, reaps it and ends the threads.
    pub fn end(&mut self) {
        // Kill it before its pipes close, or it might complain about them.
        self.group.kill_leader();
        self.input = None;
        self.output = None;
        let are_closed = self.threads_end_within(LAST_OUTPUT);
        self.group.end();
        if !are_closed {
            self.threads_end_within(LAST_THREADS);
        }
        for handle in self.threads.drain(..) {
            // Do not join a thread whose pipe is held open outside the group: that might never end.
            if handle.is_finished() {
                drop(handle.join());
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

fn write_all(mut pipe: impl Write, queue: Receiver<Vec<u8>>) {
    for bytes in queue {
        if pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_err() {
            return;
        }
    }
}

fn read_all(mut pipe: impl Read, mut pass_on: impl FnMut(Vec<u8>) -> bool) {
    let mut buffer = [0; MAX_CHUNK];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) if pass_on(buffer[..length].to_vec()) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => return,
        }
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
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
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
        let mut found = Vec::new();
        read_all(Interrupted { bytes: b"= d3\n", is_ready: false }, |bytes| {
            found.extend(bytes);
            true
        });
        assert_eq!(found, b"= d3\n");
    }

    #[test]
    #[cfg(unix)]
    fn output_without_end_extends_no_deadline() {
        let command = ["yes".to_owned()];
        let launch = Launch {
            command: &command,
            directory: None,
            environment: &[],
            output: Output::Read,
            errors: Errors::Discarded,
        };
        let mut process = Process::start(launch).unwrap();
        let deadline = Instant::now() + Duration::from_millis(300);
        // Slower than the program, so that the queue is never empty.
        while let Ok(chunk) = process.receive(deadline) {
            assert!(chunk.at <= deadline);
            assert!(deadline.elapsed() < Duration::from_secs(60));
            thread::sleep(Duration::from_millis(1));
        }
        // What came late is not lost.
        let past = Instant::now();
        // One that arrived in time may have been queued just after the deadline.
        while process.receive(past + Duration::from_secs(60)).unwrap().at <= deadline {}
        assert!(process.receive(deadline).is_err());
    }

    #[test]
    fn an_empty_command_is_an_error() {
        let launch = Launch {
            command: &[],
            directory: None,
            environment: &[],
            output: Output::Read,
            errors: Errors::Discarded,
        };
        assert!(Process::start(launch).is_err_and(|error| error.to_string().contains("empty")));
    }
}
