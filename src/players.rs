//! Everybody who chooses moves, behind one trait: simple players, this program's engine, engines in other processes.
//!
//! A [`Player`] runs in its caller's thread and gets the whole game with every call, so undo needs no call of its own. [`spec`]
//! parses a player's text to data, [`start`] reads its files and starts it; [`Pondering`] puts a thread around a player for the
//! opponent's time.

mod engine;
pub mod external;
mod fault;
mod pondering;
pub mod simple;
pub mod spec;
pub mod start;

use std::fmt;
use std::time::{Duration, Instant};

use crate::board::{Board, Color, Move, Position, Square};
use crate::clock::Clock;
use crate::engine::{Pace, Prediction};
use crate::game::Game;
use crate::score;
use crate::search::{Bound, Line, Report, Stop};

pub use fault::{Cause, Fault};
pub use pondering::Pondering;

/// Longer than any move takes.
const LONG: Duration = Duration::from_secs(1 << 30);

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
    fn choose(&mut self, turn: Turn<'_>, report: &mut dyn FnMut(Progress))
    -> Result<Choice, Fault>;

    /// Thinks on the time of the side to move, its opponent, until stopped or done. Does nothing if the player does not ponder.
    fn ponder(&mut self, _turn: Turn<'_>, _report: &mut dyn FnMut(Progress)) {}
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

/// A player's choice.
#[derive(Clone, Debug)]
pub struct Choice {
    pub answer: Answer,
    /// The player's value of it, if reported.
    pub value: Option<Value>,
    /// Search depth in plies, if there is no report; 0 without a search or if it is not said.
    pub depth: u32,
    /// Positions visited, if there is no report; 0 if that is not said.
    pub nodes: u64,
    /// The expected line that begins with the move, if there is no report; empty if it is not said.
    pub pv: Vec<Move>,
    /// Whether it was known from pondering and played at once.
    pub ponder_hit: bool,
    /// The result of the engine's search with the chosen line first.
    pub report: Option<Report>,
    /// Whether this program's engine took it from an opening book, without a search.
    pub is_booked: bool,
    /// Time from the request to the answer.
    pub elapsed: Duration,
}

/// What a player says of the search behind its move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Searched {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// The expected line that begins with the move; empty if it is unknown.
    pub pv: Vec<Move>,
}

impl Choice {
    pub fn searched(&self) -> Searched {
        let (depth, nodes, pv) = match &self.report {
            Some(report) => {
                let line = report.lines.first();
                let pv = line.map_or_else(Vec::new, |line| line.pv.clone());
                (line.map_or(0, |line| line.depth), report.nodes, pv)
            }
            None => (self.depth, self.nodes, self.pv.clone()),
        };
        Searched { depth: (depth > 0).then_some(depth), nodes: (nodes > 0).then_some(nodes), pv }
    }
}

impl From<Answer> for Choice {
    fn from(answer: Answer) -> Choice {
        Choice {
            answer,
            value: None,
            depth: 0,
            nodes: 0,
            pv: Vec::new(),
            ponder_hit: false,
            report: None,
            is_booked: false,
            elapsed: Duration::ZERO,
        }
    }
}

impl From<Square> for Choice {
    fn from(square: Square) -> Choice {
        Answer::Move(Move::Place(square)).into()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Move(Move),
    Resign,
}

/// A player's value of a move, from its own view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// The higher the better.
    pub number: f64,
    pub bound: Bound,
    pub unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Discs by which the player will be ahead at the end of the game, predicted or certain.
    Result,
    /// Discs by which it will be ahead some moves from now.
    Discs,
    /// Points of the player's own evaluation.
    Points,
}

impl Value {
    fn result(discs: f64) -> Value {
        Value { number: discs, bound: Bound::Exact, unit: Unit::Result }
    }

    /// The value of a line in a simple player's own points.
    pub fn points(line: &Line) -> Value {
        Value { number: score::discs(line.score), bound: line.bound, unit: Unit::Points }
    }

    /// The value found by a search of `depth` plies: an exact disc count at the end of the game is the game's result.
    fn found(self, depth: u32, board: Board) -> Value {
        let is_count = self.unit == Unit::Discs && self.bound == Bound::Exact;
        let unit = if is_count && depth >= board.n_empties() { Unit::Result } else { self.unit };
        Value { unit, ..self }
    }

    /// Discs by which the player will be ahead, now or later; `None` for its own points.
    pub fn discs(&self) -> Option<f64> {
        (self.unit != Unit::Points).then_some(self.number)
    }
}

/// The number with its sign, after `>=` or `<=` if it is a bound.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.bound {
            Bound::Exact => "",
            Bound::AtLeast => ">=",
            Bound::AtMost => "<=",
        };
        write!(f, "{mark}{:+}", self.number)
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
