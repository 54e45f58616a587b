//! The virtual workers, and what happens among them in the order of time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::{Course, Model, Rules};
use crate::search::recording::Step;

/// An open node, as `searcher::split::Split`.
struct Split {
    node: usize,
    parent: Option<usize>,
    owner: usize,
    /// Index of the next move that nobody has taken.
    next: usize,
    is_cut: bool,
    n_helpers: usize,
    owner_waits: bool,
}

/// What a worker is in the middle of.
#[derive(Clone, Copy)]
enum Frame {
    /// A task up to a step; `index` is that of its move.
    Task { task: usize, step: usize, index: usize },
    /// A node that is not open, up to a move.
    Closed { node: usize, next: usize },
    /// An own open node.
    Own(usize),
    /// Another's.
    Help(usize),
}

#[derive(Default)]
struct Worker {
    /// The innermost last; none if it is idle.
    frames: Vec<Frame>,
    /// When it began the nodes that it is searching.
    since: Option<u64>,
    /// How many times it has begun some; an event that tells of the end of others is out of date.
    n_begun: u64,
    n_nodes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A worker has searched the nodes that it had begun for the `n_begun`th time.
    Searched { worker: usize, n_begun: u64 },
    /// A worker is sent to an open node.
    Help { worker: usize, split: usize },
    /// An owner hears that its node is complete.
    Complete { owner: usize },
    /// All workers look at what the others do.
    Notice,
}

/// All that a simulation changes.
pub(super) struct Workers<'a> {
    model: &'a Model,
    rules: Rules,
    now: u64,
    /// By time, then in the order in which they were caused.
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    n_events: u64,
    is_notice_due: bool,
    workers: Vec<Worker>,
    /// Idle workers that were not sent anywhere, the longest idle first.
    idle: VecDeque<usize>,
    splits: Vec<Split>,
}

impl<'a> Workers<'a> {
    /// The first one begins, and all others are idle.
    pub fn new(model: &'a Model, rules: Rules) -> Workers<'a> {
        let n_workers = rules.n_workers.max(1);
        let mut workers: Vec<_> = (0..n_workers).map(|_| Worker::default()).collect();
        workers[0].frames.push(Frame::Task { task: 0, step: 0, index: 0 });
        Workers {
            model,
            rules,
            now: 0,
            events: BinaryHeap::new(),
            n_events: 0,
            is_notice_due: false,
            workers,
            idle: (1..n_workers).collect(),
            splits: Vec::new(),
        }
    }

    /// Until the first worker has done everything.
    pub fn run(mut self) -> Course {
        self.go_on(0);
        while !self.workers[0].frames.is_empty()
            && let Some(Reverse((time, _, event))) = self.events.pop()
        {
            self.now = time;
            match event {
                Event::Searched { worker, n_begun } => {
                    if self.workers[worker].n_begun == n_begun {
                        self.pause(worker);
                        self.go_on(worker);
                    }
                }
                Event::Help { worker, split } => {
                    self.workers[worker].frames.push(Frame::Help(split));
                    self.go_on(worker);
                }
                Event::Complete { owner } => self.go_on(owner),
                Event::Notice => self.notice(),
            }
        }
        (0..self.workers.len()).for_each(|worker| self.pause(worker));
        let n_nodes = self.workers.iter().map(|worker| worker.n_nodes).sum();
        Course { time: self.now, n_nodes }
    }

    fn cause(&mut self, delay: u64, event: Event) {
        self.events.push(Reverse((self.now + delay, self.n_events, event)));
        self.n_events += 1;
    }

    /// Something has changed that workers see soon.
    fn begin_epoch(&mut self) {
        if !self.is_notice_due {
            self.is_notice_due = true;
            self.cause(self.rules.notice, Event::Notice);
        }
    }

    /// Workers stop if what they do is no longer wanted, else give others work. Any of them may be the first to see it.
    fn notice(&mut self) {
        self.is_notice_due = false;
        let n_workers = self.workers.len();
        let first = (self.n_events % n_workers as u64) as usize;
        for worker in (first..n_workers).chain(0..first) {
            if self.workers[worker].since.is_none() {
                continue;
            }
            if self.is_cut_off(worker) {
                self.pause(worker);
                self.go_on(worker);
            } else {
                self.offer(worker);
            }
        }
    }

    /// Ends the nodes that a worker is searching, at the end or before it.
    fn pause(&mut self, worker: usize) {
        let worker = &mut self.workers[worker];
        if let Some(since) = worker.since.take() {
            worker.n_nodes += self.now - since;
            worker.n_begun += 1;
        }
    }

    /// Lets a worker go on until it searches nodes, waits or is idle.
    fn go_on(&mut self, number: usize) {
        loop {
            if self.is_cut_off(number) {
                self.leave(number);
            }
            let model = self.model;
            let worker = &mut self.workers[number];
            let Some(frame) = worker.frames.last_mut() else {
                if number > 0 {
                    self.idle.push_back(number);
                    self.begin_epoch();
                }
                return;
            };
            match frame {
                Frame::Task { task, step, index } => {
                    let steps = &model.recording.tasks[*task].steps;
                    let (at, index) = (*step, *index);
                    *step += 1;
                    match steps.get(at) {
                        Some(&Step::Alone(n)) => {
                            worker.since = Some(self.now);
                            let n_begun = worker.n_begun;
                            self.cause(n, Event::Searched { worker: number, n_begun });
                            return;
                        }
                        Some(&Step::Open(node)) => {
                            worker.frames.push(Frame::Closed { node, next: 0 });
                        }
                        None => {
                            worker.frames.pop();
                            self.enter(number, index);
                        }
                    }
                }
                Frame::Closed { node, next } => {
                    let recorded = &model.recording.nodes[*node];
                    if *next == recorded.moves.len() {
                        worker.frames.pop();
                    } else if recorded.depth >= self.rules.split_depth || !self.idle.is_empty() {
                        let (node, next) = (*node, *next);
                        worker.frames.pop();
                        self.open(number, node, next);
                    } else {
                        let (task, index) = (recorded.moves[*next], *next);
                        *next += 1;
                        worker.frames.push(Frame::Task { task, step: 0, index });
                    }
                }
                Frame::Own(split) | Frame::Help(split) => {
                    let split = *split;
                    let is_own = matches!(frame, Frame::Own(_));
                    if let Some(frame) = self.take(split) {
                        self.workers[number].frames.push(frame);
                    } else if !is_own {
                        self.workers[number].frames.pop();
                        self.release(split);
                    } else if self.is_complete(split) {
                        self.workers[number].frames.pop();
                    } else {
                        self.splits[split].owner_waits = true;
                        self.begin_epoch();
                        return;
                    }
                }
            }
        }
    }

    /// Opens a node from a move on.
    fn open(&mut self, owner: usize, node: usize, next: usize) {
        let parent = self.innermost(owner);
        let split =
            Split { node, parent, owner, next, is_cut: false, n_helpers: 0, owner_waits: false };
        self.workers[owner].frames.push(Frame::Own(self.splits.len()));
        self.splits.push(split);
        self.offer(owner);
    }

    /// Takes the next move of an open node.
    fn take(&mut self, split: usize) -> Option<Frame> {
        let split = &mut self.splits[split];
        if split.is_cut {
            return None;
        }
        let index = split.next;
        let task = self.model.task(split.node, index)?;
        split.next += 1;
        Some(Frame::Task { task, step: 0, index })
    }

    /// A worker has searched a move; if the node is open, others see a cut-off.
    fn enter(&mut self, number: usize, index: usize) {
        let frame = self.workers[number].frames.last();
        let Some(&(Frame::Own(number) | Frame::Help(number))) = frame else { return };
        let split = &mut self.splits[number];
        let node = &self.model.recording.nodes[split.node];
        if node.is_cut && index + 1 == node.moves.len() {
            split.is_cut = true;
            self.begin_epoch();
            self.wake_if_complete(number);
        }
    }

    /// A helper is gone.
    fn release(&mut self, split: usize) {
        self.splits[split].n_helpers -= 1;
        self.wake_if_complete(split);
    }

    fn wake_if_complete(&mut self, number: usize) {
        if self.is_complete(number) && self.claim_owner(number) {
            let owner = self.splits[number].owner;
            self.cause(self.rules.message, Event::Complete { owner });
        }
    }

    fn is_complete(&self, split: usize) -> bool {
        self.splits[split].is_cut || self.splits[split].n_helpers == 0
    }

    fn claim_owner(&mut self, split: usize) -> bool {
        std::mem::take(&mut self.splits[split].owner_waits)
    }

    fn n_left(&self, split: usize) -> usize {
        self.model.n_moves(self.splits[split].node) - self.splits[split].next
    }

    /// The innermost open node around a worker.
    fn innermost(&self, worker: usize) -> Option<usize> {
        self.workers[worker].frames.iter().rev().find_map(|frame| match *frame {
            Frame::Own(split) | Frame::Help(split) => Some(split),
            _ => None,
        })
    }

    /// Whether a node or one around it is cut off.
    fn is_within_cut(&self, split: Option<usize>) -> bool {
        let parent = |&split: &usize| self.splits[split].parent;
        std::iter::successors(split, parent).any(|split| self.splits[split].is_cut)
    }

    fn is_cut_off(&self, worker: usize) -> bool {
        self.is_within_cut(self.innermost(worker))
    }

    /// Leaves all that a cut-off has made useless.
    fn leave(&mut self, worker: usize) {
        while self.is_cut_off(worker)
            && let Some(frame) = self.workers[worker].frames.pop()
        {
            if let Frame::Help(split) = frame {
                self.release(split);
            }
        }
    }

    /// Sends idle workers and waiting owners to the open nodes around a worker, as `Searcher::offer`.
    fn offer(&mut self, worker: usize) {
        let mut outermost = None;
        let mut around = self.innermost(worker);
        while let Some(number) = around {
            if let Some(inner) = outermost
                && self.claim_owner(number)
            {
                self.send(self.splits[number].owner, inner);
            }
            if self.n_left(number) > 0 {
                outermost = Some(number);
            }
            around = self.splits[number].parent;
        }
        let Some(split) = outermost else { return };
        for _ in 0..self.n_left(split) {
            let Some(worker) = self.idle.pop_front() else { return };
            self.send(worker, split);
        }
    }

    fn send(&mut self, worker: usize, split: usize) {
        self.splits[split].n_helpers += 1;
        self.cause(self.rules.message, Event::Help { worker, split });
    }
}
