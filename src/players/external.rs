//! Engines in other processes, by the protocol that they speak.

mod cassio;
mod child;
mod gtp;
mod nboard;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::spec::External;
use super::start::{Logs, Patience};
use super::{Cause, Fault, Player};
use crate::search::Stop;
use child::Child;

/// The protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// NBoard, versions 1 and 2.
    Nboard,
    /// The Go Text Protocol, version 2, as used for Othello.
    Gtp,
    /// The engine protocol of Cassio.
    Cassio,
    /// The console of Edax, which this program speaks, but no player.
    Edax,
    /// The protocol of XBoard, likewise.
    Xboard,
}

/// The text names no protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected gtp, nboard, cassio, edax or xboard")]
pub struct KindError;

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Gtp => "gtp",
            Kind::Nboard => "nboard",
            Kind::Cassio => "cassio",
            Kind::Edax => "edax",
            Kind::Xboard => "xboard",
        })
    }
}

impl FromStr for Kind {
    type Err = KindError;

    fn from_str(text: &str) -> Result<Kind, KindError> {
        let is_meant = |kind: &Kind| kind.to_string().eq_ignore_ascii_case(text);
        Kind::ALL.into_iter().find(is_meant).ok_or(KindError)
    }
}

impl Kind {
    /// All protocols.
    pub const ALL: [Kind; 5] = [Kind::Gtp, Kind::Nboard, Kind::Cassio, Kind::Edax, Kind::Xboard];

    /// Those that players in other processes can speak.
    pub(in crate::players) const OF_PLAYERS: [Kind; 3] = [Kind::Gtp, Kind::Nboard, Kind::Cassio];
}

type Greet = fn(Child, &External) -> Result<Box<dyn Player>, Fault>;

/// For an engine whose protocol is being found out.
const QUICK_START: Duration = Duration::from_secs(3);

/// Starts an external engine. If its protocol is not known, tries them in turn, each with a fresh process and a short time limit.
pub(super) fn start(
    external: &External,
    logs: &Logs,
    mut patience: Patience,
    gone: &Stop,
) -> Result<Box<dyn Player>, Fault> {
    let kinds = external.protocol.as_ref().map_or(&Kind::OF_PLAYERS[..], std::slice::from_ref);
    if external.protocol.is_none() {
        patience.start = patience.start.min(QUICK_START);
    }
    let mut faults = Vec::new();
    for kind in kinds {
        let (greet, quit): (Greet, _) = match kind {
            Kind::Gtp => (gtp::greet, "quit"),
            Kind::Nboard => (nboard::greet, "quit"),
            Kind::Cassio => (cassio::greet, "ENGINE-PROTOCOL quit"),
            Kind::Edax | Kind::Xboard => {
                faults.push(format!("no player speaks {kind}"));
                continue;
            }
        };
        let child = Child::start(external, quit, logs, patience, gone.clone());
        match child.and_then(|child| greet(child, external)) {
            Ok(player) => return Ok(player),
            Err(fault) if external.protocol.is_some() => faults.push(fault.text),
            Err(fault) => faults.push(format!("{kind}: {}", fault.text)),
        }
    }
    if external.protocol.is_none() {
        let seconds = patience.start.as_secs_f64();
        faults.push(format!("each had {seconds} s; name the protocol with proto= to give it more"));
    }
    // Any fault before the first game is one of the start.
    Err(Fault::new(Cause::Start, faults.join("; ")))
}
