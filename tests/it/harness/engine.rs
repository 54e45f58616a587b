//! Programs driven line by line. They are killed when dropped, and a hang fails with the last lines.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::program::{PATIENCE, program, wait};

/// Lines of traffic shown with a failure.
const SHOWN_LINES: usize = 40;

/// Characters shown of a line.
const SHOWN_LENGTH: usize = 1000;

/// The last lines to and from the engines that share this record.
#[derive(Clone)]
pub struct Traffic {
    started: Instant,
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl Traffic {
    pub fn new() -> Traffic {
        Traffic { started: Instant::now(), lines: Arc::default() }
    }

    /// The last lines, each with its time in seconds, the engine's label, and `>` before what was sent.
    pub fn shown(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        Vec::from(lines.clone()).join("\n")
    }

    fn add(&self, at: Instant, label: &str, direction: char, text: &str) {
        let seconds = (at - self.started).as_secs_f64();
        let text: String = text.chars().take(SHOWN_LENGTH).collect();
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push_back(format!("{seconds:9.3} {label} {direction} {text}"));
        if lines.len() > SHOWN_LINES {
            lines.pop_front();
        }
    }
}

/// A line of output without its end, and when it arrived. A carriage return stays in it.
pub struct Line {
    pub text: String,
    pub at: Instant,
}

/// Why there is no line.
#[derive(Clone, Copy, Debug)]
pub enum Silence {
    /// Nothing came for [`PATIENCE`].
    Stalled,
    /// The output is at its end.
    Ended,
}

/// A running engine, killed when dropped.
pub struct Engine {
    /// Its name in the traffic.
    label: &'static str,
    /// The command line, for messages.
    command: String,
    child: Child,
    /// `None` when closed.
    input: Option<ChildStdin>,
    output: Receiver<(Vec<u8>, Instant)>,
    traffic: Traffic,
}

impl Engine {
    /// Starts the program.
    #[track_caller]
    pub fn start(arguments: &[&str]) -> Engine {
        Engine::start_command(program(arguments))
    }

    /// Starts a command on pipes.
    #[track_caller]
    pub fn start_command(command: Command) -> Engine {
        Engine::start_as("engine", command, &Traffic::new())
    }

    /// Starts a command on pipes, with a shared record of the traffic.
    #[track_caller]
    pub fn start_as(label: &'static str, mut command: Command, traffic: &Traffic) -> Engine {
        let (reader, writer) = io::pipe().unwrap();
        // NBoard reads both streams as one, and no front end shows the second.
        command.stderr(writer.try_clone().unwrap()).stdin(Stdio::piped()).stdout(writer);
        let shown = format!("{command:?}");
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
        // The command holds writing ends of the pipe. Only the engine may hold them, so that the output ends with it.
        drop(command);
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            let mut bytes = Vec::new();
            while reader.read_until(b'\n', &mut bytes).is_ok_and(|length| length > 0) {
                let at = Instant::now();
                bytes.pop_if(|last| *last == b'\n');
                if sender.send((std::mem::take(&mut bytes), at)).is_err() {
                    break;
                }
            }
        });
        let (input, traffic) = (child.stdin.take(), traffic.clone());
        Engine { label, command: shown, child, input, output, traffic }
    }

    /// Sends lines; adds the end of the last one.
    #[track_caller]
    pub fn send(&mut self, lines: &str) {
        self.send_bytes(format!("{lines}\n").as_bytes());
    }

    /// Sends bytes, which may be a piece of a line.
    #[track_caller]
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        if let Err(error) = self.try_send(bytes) {
            self.fail(&format!("reads no more: {error}"));
        }
    }

    /// Sends bytes in one go.
    ///
    /// # Errors
    /// If the input is closed on either side.
    pub fn try_send(&mut self, bytes: &[u8]) -> io::Result<()> {
        for line in bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n') {
            self.traffic.add(Instant::now(), self.label, '>', &line.escape_ascii().to_string());
        }
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(bytes)
    }

    pub fn close_input(&mut self) {
        if self.input.take().is_some() {
            self.traffic.add(Instant::now(), self.label, '>', "(end of the input)");
        }
    }

    /// The process id.
    #[cfg(target_os = "linux")]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    #[cfg(target_os = "linux")]
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Processor time used so far, in steps of 10 ms.
    #[cfg(target_os = "linux")]
    pub fn processor_time(&self) -> std::time::Duration {
        super::program::processor_time(self.child.id()).expect("it runs")
    }

    /// The next line.
    ///
    /// # Errors
    /// If none comes.
    #[track_caller]
    pub fn try_line(&mut self) -> Result<Line, Silence> {
        match self.output.recv_timeout(PATIENCE) {
            Ok(line) => Ok(self.seen(line)),
            Err(RecvTimeoutError::Timeout) => Err(Silence::Stalled),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::Ended),
        }
    }

    /// A line that has already arrived.
    #[track_caller]
    pub fn arrived_line(&mut self) -> Option<Line> {
        self.output.try_recv().ok().map(|line| self.seen(line))
    }

    /// The next line, which must come, and its time.
    #[track_caller]
    pub fn timed_line(&mut self) -> Line {
        match self.try_line() {
            Ok(line) => line,
            Err(Silence::Stalled) => self.fail("stalls"),
            Err(Silence::Ended) => {
                let status = self.wait();
                self.fail(&format!("ended early: {status}"))
            }
        }
    }

    /// The next line, which must come.
    #[track_caller]
    pub fn line(&mut self) -> String {
        self.timed_line().text
    }

    /// Reads up to a line with this beginning.
    #[track_caller]
    pub fn read_to(&mut self, beginning: &str) -> String {
        loop {
            let line = self.line();
            if line.starts_with(beginning) {
                return line;
            }
        }
    }

    /// Sends a GTP command and returns the text of its reply.
    #[track_caller]
    pub fn ask(&mut self, command: &str) -> String {
        self.send(command);
        self.reply(command)
    }

    /// Reads the text of the reply to a GTP command.
    #[track_caller]
    pub fn reply(&mut self, command: &str) -> String {
        let first = self.line();
        let Some(text) = first.strip_prefix("= ") else {
            self.fail(&format!("answers '{command}' with '{first}'"))
        };
        let mut text = text.to_owned();
        loop {
            let line = self.line();
            if line.is_empty() {
                return text;
            }
            text = text + "\n" + &line;
        }
    }

    /// Waits for the end of the process.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        wait(&mut self.child, &self.command)
    }

    /// Closes the input; returns the remaining output and the exit status.
    #[track_caller]
    pub fn end(&mut self) -> (Vec<String>, Option<i32>) {
        self.close_input();
        let closed = Instant::now();
        let mut lines = Vec::new();
        loop {
            match self.try_line() {
                Ok(line) if closed.elapsed() < PATIENCE => lines.push(line.text),
                Err(Silence::Ended) => return (lines, self.wait().code()),
                Ok(_) | Err(Silence::Stalled) => self.fail("does not end with its input"),
            }
        }
    }

    /// Fails the test with the last lines.
    #[track_caller]
    pub fn fail(&self, cause: &str) -> ! {
        let Engine { label, command, .. } = self;
        panic!("{label} {cause}\n{command}\nlast lines:\n{}", self.traffic.shown())
    }

    #[track_caller]
    fn seen(&self, (bytes, at): (Vec<u8>, Instant)) -> Line {
        let Ok(text) = String::from_utf8(bytes) else { self.fail("writes what is not UTF-8") };
        self.traffic.add(at, self.label, '<', &text);
        Line { text, at }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
