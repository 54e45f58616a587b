//! Runs one search after the other: they share the table, the evaluation, and a speed model that learns from each.

use std::time::{Duration, Instant};

use super::Config;
use super::job::Effort;
use super::loading;
use super::script::Script;
use super::speed_model::{self, SpeedModel};
use crate::board::{Board, Move};
use crate::score::DISC;
use crate::search::{Limits, OnReport, Outcome, Search, Selectivity, Stop, Threads};
use crate::support::memory;
use crate::transposition::Table;

/// Size in MiB of the private table of a search that must not use the shared one. Such searches are shallow.
pub(super) const PRIVATE_TABLE: usize = 4;

/// With this many empty squares or fewer, a solution takes some milliseconds.
const SOON_SOLVED: u32 = 16;

/// A position with this many empty squares fewer than the search could solve is solved in a small part of its time.
const SPARE: u32 = 4;

pub(super) struct Thinker {
    config: Config,
    /// Allocated once the evaluation is ready, because the table can do with less where memory is short.
    table: Option<Table>,
    threads: Threads,
    speed_model: SpeedModel,
    pub script: Script,
    /// Whether an input line or the end of the input ended the last search. Use this rather than the stop, which may have been
    /// set just after the search.
    pub was_stopped: bool,
}

impl Thinker {
    /// A thinker that goes by the script. Its evaluation loads in the background.
    pub fn new(config: Config, script: Script) -> Thinker {
        loading::load(&config.evaluation);
        Thinker {
            table: None,
            threads: Threads::new(config.n_threads),
            speed_model: SpeedModel::new(config.n_threads),
            config,
            script,
            was_stopped: false,
        }
    }

    /// Returns whether the evaluation has changed, which makes all earlier results void.
    pub fn configure(&mut self, config: Config) -> bool {
        let is_new = config.evaluation != self.config.evaluation;
        if is_new || config.hash_megabytes != self.config.hash_megabytes {
            // Dropped before the new one is made, so that both need not fit at the same time.
            self.table = None;
        }
        if is_new {
            loading::load(&config.evaluation);
        }
        if config.n_threads != self.config.n_threads {
            self.threads = Threads::new(config.n_threads);
        }
        self.speed_model.set_threads(config.n_threads);
        self.config = config;
        is_new
    }

    pub fn observe_reply_latency(&mut self, reply_latency: Duration) {
        self.speed_model.observe_reply_latency(reply_latency);
    }

    pub fn forget(&mut self) {
        if let Some(table) = &mut self.table {
            table.clear();
        }
    }

    pub fn age(&mut self) {
        if let Some(table) = &mut self.table {
            table.age();
        }
    }

    /// Waits until the evaluation is ready, `until` or the stop; then allocates the table.
    pub fn wait_for_evaluation(&mut self, until: Option<Instant>, stop: &Stop) {
        let evaluation = &self.config.evaluation;
        self.script.wait_for_evaluation(|| evaluation.is_loaded(), until, stop);
        if self.table.is_none() && evaluation.is_loaded() {
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
        if self.config.evaluation.is_loaded() {
            self.threads.start();
        }
    }

    pub fn limits(&self, board: Board, effort: &Effort) -> Limits {
        // Whoever asks for a search need not know of the numbers that are tried.
        #[cfg(feature = "tune")]
        let limits = Limits { parameters: self.config.parameters, ..effort.limits };
        #[cfg(feature = "tune")]
        let effort = &Effort { limits, ..*effort };
        effort.planned(board.n_empties(), &self.speed_model)
    }

    pub fn search(
        &mut self,
        board: Board,
        limits: &Limits,
        stop: &Stop,
        on_report: OnReport<'_>,
    ) -> Outcome {
        let outcome = self.search_with(None, board, limits, stop, on_report);
        self.speed_model.observe(board, limits, &outcome);
        outcome
    }

    /// With a small private table, so that the result does not depend on earlier searches.
    pub fn search_afresh(
        &mut self,
        board: Board,
        limits: &Limits,
        stop: &Stop,
        on_report: OnReport<'_>,
    ) -> Outcome {
        self.search_with(Some(allocate(PRIVATE_TABLE)), board, limits, stop, on_report)
    }

    /// Until the evaluation is ready, nothing is found.
    fn search_with(
        &mut self,
        table: Option<Table>,
        board: Board,
        limits: &Limits,
        stop: &Stop,
        on_report: OnReport<'_>,
    ) -> Outcome {
        let Thinker { config, threads, .. } = self;
        let run = |ready: Option<(&Limits, &Stop)>, on_report: OnReport<'_>| {
            let Some((limits, stop)) = ready else { return unsearched(board) };
            let table = match &table {
                Some(table) => table,
                None => self.table.get_or_insert_with(|| allocate(config.hash_megabytes)),
            };
            Search { evaluation: &config.evaluation, table, threads }
                .run(board, limits, stop, on_report)
        };
        let is_loaded = config.evaluation.is_loaded();
        let outcome;
        (outcome, self.was_stopped) = self.script.search(limits, stop, is_loaded, on_report, run);
        outcome
    }

    /// The best move on a board, if earlier searches have left one in the table.
    pub fn known_move(&self, board: Board) -> Option<Move> {
        self.table.as_ref()?.probe(board)?.moves[0].map(Move::Place)
    }

    /// About how deep a search would go on a board, and with which selectivity.
    pub fn reach(&self, board: Board, limits: &Limits) -> (u32, Selectivity) {
        let n_empties = board.n_empties();
        let in_time = |most: fn(&SpeedModel, Duration) -> u32| {
            limits.time.map_or(60, |time_limit| most(&self.speed_model, time_limit.soft))
        };
        if n_empties <= limits.exact_from.min(in_time(SpeedModel::solvable)) {
            return (n_empties, limits.exact_selectivity);
        }
        if limits.depth >= n_empties
            && n_empties <= limits.selective_end_from.min(in_time(SpeedModel::reachable))
        {
            return (n_empties, limits.selectivity);
        }
        let in_nodes = limits.nodes.map_or(60, |nodes| speed_model::depth(nodes as f64));
        let depth = limits.depth.min(in_nodes).min(in_time(SpeedModel::depth));
        (depth.min(n_empties), limits.selectivity)
    }

    /// Whether a search within these limits solves a board so quickly that valuing the other moves as well takes hardly any time.
    pub fn solves_at_once(&self, board: Board, limits: &Limits) -> bool {
        let solves_from = self.script.solves_from(limits.exact_from);
        let in_nodes = limits.nodes.map_or(60, |nodes| speed_model::solvable(nodes as f64));
        let n_empties = board.n_empties();
        n_empties <= SOON_SOLVED && n_empties + SPARE <= solves_from.min(in_nodes)
    }

    #[cfg(test)]
    pub const fn has_table(&self) -> bool {
        self.table.is_some()
    }

    #[cfg(test)]
    pub fn set_evaluation(&mut self, evaluation: crate::evaluation::Source) {
        self.config.evaluation = evaluation;
    }
}

fn unsearched(board: Board) -> Outcome {
    let final_score = board.is_over().then(|| board.final_score() * DISC);
    Outcome { final_score, interrupted: true, ..Outcome::default() }
}

/// A table of the wanted size, or of the largest power-of-two fraction of it that leaves some memory free.
pub(super) fn allocate(megabytes: usize) -> Table {
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
