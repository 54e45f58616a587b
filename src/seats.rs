//! A player at the board, with one interface for all kinds of players.
//!
//! A `Seat` runs in its caller's thread and gets the whole game with every call. An external engine's seat compares it with the
//! game as last sent, so undo needs no call of its own. `Pondering` puts a thread around a seat for the opponent's time.

mod cassio;
mod child;
pub mod fault;
mod gtp;
mod nboard;
mod own;
mod pondering;
mod simple;
pub mod spec;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::board::{Color, Move, Position, Square};
use crate::clock::{Clock, Control};
use crate::engine::Memory;
use crate::engine::pace::Pace;
use crate::game::Game;
use crate::players::thoughts;
use crate::protocol::Kind;
use crate::search::{Interrupts, Report, StopToken};

use child::Child;
use fault::{Cause, Fault};
use spec::{External, PlayerKind, PlayerSpec};

pub(crate) use pondering::Pondering;

/// A player at the board. Forced passes are played for it: `choose` is called only if there is a move.
pub(crate) trait Seat: Send {
    /// Begins a game from a position, or continues one on other terms.
    fn begin(&mut self, start: Position, terms: Terms) -> Result<(), Fault>;

    /// Receives the game after every ply. Only external engines need it: the others read the game in their turn.
    fn follow(&mut self, _game: &Game) -> Result<(), Fault> {
        Ok(())
    }

    /// Chooses a move for the side to move. At the deadline it fails with a stall; only a simple player returns its best move so
    /// far. When stopped, seats in this process return their best move so far, and external engines fail.
    fn choose(&mut self, turn: Turn<'_>, report: &mut dyn FnMut(Progress))
    -> Result<Choice, Fault>;

    /// Thinks on the time of the side to move, its opponent, until stopped or done. Does nothing if the player does not ponder.
    fn ponder(&mut self, _turn: Turn<'_>, _report: &mut dyn FnMut(Progress)) {}
}

/// What a player needs to know at the start of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Terms {
    /// Its color.
    pub color: Color,
    /// Its pace.
    pub pace: Pace,
    /// Seed for random choices: differs between games, but is the same when a game is repeated.
    pub seed: u64,
}

/// The state of a game when a player is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// The clocks by color.
    pub clocks: [Clock; 2],
    /// When a player without an answer has stalled.
    pub deadline: Instant,
    /// Ends the turn early.
    pub stop: &'a StopToken,
}

impl Turn<'_> {
    /// The side to move.
    fn color(&self) -> Color {
        self.game.position().side
    }

    /// Stops a search with `stop` or at the deadline.
    fn token(&self) -> StopToken {
        let deadline = Interrupts::default();
        deadline.close_after(self.deadline.saturating_duration_since(Instant::now()));
        self.stop.clone().until_closed(&Arc::new(deadline))
    }
}

/// A player's choice.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The move, or none.
    pub answer: Answer,
    /// The player's value of it, if reported.
    pub value: Option<Value>,
    /// The result of its search with the chosen line first, if reported.
    pub report: Option<Report>,
    /// Whether this program's engine took it from an opening book, without a search.
    pub is_booked: bool,
    /// Time from the request to the answer.
    pub elapsed: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Move(Move),
    Resign,
}

/// A player's value of its move, from its own view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Value {
    /// Discs by which it will be ahead.
    pub discs: f64,
    /// Whether this is at the end of the game, predicted or certain, and not some moves from now.
    pub is_result: bool,
}

impl Value {
    /// A value of the game's result.
    fn result(discs: f64) -> Value {
        Value { discs, is_result: true }
    }
}

/// What a player reports while it thinks.
#[derive(Clone, Debug)]
pub(crate) enum Progress {
    /// It has started, with this goal.
    Began(Goal),
    /// An interim result of the engine.
    Report(Report),
    /// Progress of a simple player.
    Searching(Searching),
    /// Expected replies, the opponent's best move first.
    Foresaw(Vec<Reckoned>),
}

/// The goal of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Goal {
    /// Depth of its last iteration.
    pub depth: Option<u32>,
    /// Tree nodes.
    pub nodes: Option<u64>,
    /// Target time.
    pub time: Option<Duration>,
}

/// Progress of a simple player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Searching {
    /// The completed share, 0 to 1.
    pub share: f64,
    /// Positions visited.
    pub nodes: u64,
    /// The best move so far.
    pub best: Option<(Square, thoughts::Value)>,
}

/// An expected reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reckoned {
    /// The opponent's move.
    pub to: Move,
    /// The reply.
    pub reply: Move,
    /// Its value, formatted for display.
    pub value: String,
    /// Search depth in plies.
    pub depth: u32,
}

/// Time limits for starting, and for answers other than moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub start: Duration,
    pub reply: Duration,
}

/// The time control of a pace.
pub(crate) fn control(pace: Pace) -> Control {
    match pace {
        Pace::Time(control) => control,
        Pace::Depth(_) | Pace::Nodes(_) | Pace::Level(_) | Pace::Own => Control::Unlimited,
    }
}

/// Starts a player, which shares a memory with others. `gone` ends all waiting for one in another process.
pub(crate) fn take_seat(
    spec: &PlayerSpec,
    memory: &Memory,
    errors: Option<&Path>,
    patience: Patience,
    gone: &StopToken,
) -> Result<Box<dyn Seat>, Fault> {
    match &spec.kind {
        PlayerKind::Simple(name) => Ok(Box::new(simple::Simple::new(name)?)),
        PlayerKind::Engine(config) => {
            Ok(Box::new(own::Own::new(config.clone(), spec.ponders, spec.strength, memory.clone())))
        }
        PlayerKind::External(external) => start(external, errors, patience, gone),
    }
}

/// Performs the handshake of a protocol with a process that has just started.
type Greet = fn(Child, &External) -> Result<Box<dyn Seat>, Fault>;

/// The time limit for the start of an engine whose protocol is being found out.
const QUICK_START: Duration = Duration::from_secs(3);

/// Starts an external engine. If its protocol is not known, tries them in turn, each with a fresh process and a short time limit.
fn start(
    external: &External,
    errors: Option<&Path>,
    mut patience: Patience,
    gone: &StopToken,
) -> Result<Box<dyn Seat>, Fault> {
    let kinds = external.protocol.as_ref().map_or(&Kind::ALL[..], std::slice::from_ref);
    if external.protocol.is_none() {
        patience.start = patience.start.min(QUICK_START);
    }
    let mut faults = Vec::new();
    for kind in kinds {
        let (greet, quit): (Greet, _) = match kind {
            Kind::Gtp => (gtp::greet, "quit"),
            Kind::Nboard => (nboard::greet, "quit"),
            Kind::Cassio => (cassio::greet, "ENGINE-PROTOCOL quit"),
        };
        let child = Child::start(external, quit, errors, patience, gone.clone());
        match child.and_then(|child| greet(child, external)) {
            Ok(seat) => return Ok(seat),
            Err(fault) if external.protocol.is_some() => faults.push(fault.text),
            Err(fault) => faults.push(format!("{kind}: {}", fault.text)),
        }
    }
    // Any fault before the first game is one of the start.
    Err(Fault::new(Cause::Start, faults.join("; ")))
}
