//! A node whose remaining moves are open to several threads.

use std::iter::successors;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicUsize};
use std::sync::{Arc, OnceLock};

use crate::board::{Board, Move, Square};
use crate::evaluation::patterns::Features;
use crate::score::Score;
use crate::search::Selectivity;
use crate::search::moves::Candidate;

/// What a thread must know of a node to search a move of it.
pub(in crate::search) struct Node {
    pub board: Board,
    pub features: Features,
    pub depth: u32,
    /// Alpha and beta when the node was opened.
    pub window: (Score, Score),
    pub selectivity: Selectivity,
    /// Plies below the root at a node of the principal variation, where the result of each move is kept; else `None`.
    pub pv_ply: Option<usize>,
}

/// The result of a move at a node of the principal variation.
pub(in crate::search) struct MoveResult {
    pub score: Score,
    /// The alpha that it was measured against.
    pub alpha: Score,
    /// The moves after it, if it is better than alpha.
    pub variation: Vec<Move>,
}

/// A split point: everything that the threads at work on a node share. Lives as long as a thread refers to it.
pub(in crate::search) struct SplitPoint {
    /// The innermost split point around this one.
    parent: Option<Arc<SplitPoint>>,
    pub node: Node,
    /// Number of the thread that opened the node and continues above it.
    pub owner: usize,
    moves: Vec<Candidate>,
    /// How many moves were searched before these.
    pub n_before: usize,
    /// Results by move at a node of the principal variation; empty elsewhere, where only the best counts.
    results: Vec<OnceLock<MoveResult>>,
    /// Index of the next move that nobody has taken.
    next: AtomicUsize,
    alpha: AtomicI32,
    /// The best score in the high half; in the low half the index of its move, or [`OLDER`].
    best: AtomicI64,
    /// A cut-off has made all work here useless.
    is_cut: AtomicBool,
    /// Threads at work here besides the owner, or on their way.
    n_helpers: AtomicUsize,
    /// The owner has nothing left to do here but to wait.
    owner_waits: AtomicBool,
}

/// Stands for the index of the moves searched before the node was opened.
const OLDER: u32 = u32::MAX;

const fn pack(score: Score, index: u32) -> i64 {
    (score as i64) << 32 | index as i64
}

impl SplitPoint {
    /// Opens a node after `n_before` moves, whose best score is `best`.
    pub fn new(
        node: Node,
        moves: Vec<Candidate>,
        (n_before, best): (usize, Score),
        owner: usize,
        parent: Option<Arc<SplitPoint>>,
    ) -> SplitPoint {
        let n_results = if node.pv_ply.is_some() { moves.len() } else { 0 };
        SplitPoint {
            parent,
            alpha: AtomicI32::new(node.window.0),
            node,
            owner,
            moves,
            n_before,
            results: (0..n_results).map(|_| OnceLock::new()).collect(),
            next: AtomicUsize::new(0),
            best: AtomicI64::new(pack(best, OLDER)),
            is_cut: AtomicBool::new(false),
            n_helpers: AtomicUsize::new(0),
            owner_waits: AtomicBool::new(false),
        }
    }

    pub fn parent(&self) -> Option<&Arc<SplitPoint>> {
        self.parent.as_ref()
    }

    /// From the inside.
    pub fn chain(self: &Arc<Self>) -> impl Iterator<Item = &Arc<SplitPoint>> {
        successors(Some(self), |split| split.parent.as_ref())
    }

    /// The next move that nobody has taken, with its index.
    pub fn take(&self) -> Option<(usize, Candidate)> {
        // Checking first keeps the counter from growing without bound.
        if self.is_cut() || self.n_left() == 0 {
            return None;
        }
        let index = self.next.fetch_add(1, Relaxed);
        Some((index, *self.moves.get(index)?))
    }

    pub fn n_left(&self) -> usize {
        self.moves.len().saturating_sub(self.next.load(Relaxed))
    }

    pub fn alpha(&self) -> Score {
        self.alpha.load(Relaxed)
    }

    /// Enters a score that was measured against `alpha`, with the moves after it; `true` for a cut-off.
    pub fn enter(&self, index: usize, score: Score, alpha: Score, variation: &[Move]) -> bool {
        if let Some(result) = self.results.get(index) {
            let variation = if score > alpha { variation.to_vec() } else { Vec::new() };
            // Each move is taken once, so nothing is there yet.
            let _ = result.set(MoveResult { score, alpha, variation });
        }
        // Of equal scores the earlier counts: the later may be but a bound.
        let better = |best| (score > (best >> 32) as Score).then(|| pack(score, index as u32));
        let _ = self.best.fetch_update(SeqCst, SeqCst, better);
        self.alpha.fetch_max(score, Relaxed);
        let is_cut = score >= self.node.window.1;
        if is_cut {
            self.is_cut.store(true, SeqCst);
        }
        is_cut
    }

    pub fn is_cut(&self) -> bool {
        self.is_cut.load(SeqCst)
    }

    /// The best score, and its move if it is one of those shared.
    pub fn best(&self) -> (Score, Option<(usize, Square)>) {
        let best = self.best.load(SeqCst);
        let index = best as u32 as usize;
        ((best >> 32) as Score, self.moves.get(index).map(|candidate| (index, candidate.square)))
    }

    pub fn result(&self, index: usize) -> Option<&MoveResult> {
        self.results.get(index)?.get()
    }

    /// Announces a thread that will help here. Only a thread at work here, for which the owner waits, may call this.
    pub fn announce_helper(&self) {
        self.n_helpers.fetch_add(1, SeqCst);
    }

    pub fn release_helper(&self) {
        self.n_helpers.fetch_sub(1, SeqCst);
    }

    /// Whether the owner need not wait for anyone.
    pub fn is_complete(&self) -> bool {
        self.is_cut() || self.n_helpers.load(SeqCst) == 0
    }

    /// The owner waits for a message; the thread that [claims](SplitPoint::claim_owner) it must send one.
    pub fn begin_waiting(&self) {
        self.owner_waits.store(true, SeqCst);
    }

    pub fn owner_waits(&self) -> bool {
        self.owner_waits.load(Relaxed)
    }

    /// Ends the owner's waiting; true for one caller only.
    pub fn claim_owner(&self) -> bool {
        self.owner_waits.swap(false, SeqCst)
    }
}
