//! One search after the other: the table and the evaluation that searches share, what they teach about the machine, and the steps
//! from which a run can be repeated.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::Config;
use super::job::Effort;
use super::loading::Loading;
use super::speed_model::{self, SpeedModel};
use super::time::Task;
use crate::board::{Board, Move};
use crate::evaluation::Evaluation;
use crate::evaluation::terms::Terms;
use crate::journal::{End, Entry, Recorder, Searched, Step};
use crate::search::{Limits, Outcome, Report, Search, Selectivity, Stop, Threads};
use crate::support::memory;
use crate::transposition::Table;

/// Size in MiB of the table for a search that learns nothing from others. Such searches are shallow.
const PRIVATE_TABLE: usize = 4;

/// With so many empty squares or fewer a solution takes some milliseconds.
const SOON_SOLVED: u32 = 16;

/// What has so many empty squares less than the search could solve is solved in a small part of the time.
const SPARE: u32 = 4;

/// How long a repeated search waits for the line that ended its model.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// What searches need and leave behind.
pub(super) struct Thinker {
    config: Config,
    evaluation: Loading,
    /// Made when the evaluation is there, for it can do with less where memory is short.
    table: Option<Table>,
    threads: Threads,
    speed_model: SpeedModel,
    recorder: Recorder,
    /// What is left to repeat of an earlier run.
    steps: VecDeque<Step>,
    /// Whether a line or the end of the input ended the last search. What follows goes by this and not by the stop, which may have
    /// stopped a moment later.
    was_stopped: bool,
}

impl Thinker {
    /// A thinker that notes its searches and repeats `steps` of an earlier run. Its evaluation loads in the background.
    pub fn new(config: Config, recorder: Recorder, steps: Vec<Step>) -> Thinker {
        Thinker {
            evaluation: Loading::start(&config.evaluation, &recorder),
            table: None,
            threads: Threads::new(config.n_threads),
            speed_model: SpeedModel::new(config.n_threads),
            config,
            recorder,
            steps: steps.into(),
            was_stopped: false,
        }
    }

    /// Changes the settings; says whether the evaluation has changed, so that nothing found before counts.
    pub fn configure(&mut self, config: Config) -> bool {
        let is_new = config.evaluation != self.config.evaluation;
        if is_new || config.hash_megabytes != self.config.hash_megabytes {
            // Dropped before the new one is made, so that both need not fit at the same time.
            self.table = None;
        }
        if is_new {
            self.evaluation = Loading::start(&config.evaluation, &self.recorder);
        }
        if config.n_threads != self.config.n_threads {
            self.threads = Threads::new(config.n_threads);
        }
        self.speed_model.set_threads(config.n_threads);
        self.config = config;
        is_new
    }

    /// Learns from the time between the end of a search and the written reply.
    pub fn observe_reply_latency(&mut self, reply_latency: Duration) {
        self.speed_model.observe_reply_latency(reply_latency);
    }

    /// Forgets what searches have found.
    pub fn forget(&mut self) {
        if let Some(table) = &mut self.table {
            table.clear();
        }
    }

    /// Makes room in the table for the next searches.
    pub fn age(&mut self) {
        if let Some(table) = &mut self.table {
            table.age();
        }
    }

    /// Waits for the evaluation, until a time or a stop at most, and makes the table: one that the system refuses becomes smaller. What
    /// repeats an earlier search waits as that one did.
    pub fn wait_for_evaluation(&mut self, until: Option<Instant>, stop: &Stop) {
        match self.steps.front() {
            Some(Step::Searched(earlier)) if earlier.by_terms => return,
            Some(_) => self.evaluation.wait(None, &Stop::new()),
            None => self.evaluation.wait(until, stop),
        }
        if self.table.is_none() && self.evaluation.get().is_some() {
            self.table = Some(allocate(self.config.hash_megabytes));
        }
    }

    /// Whether the next search finds all threads started.
    pub fn is_prepared(&self) -> bool {
        self.threads.have_started()
    }

    /// Starts the threads once the evaluation and the table have their memory; until then it does nothing.
    pub fn prepare(&mut self) {
        self.wait_for_evaluation(Some(Instant::now()), &Stop::new());
        if self.evaluation.get().is_some() {
            self.threads.start();
        }
    }

    /// What to search in a position with this effort, by the clock's plan.
    pub fn task(&self, board: Board, effort: &Effort) -> Task {
        effort.task(board.n_empties(), &self.speed_model)
    }

    /// Searches with the common table, and learns how fast the machine is.
    pub fn search(
        &mut self,
        board: Board,
        limits: &Limits,
        stop: &Stop,
        on_report: &mut dyn FnMut(&Report),
    ) -> Outcome {
        let outcome = self.search_with(None, board, limits, stop, on_report);
        self.speed_model.observe(board, limits, &outcome);
        outcome
    }

    /// Searches with a small table of its own: the same whatever was searched before.
    pub fn search_afresh(
        &mut self,
        board: Board,
        limits: &Limits,
        stop: &Stop,
        on_report: &mut dyn FnMut(&Report),
    ) -> Outcome {
        self.search_with(Some(allocate(PRIVATE_TABLE)), board, limits, stop, on_report)
    }

    /// Searches and notes it. A search that repeats an earlier one ends where that one did. Until the evaluation is there, searches
    /// use the classic terms and keep nothing in the table.
    fn search_with(
        &mut self,
        table: Option<Table>,
        board: Board,
        limits: &Limits,
        stop: &Stop,
        on_report: &mut dyn FnMut(&Report),
    ) -> Outcome {
        let earlier = match self.steps.pop_front() {
            Some(Step::Searched(searched)) => Some(searched),
            _ => None,
        };
        let never = Stop::new();
        // What repeats an earlier search ends by its limits, and then waits for the line that ended the model.
        let (limits, end) = match &earlier {
            Some(earlier) => (earlier.limit(limits), &never),
            None => (*limits, stop),
        };
        let (mut iterations, mut nodes) = (0, 0);
        let by_terms =
            earlier.as_ref().map_or(self.evaluation.get().is_none(), |earlier| earlier.by_terms);
        let evaluation = self.evaluation.get().filter(|_| !by_terms);
        let private = table.or_else(|| by_terms.then(|| allocate(PRIVATE_TABLE)));
        let table = match &private {
            Some(table) => table,
            None => self.table.get_or_insert_with(|| allocate(self.config.hash_megabytes)),
        };
        let search = Search {
            evaluation: evaluation.unwrap_or(&Evaluation::Terms(Terms)),
            table,
            threads: &self.threads,
        };
        let outcome = search.run(board, &limits, end, &mut |report| {
            if report.complete {
                iterations += 1;
                nodes = report.nodes;
            }
            on_report(report);
        });
        let was_stopped =
            earlier.as_ref().map_or_else(|| stop.is_stopped(), |earlier| earlier.was_stopped);
        self.was_stopped = was_stopped;
        if earlier.is_some() && was_stopped {
            wait_for(stop);
        }
        self.recorder.note(|| {
            let end = match outcome.interrupted {
                false => End::Complete,
                // A search that ends within an iteration has visited a node of it.
                true if nodes == outcome.nodes => End::After(iterations),
                true => End::Within,
            };
            let searched = Searched::new(&outcome, &limits);
            Entry::Step(Step::Searched(Searched { end, was_stopped, by_terms, ..searched }))
        });
        outcome
    }

    /// Whether a line or the end of the input ended the last search.
    pub const fn was_stopped(&self) -> bool {
        self.was_stopped
    }

    /// What the run that is repeated played from a book here: perhaps nothing; `None` if no run is repeated.
    pub fn repeats_booked(&mut self) -> Option<Option<Move>> {
        let Step::Booked(mv, _) = *self.steps.front()? else { return Some(None) };
        self.steps.pop_front();
        Some(Some(mv))
    }

    /// How deep a search for this task would go on a board, about, and with which confidence.
    pub fn reach(&self, board: Board, task: &Task) -> (u32, Selectivity) {
        let n_empties = board.n_empties();
        let limits = task.limits;
        let in_time = |most: fn(&SpeedModel, Duration) -> u32| {
            limits.time.map_or(60, |time_limit| most(&self.speed_model, time_limit.soft))
        };
        if n_empties <= limits.exact_from.min(in_time(SpeedModel::solvable)) {
            return (n_empties, limits.exact_selectivity);
        }
        if limits.depth >= n_empties
            && n_empties <= limits.reach_from.min(in_time(SpeedModel::reachable))
        {
            return (n_empties, limits.selectivity);
        }
        let in_nodes = limits.nodes.map_or(60, |nodes| speed_model::depth(nodes as f64));
        let depth = limits.depth.min(in_nodes).min(in_time(SpeedModel::depth));
        (depth.min(n_empties), limits.selectivity)
    }

    /// Whether a search for this task solves a board so soon that the values of other moves take no time to speak of. If a run is
    /// repeated, it goes by that one.
    pub fn solves_at_once(&self, board: Board, task: &Task) -> bool {
        let limits = task.limits;
        let solves_from = match self.steps.front() {
            Some(Step::Searched(earlier)) => earlier.solves_from,
            _ => limits.exact_from,
        };
        let in_nodes = limits.nodes.map_or(60, |nodes| speed_model::solvable(nodes as f64));
        let n_empties = board.n_empties();
        n_empties <= SOON_SOLVED && n_empties + SPARE <= solves_from.min(in_nodes)
    }

    /// Whether the run that is repeated played a prediction here; `None` if no run is repeated.
    pub fn repeats_ponder_hit(&mut self) -> Option<bool> {
        let ponder_hit = matches!(self.steps.front()?, Step::PonderHit(_));
        if ponder_hit {
            self.steps.pop_front();
        }
        Some(ponder_hit)
    }

    #[cfg(test)]
    pub const fn has_table(&self) -> bool {
        self.table.is_some()
    }

    /// Replaces the evaluation by one that is still loading.
    #[cfg(test)]
    pub fn set_loading(&mut self, thread: std::thread::JoinHandle<Evaluation>) {
        self.evaluation = Loading::underway(thread, Recorder::default());
    }
}

/// A table of the wanted size, or of the largest power-of-two fraction of it that leaves some memory free.
fn allocate(megabytes: usize) -> Table {
    let mut size = megabytes;
    loop {
        if let Some(table) = Table::try_new(size)
            && (size == 0 || memory::is_available(memory::SPARE))
        {
            if size < megabytes {
                log::warn!("no memory for a hash of {megabytes} MB; using {size} MB");
            }
            return table;
        }
        size /= 2;
    }
}

/// Waits for the line that ended a search in the run that is repeated; for a while only, should the runs differ.
fn wait_for(stop: &Stop) {
    let start = Instant::now();
    while !stop.is_stopped() && start.elapsed() < MAX_WAIT {
        std::thread::sleep(Duration::from_micros(100));
    }
}
