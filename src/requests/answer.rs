//! The answer to a request: what is known of a position, as an object of JSON.

use serde::Serialize;
use serde_json::Number;

use super::keys::Id;
use super::request::Unit;
use super::row::{number, time};
use crate::board::{Board, Move};
use crate::book::Book;
use crate::score::{DISC, MAX, Score};
use crate::search::{Bounds, Line, Outcome, Report};

/// What is known of a position; keys that say nothing are left out.
#[derive(Debug, Serialize)]
pub struct Answer {
    id: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    ply: Option<usize>,
    position: String,
    /// Who was taken to be to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumed: Option<&'static str>,
    /// `null` if the game is over.
    #[serde(rename = "move")]
    mv: Option<String>,
    score: Number,
    /// Whether the score is the least or the greatest that it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<Number>,
    depth: u32,
    confidence: u32,
    exact: bool,
    nodes: u64,
    /// In seconds.
    time: Number,
    pv: Vec<String>,
    moves: Vec<Scored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<Vec<Scored>>,
    #[serde(skip_serializing_if = "is_false")]
    /// Whether it was ended before it was done.
    pub canceled: bool,
    #[serde(skip_serializing_if = "is_false")]
    partial: bool,
}

#[derive(Debug, Serialize)]
struct Scored {
    #[serde(rename = "move")]
    mv: String,
    score: Number,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl Answer {
    /// The result of a request.
    pub fn new(unit: &Unit, outcome: &Outcome) -> Answer {
        let Unit { common, ply, position, is_assumed } = unit;
        let best = outcome.best();
        // What is proven of some moves only is no upper bound of the position.
        let is_whole = common.avoid & position.board.legal_moves() == 0;
        let score = |score: Score| number(score, true);
        let Bounds { lower, upper } = outcome.proven;
        let final_score = outcome.final_score.unwrap_or(0);
        Answer {
            id: common.id.clone(),
            ply: *ply,
            position: position.to_string(),
            assumed: is_assumed.then_some("black"),
            mv: best.map(|line| line.mv.to_string()),
            score: best.map_or_else(|| Number::from(final_score / DISC), line_number),
            bound: best.and_then(|line| line.bound.name()),
            lower: (lower > -MAX).then(|| score(lower)),
            upper: (is_whole && upper < MAX).then(|| score(upper)),
            depth: best.map_or(0, |line| line.depth),
            confidence: best.map_or(100, |line| line.selectivity.percent()),
            exact: best.is_none_or(Line::is_proven),
            nodes: outcome.nodes,
            time: time(outcome.elapsed),
            pv: best.map_or_else(Vec::new, |line| line.pv.iter().map(Move::to_string).collect()),
            moves: outcome.lines.iter().map(scored).collect(),
            book: None,
            canceled: false,
            partial: false,
        }
    }

    /// What a search has found so far; nothing in it is proven of the position.
    pub fn partial(unit: &Unit, report: &Report) -> Answer {
        let lines = report.lines.iter().map(|line| Line { exact: false, ..line.clone() });
        let outcome = Outcome {
            lines: lines.collect(),
            nodes: report.nodes,
            elapsed: report.elapsed,
            ..Outcome::default()
        };
        Answer { partial: true, ..Answer::new(unit, &outcome) }
    }

    /// Adds the moves that a book knows.
    pub fn consult(&mut self, book: &Book, board: Board) {
        self.book = Some(book.lines(board).iter().map(|line| scored(&line.to_line())).collect());
    }
}

/// The answer of a position that was canceled before its search began.
#[derive(Debug, Serialize)]
pub struct Canceled<'a> {
    canceled: bool,
    id: &'a Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    ply: Option<usize>,
    position: String,
}

impl<'a> Canceled<'a> {
    /// The answer of this one.
    pub fn of(unit: &'a Unit) -> Canceled<'a> {
        let Unit { common, ply, position, .. } = unit;
        Canceled { canceled: true, id: &common.id, ply: *ply, position: position.to_string() }
    }
}

/// The answer to an action.
#[derive(Debug, Serialize)]
pub struct Told<'a> {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    /// Who gets no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Vec<&'a Id>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    /// What is searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<Vec<&'a Id>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    /// How many positions wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<usize>,
}

impl<'a> Told<'a> {
    /// The name of the action, and what was its id.
    pub fn of(action: &'static str, id: &'a Id) -> Told<'a> {
        let id = Some(id).filter(|id| id.is_given());
        Told { action, id, left: None, name: None, running: None, version: None, waiting: None }
    }

    /// The version of a server of this name.
    pub fn version(id: &'a Id, name: &'a str) -> Told<'a> {
        let version = Some(env!("CARGO_PKG_VERSION"));
        Told { name: Some(name), version, ..Told::of("version", id) }
    }
}

fn scored(line: &Line) -> Scored {
    Scored { mv: line.mv.to_string(), score: line_number(line) }
}

fn line_number(line: &Line) -> Number {
    number(line.score, line.is_proven())
}
