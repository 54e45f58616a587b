//! Several threads in one tree: young brothers wait.
//!
//! A thread that has searched the first move of a deep enough node without a cut-off opens the node: other threads may
//! then help to search its remaining moves ([`SplitPoint`]; Feldmann et al., "Distributed game-tree search", 1989). At
//! a node of the principal variation it first searches two moves, or one if several threads are idle. Threads at work
//! notice an idle thread at their next node of some depth, by a counter that changes (the epoch), and send it to the
//! outermost open node around themselves that still has moves: there is the most work for one message.
//!
//! A thread that opened a node and finds all its moves taken waits for the helpers. Meanwhile it helps them, but only
//! below that node, to be back when they are done. All threads below notice a cut-off at their next node of some depth.
//!
//! There are no locks: threads take moves and enter results by atomic operations, and send messages through channels.
//!
//! Without the feature `threads` nothing starts a thread, and every search has one.

#![cfg_attr(not(feature = "threads"), allow(dead_code, reason = "one thread needs no help"))]

#[cfg(feature = "threads")]
mod helpers;
pub(super) mod split;
pub(super) mod team;
pub(super) mod threads;

#[cfg(all(test, feature = "threads"))]
mod tests;

use std::alloc::{Layout, handle_alloc_error};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
#[cfg(feature = "threads")]
use std::time::Duration;

#[cfg(feature = "threads")]
use rayon_core::Scope;

use self::split::{Node, SplitPoint};
use self::team::{Message, Slot, Team};
use super::moves::{Candidate, MoveList};
use super::searcher::{Searcher, Shared};
use super::tables::ThreadTables;
use crate::board::{Board, Move, Square};
use crate::evaluation::patterns::Features;
use crate::score::Score;

/// A search that may take only so long is left to one thread: to start the others takes some of that time, and a search ends only when
/// each of them has run once more, for which it may have to wait on a busy machine.
#[cfg(feature = "threads")]
const SHORT: Duration = Duration::from_millis(25);

/// Runs `main` with a searcher that the other threads help, unless its time is short.
pub(super) fn with_helpers<T>(shared: &Shared<'_>, main: impl FnOnce(&mut Searcher<'_>) -> T) -> T {
    let threads = shared.search.threads;
    // Without memory for its tables there is no search.
    let own = threads.take_tables();
    let own = own.unwrap_or_else(|| handle_alloc_error(Layout::new::<[u8; ThreadTables::SIZE]>()));
    let mut searcher = Searcher::new(shared, own);
    #[cfg(feature = "threads")]
    if shared.limits.time.is_none_or(|time_limit| time_limit.hard >= SHORT)
        && let Some(&helpers::Helpers { ref pool, n: n_helpers, have_cores }) = threads.helpers()
    {
        let team = Team::new(n_helpers + 1, have_cores);
        return pool.in_place_scope(|scope| {
            call_helper(scope, shared, Slot { team: &team, number: 1 }, n_helpers);
            // The helpers end even if `main` panics; else the scope would wait for them forever.
            let _dismissal = Dismissal { shared, team: &team, n_helpers };
            searcher.slot = Some(Slot { team: &team, number: 0 });
            let result = main(&mut searcher);
            threads.keep_tables(searcher.own);
            result
        });
    }
    let result = main(&mut searcher);
    threads.keep_tables(searcher.own);
    result
}

/// Starts a helper, which starts the next one: the caller can begin at once, and a search that is soon over does not
/// wake all helpers.
#[cfg(feature = "threads")]
fn call_helper<'a>(scope: &Scope<'a>, shared: &'a Shared<'a>, slot: Slot<'a>, n_helpers: usize) {
    scope.spawn(move |scope| {
        if shared.is_over.load(SeqCst) {
            return;
        }
        if slot.number < n_helpers {
            let next = Slot { number: slot.number + 1, ..slot };
            call_helper(scope, shared, next, n_helpers);
        }
        let Some(own) = shared.search.threads.take_tables() else { return };
        let mut searcher = Searcher::new(shared, own);
        searcher.slot = Some(slot);
        searcher.help_until_done();
        shared.search.threads.keep_tables(searcher.own);
    });
}

/// Ends the helping threads.
struct Dismissal<'a> {
    shared: &'a Shared<'a>,
    team: &'a Team,
    n_helpers: usize,
}

impl Drop for Dismissal<'_> {
    fn drop(&mut self) {
        self.shared.is_over.store(true, SeqCst);
        self.team.begin_epoch();
        for _ in 0..self.n_helpers {
            self.team.send_to_idle(Message::Done);
        }
        // An owner that calls for help from now on finds no helper, and must not wait for an answer.
        self.team.wake_all_owners();
    }
}

/// Signs a helper off from a node when dropped, also by a panic.
struct Leave<'a> {
    shared: &'a Shared<'a>,
    team: &'a Team,
    split: &'a SplitPoint,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.is_over.store(true, SeqCst);
        }
        self.split.release_helper();
        if self.split.is_complete() && self.split.claim_owner() {
            self.team.wake_owner(self.split, Message::Done);
        }
    }
}

impl Searcher<'_> {
    /// Whether to share the rest of a node's moves with other threads.
    #[inline(always)]
    pub(super) fn may_split(&self, depth: u32) -> bool {
        let p = self.parameters();
        depth >= p.split_min_depth_for_idle
            && self.slot.is_some_and(|slot| depth >= p.split_min_depth || slot.team.has_idle())
    }

    /// The same for a node of the principal variation, of which one thread has searched `n_before` moves.
    #[inline(always)]
    pub(super) fn may_split_pv(&self, depth: u32, n_before: usize) -> bool {
        let p = self.parameters();
        let has_many_idle =
            || self.slot.is_some_and(|slot| slot.team.n_idle() >= p.split_many_idle);
        n_before >= 1
            && self.may_split(depth)
            && (n_before >= p.split_min_pv_moves || has_many_idle())
    }

    /// Searches the remaining candidates of a node together with any helpers; `best` is the best so far. Returns the
    /// best of all, which is valid unless the search was stopped meanwhile.
    #[cold]
    pub(super) fn split_rest(
        &mut self,
        node: Node,
        candidates: &mut MoveList,
        best: (Score, Option<Square>),
    ) -> (Score, Option<Square>) {
        let (alpha, pv_ply) = (node.window.0, node.pv_ply);
        let before = (candidates.n_picked(), best.0);
        let split = self.split_node(node, candidates.rest(), before);
        let (score, Some((index, square))) = split.best() else { return best };
        if score > alpha
            && let Some(ply) = pv_ply
            && let Some(result) = split.result(index)
        {
            self.pv_table[ply + 1].clone_from(&result.variation);
            self.update_pv(ply, Move::Place(square));
        }
        (score, Some(square))
    }

    /// Searches the rest of a node's moves together with any helpers; `before` are the number and the best score of the others. The
    /// results count unless the search was stopped meanwhile.
    #[cold]
    pub(super) fn split_node(
        &mut self,
        node: Node,
        moves: Vec<Candidate>,
        before: (usize, Score),
    ) -> Arc<SplitPoint> {
        let number = self.slot.map_or(0, |slot| slot.number);
        let outer = self.split.take();
        let split = Arc::new(SplitPoint::new(node, moves, before, number, outer));
        self.split = Some(Arc::clone(&split));
        self.recruit();
        self.search_shared(&split);
        self.wait_for_helpers(&split);
        self.go_on_in(split.parent().cloned());
        split
    }

    /// Searches moves of an open node until all are taken.
    fn search_shared(&mut self, split: &SplitPoint) {
        let node = &split.node;
        while !self.stopped
            && let Some((index, candidate)) = split.take()
        {
            let child = node.board.after(candidate.square, candidate.flips);
            let features = node.features.after(candidate.square, candidate.flips);
            let (score, alpha) = self.search_shared_move(split, child, &features, index);
            if self.stopped {
                return;
            }
            let variation = node.pv_ply.map_or(&[][..], |ply| &self.pv_table[ply + 1]);
            if split.enter(index, score, alpha, variation)
                && let Some(Slot { team, .. }) = self.slot
            {
                team.begin_epoch();
                if split.claim_owner() {
                    team.wake_owner(split, Message::Done);
                }
            }
        }
    }

    /// The value of a move and the alpha that it was measured against.
    fn search_shared_move(
        &mut self,
        split: &SplitPoint,
        child: Board,
        features: &Features,
        index: usize,
    ) -> (Score, Score) {
        let Node { depth, window: (low, beta), pv_ply, .. } = split.node;
        let Some(ply) = pv_ply else {
            let n_before = split.n_before + index;
            return (self.nws_child(child, features, depth, low, n_before), low);
        };
        loop {
            // A null window stays where it is, whatever other threads have found in the meantime.
            let alpha = if beta - low == 1 { low } else { split.alpha() };
            self.pv_table[ply + 1].clear();
            let score = -self.nws(child, features, depth - 1, -alpha - 1);
            if score <= alpha || score >= beta || self.stopped {
                return (score, alpha);
            }
            // Another thread may have found something better in the meantime: compare the move with that.
            if split.alpha() == alpha {
                let score = -self.pvs(child, features, depth - 1, (-beta, -alpha), ply + 1);
                return (score, alpha);
            }
        }
    }

    /// Waits until no helper is at work at an own node any more, and helps them meanwhile.
    fn wait_for_helpers(&mut self, split: &SplitPoint) {
        let Some(Slot { team, number }) = self.slot else { return };
        while !self.stopped && !split.is_complete() {
            split.begin_waiting();
            team.begin_epoch();
            if split.is_complete() && split.claim_owner() {
                return;
            }
            self.pause();
            let message = team.receive_as_owner(number);
            self.look_at_clock();
            if let Message::Help(inner) = message {
                self.help(inner);
            }
            self.stopped |= self.shared.is_over.load(SeqCst);
        }
    }

    fn help_until_done(&mut self) {
        let Some(Slot { team, .. }) = self.slot else { return };
        loop {
            let Message::Help(split) = team.receive_when_idle() else { break };
            self.look_at_clock();
            self.help(split);
            self.publish_counts();
        }
    }

    fn help(&mut self, split: Arc<SplitPoint>) {
        let Some(Slot { team, .. }) = self.slot else { return };
        let outer = self.split.take();
        let _leave = Leave { shared: self.shared, team, split: &split };
        #[cfg(test)]
        assert!(!self.shared.breaks_helpers, "as the test wants");
        self.go_on_in(Some(Arc::clone(&split)));
        self.set_selectivity(split.node.selectivity);
        self.search_shared(&split);
        self.go_on_in(outer);
    }

    /// Changes the innermost open node around this thread.
    fn go_on_in(&mut self, split: Option<Arc<SplitPoint>>) {
        self.split = split;
        self.stopped = self.shared.is_over.load(SeqCst) || self.is_cut_off();
    }

    /// Whether an open node around this thread has been cut off.
    pub(super) fn is_cut_off(&self) -> bool {
        self.split.as_ref().is_some_and(|split| split.chain().any(|split| split.is_cut()))
    }

    /// Sends idle threads to the outermost open node with moves left, and waiting owners to the outermost one below their own.
    pub(super) fn recruit(&self) {
        let (Some(Slot { team, .. }), Some(innermost)) = (self.slot, &self.split) else { return };
        let mut outermost: Option<&Arc<SplitPoint>> = None;
        for split in innermost.chain() {
            if let Some(inner) = outermost
                && split.owner_waits()
                && split.claim_owner()
            {
                inner.announce_helper();
                team.wake_owner(split, Message::Help(Arc::clone(inner)));
            }
            if split.n_left() > 0 {
                outermost = Some(split);
            }
        }
        let Some(split) = outermost else { return };
        for _ in 0..split.n_left() {
            if !team.claim_idle() {
                return;
            }
            split.announce_helper();
            team.send_to_idle(Message::Help(Arc::clone(split)));
        }
    }
}
