//! Sessions with the engine in text form, run over pipes: for the examples of `protocol.md` and the files of `tests/sessions`.
//!
//! A session is a list of lines. `> ` sends the rest of the line, in which `\r`, `\t`, `\\` and `\xNN` stand for bytes. `< `
//! expects the rest as the next line of output; `...` in it matches any text, and alone it matches any number of lines up to the
//! next expected one. `^D` closes the input, which otherwise happens at the end. `! ` as the first line gives options of the
//! command line. Blank lines and lines that begin with `#` are comments.
//!
//! Anything else is a failure: further output, any error output, an exit status other than 0.

use std::path::Path;

use super::engine::{Engine, Errors, Silence, Traffic};
use super::program::{PATIENCE, program};

/// A parsed session.
pub struct Session {
    /// Where it is written, for messages.
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
    /// # Panics On a line of another form.
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

    /// The session with an extra option of the command line.
    pub fn with_option(mut self, name: &str, value: &str) -> Session {
        self.options.extend([name.into(), value.into()]);
        self
    }

    /// Runs the session.
    ///
    /// # Errors The expected line and what came instead, with the traffic before.
    pub fn run(&self) -> Result<(), String> {
        let options = self.options.iter().map(String::as_str);
        let arguments: Vec<&str> = [self.protocol.as_str()].into_iter().chain(options).collect();
        let mut command = program(&arguments);
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        let traffic = Traffic::new();
        let mut engine = Engine::start_as("engine", command, Errors::Apart, &traffic);
        let failure = |number: usize, error: String| {
            let Session { name, protocol, options, .. } = self;
            let (options, shown) = (options.join(" "), traffic.shown());
            format!("{name}:{number}: {error}\nothellier {protocol} {options}\n{shown}\n")
        };
        let mut anything = false;
        let mut last = 0;
        for (number, step) in &self.steps {
            last = *number;
            let outcome = match step {
                Step::Send(line) => engine
                    .try_send(&[line, &b"\n"[..]].concat())
                    .map_err(|error| format!("cannot send: {error}")),
                Step::CloseInput => {
                    engine.close_input();
                    Ok(())
                }
                Step::ExpectAnything => {
                    anything = true;
                    Ok(())
                }
                Step::Expect(pattern) => {
                    expect(&mut engine, pattern, std::mem::take(&mut anything))
                }
            };
            outcome.map_err(|error| failure(*number, error))?;
        }
        expect_end(&mut engine, anything).map_err(|error| failure(last, error))
    }
}

/// Waits for a matching line, as the next one or after any others.
fn expect(engine: &mut Engine, pattern: &str, anything_before: bool) -> Result<(), String> {
    loop {
        let got = match engine.try_line() {
            Ok(line) if matches(pattern, &line.text) => return Ok(()),
            Ok(_) if anything_before => continue,
            Ok(line) => format!("'{}'", line.text),
            Err(Silence::Stalled) => format!("nothing for {PATIENCE:?}"),
            Err(Silence::Ended) => "the end".to_owned(),
        };
        return Err(format!("expected '{pattern}', got {got}"));
    }
}

/// Closes the input and waits for a quiet end.
fn expect_end(engine: &mut Engine, anything_before: bool) -> Result<(), String> {
    engine.close_input();
    loop {
        match engine.try_line() {
            Ok(_) if anything_before => {}
            Ok(line) => return Err(format!("unexpected '{}' at the end", line.text)),
            Err(Silence::Stalled) => return Err(format!("no end for {PATIENCE:?}")),
            Err(Silence::Ended) => break,
        }
    }
    let status = engine.wait();
    if !status.success() {
        return Err(format!("ended with {status}"));
    }
    let errors = engine.errors();
    if errors.is_empty() { Ok(()) } else { Err(format!("on the error output: {errors}")) }
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

/// The sessions of a protocol in `tests/sessions`, in the order of their names.
pub fn sessions(protocol: &str) -> Vec<Session> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions").join(protocol);
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "session"));
    files.sort();
    let read = |file: &Path| {
        let name = file.file_name().unwrap().to_string_lossy();
        let text = std::fs::read_to_string(file).unwrap();
        let mut session =
            Session::parse(&format!("tests/sessions/{protocol}/{name}"), protocol, &text, 1);
        // The sessions expect searches, whatever the embedded book knows.
        session.options.push("--no-book".into());
        session
    };
    let sessions: Vec<_> = files.iter().map(|file| read(file)).collect();
    assert!(!sessions.is_empty());
    sessions
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
