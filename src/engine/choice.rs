//! What somebody has chosen: the one result of thinking, of a search of this program or of any other player.

use std::fmt;
use std::time::Duration;

use super::played::Novelty;
use crate::board::{Board, Move, Square};
use crate::book::choice::BookLine;
use crate::score::{self, DISC, MAX, Score};
use crate::search::{Bound, Line, Outcome, Report};

/// A choice with what is known of it.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The answer; `None` if the game is over.
    pub answer: Option<Answer>,
    /// The value of it, if one was said.
    pub value: Option<Value>,
    /// The search behind it, as far as it was said.
    pub searched: Searched,
    /// What this program's search found; empty if there was none.
    pub outcome: Outcome,
    /// Index of the chosen line in the outcome.
    pub picked: usize,
    /// Whether it was known from pondering and played at once.
    pub ponder_hit: bool,
    /// The book's line, if this program took the move from its opening book.
    pub booked: Option<BookLine>,
    /// Loss against the best line in 1/128 disc, taken to play another game than before; 0 for a move of the book.
    pub lost: Score,
    /// Whether the other moves within the variety may lead to new games.
    pub others: Novelty,
    /// Time from the request to the answer.
    pub elapsed: Duration,
}

impl Choice {
    /// The line at `picked` of what a search has found; without lines no answer.
    pub fn found(outcome: Outcome, picked: usize) -> Choice {
        let Some(line) = outcome.lines.get(picked) else {
            return Choice { outcome, ..Choice::default() };
        };
        let choice = Choice::from(Answer::Move(line.mv));
        let value = Some(Value::result(score::discs(line.score)));
        let searched = Searched { pv: line.pv.clone(), ..Searched::new(line.depth, outcome.nodes) };
        Choice { value, searched, outcome, picked, ..choice }
    }

    pub(super) fn booked(booked: BookLine, others: Novelty) -> Choice {
        let outcome = Outcome { lines: vec![booked.to_line()], ..Outcome::default() };
        Choice { booked: Some(booked), others, ..Choice::found(outcome, 0) }
    }

    /// The chosen move; `None` if the game is over or given up.
    pub const fn mv(&self) -> Option<Move> {
        match self.answer {
            Some(Answer::Move(mv)) => Some(mv),
            _ => None,
        }
    }

    /// Positions visited, as far as it was said.
    pub fn n_nodes(&self) -> u64 {
        self.searched.nodes.unwrap_or(0)
    }

    /// The chosen move with its score; `None` if no score was said.
    pub fn line(&self) -> Option<Line> {
        self.outcome.lines.get(self.picked).cloned().or_else(|| {
            let value = self.value?;
            // Some players value a wipe-out above all discs.
            let score = ((value.discs()? * f64::from(DISC)) as Score).clamp(-MAX, MAX);
            Some(Line::new(self.mv()?, score, value.bound, self.searched.depth.unwrap_or(0)))
        })
    }

    /// The best move with its score, if one was said. The choice may be weaker.
    pub fn best(&self) -> Option<Line> {
        self.outcome.best().cloned().or_else(|| self.line())
    }

    /// What this program's search found, with the chosen line first.
    pub fn report(&self) -> Option<Report> {
        let mut report = Report::from(self.outcome.clone());
        (self.picked < report.lines.len()).then(|| {
            report.lines.swap(0, self.picked);
            report
        })
    }
}

impl From<Answer> for Choice {
    fn from(answer: Answer) -> Choice {
        Choice { answer: Some(answer), others: Novelty::Unknown, ..Choice::default() }
    }
}

impl From<Square> for Choice {
    fn from(square: Square) -> Choice {
        Answer::Move(Move::Place(square)).into()
    }
}

/// What was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A move or a pass.
    Move(Move),
    /// To give up the game.
    Resign,
}

/// What is said of the search behind a choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Searched {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// The expected line that begins with the move; empty if it is unknown.
    pub pv: Vec<Move>,
}

impl Searched {
    /// A search to this depth of so many positions, each 0 if it is not known.
    pub fn new(depth: u32, nodes: u64) -> Searched {
        let (depth, nodes) = ((depth > 0).then_some(depth), (nodes > 0).then_some(nodes));
        Searched { depth, nodes, pv: Vec::new() }
    }
}

/// The value of a choice, from the view of who chose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// The higher the better.
    pub number: f64,
    /// Whether the number is the value or a bound of it.
    pub bound: Bound,
    /// What the number counts.
    pub unit: Unit,
}

/// What a value counts.
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
    /// A predicted or certain result in discs.
    pub const fn result(discs: f64) -> Value {
        Value { number: discs, bound: Bound::Exact, unit: Unit::Result }
    }

    /// The value of a line in a player's own points.
    pub fn points(line: &Line) -> Value {
        Value { number: score::discs(line.score), bound: line.bound, unit: Unit::Points }
    }

    /// The value found by a search of `depth` plies: an exact disc count at the end of the game is the game's result.
    #[must_use]
    pub fn found(self, depth: u32, board: Board) -> Value {
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
