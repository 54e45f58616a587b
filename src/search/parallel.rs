//! Several threads in one tree: young brothers wait.
//!
//! Once the first move of a node deep enough is searched without a cut-off, the node is opened: its other moves may be searched
//! by any thread that comes to help ([`Split`]; Feldmann et al., "Distributed game-tree search", 1989). A thread that has
//! nothing to do is idle; the threads at work see that when they look at the limits, and send it to the outermost open node
//! around themselves that still has moves, where the most work is to be had for one message.
//!
//! A thread that opened a node and finds all its moves taken must wait for the helpers. Meanwhile it helps them, but only below
//! that node, so that it is back when they are done. A cut-off is seen by all threads below at their next look at the limits.
//!
//! There are no locks: moves are taken and results entered by atomic operations, and messages pass through channels.

mod split;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::endgame::bounds::{BoundsTable, Memory};
use super::ordering::{Candidate, Candidates};
use super::{Searcher, Shared};
use crate::board::{Board, Move, Square};
use crate::evaluation::Evaluator;
use crate::score::Score;
use crate::support::memory;

pub(super) use split::{Node, Split};

/// Stack of a helping thread in bytes; a search goes at most some 130 calls deep, and at most twice that with the help given
/// while waiting.
const STACK: usize = 16 << 20;

/// From this depth on nodes are opened.
const SPLIT_DEPTH: u32 = 8;

/// Looks into the letter box before a waiting thread goes to sleep; about 20 microseconds.
const SPINS: u32 = 500;

enum Message<F> {
    Help(Arc<Split<F>>),
    /// To an owner: the node is complete. To an idle thread: the search is over.
    Done,
}

struct LetterBox<F> {
    sender: Sender<Message<F>>,
    receiver: Receiver<Message<F>>,
}

impl<F> LetterBox<F> {
    fn new(capacity: usize) -> LetterBox<F> {
        let (sender, receiver) = bounded(capacity);
        LetterBox { sender, receiver }
    }

    /// To the idle: their box is large enough for all messages that there can be at a time, and lives as long as all threads.
    fn send(&self, message: Message<F>) {
        let sent = self.sender.try_send(message);
        debug_assert!(sent.is_ok());
    }

    fn receive(&self) -> Message<F> {
        for _ in 0..SPINS {
            if let Ok(message) = self.receiver.try_recv() {
                return message;
            }
            std::hint::spin_loop();
        }
        self.receiver.recv().unwrap_or(Message::Done)
    }
}

/// The threads of a search.
pub(super) struct Team<F> {
    /// Idle threads that nobody has claimed.
    n_idle: AtomicUsize,
    /// To any idle thread.
    idle: LetterBox<F>,
    /// To waiting owners, by thread.
    owners: Vec<LetterBox<F>>,
}

impl<F> Team<F> {
    fn new(n_threads: usize) -> Team<F> {
        Team {
            n_idle: AtomicUsize::new(0),
            // For each thread a call for help and the end.
            idle: LetterBox::new(2 * n_threads),
            owners: (0..n_threads).map(|_| LetterBox::new(1)).collect(),
        }
    }

    /// Makes sure of one idle thread; the caller must then send it a message.
    fn claim_idle(&self) -> bool {
        self.n_idle.load(Relaxed) > 0
            && self.n_idle.fetch_update(SeqCst, SeqCst, |n| n.checked_sub(1)).is_ok()
    }

    fn wake_owner(&self, split: &Split<F>, message: Message<F>) {
        // The box is full only if the end of the search is in it, which wakes the owner as well.
        let _ = self.owners[split.owner].sender.try_send(message);
    }
}

/// Runs `main` with a searcher that the other threads of the setup help. A thread that the system refuses, or one for which there
/// is no memory, is done without.
pub(super) fn with_helpers<E: Evaluator, T>(
    evaluator: &E,
    shared: &Shared<'_>,
    main: impl FnOnce(&mut Searcher<'_, E>) -> T,
) -> T {
    let n_threads = shared.setup.n_threads;
    if n_threads <= 1 {
        return main(&mut Searcher::new(evaluator, shared));
    }
    let team = Team::new(n_threads);
    std::thread::scope(|scope| {
        let mut n_helpers = 0;
        for number in 1..n_threads {
            let team = &team;
            // What a thread needs besides cannot be refused: the stack of another must not take the last memory from it.
            let bounds = Memory::try_new().filter(|_| memory::is_available(STACK + memory::SPARE));
            let Some(bounds) = bounds else {
                log::warn!("searching with {number} threads: no memory for another");
                break;
            };
            let spawned = std::thread::Builder::new()
                .name(format!("search {number}"))
                .stack_size(STACK)
                .spawn_scoped(scope, move || {
                    let mut searcher =
                        Searcher::with_bounds(evaluator, shared, BoundsTable::within(bounds));
                    searcher.seat = Some(Seat { team, number });
                    searcher.help_until_done();
                });
            if let Err(error) = spawned {
                log::warn!("searching with {number} threads: {error}");
                break;
            }
            n_helpers += 1;
        }
        // The helpers end also if `main` panics; else the scope would wait for them for ever.
        let _dismissal = Dismissal { shared, team: &team, n_helpers };
        let mut searcher = Searcher::new(evaluator, shared);
        searcher.seat = (n_helpers > 0).then_some(Seat { team: &team, number: 0 });
        main(&mut searcher)
    })
}

/// Ends the helping threads.
struct Dismissal<'a, F> {
    shared: &'a Shared<'a>,
    team: &'a Team<F>,
    n_helpers: usize,
}

impl<F> Drop for Dismissal<'_, F> {
    fn drop(&mut self) {
        self.shared.is_over.store(true, SeqCst);
        for _ in 0..self.n_helpers {
            self.team.idle.send(Message::Done);
        }
        // A call for help that comes now finds nobody any more, and whoever made it must not wait for an answer.
        for owner in &self.team.owners {
            let _ = owner.sender.try_send(Message::Done);
        }
    }
}

/// A thread's place in the team.
pub(super) struct Seat<'a, F> {
    team: &'a Team<F>,
    number: usize,
}

impl<F> Clone for Seat<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Seat<'_, F> {}

/// Takes a helper's leave of a node, also when it panics.
struct Leave<'a, F> {
    shared: &'a Shared<'a>,
    team: &'a Team<F>,
    split: &'a Split<F>,
}

impl<F> Drop for Leave<'_, F> {
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

impl<E: Evaluator> Searcher<'_, E> {
    /// Whether the rest of a node's moves is to be shared with other threads.
    #[inline(always)]
    pub(super) fn shares(&self, depth: u32) -> bool {
        depth >= SPLIT_DEPTH && self.seat.is_some()
    }

    /// Searches the candidates left of a node together with whoever comes to help; `best` is the best so far. Returns the best of
    /// all, which counts unless the search was stopped meanwhile.
    #[cold]
    pub(super) fn share_rest(
        &mut self,
        node: Node<E::Features>,
        candidates: &mut Candidates,
        best: (Score, Option<Square>),
    ) -> (Score, Option<Square>) {
        let (alpha, variation_at) = (node.window.0, node.variation_at);
        let split = self.share(node, candidates.rest(), best.0);
        let (score, Some((index, square))) = split.best() else { return best };
        if score > alpha
            && let Some(ply) = variation_at
            && let Some(tried) = split.result(index)
        {
            self.variations[ply + 1].clone_from(&tried.variation);
            self.extend_variation(ply, Move::Place(square));
        }
        (score, Some(square))
    }

    /// Searches the rest of a node's moves together with whoever comes to help; `best` is the best score so far. The results
    /// count unless the search was stopped meanwhile.
    #[cold]
    pub(super) fn share(
        &mut self,
        node: Node<E::Features>,
        moves: Vec<Candidate>,
        best: Score,
    ) -> Arc<Split<E::Features>> {
        let number = self.seat.map_or(0, |seat| seat.number);
        let outer = self.split.take();
        let split = Arc::new(Split::new(node, moves, best, number, outer));
        self.split = Some(Arc::clone(&split));
        self.offer();
        self.search_shared(&split);
        self.wait_for_helpers(&split);
        self.go_on_in(split.parent().cloned());
        split
    }

    /// Takes move after move of an open node.
    fn search_shared(&mut self, split: &Split<E::Features>) {
        let node = &split.node;
        while !self.stopped
            && let Some((index, candidate)) = split.take()
        {
            let child = node.board.after(candidate.square, candidate.flips);
            let features = self.evaluator.after(&node.features, candidate.square, candidate.flips);
            let (score, alpha) = self.search_shared_move(split, child, &features, index);
            if self.stopped {
                return;
            }
            let variation = node.variation_at.map_or(&[][..], |ply| &self.variations[ply + 1]);
            if split.enter(index, score, alpha, variation)
                && let Some(Seat { team, .. }) = self.seat
                && split.claim_owner()
            {
                team.wake_owner(split, Message::Done);
            }
        }
    }

    /// The value of a move and the alpha that it was measured against.
    fn search_shared_move(
        &mut self,
        split: &Split<E::Features>,
        child: Board,
        features: &E::Features,
        index: usize,
    ) -> (Score, Score) {
        let Node { depth, window: (low, beta), variation_at, .. } = split.node;
        let Some(ply) = variation_at else {
            // One move was searched before the node was opened.
            return (self.nws_child(child, features, depth, low, index + 1), low);
        };
        loop {
            // A null window stays where it is, whatever other threads have found meanwhile.
            let alpha = if beta - low == 1 { low } else { split.alpha() };
            self.variations[ply + 1].clear();
            let score = -self.nws(child, features, depth - 1, -alpha - 1);
            if score <= alpha || score >= beta || self.stopped {
                return (score, alpha);
            }
            // Another thread may have found something better meanwhile, and the move is to be measured against that.
            if split.alpha() == alpha {
                let score = -self.pvs(child, features, depth - 1, (-beta, -alpha), ply + 1);
                return (score, alpha);
            }
        }
    }

    /// Waits until no helper is at work at an own node any more, and helps them meanwhile.
    fn wait_for_helpers(&mut self, split: &Split<E::Features>) {
        let Some(Seat { team, number }) = self.seat else { return };
        while !self.stopped && !split.is_complete() {
            split.begin_waiting();
            if split.is_complete() && split.claim_owner() {
                return;
            }
            if let Message::Help(inner) = team.owners[number].receive() {
                self.help(inner);
            }
            self.stopped |= self.shared.is_over.load(SeqCst);
        }
    }

    /// A helping thread's life.
    fn help_until_done(&mut self) {
        let Some(Seat { team, .. }) = self.seat else { return };
        loop {
            team.n_idle.fetch_add(1, SeqCst);
            let Message::Help(split) = team.idle.receive() else { break };
            self.help(split);
            self.publish_counts();
        }
    }

    /// Helps at an open node until its moves are taken.
    fn help(&mut self, split: Arc<Split<E::Features>>) {
        let Some(Seat { team, .. }) = self.seat else { return };
        let outer = self.split.take();
        let _leave = Leave { shared: self.shared, team, split: &split };
        self.go_on_in(Some(Arc::clone(&split)));
        self.set_selectivity(split.node.selectivity);
        self.search_shared(&split);
        self.go_on_in(outer);
    }

    /// Changes the innermost open node around this thread.
    fn go_on_in(&mut self, split: Option<Arc<Split<E::Features>>>) {
        self.split = split;
        self.stopped = self.shared.is_over.load(SeqCst) || self.is_cut_off();
    }

    /// Whether an open node around this thread has been cut off.
    pub(super) fn is_cut_off(&self) -> bool {
        self.split.as_ref().is_some_and(|split| split.chain().any(|split| split.is_cut()))
    }

    /// Sends idle threads to the outermost open node with moves left, and waiting owners to the outermost one below their own.
    pub(super) fn offer(&self) {
        let (Some(Seat { team, .. }), Some(innermost)) = (self.seat, &self.split) else { return };
        let mut outermost: Option<&Arc<Split<E::Features>>> = None;
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
            team.idle.send(Message::Help(Arc::clone(split)));
        }
    }
}
