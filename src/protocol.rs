//! Text protocols on standard input and output.
//!
//! Three threads: the `reader` notes urgent lines at once; the main thread, in `runtime`, owns all state and the output; the engine's
//! worker searches. A protocol is a `Machine`: lines and engine events in, actions out. It does no input or output, except that
//! `loadsgf` and `set_book` read the files they name.

// An error of a protocol is a reply and never a panic.
#![deny(clippy::expect_used, clippy::panic, clippy::unimplemented, clippy::unwrap_used)]

pub mod cassio;
pub mod dialogue;
pub mod edax;
pub mod gtp;
mod interrupts;
pub mod json;
mod lines;
pub mod nboard;
pub mod options;
mod pondering;
mod reader;
mod runtime;
pub mod session;
mod writer;
pub mod xboard;

use std::time::Duration;

use crate::board::Move;
use crate::engine::{Config, Done, Event};
pub use crate::players::desk::{Substitute, Task, TaskWorker};
pub use crate::players::external::{Kind, KindError};
use crate::support::text::is_control;
pub use interrupts::Obeys;
pub use runtime::{Failure, run};
use session::Session;

impl Kind {
    /// The protocol that a first line selects; `None` if the line is blank or a comment.
    pub fn sniff(line: &[u8]) -> Option<Kind> {
        let mut words = words(line);
        let first = words.next()?;
        match first {
            b"nboard" | b"ping" | b"set" | b"move" | b"learn" | b"analyze" => Some(Kind::Nboard),
            b"ENGINE-PROTOCOL" => Some(Kind::Cassio),
            b"xboard" => Some(Kind::Xboard),
            b"setboard" | b"init" | b"mode" | b"level" | b"move-time" | b"game-time" | b"hint"
            | b"go" | b"solve" => Some(Kind::Edax),
            // In GTP a color comes first.
            b"play" if words.next().and_then(|word| Move::parse(word.get(..2)?)).is_some() => {
                Some(Kind::Edax)
            }
            _ if first.starts_with(b"#") => None,
            _ => Some(Kind::Gtp),
        }
    }

    fn machine(self) -> Box<dyn Machine> {
        match self {
            Kind::Nboard => Box::new(nboard::Nboard::default()),
            Kind::Gtp => Box::new(gtp::Gtp::default()),
            Kind::Cassio => Box::new(cassio::Cassio::default()),
            Kind::Edax => Box::new(edax::Edax::default()),
            Kind::Xboard => Box::new(xboard::Xboard::default()),
        }
    }

    fn urgency(self, line: &[u8]) -> Urgency {
        match self {
            Kind::Nboard => nboard::urgency(line),
            Kind::Gtp => gtp::urgency(line),
            Kind::Cassio => cassio::urgency(line),
            Kind::Edax => edax::urgency(line),
            Kind::Xboard => xboard::urgency(line),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Urgency {
    Queue,
    /// Ends the running search, then waits for its turn.
    Interrupt,
    /// Is answered while the search continues.
    Immediate,
    /// Waits for its turn, and nothing after it is read.
    Quit,
}

/// An action that a machine requests.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a few of them exist at a time, and tasks are the point"
)]
pub enum Action {
    /// Flushed; it includes its line ends.
    Reply(Vec<u8>),
    /// To the error output: live graphics of GoGui.
    Live(String),
    /// Start a task, which the lines that it obeys interrupt. No other line is handled before it ends.
    Start(Task, Obeys),
    /// Change the engine's settings.
    Configure(Config),
    /// End the program.
    Quit,
}

impl Action {
    fn line(text: impl AsRef<str>) -> Action {
        Action::Reply(format!("{}\n", text.as_ref()).into_bytes())
    }
}

trait Machine {
    /// Called before the first line.
    fn on_start(&mut self, _session: &mut Session) -> Vec<Action> {
        Vec::new()
    }

    fn handle(&mut self, line: &[u8], session: &mut Session) -> Vec<Action>;

    /// Answers a line that was dropped because it was too long.
    fn too_long(&mut self) -> Vec<Action>;

    /// `running` is the time since the start of the job.
    fn while_searching(&mut self, _line: &[u8], _running: Duration) -> Vec<Action> {
        Vec::new()
    }

    fn on_event(&mut self, event: Event, session: &mut Session) -> Vec<Action>;

    /// `by` is the line that ended the job, if any.
    fn on_finished(&mut self, done: Done, by: Option<&[u8]>, session: &mut Session) -> Vec<Action>;

    /// Called when there is nothing to do: it may start to ponder.
    fn on_idle(&mut self, _session: &mut Session) -> Vec<Action> {
        Vec::new()
    }

    /// Called when the input has ended and everything is answered, again after each job that it starts.
    fn on_end(&mut self, _session: &mut Session) -> Vec<Action> {
        Vec::new()
    }

    /// Whether it must be silent once the input has ended without `quit`.
    fn is_silent_after_end(&self) -> bool {
        false
    }
}

/// The blank-separated words of a line; control characters count as blanks.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control())
        .filter(|word| !word.is_empty())
}

/// Makes a text of the input safe to send back: short, and without control characters.
fn echo(text: &[u8], longest: usize) -> String {
    let text = String::from_utf8_lossy(text);
    text.chars().filter(|&c| !is_control(c)).take(longest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_chooses_the_protocol() {
        for (line, kind) in [
            (&b"nboard 2"[..], Some(Kind::Nboard)),
            (b"  ping 3\r", Some(Kind::Nboard)),
            (b"set game (;GM[Othello]", Some(Kind::Nboard)),
            (b"go", Some(Kind::Edax)),
            (b"setboard ---", Some(Kind::Edax)),
            (b"play F5d6", Some(Kind::Edax)),
            (b"play black f5", Some(Kind::Gtp)),
            (b"play b f5", Some(Kind::Gtp)),
            (b"xboard", Some(Kind::Xboard)),
            (b"ENGINE-PROTOCOL  init", Some(Kind::Cassio)),
            (b"list_commands", Some(Kind::Gtp)),
            (b"1 name", Some(Kind::Gtp)),
            (b"set_game Othello", Some(Kind::Gtp)),
            (b"\xff\xfe", Some(Kind::Gtp)),
            (b"# hello", None),
            (b" \t\r", None),
            (b"", None),
        ] {
            assert_eq!(Kind::sniff(line), kind, "{}", String::from_utf8_lossy(line));
        }
    }
}
