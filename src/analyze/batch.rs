//! Batch analysis: a position per line in, JSON per line out, for scripts that do not drive a protocol.

use serde::Serialize;
use serde_json::{Number, Value};

use super::analyst::Analyst;
use super::request::Unit;
use super::rows::{json, number};
use crate::board::{Board, Move, Position};
use crate::book::Book;
use crate::formats::obf;
use crate::score::{DISC, MAX, Score};
use crate::search::{Bound, Bounds, Line, Lines, Outcome, Report};

/// What is known of a position; keys that say nothing are left out.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ply: Option<usize>,
    position: String,
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
    selectivity: u32,
    exact: bool,
    nodes: u64,
    /// In seconds.
    time: f64,
    pv: Vec<String>,
    moves: Vec<Scored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<Vec<Scored>>,
    #[serde(skip_serializing_if = "is_false")]
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
    /// The result of a search.
    fn new(position: Position, outcome: &Outcome) -> Answer {
        let best = outcome.best();
        let score = |score: Score| number(score, true);
        let Bounds { lower, upper } = outcome.proven;
        let final_score = outcome.final_score.unwrap_or(0);
        Answer {
            line: None,
            id: None,
            ply: None,
            position: position.to_string(),
            mv: best.map(|line| line.mv.to_string()),
            score: best.map_or_else(|| Number::from(final_score / DISC), line_number),
            bound: best.and_then(|line| match line.bound {
                Bound::Exact => None,
                Bound::AtLeast => Some("lower"),
                Bound::AtMost => Some("upper"),
            }),
            lower: (best.is_some() && lower > -MAX).then(|| score(lower)),
            upper: (best.is_some() && upper < MAX).then(|| score(upper)),
            depth: best.map_or(0, |line| line.depth),
            selectivity: best.map_or(100, |line| line.selectivity.percent()),
            exact: best.is_none_or(Line::is_proven),
            nodes: outcome.nodes,
            time: (1000.0 * outcome.elapsed.as_secs_f64()).round() / 1000.0,
            pv: best.map_or_else(Vec::new, |line| line.pv.iter().map(Move::to_string).collect()),
            moves: outcome.lines.iter().map(scored).collect(),
            book: None,
            canceled: false,
            partial: false,
        }
    }

    /// The result of a request. What is proven of some moves only is no upper bound of the position.
    pub fn of_unit(unit: &Unit, outcome: &Outcome) -> Answer {
        let Unit { common, ply, position } = unit;
        let is_whole = common.avoid & position.board.legal_moves() == 0;
        let answer = Answer::new(*position, outcome);
        let upper = answer.upper.clone().filter(|_| is_whole);
        Answer { id: Some(common.id.clone()), ply: *ply, upper, ..answer }
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
        Answer { partial: true, ..Answer::of_unit(unit, &outcome) }
    }

    /// Adds the moves that a book knows.
    pub fn consult(&mut self, book: &Book, board: Board) {
        self.book = Some(book.lines(board).iter().map(|line| scored(&line.to_line())).collect());
    }
}

fn scored(line: &Line) -> Scored {
    Scored { mv: line.mv.to_string(), score: line_number(line) }
}

#[derive(Debug, Serialize)]
struct Refusal {
    line: usize,
    error: String,
}

/// The answer to a line as JSON: the result, or why the line is not a position. `None` for a blank line or a comment (`%`).
pub fn answer(
    analyst: &mut Analyst<'_>,
    number_of_line: usize,
    text: &[u8],
    n_lines: usize,
) -> Result<Option<String>, String> {
    let position = match obf::read_line(text) {
        Ok(Some(problem)) => problem.position,
        Ok(None) => return Ok(None),
        Err(error) => {
            let refusal = Refusal { line: number_of_line, error: error.to_string() };
            return Err(json(&refusal));
        }
    };
    let outcome = analyst.examine(position.board, Lines::Best(n_lines));
    let answer = Answer {
        line: Some(number_of_line),
        bound: None,
        lower: None,
        upper: None,
        ..Answer::new(position, &outcome)
    };
    Ok(Some(json(&answer)))
}

fn line_number(line: &Line) -> Number {
    number(line.score, line.is_proven())
}
