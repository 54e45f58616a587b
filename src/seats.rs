//! A player at the board: the same few calls whatever it is and however it is reached.

mod cassio;
mod child;
pub mod fault;
mod gtp;
pub mod halt;
mod nboard;
pub(crate) mod own;
mod simple;
pub mod spec;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::board::{Color, Move};
use crate::clock::Clock;
use crate::engine::pace::Pace;
use crate::game::Game;
use crate::search::{Interrupts, StopToken};

use fault::{Cause, Fault};
use halt::Halt;
use spec::{External, PlayerKind, PlayerSpec, Protocol};

/// A choice of a player.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub answer: Answer,
    /// The player's value of it in discs for itself, if it says one.
    pub value: Option<f64>,
    /// From asking to the answer.
    pub elapsed: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Move(Move),
    Resign,
}

/// What a player must know at the start of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Its color.
    pub color: Color,
    /// What limits it.
    pub pace: Pace,
    /// For random choices, different in every game and the same in a repeated one.
    pub seed: u64,
}

/// A player at the board. The referee passes for a side that must pass; `choose` is asked only where there is a move.
pub(crate) trait Seat: Send {
    /// Begins a game from its start position.
    fn begin(&mut self, game: &Game, terms: Terms) -> Result<(), Fault>;

    /// Takes note of the last ply of the game, an own one too; plies of the opening come before the first choice.
    fn observe(&mut self, game: &Game) -> Result<(), Fault>;

    /// Chooses a move for the side to move, with both clocks by color. Without an answer by `deadline` it is a stall; with a halt
    /// it fails at once.
    fn choose(
        &mut self,
        game: &Game,
        clocks: [Clock; 2],
        deadline: Instant,
    ) -> Result<Choice, Fault>;
}

/// How long an engine may take to get ready, and to answer anything but a request for a move.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    pub start: Duration,
    pub reply: Duration,
    /// Ends all waiting and searching at once.
    pub halt: Halt,
}

/// Starts a player.
pub(crate) fn take_seat(
    spec: &PlayerSpec,
    errors: Option<&Path>,
    patience: &Patience,
) -> Result<Box<dyn Seat>, Fault> {
    match &spec.kind {
        PlayerKind::Simple(name) => simple::simple(name, &patience.halt),
        PlayerKind::Engine(config) => {
            own::engine(config.clone(), spec.ponders, spec.strength, &patience.halt)
        }
        PlayerKind::External(external) => match external.protocol {
            Protocol::Gtp => Ok(Box::new(gtp::Gtp::start(external, errors, patience)?)),
            Protocol::Nboard => Ok(Box::new(nboard::Nboard::start(external, errors, patience)?)),
            Protocol::Cassio => Ok(Box::new(cassio::Cassio::start(external, errors, patience)?)),
            Protocol::Auto => find_protocol(external, errors, patience),
        },
    }
}

/// Tries the protocols in turn, each with a fresh process and little patience.
fn find_protocol(
    external: &External,
    errors: Option<&Path>,
    patience: &Patience,
) -> Result<Box<dyn Seat>, Fault> {
    let quick = &Patience { start: patience.start.min(Duration::from_secs(3)), ..patience.clone() };
    let mut faults = Vec::new();
    match gtp::Gtp::start(external, errors, quick) {
        Ok(seat) => return Ok(Box::new(seat)),
        Err(fault) => faults.push(format!("gtp: {}", fault.text)),
    }
    match nboard::Nboard::start(external, errors, quick) {
        Ok(seat) => return Ok(Box::new(seat)),
        Err(fault) => faults.push(format!("nboard: {}", fault.text)),
    }
    match cassio::Cassio::start(external, errors, quick) {
        Ok(seat) => Ok(Box::new(seat)),
        Err(fault) => {
            faults.push(format!("cassio: {}", fault.text));
            Err(Fault::new(Cause::Start, faults.join("; ")))
        }
    }
}

/// The fault of a player that was halted; nobody keeps it.
fn halted() -> Fault {
    Fault::new(Cause::Exit, "no longer wanted")
}

/// Ends a search in this process at `deadline` or with a halt.
fn stop_at(deadline: Instant, halt: &Halt) -> StopToken {
    let interrupts = Arc::new(Interrupts::default());
    interrupts.close_after(deadline.saturating_duration_since(Instant::now()));
    StopToken::on_urgent_line(&interrupts, 0).until_closed(halt.interrupts())
}

/// Turns whatever goes wrong before the first game into a fault of the start.
fn at_start<T>(result: Result<T, Fault>) -> Result<T, Fault> {
    result.map_err(|fault| Fault { cause: Cause::Start, ..fault })
}
