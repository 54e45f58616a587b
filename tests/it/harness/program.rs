//! Runs programs to their end, for at most [`PATIENCE`] or [`PROCESSOR_PATIENCE`].

use std::fmt::Debug;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use rustix::process::{Pid, Signal, kill_process};

use super::Folder;

pub const OTHELLIER: &str = env!("CARGO_BIN_EXE_othellier");

/// The time limit for everything: far more than anything takes on a busy machine, so that only a hang exceeds it.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Processor time that only a program in an endless loop uses.
const PROCESSOR_PATIENCE: Duration = Duration::from_secs(120);

/// The outcome of a program.
#[derive(Debug)]
pub struct Output {
    /// The exit status; `None` after a signal.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Time from the start to the end.
    pub elapsed: Duration,
}

impl Output {
    /// The last line of the output.
    pub fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }

    /// Whether nothing went to the standard output but the status that NBoard shows.
    pub fn is_silent(&self) -> bool {
        self.stdout.lines().all(|line| line.starts_with("status "))
    }

    /// Checks that the program has failed with this status and this on its error output.
    #[track_caller]
    pub fn fails(&self, status: i32, words: &str) {
        assert!(self.status == Some(status) && self.stderr.contains(words), "{words}: {self:?}");
    }

    /// The same, with nothing on the standard output.
    #[track_caller]
    pub fn refuses(&self, status: i32, words: &str) {
        self.fails(status, words);
        assert_eq!(self.stdout, "", "{self:?}");
    }

    /// The output of a program that succeeded without a complaint.
    #[track_caller]
    pub fn success(self) -> Output {
        let is_progress = |line: &&str| line.starts_with("game ") || line.starts_with("after ");
        let complaint = self.stderr.lines().find(|line| !is_progress(line));
        assert_eq!((self.status, complaint), (Some(0), None), "{self:?}");
        self
    }
}

/// A command on pipes.
pub fn piped(mut command: Command) -> Command {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A command for the program on pipes.
pub fn program(arguments: &[&str]) -> Command {
    let mut command = piped(Command::new(OTHELLIER));
    command.args(arguments).env_remove("OTHELLIER_OPTIONS");
    command
}

/// The command of the fake engine of `tests/data/fake_engine.rs`, in quotes as all systems know them.
pub fn fake_engine() -> String {
    let name = format!("examples/fake_engine{}", std::env::consts::EXE_SUFFIX);
    let path = Path::new(OTHELLIER).with_file_name(name);
    assert!(path.exists(), "cargo build --example fake_engine makes what this test needs");
    format!("\"{}\"", path.display())
}

/// Like [`program`], with signals as in a terminal: tests may run in the background, where some signals are ignored,
/// and programs inherit that.
#[cfg(target_os = "linux")]
pub fn program_with_signals(arguments: &[&str]) -> Command {
    let mut command = piped(Command::new("env"));
    command.args(["--default-signal=INT,QUIT,HUP", OTHELLIER]).args(arguments);
    command
}

/// Whether what a test needs is on this machine. Where `OTHELLIER_REQUIRE_ALL` is set, as in `.ci/run`, nothing may be missing.
#[track_caller]
pub fn has(what: &str, is_there: bool) -> bool {
    let requires_all =
        std::env::var_os("OTHELLIER_REQUIRE_ALL").is_some_and(|text| !text.is_empty());
    assert!(is_there || !requires_all, "{what} is missing");
    is_there
}

/// A file or folder of the test data beside the repository; none of it is missing where there is any.
#[track_caller]
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let path = folder.join(name);
    (folder.exists() && has(name, path.exists())).then_some(path)
}

/// The words of a command line without quotes.
pub fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Runs the program on an input that ends.
#[track_caller]
pub fn run(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    output(program(arguments), input.as_ref())
}

/// Runs the program with an unread output.
#[track_caller]
pub fn run_unread(arguments: &[&str], input: &str) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = program(arguments);
    command.stdout(writer);
    output(command, input.as_bytes())
}

/// Runs a command on an input that ends. A stream that is no pipe gives an empty text.
#[track_caller]
pub fn output(mut command: Command, input: &[u8]) -> Output {
    fn read(stream: Option<impl Read>) -> String {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            stream.read_to_end(&mut bytes).unwrap();
        }
        String::from_utf8(bytes).expect("the output is UTF-8")
    }
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        // Writing may fail: a program need not read all its input.
        scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(input)));
        let stdout = scope.spawn(|| read(stdout));
        let stderr = scope.spawn(|| read(stderr));
        let status = wait(&mut child, &command).code();
        let elapsed = start.elapsed();
        let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
        Output { status, stdout, stderr, elapsed }
    })
}

/// Waits for the end of a process. If it does not end, kills it and fails with `what`.
#[track_caller]
pub fn wait(child: &mut Child, what: &impl Debug) -> ExitStatus {
    let start = Instant::now();
    // Do not count the work before: it may have taken long.
    let before = processor_time(child.id()).unwrap_or_default();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        let busy = processor_time(child.id()).unwrap_or_default().saturating_sub(before);
        if start.elapsed() > PATIENCE || busy > PROCESSOR_PATIENCE {
            child.kill().unwrap();
            panic!("{what:?} does not end: {:?}, busy for {busy:?}", start.elapsed());
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until something is so; fails with `what`, which still is not, if it never is.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "still not: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal to a process.
#[cfg(target_os = "linux")]
pub fn send(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(process as i32).unwrap(), signal).unwrap();
}

impl Folder {
    /// A command of the program in this folder, on a fixed day, with the priority of the test.
    pub fn command(&self, line: &str) -> Command {
        let mut command = program(&words(line));
        if ["selfplay ", "train ", "positions "].iter().any(|&name| line.starts_with(name)) {
            command.args(["--nice", "0"]);
        }
        if line.starts_with("train ") && !line.contains("--measure") {
            command.args(["--measure", "0"]);
        }
        command.current_dir(&**self).env("SOURCE_DATE_EPOCH", "86400");
        command
    }

    /// Runs a command, kills it once a file has this many bytes, and returns the size of the file then.
    #[track_caller]
    pub fn kill(&self, line: &str, name: &str, n_bytes: u64) -> u64 {
        let mut child = self.command(line).spawn().unwrap();
        let size = || self.join(name).metadata().map_or(0, |metadata| metadata.len());
        wait_until(line, || {
            assert_eq!(child.try_wait().unwrap(), None, "{line} has ended");
            size() >= n_bytes
        });
        child.kill().unwrap();
        child.wait().unwrap();
        size()
    }
}

/// Processor time that a process has used so far, in steps of 10 ms; `None` if the system does not report it.
pub fn processor_time(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    // Fields 14 and 15 of proc(5), counted from the program's name, which is the second.
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * ticks))
}
