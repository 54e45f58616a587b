//! What is printed of a solved position: as JSON, which `merge` and `--resume` read again, or as a row of the table.

use std::borrow::Cow;
use std::time::Duration;

use anstyle::AnsiColor;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::formats::obf::Problem;
use crate::measure::solve::{Check, Solution, Totals};
use crate::requests::row;
use crate::score::{self, DISC, MAX, Score};
use crate::search::Line;

pub(in crate::cli) const HEADING: &str = "   # empties  depth   move  score         nodes   seconds   Mnps  check        principal variation";

/// The order of the keys stays: checksums of parts depend on it.
#[derive(Debug, Deserialize, Serialize)]
pub(in crate::cli) struct Row {
    best_move: Option<bool>,
    /// `lower` or `upper` where the score is only that.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Cow<'static, str>>,
    confidence: Option<u32>,
    depth: Option<u32>,
    exact: bool,
    pub id: u64,
    loss: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<Number>,
    /// `None` if the game is over.
    #[serde(rename = "move")]
    mv: Option<String>,
    nodes: u64,
    position: String,
    probes: u64,
    pv: Vec<String>,
    score: Option<Number>,
    /// In discs.
    score_error: Option<f64>,
    /// In seconds.
    time: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<Number>,
}

impl Row {
    pub fn new(id: u64, problem: &Problem, solution: &Solution) -> Row {
        let outcome = &solution.outcome;
        let line = outcome.best();
        let bound = |score| row::number(score, score % DISC == 0);
        Row {
            best_move: solution.check.map(|check| check.is_best_move),
            bound: line.and_then(|line| line.bound.name()).map(Cow::Borrowed),
            confidence: line.map(|line| line.selectivity.percent()),
            depth: line.map(|line| line.depth),
            exact: line.is_none_or(Line::is_proven),
            id,
            loss: solution.check.and_then(|check| check.loss),
            lower: solution.bounds.map(|bounds| bound(bounds.lower)),
            mv: line.map(|line| line.mv.to_string()),
            nodes: outcome.nodes,
            position: problem.position.to_string(),
            probes: outcome.ordering_nodes,
            pv: line
                .map_or_else(Vec::new, |line| line.pv.iter().map(ToString::to_string).collect()),
            score: match line {
                None => outcome.final_score.map(|score| row::number(score, true)),
                Some(line) => Some(row::number(line.score, line.is_proven())),
            },
            score_error: solution.check.map(|check| (100.0 * check.error).round() / 100.0),
            time: row::time(outcome.elapsed),
            upper: solution.bounds.map(|bounds| bound(bounds.upper)),
        }
    }

    pub fn add_to(&self, totals: &mut Totals) {
        totals.positions += 1;
        totals.nodes += self.nodes;
        totals.ordering_nodes += self.probes;
        totals.elapsed += Duration::try_from_secs_f64(self.seconds()).unwrap_or_default();
        if let (Some(is_best_move), Some(error)) = (self.best_move, self.score_error) {
            totals.add_check(Check { is_best_move, error, loss: self.loss });
        }
    }

    fn seconds(&self) -> f64 {
        self.time.as_f64().unwrap_or(0.0)
    }

    pub fn text(&self, is_wld: bool) -> String {
        let (number, nodes, seconds) = (self.id, self.nodes, self.seconds());
        let n_empties = self.position.bytes().filter(|&byte| byte == b'-').count();
        let score = self.score_text(is_wld);
        let Some(mv) = &self.mv else {
            return format!("{number:>4} {n_empties:>7}   over          {score}");
        };
        let (color, check) = match (self.best_move, self.score_error) {
            (Some(true), Some(0.0)) => (AnsiColor::Green, "ok".into()),
            (Some(true), Some(error)) => (AnsiColor::Yellow, format!("move ok {error:+.2}")),
            (Some(false), Some(error)) => (AnsiColor::Red, format!("bad move {error:+.2}")),
            _ => (AnsiColor::White, String::new()),
        };
        let style = color.on_default();
        let pv: Vec<String> = self.pv.iter().take(12).map(|mv| mv.to_uppercase()).collect();
        let (depth, confidence) = (self.depth.unwrap_or(0), self.confidence.unwrap_or(0));
        format!(
            "{number:>4} {n_empties:>7} {:>7} {:>5} {score:>6} {nodes:>13} {seconds:>9.3} {:>6.1}  {style}{check:<12}{style:#} {}",
            format!("{depth}@{confidence}%"),
            mv.to_uppercase(),
            nodes as f64 / seconds.max(1e-9) / 1e6,
            pv.join(" ")
        )
    }

    /// The score, what is proven of it, or who wins; an estimate has decimals.
    fn score_text(&self, is_wld: bool) -> String {
        let score =
            |discs: &Number| (discs.as_f64().unwrap_or(0.0) * f64::from(DISC)).round() as Score;
        let text = |score, is_proven| score::text(score, is_proven).replace('+', "");
        let proven = |score: &Score| text(*score, score % DISC == 0);
        let bound = |discs: &Option<Number>, none| discs.as_ref().map(score).filter(|&s| s != none);
        let (lower, upper) = (bound(&self.lower, -MAX), bound(&self.upper, MAX));
        match (lower, upper) {
            (Some(1..), _) if is_wld => "win".into(),
            (_, Some(..=-1)) if is_wld => "loss".into(),
            (Some(0), Some(0)) if is_wld => "draw".into(),
            (Some(lower), Some(upper)) if lower == upper => score::text(lower, true),
            (Some(lower), Some(upper)) => format!("{}..{}", proven(&lower), proven(&upper)),
            (Some(lower), None) => format!(">= {}", proven(&lower)),
            (None, Some(upper)) => format!("<= {}", proven(&upper)),
            (None, None) => {
                let value = self.score.as_ref().map_or(0, score);
                match self.bound.as_deref() {
                    Some("lower") => format!(">= {}", text(value, self.exact)),
                    Some(_) => format!("<= {}", text(value, self.exact)),
                    None => score::text(value, self.exact),
                }
            }
        }
    }
}
