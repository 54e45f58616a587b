//! A player at the board, with one interface for all kinds of players.

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
use crate::protocol::Kind;
use crate::search::{Interrupts, StopToken};

use fault::{Cause, Fault};
use halt::Halt;
use spec::{External, PlayerKind, PlayerSpec};

/// A player's choice.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub answer: Answer,
    /// The player's value of it in discs from its own view, if reported.
    pub value: Option<f64>,
    /// Time from the request to the answer.
    pub elapsed: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Move(Move),
    Resign,
}

/// What a player needs to know at the start of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Its color.
    pub color: Color,
    /// Its pace.
    pub pace: Pace,
    /// Seed for random choices: differs between games, but is the same when a game is repeated.
    pub seed: u64,
}

/// A player at the board. The referee plays forced passes; `choose` is called only if there is a move.
pub(crate) trait Seat: Send {
    /// Begins a game from its start position.
    fn begin(&mut self, game: &Game, terms: Terms) -> Result<(), Fault>;

    /// Receives the latest ply of the game, including its own. The plies of the opening come before the first choice.
    fn observe(&mut self, game: &Game) -> Result<(), Fault>;

    /// Chooses a move for the side to move; clocks are by color. Without an answer by `deadline`, it fails with a stall; a halt makes
    /// it fail at once.
    fn choose(
        &mut self,
        game: &Game,
        clocks: [Clock; 2],
        deadline: Instant,
    ) -> Result<Choice, Fault>;
}

/// Time limits for starting, and for answers other than moves.
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
            Some(Kind::Gtp) => Ok(Box::new(gtp::Gtp::start(external, errors, patience)?)),
            Some(Kind::Nboard) => Ok(Box::new(nboard::Nboard::start(external, errors, patience)?)),
            Some(Kind::Cassio) => Ok(Box::new(cassio::Cassio::start(external, errors, patience)?)),
            None => find_protocol(external, errors, patience),
        },
    }
}

/// Tries the protocols in turn, each with a fresh process and a short time limit.
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

/// The fault of a halted player, which is never recorded.
fn halted() -> Fault {
    Fault::new(Cause::Exit, "no longer wanted")
}

/// Ends a search in this process at `deadline` or with a halt.
fn stop_at(deadline: Instant, halt: &Halt) -> StopToken {
    let interrupts = Arc::new(Interrupts::default());
    interrupts.close_after(deadline.saturating_duration_since(Instant::now()));
    StopToken::on_urgent_line(&interrupts, 0).until_closed(halt.interrupts())
}

/// Turns any fault before the first game into a fault of the start.
fn at_start<T>(result: Result<T, Fault>) -> Result<T, Fault> {
    result.map_err(|fault| Fault { cause: Cause::Start, ..fault })
}
