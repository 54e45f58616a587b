//! The faults recorded against players.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a player did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Played a move that the rules forbid.
    IllegalMove,
    /// Ended by a signal or with an error status during a game.
    Crash,
    /// Did not answer.
    Stall,
    /// Ended by itself during a game.
    Exit,
    /// Answered after its time was up.
    Time,
    /// Gave an answer other than a move, or refused a command.
    BadReply,
    /// Could not be started, or did not become ready.
    Start,
}

impl Cause {
    /// The word for it in records.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::IllegalMove => "illegal-move",
            Cause::Crash => "crash",
            Cause::Stall => "stall",
            Cause::Exit => "exit",
            Cause::Time => "time",
            Cause::BadReply => "bad-reply",
            Cause::Start => "start",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a player has not chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub cause: Cause,
    /// What happened, with the last lines of the traffic.
    pub text: String,
}

impl Fault {
    /// A fault with this text.
    pub fn new(cause: Cause, text: impl Into<String>) -> Fault {
        Fault { cause, text: text.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.cause, self.text)
    }
}
