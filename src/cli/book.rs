//! `othellier book`.

mod exchange;
mod grow;
mod hand_out;
mod look;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::ensure;
use clap::{Args, Subcommand};
use serde_json::json;

use super::evaluation_options::EvaluationOptions;
use super::{cores, from, number, progress, warn};
use crate::board::{Board, Position};
use crate::book::Book;
use crate::book::growth::is_due;
use crate::book::sections::Sections;
use crate::book::values::derive;
use crate::bookmaking::Settings;
use crate::cli::printer::Printer;
use crate::evaluation::Source;
use crate::files::book::{BookFile, read};
use crate::files::games::STANDARD;
use crate::requests::row;
use crate::score;
use crate::search::Stop;
use crate::support::text::counted;

#[derive(Debug, Args)]
#[command(
    after_help = "A book keeps, for each position, the best of the moves that lead out of it; all values follow from these. It is a file FILE, \
    with a journal FILE.log of what changed since. A kill loses no finished search, and the next run continues. Ctrl-C ends a command \
    after the searches under way.\n\n\
    Examples:\n  \
    othellier book build my.othb --duration 2h --concurrency 2\n  \
    othellier book add my.othb games.ggf --search\n  \
    othellier book import my.othb book.dat\n  \
    othellier book show my.othb f5d6c3"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a book, or let it grow: the moves that cost least to reach first
    Build(grow::Build),
    /// Add the positions of games, and who won from them
    Add(grow::Add),
    /// Print positions to search, for other machines
    Todo(hand_out::Todo),
    /// Search positions that `todo` printed
    Answer(hand_out::Answer),
    /// Add what `answer` or `analyze --batch` found
    Absorb(hand_out::Absorb),
    /// Merge books into a new one
    Merge(exchange::Merge),
    /// Add the positions of books of Edax or Egaroucid, or of lines of JSON
    Import(exchange::Import),
    /// Write a book for Edax or Egaroucid, or as text
    Export(exchange::Export),
    /// Show what a book knows of a position
    Show(look::Show),
    /// Count the positions that a player must know to play an opening
    Memorize(look::Memorize),
    /// Count positions, values and depths
    Stats(look::Stats),
    /// Look for damage, and compare games with a book
    Check(look::Check),
    /// Remove lines that lose much, or late positions
    Prune(exchange::Prune),
    /// Merge the journal into the file
    Compact(exchange::Compact),
}

#[derive(Debug, Args)]
struct SearchOptions {
    /// Search D plies deep, D - 1 where that ends on the same parity, and to the end from D + 8 empty squares
    #[arg(long, value_name = "D", default_value_t = 20, value_parser = number(1u32, 40))]
    depth: u32,
    #[command(flatten)]
    pool: PoolOptions,
}

#[derive(Debug, Args)]
struct PoolOptions {
    /// Searches at a time [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = super::threads())]
    concurrency: Option<usize>,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = super::megabytes())]
    hash: usize,
    #[command(flatten)]
    evaluation: EvaluationOptions,
}

#[derive(Debug, Args)]
struct Extent {
    /// Keep to positions with at least E empty squares
    #[arg(long, value_name = "E", default_value_t = 24, value_parser = number(0u32, 60))]
    until: u32,
}

#[derive(Debug, Args)]
struct Root {
    /// Begin after these moves, such as f5d6c3, or at a position (64 cells and the side to move)
    #[arg(long, value_name = "MOVES")]
    from: Option<String>,
}

impl Root {
    fn position(&self) -> anyhow::Result<Position> {
        self.from.as_deref().map_or(Ok(Position::START), position)
    }
}

/// The book of a command that only reads it: a file, or with `-` the one that is part of the program.
fn consult(path: &Path) -> anyhow::Result<Arc<Book>> {
    // Players and openings call it `on`.
    if path.as_os_str() == STANDARD || (path.as_os_str() == "on" && !path.exists()) {
        return Ok(Book::embedded());
    }
    read(path).map(Arc::new)
}

fn position(text: &str) -> anyhow::Result<Position> {
    let position = from(text).map_err(anyhow::Error::msg)?.position();
    let center = 0x0000_0018_1800_0000;
    ensure!(position.board.empties() & center == 0, "'{text}': the center is empty");
    ensure!(!position.board.is_over(), "'{text}': the game is over");
    Ok(if position.board.legal_moves() == 0 {
        Position { board: position.board.passed(), side: position.side.opposite() }
    } else {
        position
    })
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Build(arguments) => grow::build(arguments)?,
        Command::Add(arguments) => grow::add(arguments)?,
        Command::Todo(arguments) => hand_out::todo(arguments)?,
        Command::Answer(arguments) => return hand_out::answer(arguments),
        Command::Absorb(arguments) => return hand_out::absorb(arguments),
        Command::Merge(arguments) => exchange::merge(arguments)?,
        Command::Import(arguments) => exchange::import(arguments)?,
        Command::Export(arguments) => exchange::export(arguments)?,
        Command::Show(arguments) => look::show(arguments)?,
        Command::Memorize(arguments) => look::memorize(arguments)?,
        Command::Stats(arguments) => look::stats(arguments)?,
        Command::Check(arguments) => return look::check(arguments),
        Command::Prune(arguments) => exchange::prune(arguments)?,
        Command::Compact(arguments) => exchange::compact(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

struct SearchResources {
    evaluation: Source,
    n_threads: usize,
    hash_megabytes: usize,
    stop: Stop,
    start: Instant,
}

impl SearchResources {
    /// Loads the evaluation and handles Ctrl-C: the first ends the searches, the second the program.
    fn open(options: &PoolOptions) -> anyhow::Result<SearchResources> {
        Ok(SearchResources {
            evaluation: options.evaluation.source()?,
            n_threads: options.concurrency.unwrap_or_else(cores),
            hash_megabytes: options.hash,
            stop: super::stop_on_signal()?,
            start: Instant::now(),
        })
    }

    fn settings(&self, depth: u32) -> Settings<'_> {
        Settings {
            depth,
            n_threads: self.n_threads,
            hash_megabytes: self.hash_megabytes,
            evaluation: &self.evaluation,
            stop: &self.stop,
        }
    }
}

/// For writing; warns if a kill has left an unfinished change.
fn open(path: &Path) -> anyhow::Result<BookFile> {
    let file = BookFile::open(path)?;
    if file.n_cut() > 0 {
        warn(&format!(
            "{}: removed {} of an unfinished change",
            path.display(),
            counted(file.n_cut(), "byte", "bytes")
        ));
    }
    Ok(file)
}

/// Derives the values, merges the journal into the file, warns how many positions remain after work that was stopped, and prints the
/// closing line.
fn close(
    mut file: BookFile,
    is_complete: bool,
    n_before: usize,
    start: Instant,
    is_json: bool,
) -> anyhow::Result<()> {
    file.compact()?;
    let sections = file.book().sections()?;
    let n_due = || sections.iter().filter(|entry| is_due(entry, &sections)).count();
    if let n_due @ 1.. = if is_complete { 0 } else { n_due() } {
        let positions = counted(n_due, "position remains", "positions remain");
        warn(&format!("{positions} to be searched; run the command again to continue"));
    }
    print_closing(&sections, n_before, start, is_json)
}

fn print_closing(
    sections: &Sections,
    n_before: usize,
    start: Instant,
    is_json: bool,
) -> anyhow::Result<()> {
    let n_leaves = n_leaves(sections);
    let root = crate::board::symmetry::canonical(Board::START);
    let root = sections.find(root);
    let value = root.and_then(|entry| entry.settled());
    let added = sections.len() as i64 - n_before as i64;
    let seconds = start.elapsed().as_secs_f64();
    let closing = json!({"positions": sections.len(), "leaves": n_leaves, "added": added,
        "score": value.map(|value| score::discs(value.score.into())), "time": row::time(start.elapsed())});
    let none = if root.is_some() { "unsearched" } else { "none" };
    let value =
        value.map_or(none.into(), |value| score::text(value.score.into(), value.is_proven()));
    let text = format_args!(
        "book: {} positions, {n_leaves} leaves, {added} added, score {value}, {seconds:.1} s",
        sections.len()
    );
    Ok(Printer::new(std::io::stdout().lock(), is_json).show(&closing, text)?)
}

fn n_leaves(sections: &Sections) -> usize {
    let leads_out = |entry: &&crate::book::Entry| {
        derive(entry.board, entry.leaf, &sections.links(entry.board)).leads_out
    };
    sections.iter().filter(leads_out).count()
}
