//! What a player tells of its choice, and while it thinks.

use crate::board::{Board, Move, Square};
use crate::search::Bound;

/// What the number of a [`Value`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Discs by which the player will be ahead.
    Discs,
    /// Points of the player's own making.
    Points,
}

/// A player's opinion of a move, for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The higher the better.
    pub number: i32,
    /// Whether the number is the value or a bound of it.
    pub bound: Bound,
    /// What it counts.
    pub unit: Unit,
}

/// A chosen move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// What the player thinks of it, if it thinks.
    pub value: Option<Value>,
    /// Plies looked ahead; 0 for players that do not search.
    pub depth: u32,
    /// Positions looked at for it.
    pub nodes: u64,
    /// Whether it was known from thinking ahead and is played at once.
    pub was_foreseen: bool,
}

impl Choice {
    /// A move of which nothing more is known.
    pub const fn of(mv: Move) -> Choice {
        Choice { mv, value: None, depth: 0, nodes: 0, was_foreseen: false }
    }
}

/// A reply thought of in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreseen {
    /// The opponent's move.
    pub to: Square,
    /// The position after it.
    pub board: Board,
    /// The reply.
    pub reply: Square,
    /// Its value for the player who replies.
    pub value: Value,
    /// Plies searched.
    pub depth: u32,
}

/// What a player reports while it thinks.
#[derive(Clone, Copy, Debug)]
pub enum Thoughts<'a> {
    /// How far the search for a move has come.
    Searching {
        /// The share of it that is done, 0 to 1.
        share: f64,
        /// Positions looked at for this move.
        nodes: u64,
        /// The best move so far.
        best: Option<(Square, Value)>,
    },
    /// The table of foreseen replies has changed.
    Foresaw {
        /// The replies; after a full round the opponent's best move comes first.
        table: &'a [Foreseen],
        /// The opponent's moves in all.
        n_moves: usize,
        /// The depth of the running round.
        depth: u32,
    },
}
