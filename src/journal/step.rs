//! The steps of the engine's worker, with the extent of its searches, from which a run can be repeated.
//!
//! A search that was ended by the clock or by an input line is repeated by its number of nodes: a single thread that ends
//! after as many nodes has visited the same ones.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::board::Move;
use crate::score;
use crate::search::{Limits, Outcome};

/// One thing that the worker did.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// It searched.
    Searched(Searched),
    /// It played a reply found while pondering, described by the text, without another search.
    PonderHit(String),
    /// It played this move from a book; the text describes what the book says of it.
    Booked(Move, String),
    /// A job ended in a panic.
    Broken,
}

/// A search that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// The best line in words: move, score, depth and confidence.
    pub found: String,
    /// Tree nodes.
    pub nodes: u64,
    /// Time taken.
    pub elapsed: Duration,
    /// With so many empty squares or fewer it went to the end.
    pub solves_from: u32,
    /// With so many empty squares or fewer it jumped to the end at the lowest selectivity.
    pub reaches_from: u32,
    /// How it ended.
    pub end: End,
    /// Whether an input line, or the end of the input, stopped it.
    pub was_stopped: bool,
    /// Whether it only found a move without a search, because the evaluation was not loaded yet.
    pub is_unready: bool,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It reached the depth it was asked for.
    Complete,
    /// It ended after so many iterations.
    After(u32),
    /// It ended within an iteration.
    Within,
}

impl Searched {
    /// A search with this outcome under these limits, as if it was complete and not stopped.
    pub fn new(outcome: &Outcome, limits: &Limits) -> Searched {
        let found = outcome.best().map_or_else(
            || "nothing".into(),
            |line| {
                let score = score::text(line.score, line.is_proven());
                let percent = line.selectivity.percent();
                format!("{:#} {score} depth {}@{percent}%", line.mv, line.depth)
            },
        );
        Searched {
            found,
            nodes: outcome.nodes,
            elapsed: outcome.elapsed,
            solves_from: limits.exact_from,
            reaches_from: limits.selective_end_from,
            end: End::Complete,
            was_stopped: false,
            is_unready: false,
        }
    }

    /// Given the `limits` of this search, those under which a search ends where this one did.
    pub fn limit(&self, limits: &Limits) -> Limits {
        let (nodes, iterations) = match self.end {
            End::Complete => (None, None),
            End::After(iterations) => (None, Some(iterations)),
            End::Within => (Some(self.nodes), None),
        };
        let nodes = [nodes, limits.nodes].into_iter().flatten().min();
        let (exact_from, selective_end_from) = (self.solves_from, self.reaches_from);
        Limits { exact_from, selective_end_from, nodes, iterations, time: None, ..*limits }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let searched = match self {
            Step::Searched(searched) => searched,
            Step::PonderHit(text) => return write!(f, "foreseen {text}"),
            Step::Booked(mv, text) => return write!(f, "book {mv:#} {text}"),
            Step::Broken => return f.write_str("broken"),
        };
        let Searched { found, nodes, elapsed, .. } = searched;
        let (solves_from, seconds) = (searched.solves_from, elapsed.as_secs_f64());
        write!(f, "{found} nodes {nodes} time {seconds:.3} solve {solves_from}")?;
        write!(f, " reach {}", searched.reaches_from)?;
        match searched.end {
            End::Complete => f.write_str(" complete")?,
            End::After(iterations) => write!(f, " after {iterations}")?,
            End::Within => f.write_str(" within")?,
        }
        if searched.was_stopped {
            f.write_str(" stopped")?;
        }
        if searched.is_unready { f.write_str(" unready") } else { Ok(()) }
    }
}

/// The text is no step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepError;

impl FromStr for Step {
    type Err = StepError;

    fn from_str(text: &str) -> Result<Step, StepError> {
        if text == "broken" {
            return Ok(Step::Broken);
        }
        if let Some(text) = text.strip_prefix("foreseen ") {
            return Ok(Step::PonderHit(text.into()));
        }
        if let Some(text) = text.strip_prefix("book ") {
            let (mv, text) = text.split_once(' ').ok_or(StepError)?;
            let mv = Move::parse(mv.as_bytes()).ok_or(StepError)?;
            return Ok(Step::Booked(mv, text.into()));
        }
        searched(text).map(Step::Searched).ok_or(StepError)
    }
}

fn searched(text: &str) -> Option<Searched> {
    let (found, rest) = text.split_once(" nodes ")?;
    let mut words = rest.split(' ').peekable();
    let nodes = words.next()?.parse().ok()?;
    words.next_if_eq(&"time")?;
    let elapsed = Duration::try_from_secs_f64(words.next()?.parse().ok()?).ok()?;
    words.next_if_eq(&"solve")?;
    let solves_from = words.next()?.parse().ok()?;
    words.next_if_eq(&"reach")?;
    let reaches_from = words.next()?.parse().ok()?;
    let end = match words.next()? {
        "complete" => End::Complete,
        "after" => End::After(words.next()?.parse().ok()?),
        "within" => End::Within,
        _ => return None,
    };
    let was_stopped = words.next_if_eq(&"stopped").is_some();
    let is_unready = words.next_if_eq(&"unready").is_some();
    let found = found.into();
    let is_whole = words.next().is_none();
    is_whole.then_some(Searched {
        found,
        nodes,
        elapsed,
        solves_from,
        reaches_from,
        end,
        was_stopped,
        is_unready,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_back_from_their_lines() {
        for text in [
            "D3 -0.37 depth 8@100% nodes 1757 time 0.001 solve 16 reach 60 complete",
            "D3 -2 depth 20@73% nodes 175700 time 1.500 solve 22 reach 30 within",
            "PA +0.12 depth 9@73% nodes 12 time 0.000 solve 0 reach 21 after 9 stopped",
            "D3 +1.12 depth 3@73% nodes 90 time 0.001 solve 12 reach 21 after 3 unready",
            "D3 +1.12 depth 3@73% nodes 90 time 0.001 solve 12 reach 21 within stopped unready",
            "nothing nodes 1 time 0.000 solve 60 reach 60 complete",
            "foreseen E6 -> F4 depth 12 value +0.50 time 0.250",
            "book D3 +0.50 depth 24@73% lines 41",
            "broken",
        ] {
            assert_eq!(text.parse::<Step>().unwrap().to_string(), text);
        }
        for bad in [
            "",
            "D3",
            "D3 nodes x time 0.001 solve 1 complete",
            "D3 nodes 5 time 0.001 solve 1",
            "broken 1",
            "book",
            "book D3",
            "book Z3 +0.50",
        ] {
            assert!(bad.parse::<Step>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_search_is_limited_by_how_its_model_ended() {
        let limits = Limits { nodes: Some(100), ..Limits::default() };
        let limited = |text: &str| match text.parse() {
            Ok(Step::Searched(searched)) => {
                let limits = searched.limit(&limits);
                (limits.nodes, limits.iterations, limits.exact_from, limits.selective_end_from)
            }
            other => panic!("{other:?}"),
        };
        let within = limited("D3 -2 depth 20@73% nodes 70 time 1.500 solve 12 reach 24 within");
        assert_eq!(within, (Some(70), None, 12, 24));
        let after = limited("D3 -2 depth 20@73% nodes 120 time 1.500 solve 24 reach 60 after 7");
        assert_eq!(after, (Some(100), Some(7), 24, 60));
        let complete =
            limited("D3 -2 depth 20@73% nodes 120 time 1.500 solve 60 reach 60 complete");
        assert_eq!(complete, (Some(100), None, 60, 60));
    }
}
