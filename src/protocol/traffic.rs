//! The log as a record of a session: everything that came in and went out, so that the session can be run again.
//!
//! A line of the log is a time, a level and a text. A mark at the beginning of the text says what it is:
//!
//! | mark | what follows |
//! |---|---|
//! | `#` | the header: program and options, as JSON |
//! | `>` | a line to the engine |
//! | `>\` | one that is not UTF-8, with escapes |
//! | `>+` | one that was too long and dropped |
//! | `^D` | nothing: the input has ended |
//! | `<` | a line from the engine |
//! | `@` | the contents of a file that a command named, with escapes |
//! | `@!` | why such a file could not be read |
//! | `*` | what a search found and how far it went ([`Step`]) |
//!
//! All other lines are notes for people. Errors among them belong to the record; and so does the one that says why the session
//! ended, without which it broke off.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::Closed;
use crate::engine::trace::{self, Step};

/// Log target of the record.
const TARGET: &str = "othellier::traffic";

const HEADER: &str = "#";
const INPUT: &str = ">";
const ESCAPED_INPUT: &str = ">\\";
const LONG_INPUT: &str = ">+";
const END_OF_INPUT: &str = "^D";
const OUTPUT: &str = "<";
const FILE: &str = "@";
const NO_FILE: &str = "@!";
const CLOSED: &str = "closed:";

/// What ran, and with which options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The program's version.
    pub othellier: String,
    /// The processors it was built for.
    pub build: String,
    /// The commit it was built from.
    pub commit: String,
    /// The kind of evaluation and its checksum.
    pub evaluation: String,
    /// Search threads at the start.
    pub threads: usize,
    /// Size of the table in MiB at the start.
    pub hash: usize,
    /// The command line, with the seed that was used and without the log file.
    pub arguments: Vec<String>,
}

/// A line of the record.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// The header.
    Header(Header),
    /// A line to the engine, without its end.
    Input(Vec<u8>),
    /// A line to the engine that was too long.
    LongInput,
    /// The input has ended.
    EndOfInput,
    /// A line from the engine, without its end.
    Output(String),
    /// What a command was given of a file, or why nothing.
    File(Result<Vec<u8>, String>),
    /// What the engine's worker did.
    Step(Step),
    /// An error of the program itself.
    Error(String),
    /// The session came to its end.
    Closed(Closed),
}

/// What a session repeats of an earlier one.
#[derive(Clone, Debug, Default)]
pub struct Repeat {
    /// The worker's steps.
    pub steps: Vec<Step>,
    /// What was read of files.
    pub files: VecDeque<Result<Vec<u8>, String>>,
}

/// Begins a record.
pub fn log_header(header: &Header) {
    if let Ok(text) = serde_json::to_string(header) {
        log::info!(target: TARGET, "{HEADER} {text}");
    }
}

/// Records why a session ended.
pub fn log_closed(closed: Closed) {
    log::info!(target: TARGET, "{CLOSED} {closed:?}");
}

pub(super) fn log_input(line: &[u8]) {
    match str::from_utf8(line) {
        Ok(text) => log::debug!(target: TARGET, "{INPUT} {text}"),
        Err(_) => log::debug!(target: TARGET, "{ESCAPED_INPUT} {}", line.escape_ascii()),
    }
}

pub(super) fn log_long_input(limit: usize) {
    log::debug!(target: TARGET, "{LONG_INPUT} (a line over {limit} bytes)");
}

pub(super) fn log_end_of_input() {
    log::debug!(target: TARGET, "{END_OF_INPUT}");
}

pub(super) fn log_output(line: &[u8]) {
    log::debug!(target: TARGET, "{OUTPUT} {}", String::from_utf8_lossy(line));
}

pub(super) fn log_file(contents: &Result<Vec<u8>, String>) {
    match contents {
        Ok(bytes) => log::debug!(target: TARGET, "{FILE} {}", bytes.escape_ascii()),
        Err(error) => log::debug!(target: TARGET, "{NO_FILE} {error}"),
    }
}

/// Reads a line of the log, without its end; `None` if it is a note.
///
/// # Errors
/// What is wrong with a line that has a mark.
pub fn read(line: &str) -> Option<Result<Entry, String>> {
    let (level, text) = level_and_text(line)?;
    // An empty line's blank at the end may have got lost on the way.
    let (mark, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some(Ok(match mark {
        HEADER => match serde_json::from_str(rest) {
            Ok(header) => Entry::Header(header),
            Err(error) => return Some(Err(format!("no header: {error}"))),
        },
        INPUT => Entry::Input(rest.into()),
        ESCAPED_INPUT => match unescape(rest) {
            Some(bytes) => Entry::Input(bytes),
            None => return Some(Err("an unknown escape".into())),
        },
        LONG_INPUT => Entry::LongInput,
        END_OF_INPUT => Entry::EndOfInput,
        OUTPUT => Entry::Output(rest.into()),
        FILE => match unescape(rest) {
            Some(bytes) => Entry::File(Ok(bytes)),
            None => return Some(Err("an unknown escape".into())),
        },
        NO_FILE => Entry::File(Err(rest.into())),
        trace::MARK => match rest.parse() {
            Ok(step) => Entry::Step(step),
            Err(_) => return Some(Err("no step of a search".into())),
        },
        CLOSED if rest == format!("{:?}", Closed::ByInput) => Entry::Closed(Closed::ByInput),
        CLOSED => Entry::Closed(Closed::ByOutput),
        _ if level == "ERROR" => Entry::Error(text.into()),
        _ => return None,
    }))
}

/// Cuts a line such as `2026-01-31T23:59:59.999Z DEBUG > name`.
fn level_and_text(line: &str) -> Option<(&str, &str)> {
    let (time, rest) = line.split_once(' ')?;
    let is_time = time.len() == 24 && time.ends_with('Z') && time.as_bytes()[10] == b'T';
    let level = rest.get(..5).filter(|_| is_time)?;
    let text = rest.get(5..)?;
    Some((level.trim_end(), text.strip_prefix(' ').unwrap_or(text)))
}

/// The bytes of a text with Rust's escapes.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                ((digit(*high)? * 16 + digit(*low)?) as u8, after)
            }
            (b'\\', [symbol, after @ ..]) => {
                let byte = match symbol {
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'n' => b'\n',
                    b'\\' | b'\'' | b'"' => *symbol,
                    _ => return None,
                };
                (byte, after)
            }
            (b'\\', []) => return None,
            _ => (*first, after),
        };
        bytes.push(byte);
        rest = after;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        format!("2026-01-31T23:59:59.999Z DEBUG {text}")
    }

    #[test]
    fn lines_are_told_apart_by_their_marks() {
        let step: Step =
            "D3 +0.00 depth 1@100% nodes 2 time 0.000 solve 2 reach 60 complete".parse().unwrap();
        for (text, entry) in [
            ("> name\r", Entry::Input(b"name\r".to_vec())),
            ("> ", Entry::Input(Vec::new())),
            (">\\ \\xff\\\\n", Entry::Input(b"\xff\\n".to_vec())),
            (">+ (a line over 5 bytes)", Entry::LongInput),
            ("^D", Entry::EndOfInput),
            ("< = D3", Entry::Output("= D3".into())),
            ("<", Entry::Output(String::new())),
            ("@ (;FF[4]\\n)", Entry::File(Ok(b"(;FF[4]\n)".to_vec()))),
            ("@! no such file", Entry::File(Err("no such file".into()))),
            ("closed: ByInput", Entry::Closed(Closed::ByInput)),
            (&format!("* {step}"), Entry::Step(step.clone())),
        ] {
            assert_eq!(read(&line(text)), Some(Ok(entry)), "{text}");
        }
        let error = "2026-01-31T23:59:59.999Z ERROR it broke";
        assert_eq!(read(error), Some(Ok(Entry::Error("it broke".into()))));
        for note in [&line("foreseen: D3"), "> name", "", "stack backtrace:", &line("")] {
            assert_eq!(read(note), None, "{note}");
        }
        for bad in ["# {}", ">\\ \\q", "* D3", ">\\ \\x4"] {
            assert!(matches!(read(&line(bad)), Some(Err(_))), "{bad}");
        }
    }

    #[test]
    fn any_bytes_come_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unescape(&bytes.escape_ascii().to_string()), Some(bytes));
    }
}
