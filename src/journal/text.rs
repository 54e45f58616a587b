//! The entries of a session as lines of its log.
//!
//! A line of the log is a time, a level, the number of its process in brackets and a text. The mark at the beginning of the
//! text tells the kind of entry:
//!
//! | mark | what follows |
//! |---|---|
//! | `#` | the header: program and options, as JSON |
//! | `>` | a line to the engine |
//! | `>\` | a line to the engine that is not UTF-8, with escapes |
//! | `>+` | a remark that a line to the engine was too long and dropped |
//! | `^D` | nothing: the input has ended |
//! | `<` | a line from the engine |
//! | `@` | the contents of a file that a command named, with escapes |
//! | `@!` | why such a file could not be read |
//! | `~` | the number of the line after which the engine began to ponder |
//! | `!` | the number of a line that was answered while a job ran |
//! | `*` | what a search found and how far it went ([`Step`](super::Step)) |
//!
//! All other lines are notes for people, except errors (by their level) and the line that says why the session ended.
//! Without that line, the session broke off.

use std::fmt;

use log::Level;

use super::{Closed, Entry, MAX_LINE};

const HEADER: &str = "#";
const INPUT: &str = ">";
const ESCAPED_INPUT: &str = ">\\";
const LONG_INPUT: &str = ">+";
const END_OF_INPUT: &str = "^D";
const OUTPUT: &str = "<";
const FILE: &str = "@";
const NO_FILE: &str = "@!";
const PONDERING: &str = "~";
const IMMEDIATE: &str = "!";
const STEP: &str = "*";
const CLOSED: &str = "closed:";

impl Entry {
    /// The level of its line.
    pub const fn level(&self) -> Level {
        match self {
            Entry::Header(_) | Entry::Closed(_) => Level::Info,
            Entry::Error(_) => Level::Error,
            _ => Level::Debug,
        }
    }
}

/// The text of its line. An error may have several lines; in a log, those after the first are notes.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Header(header) => {
                let text = serde_json::to_string(header).map_err(|_| fmt::Error)?;
                write!(f, "{HEADER} {text}")
            }
            Entry::Input(line) => match str::from_utf8(line) {
                Ok(text) => write!(f, "{INPUT} {text}"),
                Err(_) => write!(f, "{ESCAPED_INPUT} {}", line.escape_ascii()),
            },
            Entry::LongInput => write!(f, "{LONG_INPUT} (a line over {MAX_LINE} bytes)"),
            Entry::EndOfInput => f.write_str(END_OF_INPUT),
            Entry::Output(line) => write!(f, "{OUTPUT} {}", String::from_utf8_lossy(line)),
            Entry::File(Ok(bytes)) => write!(f, "{FILE} {}", bytes.escape_ascii()),
            Entry::File(Err(error)) => write!(f, "{NO_FILE} {error}"),
            Entry::Pondering(line) => write!(f, "{PONDERING} {line}"),
            Entry::Immediate(line) => write!(f, "{IMMEDIATE} {line}"),
            Entry::Step(step) => write!(f, "{STEP} {step}"),
            Entry::Error(text) => f.write_str(text),
            Entry::Closed(closed) => write!(f, "{CLOSED} {closed:?}"),
        }
    }
}

/// Whether a text begins with a line of a log.
pub fn is_log(text: &[u8]) -> bool {
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    level_and_text(&String::from_utf8_lossy(first)).is_some()
}

/// The number of the process that wrote a line of the log: several may write to one file.
pub fn process(line: &str) -> Option<u32> {
    process_and_text(level_and_text(line)?.1).0
}

/// Reads a line of the log, without its end; `None` if it is a note, an error if the line has a mark but is wrong.
pub fn read(line: &str) -> Option<Result<Entry, String>> {
    let (level, text) = level_and_text(line)?;
    let (_, text) = process_and_text(text);
    // A program that trims lines may have removed the blank between the mark and an empty text.
    let (mark, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_error = level == "ERROR";
    entry(mark, rest).transpose().or_else(|| is_error.then(|| Ok(Entry::Error(text.into()))))
}

/// The entry of a mark and the text behind it.
fn entry(mark: &str, rest: &str) -> Result<Option<Entry>, String> {
    let escaped = || unescape(rest).ok_or("an unknown escape");
    let number = || rest.parse().map_err(|_| "no number of a line");
    Ok(Some(match mark {
        HEADER => {
            let header = serde_json::from_str(rest);
            Entry::Header(header.map_err(|error| format!("no header: {error}"))?)
        }
        INPUT => Entry::Input(rest.into()),
        ESCAPED_INPUT => Entry::Input(escaped()?),
        LONG_INPUT => Entry::LongInput,
        END_OF_INPUT => Entry::EndOfInput,
        OUTPUT => Entry::Output(rest.into()),
        FILE => Entry::File(Ok(escaped()?)),
        NO_FILE => Entry::File(Err(rest.into())),
        PONDERING => Entry::Pondering(number()?),
        IMMEDIATE => Entry::Immediate(number()?),
        STEP => Entry::Step(rest.parse().map_err(|_| "no step of a search")?),
        CLOSED if rest == format!("{:?}", Closed::ByInput) => Entry::Closed(Closed::ByInput),
        CLOSED => Entry::Closed(Closed::ByOutput),
        _ => return Ok(None),
    }))
}

/// A line such as `2026-01-31T23:59:59.999Z DEBUG [4711] > name`.
fn level_and_text(line: &str) -> Option<(&str, &str)> {
    let (time, rest) = line.split_once(' ')?;
    let is_time = time.len() == 24 && time.ends_with('Z') && time.as_bytes()[10] == b'T';
    let level = rest.get(..5).filter(|_| is_time)?;
    let text = rest.get(5..)?;
    Some((level.trim_end(), text.strip_prefix(' ').unwrap_or(text)))
}

/// A text such as `[4711] > name`. Old logs have no number.
fn process_and_text(text: &str) -> (Option<u32>, &str) {
    let number = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    match number.and_then(|(number, rest)| Some((number.parse().ok()?, rest))) {
        Some((number, rest)) => (Some(number), rest.strip_prefix(' ').unwrap_or(rest)),
        None => (None, text),
    }
}

/// With Rust's escapes.
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
    use crate::journal::{Header, Step};

    fn line(text: &str) -> String {
        format!("2026-01-31T23:59:59.999Z DEBUG {text}")
    }

    #[test]
    fn lines_are_told_apart_by_their_marks() {
        let header = Header {
            othellier: "0.1.0".into(),
            build: "v3".into(),
            commit: "c".into(),
            evaluation: "0123456789abcdef".into(),
            threads: 1,
            hash: 64,
            arguments: vec!["gtp".into(), "--name".into(), "A \"B\" é".into()],
        };
        let header_text = format!("# {}", serde_json::to_string(&header).unwrap());
        let bytes: Vec<u8> = (0..=255).collect();
        let step = "D3 +0.00 depth 1@100% nodes 2 time 0.000 solve 2 reach 60 after 1 stopped";
        for (text, entry) in [
            (&*header_text, Entry::Header(header)),
            ("> name\r", Entry::Input(b"name\r".to_vec())),
            ("> ", Entry::Input(Vec::new())),
            (">\\ \\xff\\\\n\\t", Entry::Input(b"\xff\\n\t".to_vec())),
            (">+ (a line over 2097152 bytes)", Entry::LongInput),
            ("^D", Entry::EndOfInput),
            ("< = é", Entry::Output("= é".into())),
            ("< ", Entry::Output(Vec::new())),
            ("@ (;FF[4]\\n)", Entry::File(Ok(b"(;FF[4]\n)".to_vec()))),
            (&format!("@ {}", bytes.escape_ascii()), Entry::File(Ok(bytes.clone()))),
            ("@! no such file", Entry::File(Err("no such file".into()))),
            ("closed: ByInput", Entry::Closed(Closed::ByInput)),
            ("closed: ByOutput", Entry::Closed(Closed::ByOutput)),
            ("~ 12", Entry::Pondering(12)),
            ("! 13", Entry::Immediate(13)),
            (&format!("* {step}"), Entry::Step(step.parse().unwrap())),
            ("* broken", Entry::Step(Step::Broken)),
            ("it broke", Entry::Error("it broke".into())),
        ] {
            let line = format!("2026-01-31T23:59:59.999Z {:5} {text}", entry.level());
            assert_eq!((entry.to_string(), read(&line)), (text.into(), Some(Ok(entry))), "{line}");
        }
        assert_eq!(read(&line("<")), Some(Ok(Entry::Output(Vec::new()))));
        // The log is text.
        assert_eq!(Entry::Output(b"= \xff".to_vec()).to_string(), "< = \u{fffd}");
        for note in [&line("foreseen: D3"), "> name", "", "stack backtrace:", &line("")] {
            assert_eq!(read(note), None, "{note}");
        }
        for bad in ["# {}", ">\\ \\q", "* D3", "~ x", ">\\ \\x4"] {
            assert!(matches!(read(&line(bad)), Some(Err(_))), "{bad}");
        }
    }

    #[test]
    fn lines_tell_their_process() {
        let with_number = line("[4711] > name");
        assert_eq!(process(&with_number), Some(4711));
        assert_eq!(read(&with_number), Some(Ok(Entry::Input(b"name".to_vec()))));
        assert_eq!(read(&line("[4711] <")), Some(Ok(Entry::Output(Vec::new()))));
        for without in [&line("> [5] name"), &line("[x] > name"), "[5] > name", ""] {
            assert_eq!(process(without), None, "{without}");
        }
        assert!(is_log(format!("{with_number}\nanything").as_bytes()));
        assert!(!is_log(b"f5d6c3\n") && !is_log(b"") && !is_log(b"\xff\xfe"));
    }
}
