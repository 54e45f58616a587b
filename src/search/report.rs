//! What a search tells: while it runs and at its end.

use std::time::Duration;

use super::Selectivity;
use crate::board::Move;
use crate::score::{MAX, Score};

/// How a score relates to the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The value itself.
    Exact,
    /// The value is this or more.
    AtLeast,
    /// The value is this or less.
    AtMost,
}

impl Bound {
    /// The same relation seen by the other side.
    #[must_use]
    pub const fn of_other_side(self) -> Bound {
        match self {
            Bound::Exact => Bound::Exact,
            Bound::AtLeast => Bound::AtMost,
            Bound::AtMost => Bound::AtLeast,
        }
    }

    /// `lower`, `upper`, or nothing of an exact value.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Bound::Exact => None,
            Bound::AtLeast => Some("lower"),
            Bound::AtMost => Some("upper"),
        }
    }
}

/// What is proven of a value: it is not below `lower` and not above `upper`. The default says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least value, from -[`MAX`] to [`MAX`].
    pub lower: Score,
    /// The greatest value, from `lower` to [`MAX`].
    pub upper: Score,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { lower: -MAX, upper: MAX }
    }
}

impl Bounds {
    /// The bounds of a known value.
    pub const fn of(value: Score) -> Bounds {
        Bounds { lower: value, upper: value }
    }

    /// The same bounds seen by the other side.
    #[must_use]
    pub const fn of_other_side(self) -> Bounds {
        Bounds { lower: -self.upper, upper: -self.lower }
    }

    /// The bounds of the best of two values.
    #[must_use]
    pub fn of_better(self, other: Bounds) -> Bounds {
        Bounds { lower: self.lower.max(other.lower), upper: self.upper.max(other.upper) }
    }

    /// Adds what an exact line says of its move.
    pub(super) fn narrow(&mut self, line: &Line) {
        if line.bound != Bound::AtMost {
            self.lower = self.lower.max(line.score);
        }
        if line.bound != Bound::AtLeast {
            self.upper = self.upper.min(line.score);
        }
    }
}

/// A move with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The move.
    pub mv: Move,
    /// Its score for the side to move.
    pub score: Score,
    /// Whether the score is the value or a bound of it.
    pub bound: Bound,
    /// Plies searched; the number of empty squares for a search to the end.
    pub depth: u32,
    /// Confidence of the search.
    pub selectivity: Selectivity,
    /// Whether the search reached the end of the game in all lines, without forward pruning.
    pub exact: bool,
    /// The principal variation, passes included, beginning with the move.
    pub pv: Vec<Move>,
}

impl Line {
    /// A move with a score by `depth` plies without forward pruning, of which nothing else is known.
    pub fn new(mv: Move, score: Score, bound: Bound, depth: u32) -> Line {
        let selectivity = Selectivity::FULL;
        Line { mv, score, bound, depth, selectivity, exact: false, pv: vec![mv] }
    }

    /// Whether the score is the proven result of the game after the move; of an outcome's best line, also of the position.
    pub fn is_proven(&self) -> bool {
        self.exact && self.bound == Bound::Exact
    }

    /// The line of the best move as what it says of the position, whose value is at most `upper`: what is proven of the move is
    /// only a bound while another move may be better.
    #[must_use]
    pub fn of_position(self, upper: Score) -> Line {
        let is_bound = self.is_proven() && upper > self.score;
        Line { bound: if is_bound { Bound::AtLeast } else { self.bound }, ..self }
    }
}

/// An intermediate result.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Finished lines of the running iteration, the best first.
    pub lines: Vec<Line>,
    /// Whether all lines of the iteration are there.
    pub complete: bool,
    /// Tree nodes so far.
    pub nodes: u64,
    /// Positions searched only to order moves so far.
    pub ordering_nodes: u64,
    /// Time since the start.
    pub elapsed: Duration,
}

/// The result of a search as its last report.
/// Who hears what a search reports.
pub type OnReport<'a> = &'a mut dyn FnMut(&Report);

impl From<Outcome> for Report {
    fn from(outcome: Outcome) -> Report {
        Report {
            lines: outcome.lines,
            complete: true,
            nodes: outcome.nodes,
            ordering_nodes: outcome.ordering_nodes,
            elapsed: outcome.elapsed,
        }
    }
}

/// The result of a search; the default has no moves, nodes or time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The best moves that were asked for, the best first; empty if the game is over or all moves are excluded. The score and bound
    /// of the first are the position's.
    pub lines: Vec<Line>,
    /// What is proven of the position's value by the moves that were not excluded, however the search ended.
    pub proven: Bounds,
    /// The result in score units if the game is over.
    pub final_score: Option<Score>,
    /// Tree nodes.
    pub nodes: u64,
    /// Positions searched only to order moves.
    pub ordering_nodes: u64,
    /// Time used.
    pub elapsed: Duration,
    /// The longest time for which the system did not run the thread that called the search; known only of searches with a time limit.
    pub pause: Duration,
    /// Whether a limit or a stop ended it before the depth asked for.
    pub interrupted: bool,
}

impl Outcome {
    /// The best line.
    pub fn best(&self) -> Option<&Line> {
        self.lines.first()
    }

    /// The bounds of the position's value: those proven, or as far as `line`, the best one, says while nothing is proven.
    pub fn bounds(&self, line: &Line) -> Bounds {
        let mut bounds = self.proven;
        if bounds == Bounds::default() {
            bounds.narrow(line);
        }
        bounds
    }
}
