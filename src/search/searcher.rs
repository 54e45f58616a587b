//! One thread's search: what it keeps, counts and obeys.
//!
//! The search itself is in methods elsewhere, by topic: `node`, `ordering`, `probcut`, `endgame`, `parallel`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::parallel::split::SplitPoint;
use super::parallel::team::Slot;
use super::parameters::Parameters;
use super::probcut::Margins;
use super::tables::ThreadTables;
use super::{Limits, Search, Selectivity, Stop};
use crate::board::Move;
use crate::evaluation::Evaluation;
use crate::support::time::Instant;
use crate::transposition::Table;

/// What the threads of one search share.
pub(super) struct Shared<'a> {
    pub search: Search<'a>,
    /// Ends the search early.
    pub stop: &'a Stop,
    pub limits: &'a Limits,
    pub start: Instant,
    /// Set when a limit is reached or the main thread has its result, to end all threads.
    pub is_over: AtomicBool,
    /// Nodes of the tree and of ordering searches that the threads have reported so far.
    pub nodes: AtomicU64,
    pub ordering_nodes: AtomicU64,
    /// Makes helping threads panic.
    #[cfg(test)]
    pub breaks_helpers: bool,
}

impl<'a> Shared<'a> {
    pub fn new(search: Search<'a>, limits: &'a Limits, stop: &'a Stop) -> Shared<'a> {
        Shared {
            search,
            stop,
            limits,
            start: Instant::now(),
            is_over: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            ordering_nodes: AtomicU64::new(0),
            #[cfg(test)]
            breaks_helpers: false,
        }
    }
}

/// Tree nodes between two looks at the limits.
const POLL_INTERVAL: u64 = 2048;

/// Nodes of this depth or more notice at once that the team's epoch has changed.
const POLL_TEAM_DEPTH: u32 = 4;

pub(super) struct Searcher<'a> {
    pub evaluation: &'a Evaluation,
    pub table: &'a Table,
    pub shared: &'a Shared<'a>,
    /// Tree nodes: positions entered by a search function, and leaves of the last empties.
    pub nodes: u64,
    /// Positions looked at only to order moves.
    pub ordering_nodes: u64,
    /// Tree nodes and ordering nodes already added to the totals in `shared`.
    reported: (u64, u64),
    next_poll: u64,
    /// The epoch of the team that this thread has polled.
    epoch: usize,
    /// When the clock was read last, and the longest time between two readings, in which the system may have run others
    /// instead. Only with a time limit.
    looked: Duration,
    longest_pause: Duration,
    /// Whether the work at hand is no longer wanted. Results count only while this is `false`.
    pub stopped: bool,
    /// Changed by [`Searcher::set_selectivity`].
    pub selectivity: Selectivity,
    pub margins: Margins,
    /// What this thread has found out about positions near the leaves and near the end.
    pub own: ThreadTables,
    /// By number of empty squares, the bit of the last move that caused a cut-off one ply above the leaves (the killer
    /// heuristic; Akl and Newborn 1977).
    pub killers: [u64; 61],
    /// Principal variations by ply.
    pub pv_table: Vec<Vec<Move>>,
    /// The thread's place in the team; `None` if it searches alone.
    pub slot: Option<Slot<'a>>,
    /// The innermost node around this thread that is open to others.
    pub split: Option<Arc<SplitPoint>>,
}

impl<'a> Searcher<'a> {
    pub fn new(shared: &'a Shared<'a>, own: ThreadTables) -> Self {
        let mut searcher = Searcher {
            evaluation: shared.search.evaluation,
            table: shared.search.table,
            shared,
            nodes: 0,
            ordering_nodes: 0,
            reported: (0, 0),
            next_poll: 0,
            epoch: 0,
            looked: Duration::ZERO,
            longest_pause: Duration::ZERO,
            stopped: false,
            selectivity: Selectivity::FULL,
            margins: Margins::default(),
            own,
            killers: [0; 61],
            // At most 60 discs are placed and no two passes follow each other within a game.
            pv_table: vec![Vec::new(); 128],
            slot: None,
            split: None,
        };
        searcher.own.shallow.set_selectivity(searcher.selectivity);
        searcher.schedule_poll();
        searcher.look_at_clock();
        searcher
    }

    #[inline(always)]
    pub const fn parameters(&self) -> &'a Parameters {
        self.shared.limits.parameters()
    }

    pub fn set_selectivity(&mut self, selectivity: Selectivity) {
        if selectivity != self.selectivity {
            self.selectivity = selectivity;
            self.own.shallow.set_selectivity(selectivity);
            self.margins =
                Margins::new(self.evaluation.error_model, selectivity, self.parameters());
        }
    }

    /// Every node above the last few empties must call this. Nodes of some depth ([`POLL_TEAM_DEPTH`]) notice cut-offs
    /// around this thread, and threads that wait for work, at once.
    #[inline(always)]
    pub fn poll(&mut self, depth: u32) {
        if self.nodes >= self.next_poll {
            self.look_at_limits();
        }
        if depth >= POLL_TEAM_DEPTH
            && let Some(Slot { team, .. }) = self.slot
            && team.epoch() != self.epoch
        {
            self.poll_team(team.epoch());
        }
    }

    #[cold]
    fn poll_team(&mut self, epoch: usize) {
        self.epoch = epoch;
        self.look_around();
    }

    #[cold]
    fn look_at_limits(&mut self) {
        self.publish_counts();
        self.schedule_poll();
        let shared = self.shared;
        let limits = shared.limits;
        let is_over = shared.is_over.load(Relaxed)
            || shared.stop.is_stopped()
            || limits.nodes.is_some_and(|nodes| shared.nodes.load(Relaxed) >= nodes)
            || limits.time.is_some_and(|time_limit| {
                let pause = self.pause();
                self.looked >= time_limit.end(pause)
            });
        if is_over
            && !shared.is_over.swap(true, Relaxed)
            && let Some(slot) = self.slot
        {
            slot.team.begin_epoch();
        }
        self.look_around();
    }

    /// Stops if this thread's work is no longer wanted, else gives waiting threads work.
    fn look_around(&mut self) {
        self.stopped |= self.shared.is_over.load(Relaxed) || self.is_cut_off();
        if !self.stopped {
            self.recruit();
        }
    }

    /// Looks at the clock, if there is a time limit; returns the longest pause so far.
    pub fn pause(&mut self) -> Duration {
        let looked = self.looked;
        self.look_at_clock();
        self.longest_pause = self.longest_pause.max(self.looked.saturating_sub(looked));
        self.longest_pause
    }

    /// Looks at the clock, if there is a time limit. Called directly after a wait for other threads, which is no pause.
    pub fn look_at_clock(&mut self) {
        if self.shared.limits.time.is_some() {
            self.looked = self.shared.start.elapsed();
        }
    }

    pub fn publish_counts(&mut self) {
        let (nodes, ordering_nodes) = self.reported;
        self.shared.nodes.fetch_add(self.nodes - nodes, Relaxed);
        self.shared.ordering_nodes.fetch_add(self.ordering_nodes - ordering_nodes, Relaxed);
        self.reported = (self.nodes, self.ordering_nodes);
    }

    fn schedule_poll(&mut self) {
        let left = self
            .shared
            .limits
            .nodes
            .map_or(u64::MAX, |nodes| nodes.saturating_sub(self.shared.nodes.load(Relaxed)));
        self.next_poll = self.nodes + left.clamp(1, POLL_INTERVAL);
    }
}
