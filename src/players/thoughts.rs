//! The choice of a simple player, and what it reports while it thinks.

use std::fmt;

use crate::board::{Board, Move, Square};
use crate::search::Bound;

/// The unit of a [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Discs by which the player will be ahead.
    Discs,
    /// Points of the player's own evaluation.
    Points,
}

/// A player's value of a move, from its own view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The higher the better.
    pub number: i32,
    /// Whether the number is exact or a bound.
    pub bound: Bound,
    /// The unit of the number.
    pub unit: Unit,
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

/// A chosen move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// Its value, if the player evaluates moves.
    pub value: Option<Value>,
    /// Search depth in plies; 0 for players that do not search.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
    /// Whether it comes from thinking ahead, without another search.
    pub was_foreseen: bool,
}

impl Choice {
    /// A move without a value.
    pub const fn of(mv: Move) -> Choice {
        Choice { mv, value: None, depth: 0, nodes: 0, was_foreseen: false }
    }
}

/// A reply found while thinking ahead.
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
    /// Progress of the search for a move.
    Searching {
        /// The completed share, 0 to 1.
        share: f64,
        /// Positions visited for this move.
        nodes: u64,
        /// The best move so far.
        best: Option<(Square, Value)>,
    },
    /// The table of foreseen replies has changed; after a full round the opponent's best move comes first.
    Foresaw(&'a [Foreseen]),
}
