//! Everybody who chooses moves, behind one trait: simple players, this program's engine, engines in other processes.
//!
//! A [`Player`] runs in its caller's thread and gets the whole game with every call, so undo needs no call of its own. [`spec`]
//! parses a player's text to data, [`start`] reads its files and starts it; [`Pondering`] puts a thread around a player for the
//! opponent's time.

pub mod desk;
mod engine;
pub mod external;
mod pondering;
pub mod simple;
pub mod spec;
pub mod start;

use std::time::{Duration, Instant};

use crate::board::{Board, Color, Position, Square};
use crate::clock::Clock;
use crate::engine::{Pace, Prediction};
use crate::game::Game;
use crate::search::{Report, Stop};

pub use crate::engine::choice::{Answer, Choice, Searched, Unit, Value};
pub use crate::engine::fault::{Cause, Fault};
pub use pondering::Pondering;

/// Longer than any move takes.
const LONG: Duration = Duration::from_secs(1 << 30);

/// Who hears what a player reports.
pub type OnProgress<'a> = &'a mut dyn FnMut(Progress);

/// A player. Forced passes are played for it: it chooses only if there is a move.
pub trait Player: Send {
    /// Begins a game from a position, or continues one on other terms.
    fn begin(&mut self, _start: Position, _terms: Terms) -> Result<(), Fault> {
        Ok(())
    }

    /// Forgets the last game, as [`Player::begin`] does, but goes on with its random draws, so that games differ.
    fn forget(&mut self) {}

    /// Receives the game after every ply. Only external engines need it: the others read the game in their turn.
    fn follow(&mut self, _game: &Game) -> Result<(), Fault> {
        Ok(())
    }

    /// Chooses a move for the side to move. At the deadline it fails with a stall; only a simple player returns its best move so
    /// far. When stopped, players in this process return their best move so far, and external engines fail.
    fn choose(&mut self, turn: Turn<'_>, report: OnProgress<'_>) -> Result<Choice, Fault>;

    /// Thinks on the time of the side to move, its opponent, until stopped or done. Does nothing if the player does not ponder.
    fn ponder(&mut self, _turn: Turn<'_>, _report: OnProgress<'_>) {}
}

/// What a player needs to know at the start of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Its color.
    pub color: Color,
    pub pace: Pace,
    /// Seed for random choices: differs between games, but is the same when a game is repeated.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    pub game: &'a Game,
    /// The clocks by color.
    pub clocks: [Clock; 2],
    /// A player that has not answered by then has stalled.
    pub deadline: Instant,
    pub stop: &'a Stop,
}

impl Turn<'_> {
    fn color(&self) -> Color {
        self.game.position().side
    }

    fn board(&self) -> Board {
        self.game.position().board
    }

    /// A turn without clocks, which only `stop` ends.
    pub fn without_end<'a>(game: &'a Game, stop: &'a Stop) -> Turn<'a> {
        let deadline = Instant::now() + LONG;
        Turn { game, clocks: [Clock::default(); 2], deadline, stop }
    }

    /// Stops a search with `stop` or at the deadline.
    fn stop_in_time(&self) -> Stop {
        let stop = self.stop.child();
        stop.set_after(self.deadline.saturating_duration_since(Instant::now()));
        stop
    }
}

/// What a player reports while it thinks.
#[derive(Clone, Debug)]
pub enum Progress {
    /// It has started, with this goal.
    Began(Goal),
    Report(Report),
    Searching(Searching),
    /// The table of predictions has changed; after a full round the opponent's best move comes first.
    Predicted(Vec<Prediction>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Goal {
    /// Depth of its last iteration.
    pub depth: Option<u32>,
    /// Tree nodes.
    pub nodes: Option<u64>,
    pub time: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Searching {
    /// The completed share, 0 to 1.
    pub share: f64,
    /// Positions visited for this move.
    pub nodes: u64,
    pub best: Option<(Square, Value)>,
}
