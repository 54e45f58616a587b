//! Batch analysis: a position per line in, JSON per line out, for scripts that do not drive a protocol.

use serde::Serialize;
use serde_json::Number;

use super::analyst::Analyst;
use super::rows::{json, number};
use crate::board::Move;
use crate::formats::obf;
use crate::score::DISC;
use crate::search::{Line, Lines};

#[derive(Debug, Serialize)]
struct Answer {
    line: usize,
    position: String,
    /// `null` if the game is over.
    #[serde(rename = "move")]
    mv: Option<String>,
    score: Number,
    depth: u32,
    selectivity: u32,
    exact: bool,
    nodes: u64,
    /// In seconds.
    time: f64,
    pv: Vec<String>,
    moves: Vec<Scored>,
}

#[derive(Debug, Serialize)]
struct Scored {
    #[serde(rename = "move")]
    mv: String,
    score: Number,
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
    let best = outcome.best();
    let final_score = outcome.final_score.unwrap_or(0);
    let answer = Answer {
        line: number_of_line,
        position: position.to_string(),
        mv: best.map(|line| line.mv.to_string()),
        score: best.map_or_else(|| Number::from(final_score / DISC), line_number),
        depth: best.map_or(0, |line| line.depth),
        selectivity: best.map_or(100, |line| line.selectivity.percent()),
        exact: best.is_none_or(Line::is_proven),
        nodes: outcome.nodes,
        time: (1000.0 * outcome.elapsed.as_secs_f64()).round() / 1000.0,
        pv: best.map_or_else(Vec::new, |line| line.pv.iter().map(Move::to_string).collect()),
        moves: outcome
            .lines
            .iter()
            .map(|line| Scored { mv: line.mv.to_string(), score: line_number(line) })
            .collect(),
    };
    Ok(Some(json(&answer)))
}

fn line_number(line: &Line) -> Number {
    number(line.score, line.is_proven())
}
