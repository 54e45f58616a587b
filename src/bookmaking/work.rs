//! Growing a book: rounds of searches until no task is left or the time is over.

use std::ops::ControlFlow;
use std::time::Instant;

use super::seeker::Seeker;
use crate::batch::{self, Ended, Order, Pool};
use crate::board::Board;
use crate::book::growth::Task;
use crate::book::sections::Sections;
use crate::book::values::renewed;
use crate::book::wal::Change;
use crate::book::{Book, Entry, Leaf};
use crate::evaluation::Evaluation;
use crate::files::book::BookFile;
use crate::search::Stop;

/// A round searches one position for this many in the book, so that later tasks are chosen by the values of earlier ones.
const ROUND: usize = 20;

/// A round searches at least this many positions for each thread, if there are so many tasks.
const MIN_ROUND: usize = 8;

#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// Plies, see [`super::seeker::depth_for`].
    pub depth: u32,
    /// Each with a search of its own.
    pub n_threads: usize,
    /// Of each thread's table, in MiB.
    pub hash_megabytes: usize,
    pub evaluation: &'a Evaluation,
    pub stop: &'a Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grown {
    pub searched: usize,
    /// Whether nothing is left to do; else the time was over or a stop came first.
    pub is_complete: bool,
}

/// The position with a new fact (`leaf` gets the set of moves that stay in the book); `None` if the fact changes nothing.
pub fn accept(
    book: &Book,
    board: Board,
    leaf: impl FnOnce(u64) -> Option<Leaf>,
) -> Option<Accepted> {
    let old = book.find(board);
    let entry = renewed(old.unwrap_or(Entry::new(board)), &book.links(board), leaf);
    let is_new = old.is_none();
    let is_better = is_new || old.is_some_and(|old| old.leaf != entry.leaf);
    is_better.then_some(Accepted { entry, is_new })
}

/// See [`accept`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub entry: Entry,
    pub is_new: bool,
}

/// Searches tasks (board, moves left out, depth) and passes the index of each with the fact to `take` as soon as it is found.
pub fn search(
    tasks: &[(Board, u64, u32)],
    settings: Settings<'_>,
    mut take: impl FnMut(usize, Leaf) -> anyhow::Result<ControlFlow<()>> + Send,
) -> anyhow::Result<Ended> {
    let pool =
        Pool { n_threads: settings.n_threads, order: Order::AsFinished, stop: settings.stop };
    let init = || Seeker::new(settings.evaluation, settings.hash_megabytes, settings.stop);
    let work = |seeker: &mut Seeker<'_>, &unit: &u64| {
        let (board, exclude, depth) = tasks[unit as usize];
        Ok(seeker.fact(board, exclude, depth))
    };
    batch::run(0..tasks.len() as u64, pool, init, work, |unit, leaf| take(unit as usize, leaf))
}

/// Searches the tasks that `select` returns, given the book and the number until its next call, until there are none or the time is over.
/// Every fact is in the journal before the next search, so a kill loses only searches under way. `on_fact` gets the searches and positions.
pub fn grow(
    file: &mut BookFile,
    settings: Settings<'_>,
    until: Option<Instant>,
    select: impl Fn(&Sections, usize) -> Vec<Task>,
    on_fact: &mut (dyn FnMut(usize, usize) + Send),
) -> anyhow::Result<Grown> {
    let mut grown = Grown { searched: 0, is_complete: false };
    loop {
        let sections = file.book().sections()?;
        if file.is_long() {
            file.replace(&sections)?;
        }
        let mut n_positions = sections.len();
        let n_tasks = (n_positions / ROUND).max(MIN_ROUND * settings.n_threads);
        let tasks = select(&sections, n_tasks);
        if tasks.is_empty() {
            grown.is_complete = true;
            return Ok(grown);
        }
        let tasks: Vec<(Board, u64, u32)> = tasks
            .iter()
            .take(n_tasks)
            .map(|task| (task.board, task.exclude, settings.depth))
            .collect();
        drop(sections);
        let is_over = || until.is_some_and(|until| Instant::now() >= until);
        if is_over() {
            return Ok(grown);
        }
        let ended = search(&tasks, settings, |unit, leaf| {
            if let Some(accepted) = accept(file.book(), tasks[unit].0, |_| Some(leaf)) {
                file.change(&[Change::Put(accepted.entry)])?;
                n_positions += usize::from(accepted.is_new);
            }
            grown.searched += 1;
            on_fact(grown.searched, n_positions);
            Ok(if is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        if ended == Ended::Stopped {
            return Ok(grown);
        }
    }
}
