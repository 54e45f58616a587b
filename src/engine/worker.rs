//! The engine without its thread: one job after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::choice::Choice;
use super::job::{Done, Ended, Event, Job, OnEvent, Pick, Prediction, Think, quick_choice};
use super::loading::{self, unpack};
use super::played::{Novelty, Picked};
use super::ponder;
use super::script::Script;
use super::thinker::Thinker;
use super::{Config, Perform};
use crate::board::Board;
use crate::book::Book;
use crate::book::choice::{BookLine, Variety};
use crate::journal::{Recorder, Step};
use crate::search::{Limits, Line, Outcome, Report, Stop, TimeLimit};

/// A move with less time than this does not use a book that is still packed: unpacking may take a tenth of a second.
const MIN_TO_UNPACK: Duration = Duration::from_secs(1);

/// Does jobs in the thread of its caller, which needs [`STACK`](super::STACK) bytes of stack.
pub struct Worker {
    pub(super) thinker: Thinker,
    predictions: Vec<Prediction>,
    book: Option<Arc<Book>>,
}

impl Worker {
    /// Notes what it does, and repeats `steps` of an earlier run. Its evaluation loads in the background.
    pub fn new(config: Config, recorder: Recorder, steps: Vec<Step>) -> Worker {
        let book = config.book.clone();
        book.iter().for_each(unpack);
        let thinker = Thinker::new(config, Script::new(recorder, steps));
        Worker { thinker, predictions: Vec::new(), book }
    }

    /// Does a job and never panics: after a panic within, it forgets all that it knew, and the result is a legal move or empty.
    pub fn answer(&mut self, job: &Job, stop: &Stop, report: OnEvent<'_>) -> Ended {
        self.perform(job, Instant::now(), stop, report)
    }

    fn work(&mut self, asked: Instant, job: &Job, stop: &Stop, report: OnEvent<'_>) -> Done {
        match job {
            Job::Think(think) => Done::Chosen(Box::new(self.think(asked, think, stop, report))),
            Job::Ponder { board, effort } => {
                self.thinker.wait_for_evaluation(None, stop);
                let known = std::mem::take(&mut self.predictions);
                let thinker = &mut self.thinker;
                self.predictions = ponder::replies(*board, &known, thinker, effort, stop, report);
                Done::Pondered(self.predictions.clone())
            }
            Job::Forget => {
                // This comes before a game, while no clock runs.
                self.thinker.wait_for_evaluation(None, stop);
                self.thinker.prepare();
                self.forget();
                Done::Forgotten
            }
            Job::Survey { boards, effort } => {
                self.predictions.clear();
                self.thinker.wait_for_evaluation(None, stop);
                for (index, &board) in boards.iter().enumerate() {
                    let limits = self.thinker.limits(board, effort);
                    self.thinker.age();
                    let outcome = self.thinker.search(board, &limits, stop, &mut |_| {});
                    if self.thinker.was_stopped {
                        break;
                    }
                    let score = outcome.best().map(|line| line.score).or(outcome.final_score);
                    report(Event::Valued { index, score: score.unwrap_or(0) });
                }
                Done::Surveyed
            }
        }
    }

    fn think(&mut self, asked: Instant, think: &Think, stop: &Stop, report: OnEvent<'_>) -> Choice {
        let start = Instant::now();
        // Step 1. The limits of the search, by the plan for the clock.
        let mut limits = self.thinker.limits(think.board, &think.effort);
        // Step 2. The book, unless a search would go deeper.
        let choice = self.book_move(think, &limits, stop).unwrap_or_else(|| {
            // Step 3. The moves and the lines of the search.
            let pick = self.pick(think, &limits);
            limits.exclude |= think.rules.exclude;
            limits.lines = pick.lines(limits.lines);
            // Step 4. The weights; the clock has run while earlier jobs ended.
            self.wait_for_evaluation(asked, think, &mut limits, stop);
            // Step 5. A prediction as good as the search, else the search and the pick among its lines.
            let foreseen = self.pondered_move(think, &mut limits);
            foreseen.unwrap_or_else(|| self.search(think.board, &limits, pick, stop, report))
        });
        Choice { elapsed: start.elapsed(), ..choice }
    }

    /// Takes the time since `asked` off the limits: the clock has run while the evaluation was loading or an earlier job ended.
    fn wait_for_evaluation(
        &mut self,
        asked: Instant,
        think: &Think,
        limits: &mut Limits,
        stop: &Stop,
    ) {
        let is_timed = think.effort.clock.is_limited();
        let patience = limits.time.filter(|_| is_timed).map(|time_limit| asked + time_limit.soft);
        self.thinker.wait_for_evaluation(patience, stop);
        if let Some(book) = self.book.as_ref().filter(|_| !is_timed) {
            // Front ends ask for the book's moves beside those of an analysis.
            loading::wait(|| book.is_unpacked(), None, stop);
        }
        limits.time = limits.time.map(|time_limit| time_limit.after(asked.elapsed()));
    }

    /// How to pick among the lines of a search. Where earlier games played nothing, the value of the other moves is worth little time.
    fn pick(&self, think: &Think, limits: &Limits) -> Pick {
        match think.pick {
            Pick::Vary(_, played)
                if played.is_empty() && !self.thinker.solves_at_once(think.board, limits) =>
            {
                Pick::Best
            }
            pick => pick,
        }
    }

    /// None with a repertoire or earlier games, which pondering ignores.
    fn pondered_move(&mut self, think: &Think, limits: &mut Limits) -> Option<Choice> {
        let predictions = std::mem::take(&mut self.predictions);
        let wants_best = match think.pick {
            Pick::Best => true,
            Pick::Vary(_, played) => played.is_empty(),
            Pick::Evenly(_) | Pick::AsStrong(..) | Pick::Prefer(_) => false,
        };
        if !wants_best || !think.rules.is_empty() {
            return None;
        }
        let prediction = predictions.into_iter().find(|reply| reply.board == think.board)?;
        let is_enough = || ponder::meets(&prediction, &think.effort.limits, limits);
        if self.thinker.script.plays_prediction(&prediction, is_enough) {
            return Some(Choice { ponder_hit: true, ..Choice::found(prediction.outcome, 0) });
        }
        // Pondering's results for this position are in the transposition table, so its time counts.
        if let Some(time_limit) = &mut limits.time
            && time_limit.can_be_saved()
        {
            time_limit.soft = time_limit.soft.saturating_sub(prediction.spent);
        }
        None
    }

    fn search(
        &mut self,
        board: Board,
        limits: &Limits,
        pick: Pick,
        stop: &Stop,
        report: OnEvent<'_>,
    ) -> Choice {
        let mut compared = Vec::new();
        let mut on_report = |found: &Report| {
            if found.complete && matches!(pick, Pick::Vary(..)) {
                compared.clone_from(&found.lines);
            }
            report(Event::Report(found.clone()));
        };
        let mut outcome = if matches!(pick, Pick::AsStrong(..)) {
            self.thinker.search_afresh(board, limits, stop, &mut on_report)
        } else {
            self.thinker.age();
            self.thinker.search(board, limits, stop, &mut on_report)
        };
        if outcome.interrupted && matches!(pick, Pick::Vary(..)) {
            keep_compared(&mut outcome, compared);
        }
        let Picked { index, lost, others } = pick.choose(board, &outcome.lines);
        if outcome.lines.is_empty() {
            return Choice { outcome, ..quick_choice(board, limits.exclude) };
        }
        Choice { lost, others, ..Choice::found(outcome, index) }
    }

    /// The book's move, unless a search within these limits would go deeper than the search behind that move.
    fn book_move(&mut self, think: &Think, limits: &Limits, stop: &Stop) -> Option<Choice> {
        let &Think { board, variety, rules, .. } = think;
        let (book, variety) = (self.book.as_ref()?, variety?);
        let is_hurried = |time_limit: TimeLimit| time_limit.hard < MIN_TO_UNPACK;
        self.thinker.script.wait_for_book(book, limits.time.is_some_and(is_hurried), stop);
        if !book.is_unpacked() {
            return None;
        }
        let (depth, selectivity) = self.thinker.reach(board, limits);
        let choose = || {
            book.choose(board, variety, rules, |line| {
                line.is_at_least_as_deep_as(depth, selectivity, board.n_empties())
            })
        };
        let find = |mv| {
            book.lines_but(board, rules.exclude).into_iter().find(|line: &BookLine| line.mv() == mv)
        };
        let chosen = self.thinker.script.book_line(choose, find)?;
        let old = variety.old | chosen.known.square.bit();
        // Takes any book move: whether a search would go deeper depends on the clock, and a repeated run must not.
        let other = book.choose(board, Variety { old, ..variety }, rules, |_| true);
        let is_new = other.is_some_and(|other| other.known.square.bit() & old == 0);
        let others = if is_new { Novelty::New } else { Novelty::Old };
        self.predictions.clear();
        Some(Choice::booked(chosen, others))
    }

    fn forget(&mut self) {
        self.predictions.clear();
        self.thinker.forget();
    }
}

impl Perform<Job> for Worker {
    fn perform(&mut self, job: &Job, asked: Instant, stop: &Stop, report: OnEvent<'_>) -> Ended {
        self.thinker.was_stopped = false;
        let attempt = catch_unwind(AssertUnwindSafe(|| self.work(asked, job, stop, report)));
        let done = attempt.unwrap_or_else(|_| {
            self.thinker.script.broke();
            // Half-changed state must not be used again.
            self.forget();
            job.fallback()
        });
        Ended { done, was_stopped: self.thinker.was_stopped }
    }

    fn configure(&mut self, config: Config) {
        if self.book != config.book {
            self.book.clone_from(&config.book);
            self.book.iter().for_each(unpack);
        }
        if self.thinker.configure(config) {
            self.predictions.clear();
        }
    }

    fn note_reply_latency(&mut self, reply_latency: Duration) {
        self.thinker.observe_reply_latency(reply_latency);
    }

    fn prepare(&mut self) -> bool {
        if !self.thinker.is_prepared() {
            self.thinker.prepare();
        }
        self.thinker.is_prepared()
    }
}

/// Replaces the lines of an interrupted search by comparable ones, those `known` from its last complete iteration. If the
/// best move has changed since, it is better than the lines that were before it, so these go.
fn keep_compared(outcome: &mut Outcome, mut known: Vec<Line>) {
    let best = outcome.best().map(|line| line.mv);
    match known.iter().position(|line| Some(line.mv) == best) {
        Some(index) => outcome.lines = known.split_off(index),
        None => outcome.lines.truncate(1),
    }
}

#[cfg(test)]
mod tests;
