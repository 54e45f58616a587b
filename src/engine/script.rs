//! What clocks, input and loading decide for a worker: noted for the log, and repeated from one.
//!
//! While steps of an earlier run are left, everything is decided as it was there; then the run is one like any other.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::job::Prediction;
use super::{loading, ponder};
use crate::board::Move;
use crate::book::Book;
use crate::book::choice::BookLine;
use crate::journal::{End, Entry, Recorder, Searched, Step};
use crate::score;
use crate::search::{Limits, OnReport, Outcome, Stop};

/// The longest wait of a repeated search for the input line that ended the original one.
const MAX_WAIT: Duration = Duration::from_secs(10);

pub(super) struct Script {
    recorder: Recorder,
    /// The steps of an earlier run that are still to be repeated.
    steps: VecDeque<Step>,
}

impl Script {
    pub fn new(recorder: Recorder, steps: Vec<Step>) -> Script {
        Script { recorder, steps: steps.into() }
    }

    /// Waits until the evaluation is ready, `until` or the stop. A repeated search waits exactly if the original one used the
    /// evaluation.
    pub fn wait_for_evaluation(
        &self,
        is_loaded: impl Fn() -> bool,
        until: Option<Instant>,
        stop: &Stop,
    ) {
        match self.steps.front() {
            Some(Step::Searched(earlier)) if earlier.is_unready => {}
            Some(_) => loading::wait(is_loaded, None, &Stop::new()),
            None => loading::wait(is_loaded, until, stop),
        }
    }

    /// Waits until the book is unpacked, or not if there is no time for that.
    pub fn wait_for_book(&self, book: &Book, is_hurried: bool, stop: &Stop) {
        if !self.steps.is_empty() {
            book.prepare();
        } else if !is_hurried {
            loading::wait(|| book.is_unpacked(), None, stop);
        }
    }

    /// The book's line to play: the one chosen, or in a repeated run the one found for the move that was played.
    pub fn book_line(
        &mut self,
        choose: impl FnOnce() -> Option<BookLine>,
        find: impl FnOnce(Move) -> Option<BookLine>,
    ) -> Option<BookLine> {
        let line = match self.steps.front() {
            None => choose(),
            Some(&Step::Booked(mv, _)) => {
                self.steps.pop_front();
                find(mv)
            }
            Some(_) => None,
        }?;
        self.recorder.note(|| {
            let score = score::text(line.score(), line.known.value.is_proven());
            let (depth, percent) = (line.depth, line.selectivity.percent());
            let text = format!("{score} depth {depth}@{percent}% lines {}", line.known.lines);
            Entry::Step(Step::Booked(line.mv(), text))
        });
        Some(line)
    }

    /// Whether a prediction is played without a search: if it is good enough, or in a repeated run if one was.
    pub fn plays_prediction(
        &mut self,
        prediction: &Prediction,
        is_enough: impl FnOnce() -> bool,
    ) -> bool {
        let is_played = match self.steps.front() {
            None => is_enough(),
            Some(step) => matches!(step, Step::PonderHit(_)),
        };
        if is_played {
            self.steps.pop_front();
            self.recorder.note(|| Entry::Step(Step::PonderHit(ponder::describe(prediction))));
        }
        is_played
    }

    /// From how many empty squares on the next search solves, if it is `planned` so.
    pub fn solves_from(&self, planned: u32) -> u32 {
        match self.steps.front() {
            Some(Step::Searched(earlier)) => earlier.solves_from,
            _ => planned,
        }
    }

    /// Does a search by `run`, which gets no limits while there is no evaluation. A repeated search ends by the nodes or iterations of
    /// the original, then waits for the input line that ended that. Returns also whether the stop ended it.
    pub fn search(
        &mut self,
        limits: &Limits,
        stop: &Stop,
        is_loaded: bool,
        on_report: OnReport<'_>,
        run: impl FnOnce(Option<(&Limits, &Stop)>, OnReport<'_>) -> Outcome,
    ) -> (Outcome, bool) {
        let earlier = match self.steps.pop_front() {
            Some(Step::Searched(searched)) => Some(searched),
            _ => None,
        };
        let never = Stop::new();
        let (limits, end) = match &earlier {
            Some(earlier) => (earlier.limit(limits), &never),
            None => (*limits, stop),
        };
        let is_unready = earlier.as_ref().map_or(!is_loaded, |earlier| earlier.is_unready);
        let (mut iterations, mut nodes) = (0, 0);
        let outcome = run((!is_unready).then_some((&limits, end)), &mut |report| {
            if report.complete {
                iterations += 1;
                nodes = report.nodes;
            }
            on_report(report);
        });
        let was_stopped =
            earlier.as_ref().map_or_else(|| stop.is_stopped(), |earlier| earlier.was_stopped);
        if earlier.is_some() && was_stopped {
            wait_for(stop);
        }
        self.recorder.note(|| {
            let end = match outcome.interrupted {
                false => End::Complete,
                // A search that ends within an iteration has visited at least one node since the last complete one.
                true if nodes == outcome.nodes => End::After(iterations),
                true => End::Within,
            };
            let searched = Searched::new(&outcome, &limits);
            Entry::Step(Step::Searched(Searched { end, was_stopped, is_unready, ..searched }))
        });
        (outcome, was_stopped)
    }

    /// Notes that a job has ended in a panic.
    pub fn broke(&self) {
        self.recorder.error("the search panicked; playing the first legal move");
        self.recorder.note(|| Entry::Step(Step::Broken));
    }
}

fn wait_for(stop: &Stop) {
    let start = Instant::now();
    while !stop.is_stopped() && start.elapsed() < MAX_WAIT {
        std::thread::sleep(Duration::from_micros(100));
    }
}
