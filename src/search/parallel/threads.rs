//! The threads of searches and their tables, kept from one search to the next.

use std::sync::{Mutex, PoisonError};

use crate::search::tables::ThreadTables;

/// Threads for one search after another. [`Threads::start`] or the first search with several starts them; between searches they sleep.
#[derive(Debug)]
pub struct Threads {
    pub(super) n: usize,
    /// All but the thread that calls the search; `None` if the system grants no other.
    #[cfg(feature = "threads")]
    pub(super) helpers: std::sync::OnceLock<Option<super::helpers::Helpers>>,
    /// Tables of threads that no search is using.
    tables: Mutex<Vec<ThreadTables>>,
}

impl Threads {
    /// `n` threads, at least one; without the feature `threads` always one.
    pub const fn new(n: usize) -> Threads {
        Threads {
            n: if n == 0 || cfg!(not(feature = "threads")) { 1 } else { n },
            #[cfg(feature = "threads")]
            helpers: std::sync::OnceLock::new(),
            tables: Mutex::new(Vec::new()),
        }
    }

    /// Starts the threads unless they run already, which saves the first search the time.
    pub fn start(&self) {
        #[cfg(feature = "threads")]
        self.helpers();
    }

    /// Whether there is nothing left to start.
    pub fn have_started(&self) -> bool {
        #[cfg(feature = "threads")]
        return self.n == 1 || self.helpers.get().is_some();
        #[cfg(not(feature = "threads"))]
        true
    }

    /// How many were asked for.
    pub const fn n(&self) -> usize {
        self.n
    }

    /// A thread's own tables, empty; `None` if the memory for them is refused.
    pub(in crate::search) fn take_tables(&self) -> Option<ThreadTables> {
        // A panic elsewhere leaves the list whole.
        let kept = self.tables.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match kept {
            Some(mut tables) => {
                tables.forget();
                Some(tables)
            }
            None => ThreadTables::try_new(),
        }
    }

    pub(in crate::search) fn keep_tables(&self, tables: ThreadTables) {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).push(tables);
    }
}

#[cfg(all(test, feature = "threads"))]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::evaluation::Evaluation;
    use crate::search::{Limits, Search, Stop};
    use crate::transposition::Table;
    use std::time::Duration;

    #[test]
    fn kept_tables_are_empty_when_they_are_taken() {
        let threads = Threads::new(1);
        assert!(threads.helpers().is_none());
        let mut tables = threads.take_tables().unwrap();
        tables.bounds.store(Board::START, -3, 4);
        tables.shallow.store(Board::START, 2, -3, 4, None);
        threads.keep_tables(tables);
        let tables = threads.take_tables().unwrap();
        assert_eq!(tables.bounds.probe(Board::START), None);
        assert_eq!(tables.shallow.probe(Board::START), None);
        assert!(threads.tables.lock().unwrap().is_empty());
    }

    #[test]
    fn a_search_of_little_time_starts_no_thread() {
        let threads = Threads::new(2);
        let table = Table::try_new(1).unwrap();
        let search =
            Search { evaluation: Evaluation::embedded(), table: &table, threads: &threads };
        for (milliseconds, has_started) in [(10, false), (30, true)] {
            let limits = Limits::default().within(Duration::from_millis(milliseconds));
            search.run(Board::START, &limits, &Stop::new(), &mut |_| {});
            assert_eq!(threads.have_started(), has_started, "{milliseconds} ms");
        }
    }

    #[test]
    fn threads_stay_and_have_their_tables_when_they_start() {
        let threads = Threads::new(3);
        threads.start();
        assert_eq!(threads.tables.lock().unwrap().len(), 2);
        let names = || {
            threads.helpers().unwrap().pool.broadcast(|_| {
                let thread = std::thread::current();
                (thread.id(), thread.name().map(str::to_owned))
            })
        };
        let first = names();
        assert_eq!(first.len(), 2);
        assert!(first.iter().any(|(_, name)| name.as_deref() == Some("search 2")));
        assert_eq!(first, names());
    }
}
