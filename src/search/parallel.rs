//! Several threads on one position: each deepens on its own, and the table passes on what one finds to the others.

use std::sync::atomic::Ordering::Relaxed;

use super::root::Root;
use super::{Searcher, Shared};
use crate::evaluation::Evaluator;

/// Stack of a helping thread in bytes; a search goes at most some 130 calls deep.
const STACK: usize = 16 << 20;

/// Runs `main` while the other threads of the setup search the same root. A thread that the system refuses is done without.
pub(super) fn with_helpers<E: Evaluator, T>(
    evaluator: &E,
    shared: &Shared<'_>,
    root: &Root<E::Features>,
    main: impl FnOnce() -> T,
) -> T {
    std::thread::scope(|scope| {
        for helper in 1..shared.setup.n_threads {
            let root = root.clone();
            let spawned = std::thread::Builder::new()
                .name(format!("search {helper}"))
                .stack_size(STACK)
                .spawn_scoped(scope, move || {
                    root.help(&mut Searcher::new(evaluator, shared), helper)
                });
            if let Err(error) = spawned {
                log::warn!("searching with {helper} threads: {error}");
                break;
            }
        }
        // The helpers end also if `main` panics; else the scope would wait for them for ever.
        let _done = Done(shared);
        main()
    })
}

struct Done<'a>(&'a Shared<'a>);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.done.store(true, Relaxed);
    }
}
