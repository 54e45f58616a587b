//! `othellier book todo`, `answer` and `absorb`: work for other machines, and what comes back.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::grow::CostArgs;
use super::{Extent, PoolOptions, SearchResources, open, progress};
use crate::batch::Ended;
use crate::batch::shard::Shard;
use crate::board::Board;
use crate::book::growth::{shallow, wanted};
use crate::book::lines::{self, BookRecord};
use crate::book::wal::Change;
use crate::bookmaking::{CONFIDENCE, accept, is_shallow, search};
use crate::cli::printer::Printer;
use crate::cli::{FAILED, INTERRUPTED, SHOWN_ERRORS, number, tell_of_more, warn};
use crate::files::book::read;
use crate::files::games::{STANDARD, read_bytes};
use crate::support::text::counted;

#[derive(Debug, Args)]
#[command(
    after_help = "Prints a line of JSON for each position, the one that costs least to reach first, and changes nothing. `answer` turns \
    these lines into answers, on any machine; `absorb` takes them in, in any order, late or twice. A position that is printed twice is \
    merely searched twice.\n\n\
    Example:\n  othellier book todo my.othb -n 1000 --shard 1/2 | ssh other othellier book answer > answers.jsonl"
)]
pub(super) struct Todo {
    /// The book
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print at most N positions
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1000)]
    positions: usize,
    /// Only the Kth of every N positions
    #[arg(long, value_name = "K/N", default_value_t = Shard::ALL, hide_default_value = true)]
    shard: Shard,
    /// Search D plies deep
    #[arg(long, value_name = "D", default_value_t = 20, value_parser = number(1u32, 40))]
    depth: u32,
    /// Positions whose values rest on less deep searches, as `build --deepen` searches them, instead of new ones
    #[arg(long)]
    deepen: bool,
    #[command(flatten)]
    way: CostArgs,
    #[command(flatten)]
    extent: Extent,
}

#[derive(Debug, Args)]
#[command(after_help = "Answers each line as soon as it is searched, in any order.\n\n\
    Example:\n  othellier book answer todo.jsonl --concurrency 4 > answers.jsonl")]
pub(super) struct Answer {
    /// Lines of `book todo`; - for standard input
    #[arg(value_name = "FILE", default_value = STANDARD)]
    file: PathBuf,
    #[command(flatten)]
    pool: PoolOptions,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Takes answers of `book answer`, of `analyze --batch` and of `book export --to jsonl`. Other lines are reported and skipped.\n\n\
    Example:\n  othellier book absorb my.othb answers.jsonl"
)]
pub(super) struct Absorb {
    /// The book; a new one is made if it does not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Files of answers; - for standard input
    #[arg(value_name = "ANSWERS", required = true)]
    answers: Vec<PathBuf>,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn todo(arguments: &Todo) -> anyhow::Result<()> {
    let (root, rule) = (arguments.way.root()?, arguments.way.rule());
    let sections = read(&arguments.file)?.sections()?;
    let wanted = if arguments.deepen {
        let is_shallow = |board, leaf| is_shallow(board, leaf, arguments.depth);
        shallow(&sections, root, &rule, &is_shallow, arguments.positions)
    } else {
        wanted(&sections, root, &rule, arguments.extent.until, arguments.positions)
    };
    let mut output = std::io::stdout().lock();
    let mut n_printed = 0;
    let chosen = (0..).zip(&wanted.tasks);
    for (_, task) in chosen.filter(|&(unit, _)| arguments.shard.contains(unit)) {
        writeln!(output, "{}", lines::task(task, arguments.depth, CONFIDENCE))?;
        n_printed += 1;
    }
    output.flush()?;
    warn(&format!("todo: {n_printed} of {}", wanted.n_all));
    Ok(())
}

/// The lines of a file that are `wanted`; others, and those that cannot be read, are reported and counted.
fn said(
    path: &Path,
    wanted: impl Fn(&BookRecord) -> bool,
    n_bad: &mut usize,
) -> anyhow::Result<Vec<BookRecord>> {
    let (mut all, mut n_errors) = (Vec::new(), 0);
    for (number, line) in (1..).zip(read_bytes(path)?.split(|&byte| byte == b'\n')) {
        let mut error = |text: &str| {
            n_errors += 1;
            if n_errors <= SHOWN_ERRORS {
                warn(&format!("{} line {number}: {text}", path.display()));
            }
        };
        match lines::read(line) {
            Ok(Some(said)) if !wanted(&said) => error("neither an answer nor a position of a book"),
            Ok(said) => all.extend(said),
            Err(text) => error(&text),
        }
    }
    tell_of_more(n_errors, path.display(), &mut warn);
    *n_bad += n_errors;
    Ok(all)
}

pub(super) fn answer(arguments: &Answer) -> anyhow::Result<ExitCode> {
    let mut n_bad = 0;
    let all = said(&arguments.file, |_| true, &mut n_bad)?;
    anyhow::ensure!(n_bad == 0, "{} no task", counted(n_bad, "line is", "lines are"));
    let tasks: Vec<(Board, u64, u32)> = all
        .iter()
        .map(|said| (said.entry.board, said.exclude, said.depth.unwrap_or(20).clamp(1, 60)))
        .filter(|(board, exclude, _)| board.legal_moves() & !exclude != 0)
        .collect();
    if tasks.len() < all.len() {
        let n = counted(all.len() - tasks.len(), "task leaves", "tasks leave");
        warn(&format!("{n} no move to search"));
    }
    let resources = SearchResources::open(&arguments.pool)?;
    let bar = progress::over(Some(tasks.len()), "positions");
    let mut output = std::io::stdout();
    let mut n_answered = 0;
    let ended = search(&tasks, resources.settings(0), |unit, leaf| {
        let (board, exclude, _) = tasks[unit];
        writeln!(output, "{}", lines::answer(board, exclude, leaf))?;
        output.flush()?;
        n_answered += 1;
        bar.inc(1);
        Ok(ControlFlow::Continue(()))
    })?;
    bar.finish_and_clear();
    if ended == Ended::Complete {
        return Ok(ExitCode::SUCCESS);
    }
    let n_tasks = counted(tasks.len(), "task", "tasks");
    warn(&format!("stopped after {n_answered} of {n_tasks}"));
    Ok(ExitCode::from(INTERRUPTED))
}

pub(super) fn absorb(arguments: &Absorb) -> anyhow::Result<ExitCode> {
    let mut n_bad = 0;
    let mut all = Vec::new();
    for path in &arguments.answers {
        all.extend(said(path, |said| said.is_answer, &mut n_bad)?);
    }
    let n_games = all.iter().filter(|said| said.entry.games != [0; 3]).count();
    if n_games > 0 {
        let positions = counted(n_games, "position", "positions");
        warn(&format!("the games of {positions} are left out; `othellier book import` takes them"));
    }
    let mut file = open(&arguments.file)?;
    let [mut n_new, mut n_better, mut n_known] = [0; 3];
    // Add all positions first: which moves lead out of the book depends on them.
    for said in all.iter().filter(|said| said.entry.leaf.is_some()) {
        if file.book().find(said.entry.board).is_none() {
            let entry = crate::book::Entry::new(said.entry.board);
            file.change(&[Change::Put(entry)])?;
        }
    }
    file.compact()?;
    // Go from late to early positions, so that each finds the values of those that follow.
    all.sort_by_key(|said| std::cmp::Reverse(crate::book::n_discs(said.entry.board)));
    for said in &all {
        let board = said.entry.board;
        let had_leaf = file.book().find(board).is_some_and(|entry| entry.leaf.is_some());
        match accept(file.book(), board, |linked| said.leaf(linked)) {
            Some(accepted) => {
                *(if had_leaf { &mut n_better } else { &mut n_new }) += 1;
                file.change(&[Change::Put(accepted.entry)])?;
            }
            None => n_known += 1,
        }
    }
    file.compact()?;
    let n_read = all.len();
    let closing = json!({"read": n_read, "new": n_new, "better": n_better, "known": n_known, "errors": n_bad});
    let text = format_args!(
        "absorb: {n_read} read, {n_new} new, {n_better} better, {n_known} known, {n_bad} errors"
    );
    Printer::new(std::io::stdout().lock(), arguments.json).show(&closing, text)?;
    Ok(if n_bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}
