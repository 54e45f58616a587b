//! The threads of a search, and the messages that pass between them.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use crossbeam_channel::{Receiver, Sender, bounded};
use crossbeam_utils::CachePadded;

use super::split::SplitPoint;

/// Polls of the mailbox before a waiting thread starts to yield its core; about 20 microseconds.
const SPINS: u32 = 500;
/// Further polls before the thread sleeps, with a yield after each: about a millisecond on a free core. Waking a thread
/// takes longer than most waits. Only if each thread has a core; else those waited for need the core.
const YIELDS: u32 = 1000;

pub(in crate::search) enum Message {
    /// To an idle thread or a waiting owner: moves are open at this node.
    Help(Arc<SplitPoint>),
    /// To an owner: the node is complete. To an idle thread: the search is over.
    Done,
}

struct Mailbox {
    sender: Sender<Message>,
    receiver: Receiver<Message>,
}

impl Mailbox {
    fn new(capacity: usize) -> Mailbox {
        let (sender, receiver) = bounded(capacity);
        Mailbox { sender, receiver }
    }

    fn receive(&self, yields: u32) -> Message {
        for _ in 0..SPINS {
            if let Ok(message) = self.receiver.try_recv() {
                return message;
            }
            std::hint::spin_loop();
        }
        for _ in 0..yields {
            if let Ok(message) = self.receiver.try_recv() {
                return message;
            }
            std::thread::yield_now();
        }
        self.receiver.recv().unwrap_or(Message::Done)
    }
}

pub(in crate::search) struct Team {
    /// Changes whenever threads at work must look around: a node was cut off, the search is over, or a thread waits for
    /// work. On a cache line of its own, because all threads read it at every node of some depth.
    epoch: CachePadded<AtomicUsize>,
    /// Idle threads that nobody has claimed.
    n_idle: AtomicUsize,
    /// How many times a waiting thread lets others have its core before it goes to sleep.
    yields: u32,
    /// Messages to any idle thread.
    idle: Mailbox,
    /// Messages to waiting owners, by thread number.
    owners: Vec<Mailbox>,
}

impl Team {
    /// A team; `has_cores` says whether each thread has a core of its own.
    pub fn new(n_threads: usize, has_cores: bool) -> Team {
        Team {
            yields: if has_cores { YIELDS } else { 0 },
            epoch: CachePadded::new(AtomicUsize::new(0)),
            n_idle: AtomicUsize::new(0),
            // Room for two messages to each thread: a call for help and the end of the search.
            idle: Mailbox::new(2 * n_threads),
            owners: (0..n_threads).map(|_| Mailbox::new(1)).collect(),
        }
    }

    #[inline(always)]
    pub fn epoch(&self) -> usize {
        self.epoch.load(Relaxed)
    }

    pub fn begin_epoch(&self) {
        self.epoch.fetch_add(1, SeqCst);
    }

    #[inline(always)]
    pub fn n_idle(&self) -> usize {
        self.n_idle.load(Relaxed)
    }

    #[inline(always)]
    pub fn has_idle(&self) -> bool {
        self.n_idle() > 0
    }

    /// Claims one idle thread, if there is any; the caller must then send it a message.
    pub fn claim_idle(&self) -> bool {
        self.has_idle() && self.n_idle.fetch_update(SeqCst, SeqCst, |n| n.checked_sub(1)).is_ok()
    }

    /// Sends a message to an idle thread, which the caller has claimed unless it ends the search.
    pub fn send_to_idle(&self, message: Message) {
        // The box is large enough for all messages that there can be at a time, and lives as long as all threads.
        let sent = self.idle.sender.try_send(message);
        debug_assert!(sent.is_ok());
    }

    /// Marks the calling thread as idle and waits for a message.
    pub fn receive_when_idle(&self) -> Message {
        self.n_idle.fetch_add(1, SeqCst);
        self.begin_epoch();
        self.idle.receive(self.yields)
    }

    /// Waits for a message to thread `number`, the owner of an open node.
    pub fn receive_as_owner(&self, number: usize) -> Message {
        self.owners[number].receive(self.yields)
    }

    /// Sends a message to the owner of a node, which the caller has claimed.
    pub fn wake_owner(&self, split: &SplitPoint, message: Message) {
        // The box is full only if the end of the search is in it, which wakes the owner as well.
        let _ = self.owners[split.owner].sender.try_send(message);
    }

    /// Ends the waiting of all owners.
    pub fn wake_all_owners(&self) {
        for owner in &self.owners {
            let _ = owner.sender.try_send(Message::Done);
        }
    }
}

/// A thread's place in the team.
#[derive(Clone, Copy)]
pub(in crate::search) struct Slot<'a> {
    pub team: &'a Team,
    pub number: usize,
}
