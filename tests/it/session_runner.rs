//! Sessions with the engine in text form, run over pipes: for the examples of `protocol.md` and the files of `tests/sessions`.
//!
//! A session is a list of lines. `> ` sends the rest of the line, in which `\r`, `\t`, `\\` and `\xNN` stand for bytes. `< ` expects
//! the rest as the next line of output; `...` in it matches any text, and alone it matches any number of lines up to the next
//! expected one. `^D` closes the input, which otherwise happens at the end. `! ` as the first line gives options of the command
//! line. Blank lines and lines with `#` are comments.
//!
//! What is not expected must not come: neither further output nor a word on the error output nor an exit status other than 0.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::cli::PATIENCE;

const OTHELLIER: &str = env!("CARGO_BIN_EXE_othellier");

/// Lines of traffic shown with a failure.
const SHOWN_LINES: usize = 30;

/// A session as written.
pub struct Session {
    /// Where it stands, for messages.
    name: String,
    protocol: String,
    options: Vec<String>,
    /// Each with the number of its line.
    steps: Vec<(usize, Step)>,
}

enum Step {
    Send(Vec<u8>),
    Expect(String),
    ExpectAnything,
    CloseInput,
}

impl Session {
    /// Reads a session; `first_line` is the number of the text's first line, for messages.
    ///
    /// # Panics
    /// On a line that is none of a session.
    pub fn parse(name: &str, protocol: &str, text: &str, first_line: usize) -> Session {
        let mut session = Session {
            name: name.into(),
            protocol: protocol.into(),
            options: Vec::new(),
            steps: Vec::new(),
        };
        for (number, line) in (first_line..).zip(text.lines()) {
            let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
            let step = match mark {
                ">" => Step::Send(unescape(rest)),
                "<" if rest == "..." => Step::ExpectAnything,
                "<" => Step::Expect(rest.into()),
                "^D" => Step::CloseInput,
                "!" if session.steps.is_empty() => {
                    session.options.extend(rest.split_whitespace().map(str::to_string));
                    continue;
                }
                "" => continue,
                comment if comment.starts_with('#') => continue,
                _ => panic!("{name}:{number}: not a line of a session: {line}"),
            };
            session.steps.push((number, step));
        }
        assert!(!session.steps.is_empty(), "{name}:{first_line}: an empty session");
        session
    }

    /// The session with another option of the command line.
    pub fn with_option(mut self, name: &str, value: &str) -> Session {
        self.options.extend([name.into(), value.into()]);
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// What was expected and what came instead, with the traffic before.
    pub fn run(&self) -> Result<(), String> {
        let mut engine = Engine::start(&self.protocol, &self.options);
        let mut anything = false;
        let mut last = 0;
        for (number, step) in &self.steps {
            last = *number;
            let outcome = match step {
                Step::Send(line) => engine.send(line),
                Step::CloseInput => engine.close(),
                Step::ExpectAnything => {
                    anything = true;
                    Ok(())
                }
                Step::Expect(pattern) => engine.expect(pattern, std::mem::take(&mut anything)),
            };
            outcome.map_err(|error| self.failure(*number, &error, &engine))?;
        }
        engine.finish(anything).map_err(|error| self.failure(last, &error, &engine))
    }

    fn failure(&self, number: usize, error: &str, engine: &Engine) -> String {
        let shown = &engine.traffic[engine.traffic.len().saturating_sub(SHOWN_LINES)..];
        let options = self.options.join(" ");
        let Session { name, protocol, .. } = self;
        format!("{name}:{number}: {error}\nothellier {protocol} {options}\n{}\n", shown.join("\n"))
    }
}

/// Runs sessions one after the other.
///
/// # Panics
/// With all failures, if there are any.
pub fn run_all(sessions: &[Session]) {
    let failures: Vec<_> = sessions.iter().filter_map(|session| session.run().err()).collect();
    let (n_failures, n_sessions) = (failures.len(), sessions.len());
    assert!(n_failures == 0, "{n_failures} of {n_sessions} failed\n\n{}", failures.join("\n"));
}

/// The bytes of a line to be sent.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'\\', [b'r', after @ ..]) => (b'\r', after),
            (b'\\', [b't', after @ ..]) => (b'\t', after),
            (b'\\', [b'\\', after @ ..]) => (b'\\', after),
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digits = [*high, *low].map(char::from).map(|digit| digit.to_digit(16));
                let [Some(high), Some(low)] = digits else { panic!("bad escape in {text}") };
                ((high * 16 + low) as u8, after)
            }
            (b'\\', _) => panic!("bad escape in {text}"),
            (byte, after) => (*byte, after),
        };
        bytes.push(byte);
        rest = after;
    }
    bytes
}

/// Whether a line is as expected; `...` matches any text.
fn matches(pattern: &str, line: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once("...") else { return pattern == line };
    let Some(mut line) = line.strip_prefix(head) else { return false };
    while let Some((piece, after)) = rest.split_once("...") {
        let Some(at) = line.find(piece) else { return false };
        line = &line[at + piece.len()..];
        rest = after;
    }
    line.ends_with(rest)
}

/// The program at work; dropping it kills it.
struct Engine {
    child: Child,
    /// `None` when closed.
    input: Option<ChildStdin>,
    output: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    traffic: Vec<String>,
}

impl Engine {
    fn start(protocol: &str, options: &[String]) -> Engine {
        let mut child = Command::new(OTHELLIER)
            .arg(protocol)
            .args(options)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, output) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
            }
        });
        let mut stderr = child.stderr.take().unwrap();
        let errors = thread::spawn(move || {
            let mut text = Vec::new();
            drop(stderr.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        });
        let input = child.stdin.take();
        Engine { child, input, output, errors: Some(errors), traffic: Vec::new() }
    }

    fn send(&mut self, line: &[u8]) -> Result<(), String> {
        self.traffic.push(format!("> {}", line.escape_ascii()));
        let input = self.input.as_mut().ok_or("the input is closed")?;
        let written = input.write_all(&[line, b"\n"].concat()).and_then(|()| input.flush());
        written.map_err(|error| format!("cannot send: {error}"))
    }

    fn close(&mut self) -> Result<(), String> {
        self.traffic.push("^D".into());
        self.input = None;
        Ok(())
    }

    /// The next line; `None` at the end of the output.
    fn line(&mut self) -> Result<Option<String>, String> {
        match self.output.recv_timeout(PATIENCE) {
            Ok(line) => {
                self.traffic.push(format!("< {line}"));
                Ok(Some(line))
            }
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => Err(format!("nothing came for {PATIENCE:?}")),
        }
    }

    fn expect(&mut self, pattern: &str, anything_before: bool) -> Result<(), String> {
        loop {
            let line = self.line().map_err(|error| format!("{error}; expected '{pattern}'"))?;
            match line {
                Some(line) if matches(pattern, &line) => return Ok(()),
                Some(_) if anything_before => {}
                Some(line) => return Err(format!("expected '{pattern}', got '{line}'")),
                None => return Err(format!("expected '{pattern}', got the end")),
            }
        }
    }

    /// Closes the input and waits for a quiet end.
    fn finish(&mut self, anything: bool) -> Result<(), String> {
        self.input = None;
        while let Some(line) = self.line()? {
            if !anything {
                return Err(format!("unexpected '{line}' at the end"));
            }
        }
        let since = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                break status;
            }
            if since.elapsed() > PATIENCE {
                return Err("the program does not end".into());
            }
            thread::sleep(Duration::from_millis(1));
        };
        if !status.success() {
            return Err(format!("ended with {status}"));
        }
        let errors = self.errors.take().map(JoinHandle::join);
        match errors {
            Some(Ok(text)) if text.is_empty() => Ok(()),
            other => Err(format!("on the error output: {other:?}")),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn dots_match_any_text() {
    for (pattern, line, is_match) in [
        ("= D3", "= D3", true),
        ("= D3", "= D3 ", false),
        ("", "", true),
        ("=== .../1.00/...", "=== D3/1.00/0.002", true),
        ("=== .../1.00/...", "=== D3/1.20/0.002", false),
        ("...XXX..", "...XXX..", true),
        ("...XXX..", "...XXXX.", false),
        ("a...b...a", "aba", true),
        ("a...b...a", "ab", false),
        ("aa...aa", "aaa", false),
    ] {
        assert_eq!(matches(pattern, line), is_match, "{pattern} {line}");
    }
}
