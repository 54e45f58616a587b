//! Starting the threads that help with a search.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

use super::threads::Threads;
use crate::search::tables::ThreadTables;
use crate::support::memory;

/// Stack of a helping thread in bytes; a search goes at most some 130 calls deep, and at most twice that with the help given
/// while waiting.
const STACK: usize = 16 << 20;

#[derive(Debug)]
pub(in crate::search) struct Helpers {
    pub pool: ThreadPool,
    pub n: usize,
    /// Whether the machine has a core for each of them and for the thread that calls the search.
    pub have_cores: bool,
}

impl Threads {
    /// The threads that help; as many of them as the system grants threads and memory for.
    pub(in crate::search) fn helpers(&self) -> Option<&Helpers> {
        (self.n > 1).then(|| self.helpers.get_or_init(|| start(self)).as_ref()).flatten()
    }
}

/// Starts all threads but one, or as many as there can be.
fn start(threads: &Threads) -> Option<Helpers> {
    let n = threads.n - 1;
    let n_started = AtomicUsize::new(0);
    let builder = ThreadPoolBuilder::new().num_threads(n).spawn_handler(|thread| {
        let started = n_started.load(Relaxed);
        // A running thread aborts the program if refused memory: another's stack or tables must not take the last of it. So
        // each has its tables before the next one starts.
        if started == thread.index()
            && memory::is_available(STACK + ThreadTables::SIZE + memory::SPARE)
            && let Some(tables) = ThreadTables::try_new()
        {
            let builder = std::thread::Builder::new().name(format!("search {}", started + 1));
            // A starting thread allocates too, and without memory would end the program; the check above holds memory
            // for a moment. So the thread has to run before the next check.
            let (sender, receiver) = crossbeam_channel::bounded(1);
            let run = move || {
                let _ = sender.send(());
                thread.run();
            };
            if builder.stack_size(STACK).spawn(run).is_ok() && receiver.recv().is_ok() {
                threads.keep_tables(tables);
                n_started.store(started + 1, Relaxed);
            }
        }
        // An error would end those that have started. Work waits for no thread in particular, so the others do it all.
        Ok(())
    });
    let pool = builder.build().ok()?;
    let n_started = n_started.into_inner();
    if n_started < n {
        log::warn!("searching with {} threads: the system refuses more", n_started + 1);
    }
    let n_cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    (n_started > 0).then_some(Helpers { pool, n: n_started, have_cores: n_started < n_cores })
}
